package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create makes a new file with data at path, all of it or nothing, with the mode that new files have here. It never
// touches a file that is there: then the error wraps [fs.ErrExist]. The folder must exist. [ErrNotDurable] is as for
// [Replace].
//
// The file gets its name by a rename that does not replace. File systems without one get a second link whose first
// name goes at once, and those without links a file that is written in place.
func Create(path string, data []byte) error {
	temp := filepath.Join(filepath.Dir(path), TempName(filepath.Base(path)))
	err := writeNew(temp, data)
	if err == nil {
		err = renameNew(temp, path)
	}
	if errors.Is(err, errNoRename) {
		err = linkNew(temp, path, data)
	}
	if err != nil {
		return discard(temp, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// errNoRename says that this file system cannot rename without replacing.
var errNoRename = errors.New("no rename without replacing")

// writeNew makes a file that is not there yet, and has it on disk.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// linkNew gives temp its final name by a link, or writes the file in place where there are no links.
func linkNew(temp, path string, data []byte) error {
	err := os.Link(temp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = writeNew(path, data)
	}
	if err != nil {
		return err
	}
	return os.Remove(temp)
}
