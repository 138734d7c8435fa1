package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// keep does nothing here: a new file takes the access list of its folder, and the read-only attribute,
// the one bit of mode there is, makes the rename fail before anything is lost.
func keep(*os.File, fs.FileInfo) error { return nil }

// busy reports whether a rename may go through when tried again: somebody has the file open without
// sharing it, a virus scanner as a rule.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// syncDir does nothing: a folder cannot be synced here, NTFS journals the rename.
func syncDir(string) error { return nil }
