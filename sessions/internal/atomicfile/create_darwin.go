package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames without replacing (renamex_np(2)). File systems that cannot say ENOTSUP.
func renameNew(from, to string) error {
	err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL):
		return errNoRename
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
