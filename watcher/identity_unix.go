//go:build unix

package watcher

import (
	"io/fs"
	"syscall"
)

// identify returns the device and inode of a file.
func identify(info fs.FileInfo) fileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{dev: uint64(st.Dev), ino: uint64(st.Ino)} // the types differ by system
}
