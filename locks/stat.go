package locks

// Each platform has, in stat_unix.go, stat_windows.go and remote_*.go:
//
//	const openFlags             // for os.OpenFile: refuse a symbolic link, do not wait for a FIFO
//	ownerAndInode(fs.FileInfo)  // uid and inode; -1 and 0 where the platform does not say
//	remote(*os.File) bool       // whether other machines may share the file system; true when unknown
