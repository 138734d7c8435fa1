package locks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// retryInterval is how often a held lock is tried again. Kioku waits as long between its own tries
// (formats: .kioku/coordination/runtime/locks), so neither side starves the other.
const retryInterval = 25 * time.Millisecond

const (
	ownFolderMode     fs.FileMode = 0o700
	ownFileMode       fs.FileMode = 0o600
	foreignFolderMode fs.FileMode = 0o777 // less the umask, as the other program would make them
	foreignFileMode   fs.FileMode = 0o666
)

// Hold takes the kernel lock (flock, on Windows LockFileEx) on a file of ours, waiting until ctx ends.
// The file is made when missing, with mode 0600 in a folder of mode 0700, and is never removed: the
// next holder may have it open already. The lock ends with release, or with this process however it
// dies. It excludes other holders in this process too. release may be called more than once.
//
// The error wraps [ErrHeld] and the cause of ctx's end when the wait was in vain, and
// [ErrNotSupported] when the file system has no such locks.
func Hold(ctx context.Context, path string) (release func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), ownFolderMode); err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, err)
	}
	return wait(ctx, path, ownFileMode)
}

// TryHold is [Hold] without waiting.
func TryHold(path string) (release func() error, err error) {
	if err = os.MkdirAll(filepath.Dir(path), ownFolderMode); err == nil {
		release, err = try(path, ownFileMode)
	}
	if err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, err)
	}
	return release, nil
}

// HoldForeign is [Hold] on a lock file of another program, at rel below the folder root. Like that
// program it makes the file and the folders below root with the umask's modes; root must exist, no
// symbolic link may lead out of it, and what exists is left as it is.
func HoldForeign(ctx context.Context, root, rel string) (release func() error, err error) {
	path := filepath.Join(root, rel)
	if err := makeFolders(root, filepath.Dir(rel)); err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, err)
	}
	return wait(ctx, path, foreignFileMode)
}

func makeFolders(root, rel string) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.MkdirAll(rel, foreignFolderMode)
}

// wait tries until it holds the lock or ctx ends, at least once.
func wait(ctx context.Context, path string, mode fs.FileMode) (func() error, error) {
	retry := time.NewTicker(retryInterval)
	defer retry.Stop()
	for {
		release, err := try(path, mode)
		if err == nil {
			return release, nil
		}
		if !errors.Is(err, ErrHeld) {
			return nil, fmt.Errorf("hold %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("hold %s: %w: %w", path, err, context.Cause(ctx))
		case <-retry.C:
		}
	}
}

func try(path string, mode fs.FileMode) (func() error, error) {
	// Read-write, since NFS emulates an exclusive flock by a write lock.
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(mode))
	ok, err := l.TryLock()
	switch {
	case err != nil:
		return nil, classify(err)
	case !ok:
		return nil, ErrHeld
	case !stillNamed(l, path):
		// Somebody removed the file between our opening and locking it: the next holder would lock
		// another one. Trying again opens that.
		return nil, errors.Join(ErrHeld, l.Unlock())
	}
	return l.Unlock, nil
}

func stillNamed(l *flock.Flock, path string) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(locked, named)
}

// classify turns what a lock call says into the errors of this package.
func classify(err error) error {
	switch {
	case heldWithoutSharing(err):
		return ErrHeld
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return fmt.Errorf("%w: %w", ErrNotSupported, err)
	}
	return err
}
