//go:build !unix

package locks

import (
	"context"
	"fmt"
)

// signal is nothing here: Windows can end a process, not ask it to.
type signal int

const (
	terminate signal = iota
	interrupt
	kill
)

// String returns the name that the signal has elsewhere.
func (s signal) String() string { return [...]string{"SIGTERM", "SIGINT", "SIGKILL"}[s] }

type processHandle struct{}

func openProcess(int) (processHandle, error) {
	return processHandle{}, fmt.Errorf("ask a process to end: %w", ErrNotSupported)
}

func (processHandle) signal(signal) error { return ErrNotSupported }

func (processHandle) await(context.Context) error { return ErrNotSupported }

func (processHandle) close() {}
