//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keep gives f the owner and the mode of the old file. The owner comes first: changing it clears the
// set-id bits.
func keep(f *os.File, old fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	was, is := old.Sys().(*syscall.Stat_t), now.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("keep owner %d:%d: %w", was.Uid, was.Gid, err)
		}
	}
	return f.Chmod(old.Mode())
}

// busy reports whether a rename may go through when tried again: network and FUSE file systems answer so
// while another side has the file open.
func busy(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM)
}

// syncDir makes a rename in dir durable. File systems that cannot sync a folder say EINVAL or ENOTSUP;
// there is nothing more to do on them.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
