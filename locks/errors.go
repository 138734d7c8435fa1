package locks

import "errors"

var (
	// ErrHeld says that another holder has the lock.
	ErrHeld = errors.New("held by another process")
	// ErrNotSupported says that this platform or file system cannot do what was asked.
	ErrNotSupported = errors.New("not supported here")
	// ErrUnsafeID says that a session id must not become part of a path.
	ErrUnsafeID = errors.New("unsafe session id")
)
