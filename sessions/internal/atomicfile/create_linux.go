package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames without replacing (renameat2(2)). Kernels and file systems that cannot say ENOSYS or EINVAL.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		return errNoRename
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
