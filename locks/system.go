package locks

import (
	"os"
	"sync"
	"time"
)

// System answers questions about this machine's processes from its kernel. It is safe for concurrent
// use and starts no goroutine.
type System struct {
	fixed HostFacts // what does not change while this process lives
	clock *clockLog

	witnesses *witnessBook

	roster roster

	mu        sync.Mutex
	inner     map[int][]innerProcess // by the pid in their own namespace
	innerAt   time.Time
	innerBoot time.Time // by the clock as it was set then
}

// innerProcess is a process in a pid namespace below ours.
type innerProcess struct {
	pid    int // in our namespace
	uids   [2]int
	client bool // a client may run in it
}

// mayOwn reports whether the process may have made a file of this owner. Of a file system that shows one
// owner for everything nothing tells but what runs in the process.
func (p *innerProcess) mayOwn(uid int) bool {
	return p.client || uid < 0 || uid == overflowUID || p.uids[0] == uid || p.uids[1] == uid
}

// innerTTL bounds how often the process table is read for [ProcessFacts.Namesake].
const innerTTL = 2 * time.Second

// NewSystem returns a System that has looked at what does not change. What it knows about the wall
// clock begins now, so a process that judges locks should keep one System.
func NewSystem(with ...Option) *System {
	s := &System{fixed: HostFacts{
		BootID:       bootID(),
		PIDNamespace: pidNamespace(),
		Sandboxed:    sandboxed(),
		SharedName:   sharedName(),
	}}
	s.clock = newClockLog(watchClock(), bootTime)
	s.witnesses = newWitnessBook("", s.fixed.BootID)
	for _, option := range with {
		option(s)
	}
	return s
}

// Host returns the facts about this machine at this moment. A lock of ours records its Hostname,
// BootID and PIDNamespace.
func (s *System) Host() HostFacts {
	h := s.fixed
	h.Hostname, _ = os.Hostname() // an unknown name is no lock's host
	h.Boot = s.clock.boot()
	h.ClockStableSince = s.clock.stableSince()
	return h
}

// Judge collects the facts about f's holder and judges them, see the function [Judge]. It costs some
// ten microseconds, or a look through the process table (repeated at most every two seconds) when f
// seems dead and does not say in which pid namespace it was taken.
func (s *System) Judge(f *File, now time.Time) Judgement {
	p := ProcessFacts{UID: -1, EUID: -1}
	if pid := f.Record.PID; f.Problem == "" && usablePID(pid) {
		p = processFacts(pid, s.clock.boot())
		s.addWitness(&p, f)
	}
	// The clock is asked after all that is computed from it: a step in between is not missed.
	h := s.Host()
	j := Judge(f, h, p, now)
	if j.Verdict == Dead && f.Record.PIDNamespace == "" {
		p.Namesake = s.namesake(f)
		j = Judge(f, h, p, now)
	}
	return j
}

// Identify returns the Identity of the process that has pid now, false when there is none or when its
// start cannot be read.
func (s *System) Identify(pid int) (Identity, bool) {
	if s.blind() || !usablePID(pid) && pid != os.Getpid() {
		return Identity{}, false
	}
	p := processFacts(pid, time.Time{})
	if p.State != Running || p.Thread || p.Start == 0 {
		return Identity{}, false
	}
	return Identity{BootID: s.fixed.BootID, PID: pid, Start: p.Start}, true
}

// Alive says whether the process that id names still runs. Identities are exact, so Dead is certain:
// another boot, no such process, a zombie, or another process with that pid. A process that exists but
// may not be examined counts as Live.
func (s *System) Alive(id Identity) Verdict {
	own := s.fixed.BootID
	if s.blind() || id.PID <= 0 || (id.BootID == "") != (own == "") {
		return Unknown
	}
	if id.BootID != own {
		return Dead
	}
	p := processFacts(id.PID, time.Time{})
	switch {
	case p.State == Gone || p.State == Zombie:
		return Dead
	case p.Start != 0 && id.Start != 0 && p.Start != id.Start:
		return Dead
	case p.State == NotKnown || p.Thread || id.Start == 0:
		return Unknown
	}
	return Live
}

// blind reports whether what the kernel shows are processes of another pid namespace than ours.
func (s *System) blind() bool {
	return s.fixed.Sandboxed && s.fixed.PIDNamespace == ""
}

// namesake returns a process that may be the holder of f although its pid says otherwise.
func (s *System) namesake(f *File) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The holder began before its lock was published: a look after that moment cannot have missed it. Which
	// was later is not known once the clock has been set.
	boot := s.clock.boot()
	if time.Since(s.innerAt) >= innerTTL || !f.ModTime.Before(s.innerAt) || !boot.Equal(s.innerBoot) {
		s.innerAt, s.innerBoot = time.Now(), boot
		s.inner = innerProcesses()
	}
	for _, p := range s.inner[f.Record.PID] {
		if p.mayOwn(f.UID) {
			return p.pid
		}
	}
	return 0
}
