package locks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// tempCount numbers the temp files of this process.
var tempCount atomic.Uint64

// tempTries is how many names are tried when an earlier process with our pid left temp files behind.
const tempTries = 100

// writeTemp writes a file beside path, in the pattern of the Kimi client ("<path>.tmp-<pid>-<n>", mode
// 0600), and syncs it. The caller publishes or removes it.
func writeTemp(path string, content []byte) (temp string, err error) {
	for range tempTries {
		temp = tempPath(path)
		if err = writeNew(temp, content); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return temp, err
}

func tempPath(path string) string {
	return path + ".tmp-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(tempCount.Add(1), 10)
}

// writeNew makes a file that must not exist and removes it again when it cannot be completed.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, ownFileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// replaceOwn puts content in the place of a file of ours, or makes it: readers and a crash see the old
// bytes or the new ones. Its folder must exist.
func replaceOwn(path string, content []byte) error {
	temp, err := writeTemp(path, content)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(path))
}
