package locks

import (
	"context"
	"fmt"
	"time"
)

// exitPoll is how often a process is looked at where the kernel does not report its end.
const exitPoll = 30 * time.Second

// AwaitExit returns nil when the process that id names has ended, at once if it already has. On Linux
// the kernel reports the end; elsewhere it is noticed within 30 seconds. Other errors are the cause of
// ctx's end, and [ErrNotSupported] where the end cannot be told.
func (s *System) AwaitExit(ctx context.Context, id Identity) error {
	switch s.Alive(id) {
	case Dead:
		return nil
	case Unknown:
		return fmt.Errorf("await exit of pid %d: %w", id.PID, ErrNotSupported)
	}
	if err := s.awaitExit(ctx, id); err != nil {
		return fmt.Errorf("await exit of pid %d: %w", id.PID, err)
	}
	return nil
}

// pollExit waits by looking again and again.
func pollExit(ctx context.Context, alive func() Verdict) error {
	t := time.NewTicker(exitPoll)
	defer t.Stop()
	for alive() != Dead {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
		}
	}
	return nil
}
