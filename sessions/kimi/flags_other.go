//go:build !unix

package kimi

import "io/fs"

// noFollow: there is no such flag here.
const noFollow = 0

// inode returns the numbers that identify a file as long as it exists, and how many names it has. Windows tells
// them for open files only: size and time have to do.
func inode(fs.FileInfo) (device, number, links uint64) { return 0, 0, 0 }
