//go:build unix

package locks

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes what was linked, renamed or removed in dir survive a power cut. File systems that
// cannot sync a folder say EINVAL or ENOTSUP; there is nothing more to do on them.
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
