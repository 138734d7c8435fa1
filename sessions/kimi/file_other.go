//go:build !unix

package kimi

import (
	"io/fs"
	"os"
)

// inode returns the number that identifies a file as long as it exists. Windows tells it for open files only:
// size and time have to do.
func inode(fs.FileInfo) uint64 { return 0 }

// open opens a file for reading. Whoever calls it has looked with Lstat that it is no symbolic link.
func open(path string) (*os.File, error) { return os.Open(path) }

// openDir opens a folder, which the caller has looked at with Lstat.
func openDir(path string) (*os.File, error) { return os.Open(path) }
