package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"
)

// ErrNotDurable says that the new bytes are in place, and that the folder could not be synced: a power
// cut may still bring the old file back.
var ErrNotDurable = errors.New("replaced, but not known to survive a power cut")

var errNotRegular = errors.New("not a regular file")

// Replace puts data in the place of the regular file at path, which must exist, and keeps its mode and
// owner. A symbolic link is refused, since the rename would destroy it.
//
// check, when not nil, runs right before the rename, and before every new attempt at it: the last moment
// to see that path still is what the caller took it for. Its error stops the replacement and is returned
// as it is. A rename that is refused because somebody has the file open is tried again for about 300 ms.
func Replace(path string, data []byte, check func() error) error {
	return system.replace(path, data, check)
}

// ReplaceThrough is Replace through a temp file of the given base name, for stores whose clients know each other's by
// their names. A file of that name that is there already is an error, and stays.
func ReplaceThrough(path, temp string, data []byte, check func() error) error {
	return system.replaceThrough(path, temp, data, check)
}

// maxTempStem keeps temp names within the 255 bytes that file systems allow for a name.
const maxTempStem = 200

// TempName returns a temp name for a file of that name, in the pattern that Kioku uses
// (kioku.md section 5.3), so that everything that ignores its temp files ignores ours.
func TempName(name string) string {
	for len(name) > maxTempStem {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	var random [16]byte
	rand.Read(random[:])
	return "." + name + "." + hex.EncodeToString(random[:]) + ".tmp"
}

// steps are the operations that can fail or be cut short; tests put their own in.
type steps struct {
	create  func(path string) (*os.File, error)
	write   func(f *os.File, data []byte) error
	sync    func(f *os.File) error
	rename  func(from, to string) error
	syncDir func(dir string) error
	wait    func(time.Duration)
}

var system = steps{
	create: func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	},
	write: func(f *os.File, data []byte) error {
		_, err := f.Write(data)
		return err
	},
	sync:    (*os.File).Sync,
	rename:  os.Rename,
	syncDir: syncDir,
	wait:    time.Sleep,
}

func (s steps) replace(path string, data []byte, check func() error) error {
	return s.replaceThrough(path, TempName(filepath.Base(path)), data, check)
}

func (s steps) replaceThrough(path, tempName string, data []byte, check func() error) error {
	old, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !old.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: errNotRegular}
	}
	temp := filepath.Join(filepath.Dir(path), tempName)
	f, err := s.create(temp)
	if err != nil {
		return err
	}
	if err := s.fill(f, data, old); err != nil {
		return discard(temp, err)
	}
	if err := s.install(temp, path, check); err != nil {
		return discard(temp, err)
	}
	if err := s.syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// discard removes temp on the way out with err.
func discard(temp string, err error) error {
	if gone := os.Remove(temp); gone != nil {
		return errors.Join(err, gone)
	}
	return err
}

// fill makes f a complete and durable copy-to-be of the old file with new bytes, and closes it.
func (s steps) fill(f *os.File, data []byte, old fs.FileInfo) error {
	err := s.write(f, data)
	if err == nil {
		err = keep(f, old)
	}
	if err == nil {
		err = s.sync(f)
	}
	return errors.Join(err, f.Close())
}

// pauses between attempts at the rename. Virus scanners and indexers let go within this time (bug B119).
var pauses = [...]time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond,
}

func (s steps) install(temp, path string, check func() error) error {
	for n := 0; ; n++ {
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		err := s.rename(temp, path)
		if err == nil || !busy(err) || n == len(pauses) {
			return err
		}
		s.wait(pauses[n])
	}
}
