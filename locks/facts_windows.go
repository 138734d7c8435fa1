package locks

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// bootID returns "": Windows has none that a plain user can read. Start stamps are absolute there and
// need none.
func bootID() string { return "" }

func bootTime() time.Time { return time.Now().Round(0).Add(-windows.DurationSinceBoot()) }

func pidNamespace() string { return "" }

func sandboxed() bool { return false }

// sharedName is true: the Linux subsystem takes the machine's name and has pids of its own.
func sharedName() bool { return true }

// watchClock returns nil: a process start is noted by the wall clock of that moment.
func watchClock() func() bool { return nil }

func processFacts(pid int, _ time.Time) ProcessFacts {
	p := ProcessFacts{UID: -1, EUID: -1}
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		p.State = existence(err)
		return p
	}
	defer windows.CloseHandle(h)
	p.State = Running
	// An ended process can be opened while anybody keeps a handle of it.
	if event, err := windows.WaitForSingleObject(h, 0); err == nil && event == windows.WAIT_OBJECT_0 {
		p.State = Zombie
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) == nil {
		p.Start = uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
		p.StartTime = time.Unix(0, created.Nanoseconds())
	}
	p.Program = executable(h)
	return p
}

// existence reads the error of OpenProcess.
func existence(err error) State {
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return Gone
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return Running
	}
	return NotKnown
}

func executable(h windows.Handle) string {
	var path [windows.MAX_LONG_PATH]uint16
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(h, 0, &path[0], &n) != nil {
		return ""
	}
	return windows.UTF16ToString(path[:n])
}

func innerProcesses() map[int][]innerProcess { return nil }
