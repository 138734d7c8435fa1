package locks

import (
	"bytes"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// zombieStatus is SZOMB of <sys/proc.h>.
const zombieStatus = 5

func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// bootTime returns kern.boottime, which the kernel moves along when the wall clock is set.
func bootTime() time.Time {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return time.Time{}
	}
	return time.Unix(tv.Unix())
}

func pidNamespace() string { return "" }

// sandboxed is false: the App Sandbox hides files, not the existence of processes.
func sandboxed() bool { return false }

func sharedName() bool { return false }

// watchClock returns nil: a process start is noted by the wall clock of that moment, so that only the
// time before the lock would matter, which nobody has watched.
func watchClock() func() bool { return nil }

func processFacts(pid int, _ time.Time) ProcessFacts {
	p := ProcessFacts{UID: -1, EUID: -1}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		p.State = existence(pid)
		return p
	}
	p.State = Running
	if k.Proc.P_stat == zombieStatus {
		p.State = Zombie
	}
	sec, nsec := k.Proc.P_starttime.Unix()
	p.Start = uint64(sec)*1e6 + uint64(nsec)/1e3
	p.StartTime = time.Unix(sec, nsec)
	p.UID, p.EUID = int(k.Eproc.Pcred.P_ruid), int(k.Eproc.Ucred.Uid)
	p.Comm = unix.ByteSliceToString(k.Proc.P_comm[:])
	p.Program = executable(pid)
	return p
}

// existence asks for a process of which sysctl says nothing.
func existence(pid int) State {
	switch err := unix.Kill(pid, 0); {
	case errors.Is(err, unix.ESRCH):
		return Gone
	case err == nil || errors.Is(err, unix.EPERM):
		return Running
	}
	return NotKnown
}

// executable returns the path in kern.procargs2 (a count, then the path), which only processes of the
// same user show.
func executable(pid int) string {
	const countBytes = 4
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) <= countBytes {
		return ""
	}
	path, _, _ := bytes.Cut(b[countBytes:], []byte{0})
	return string(path)
}

func innerProcesses() map[int][]innerProcess { return nil }
