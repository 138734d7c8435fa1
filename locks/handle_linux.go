package locks

import "golang.org/x/sys/unix"

// handle is a pidfd: one system call tells of any number of them whose process has ended.
type handle struct{ fd int } // -1 where the kernel gives none

func openHandle(id Identity) *handle {
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err != nil {
		return &handle{-1}
	}
	if start, ok := runningSince(id.PID); !ok || start != id.Start {
		unix.Close(fd) // the pid had changed hands before
		return &handle{-1}
	}
	return &handle{fd}
}

func (h *handle) close() {
	if h.fd >= 0 {
		unix.Close(h.fd)
		h.fd = -1
	}
}

func (s *System) ended(all []*known) []*known {
	polled := make([]unix.PollFd, len(all))
	for i, k := range all {
		polled[i] = unix.PollFd{Fd: int32(k.handle.fd), Events: unix.POLLIN} // a negative one is passed over
	}
	if _, err := ignoringEINTR(func() (int, error) { return unix.Poll(polled, 0) }); err != nil {
		polled = make([]unix.PollFd, len(all))
	}
	var over []*known
	for i, k := range all {
		if k.handle.fd < 0 {
			if start, ok := runningSince(k.PID); !ok || start != k.Start {
				over = append(over, k)
			}
		} else if polled[i].Revents != 0 {
			over = append(over, k)
		}
	}
	return over
}
