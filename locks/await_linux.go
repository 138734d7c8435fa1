package locks

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit waits for a pidfd in the runtime's poller: no thread, no timer. Kernels and sandboxes
// without pidfds are polled.
func (s *System) awaitExit(ctx context.Context, id Identity) error {
	poll := func() error { return pollExit(ctx, func() Verdict { return s.Alive(id) }) }
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err != nil {
		return poll()
	}
	if unix.SetNonblock(fd, true) != nil { // the poller takes only such
		unix.Close(fd)
		return poll()
	}
	handle := os.NewFile(uintptr(fd), "pidfd")
	defer handle.Close()
	// The pid may have changed hands before the handle was opened. From here on it cannot.
	if s.Alive(id) == Dead {
		return nil
	}
	err = awaitReadable(ctx, handle)
	if errors.Is(err, os.ErrNoDeadline) {
		return poll()
	}
	return err
}

// awaitReadable waits until a pidfd is readable, which it is when its process has ended.
func awaitReadable(ctx context.Context, handle *os.File) error {
	if err := handle.SetReadDeadline(time.Time{}); err != nil {
		return err // not in the poller
	}
	stop := context.AfterFunc(ctx, func() { handle.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	conn, err := handle.SyscallConn()
	if err != nil {
		return err
	}
	err = conn.Read(readable)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

func readable(fd uintptr) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	return err == nil && n == 1
}
