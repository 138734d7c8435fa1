//go:build unix && !linux

package locks

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// processHandle is no more than the pid: these systems have no handle of a process.
type processHandle int

func openProcess(pid int) (processHandle, error) { return processHandle(pid), nil }

func (h processHandle) signal(s signal) error { return unix.Kill(int(h), unix.Signal(s)) }

// stopPoll is how often the end of a process that was signalled is looked for.
const stopPoll = 100 * time.Millisecond

func (h processHandle) await(ctx context.Context) error {
	for {
		if err := unix.Kill(int(h), 0); errors.Is(err, unix.ESRCH) {
			return nil
		}
		if err := pause(ctx, stopPoll); err != nil {
			return err
		}
	}
}

func (h processHandle) close() {}
