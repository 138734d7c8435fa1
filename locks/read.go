package locks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxFileBytes bounds what is read of one lock; a real one has about 250 bytes.
const maxFileBytes = 64 << 10

// Read reads the lock file at path; its base name tells the shape. A file that exists always gives a File:
// what cannot be relied on is said in its Problem. A symbolic link and anything else that is no regular file
// is not opened.
//
// The error is non-nil only when there is no such file; it wraps [fs.ErrNotExist]. Any other I/O
// error is tried once more (NFS answers ESTALE for a file that was just replaced) and then becomes the
// Problem, since an unreadable lock does not mean that there is none.
func Read(path string) (*File, error) {
	return readWith(path, readContent)
}

func readWith(path string, content func(*File) ([]byte, error)) (*File, error) {
	shape := shapeOf(path)
	f := &File{Path: path, SessionID: shape.session(path), Shape: shape.name, UID: -1}
	b, err := content(f)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b, err = content(f)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read lock: %w", err)
	case err != nil:
		f.Problem = "cannot be read: " + rootCause(err)
	case f.Problem == "":
		f.Record, f.Problem = shape.parse(b)
	}
	return f, nil
}

// readContent fills in what the file system says about f and returns its bytes. It sets f.Problem
// where the content must not or need not be read.
func readContent(f *File) ([]byte, error) {
	f.Problem = ""
	fi, err := os.Lstat(f.Path)
	if err != nil || !f.describe(fi) {
		return nil, err
	}
	// The name may change hands after Lstat: openFlags refuse a link and do not wait for a FIFO's
	// writer, and what was really opened is described again.
	h, err := os.OpenFile(f.Path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	if fi, err = h.Stat(); err != nil || !f.describe(fi) {
		return nil, err
	}
	f.Remote = remote(h)
	b, err := io.ReadAll(io.LimitReader(h, maxFileBytes+1))
	if len(b) > maxFileBytes {
		f.Problem = "larger than 64 KiB"
		return nil, nil
	}
	return b, err
}

// describe takes over what stat says, and reports whether it is a regular file.
func (f *File) describe(fi fs.FileInfo) bool {
	f.Size, f.ModTime = fi.Size(), fi.ModTime()
	f.UID, f.Inode = ownerAndInode(fi)
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		f.Problem = "symbolic link, not followed"
	case !fi.Mode().IsRegular():
		f.Problem = "not a regular file"
	}
	return f.Problem == ""
}

// rootCause strips operation and path, which a File has anyway.
func rootCause(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}

// sessionID returns the id in the name of a lock, of a reclaim marker or of a temp file.
func sessionID(name string) string {
	if l := leftover(name); l.Kind != "" {
		return l.SessionID
	}
	return strings.TrimSuffix(name, lockSuffix)
}
