//go:build !linux

package kimi

import (
	"os"
	"path/filepath"
)

// folder is the path of a folder.
type folder string

// openFolder looks that dir is a folder and no symbolic link.
func openFolder(dir string) (folder, error) {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = os.ErrNotExist
	}
	return folder(dir), err
}

// Close does nothing; there is nothing open.
func (d folder) Close() error { return nil }

func (d folder) path(name string) string { return filepath.Join(string(d), name) }

// lstat returns the zero fileID and no error for a file that is not there.
func (d folder) lstat(name string) (fileID, error) { return lstat(d.path(name)) }

// lstat is that of folder, for a path.
func lstat(path string) (fileID, error) {
	info, err := os.Lstat(path)
	if gone(err) {
		return fileID{}, nil
	}
	if err != nil {
		return fileID{}, err
	}
	return idOf(info), nil
}

func idOf(info os.FileInfo) fileID {
	id := fileID{size: info.Size(), mtime: max(info.ModTime().UnixNano(), 1), kind: info.Mode().Type()}
	id.device, id.inode, id.links = inode(info)
	return id
}

// file is an open file that can be read at any offset.
type file struct{ *os.File }

// open opens a file for reading. It follows no symbolic link and does not wait for the writer of a pipe, where there
// are such flags.
func (d folder) open(name string) (file, error) { return open(d.path(name)) }

// open is that of folder, for a path.
func open(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	return file{f}, err
}

// stat returns what lstat says of the file.
func (f file) stat() (fileID, error) {
	info, err := f.Stat()
	if err != nil {
		return fileID{}, err
	}
	return idOf(info), nil
}

// entries calls visit for each entry of the folder dir, in no order, until visit returns false. dir may not be a
// symbolic link.
func (d folder) entries(dir string, visit func(entry) bool) error { return entries(d.path(dir), visit) }

// entries is that of folder, for a path.
func entries(dir string, visit func(entry) bool) error {
	f, err := os.OpenFile(dir, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		batch, err := f.ReadDir(64)
		for _, d := range batch {
			if !visit(entry{d.Name(), d.Type()}) {
				return nil
			}
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}
