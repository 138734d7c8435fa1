//go:build unix && !linux

package kimi

import (
	"io/fs"
	"syscall"
)

// noFollow makes opening a symbolic link an error, and opening a pipe return at once.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// inode returns the numbers that identify a file as long as it exists, and how many names it has.
func inode(info fs.FileInfo) (device, number, links uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino), uint64(st.Nlink)
	}
	return 0, 0, 0
}
