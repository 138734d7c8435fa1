package locks

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// processHandle is a pidfd. It stays with its process when the pid goes to another.
type processHandle struct{ pidfd *os.File }

func openProcess(pid int) (processHandle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ENOSYS):
		return processHandle{}, fmt.Errorf("%w: %w", ErrNotSupported, err)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return processHandle{}, errThread
	case err != nil:
		return processHandle{}, err
	}
	if err := unix.SetNonblock(fd, true); err != nil { // the runtime's poller takes only such
		return processHandle{}, errors.Join(err, unix.Close(fd))
	}
	return processHandle{os.NewFile(uintptr(fd), "pidfd")}, nil
}

// errThread is what EINVAL means, and ENOENT since Linux 6.9: the pid is there and leads no process.
var errThread = errors.New("it is a thread")

func (h processHandle) signal(s signal) error {
	conn, err := h.pidfd.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = conn.Control(func(fd uintptr) { sent = unix.PidfdSendSignal(int(fd), unix.Signal(s), nil, 0) })
	return errors.Join(err, sent)
}

func (h processHandle) await(ctx context.Context) error { return awaitReadable(ctx, h.pidfd) }

func (h processHandle) close() { h.pidfd.Close() }
