package vault

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openNote opens a file for reading, and refuses links and everything else that is no file.
func openNote(path string) (*os.File, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, errNoFile
	}
	return os.Open(path)
}

// inode is not part of what a listing says here; size and time have to do.
func inode(fs.FileInfo) uint64 { return 0 }

// linkCount returns how many names the file at path has, 0 when that is not known.
func linkCount(path string, _ fs.FileInfo) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 0
	}
	return uint64(info.NumberOfLinks)
}

// readOnlyDisk reports whether a write failed because the file system takes none.
func readOnlyDisk(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
