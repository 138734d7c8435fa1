package locks

import "io/fs"

// Opening a symbolic link cannot be refused by a flag here; Lstat has looked before.
const (
	openFlags = 0
	noFollow  = 0
)

func ownerAndInode(fs.FileInfo) (uid int, inode uint64) { return -1, 0 }
