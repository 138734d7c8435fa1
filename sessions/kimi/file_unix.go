//go:build unix

package kimi

import (
	"io/fs"
	"os"
	"syscall"
)

// inode returns the number that identifies a file as long as it exists, 0 where there is none.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}

// open opens a file for reading. It follows no symbolic link and does not wait for the writer of a pipe.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// openDir opens a folder, which may not be a symbolic link.
func openDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
}
