package kimi

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// fileID is what lstat says of a file: enough to see that it is another one, or has another content.
type fileID struct {
	device uint64 // 0 where the platform does not say
	inode  uint64
	links  uint64 // how many names it has; 0 where the platform does not say
	size   int64
	mtime  int64       // nanoseconds since 1970; 0 when there is no such file
	kind   fs.FileMode // type bits only
}

func (f fileID) exists() bool        { return f.mtime != 0 }
func (f fileID) modified() time.Time { return time.Unix(0, f.mtime).UTC() }

// hash mixes name and f, whether f exists or not.
func (f fileID) hash(name string) uint64 {
	h := hash64(hashText(name) ^ f.inode)
	h = hash64(h ^ uint64(f.size))
	return hash64(h ^ uint64(f.mtime))
}

// hashText is FNV-1a.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hash64 mixes the bits of x so that sums of hashes stay apart (the finaliser of splitmix64).
func hash64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// entry is a name in a folder.
type entry struct {
	name string
	kind fs.FileMode // type bits only
}

func (e entry) isDir() bool     { return e.kind.IsDir() }
func (e entry) isRegular() bool { return e.kind.IsRegular() }

// gone reports whether err means that there is nothing of this name.
func gone(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENAMETOOLONG))
}
