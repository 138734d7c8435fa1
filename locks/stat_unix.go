//go:build unix

package locks

import (
	"io/fs"
	"syscall"
)

const (
	openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	noFollow  = syscall.O_NOFOLLOW
)

func ownerAndInode(fi fs.FileInfo) (uid int, inode uint64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, 0
	}
	return int(st.Uid), uint64(st.Ino)
}
