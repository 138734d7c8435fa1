//go:build unix

package vault

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNote opens a file for reading. It follows no link in the last part of path, and does not wait for
// the other end of a pipe.
func openNote(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// inode returns the file's number within its file system, 0 where it is not known.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// linkCount returns how many names the file at path has, 0 when that is not known.
func linkCount(_ string, fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}

// readOnlyDisk reports whether a write failed because the file system takes none.
func readOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
