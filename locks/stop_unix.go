//go:build unix

package locks

import "golang.org/x/sys/unix"

// Each platform has, in stop_linux.go, stop_unix_other.go and stop_other.go:
//
//	type processHandle             // one process, for as long as it is open
//	openProcess(pid int) (processHandle, error)
//	(processHandle).signal(signal) error
//	(processHandle).await(ctx) error // nil when the process has ended, else ctx's end
//	(processHandle).close()

// signal is one of the three that are ever sent.
type signal unix.Signal

const (
	terminate = signal(unix.SIGTERM)
	interrupt = signal(unix.SIGINT)
	kill      = signal(unix.SIGKILL)
)

// String returns the name, such as "SIGTERM".
func (s signal) String() string { return unix.SignalName(unix.Signal(s)) }
