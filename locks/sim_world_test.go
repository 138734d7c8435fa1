package locks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The simulation (sim_*_test.go) makes worlds of which everything is known: machines, boots, clocks,
// pid namespaces, processes, and one lock. It then computes what a kernel would tell the one who
// judges, lets Judge decide, and compares with the truth.
//
// What these worlds take for granted, because nothing that a judge can see would tell it:
//
//   - A boot id names one running kernel (not two copies of one virtual machine's memory).
//   - Into a folder that is not on the network only systems of this machine write. Those with another
//     kernel (guests of a virtual machine) have names of their own, but for Windows and its Linux
//     subsystem.
//   - A lock's pid is that of its holder, or of a thread that lives as long.
//   - A client that is known by name runs in a program that is known to run it. Where a file system
//     does not tell the true owner, the holder is such a client.
//   - A pid is not given out again within two hundredths of a second.
//   - Processes of one pid namespace have one time namespace.

// instant is true time since the world began. No clock of the world shows it.
type instant = time.Duration

const (
	never    instant = 1 << 62
	sharedNS         = "pid:[4026531836]" // of the first namespace of every boot of every Linux
)

// epoch is what a right clock shows when the world begins.
var epoch = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

type platform string

const (
	linuxOS   platform = "Linux"
	macOS     platform = "macOS"
	windowsOS platform = "Windows"
)

// world is the truth.
type world struct {
	*rand.Rand
	now          instant
	here, there  *machine // here is the one that judges
	processes    []*proc
	holder       *proc
	lock         lockTruth
	judge        judgeTruth
	subsystem    bool // there is the Linux subsystem of here
	remote       bool // the folder is on the network
	ownersHidden bool // the file system shows one owner for all
}

type machine struct {
	label  string
	system platform
	names  []naming
	boots  []*boot
}

// naming is the host name of a machine from a moment on.
type naming struct {
	since instant
	name  string
}

func (m *machine) nameAt(t instant) string {
	name := m.names[0].name
	for _, n := range m.names {
		if n.since <= t {
			name = n.name
		}
	}
	return name
}

func (m *machine) lastBoot() *boot { return m.boots[len(m.boots)-1] }

// boot is one life of a machine's kernel.
type boot struct {
	machine  *machine
	id       string
	from, to instant
	wrong    time.Duration // of the clock when the kernel began
	rate     float64       // how fast its clocks run; below one second a day from 1
	steps    []step        // of the wall clock, by time
	spaces   []*space      // the first is the one it begins with
}

type step struct {
	when instant
	by   time.Duration
}

// sinceBoot returns what the clock shows that nobody sets and that counts suspended time.
func (b *boot) sinceBoot(t instant) time.Duration {
	return time.Duration(float64(t-b.from) * b.rate)
}

// bootWall returns where the boot is by the wall clock as it is set at t.
func (b *boot) bootWall(t instant) time.Time {
	began := epoch.Add(b.from + b.wrong)
	for _, s := range b.steps {
		if s.when <= t {
			began = began.Add(s.by)
		}
	}
	return began
}

func (b *boot) wall(t instant) time.Time { return b.bootWall(t).Add(b.sinceBoot(t)) }

// space is a pid namespace.
type space struct {
	boot     *boot
	parent   *space
	number   string
	ownName  string // of its host; "" when it has that of its parent
	from, to instant
}

func (s *space) runs(t instant) bool { return s.from <= t && t < s.to }

func (s *space) hostname(t instant) string {
	for ; s.parent != nil; s = s.parent {
		if s.ownName != "" {
			return s.ownName
		}
	}
	return s.boot.machine.nameAt(t)
}

// hasMachineName reports whether its host name is that of the whole machine.
func (s *space) hasMachineName() bool {
	return s.parent == nil || s.ownName == "" && s.parent.hasMachineName()
}

// contains reports whether processes of inner are seen in s.
func (s *space) contains(inner *space) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == s {
			return true
		}
	}
	return false
}

// proc is a process. It lives from began to ended and is a zombie until reaped.
type proc struct {
	space                *space
	pid                  int // in its own space
	outer                int // in the space of the judge, when that is another
	began, ended, reaped instant
	uid, euid            int
	exe                  string
	comm                 func(t instant) string
	thread               bool // the pid is that of one of its threads
}

func (p *proc) alive(t instant) bool { return p.began <= t && t < p.ended }

func (p *proc) exists(t instant) bool { return p.began <= t && t < p.reaped }

const tick = time.Second / 100

// ticks counts from the boot to the beginning. The very first process begins in tick 0 and is no holder.
func (p *proc) ticks() uint64 { return max(1, uint64(p.space.boot.sinceBoot(p.began)/tick)) }

// start returns the kernel's start stamp on p's system.
func (p *proc) start() uint64 {
	b := p.space.boot
	switch b.machine.system {
	case macOS:
		return uint64(b.wall(p.began).UnixMicro())
	case windowsOS:
		return uint64(b.wall(p.began).UnixNano() / 100)
	}
	return p.ticks()
}

// pidIn returns the pid by which p is seen in s, 0 when it is not seen there.
func (p *proc) pidIn(s *space) int {
	switch {
	case p.space == s:
		return p.pid
	case s.contains(p.space):
		return p.outer
	}
	return 0
}

// lockTruth is how and when the lock was taken.
type lockTruth struct {
	taken, published instant
	hostname         string
	client           string
	own              bool // with the fields of berth
	startedAt        bool
	damage           string
	owner            int
	content          []byte
}

// look is when the parts of an answer were read, in their order.
type look struct{ boot, process, host instant }

// judgeTruth is who judges, from where, and what it may see.
type judgeTruth struct {
	space     *space
	sees      *space // the space of its /proc; usually its own
	uid       int
	packed    bool    // in a Flatpak or Snap
	began     instant // since when it watches the clock; never when it cannot
	witness   *look   // when it saw the lock before; nil when it did not
	final     look    // when it judges
	noExe     bool    // details that are withheld for no reason that the world knows
	noStat    bool
	noStatus  bool
	hidesPIDs bool
}

// occupant returns the process or thread that has the lock's pid where the judge looks.
func (w *world) occupant(t instant) *proc {
	for _, p := range w.processes {
		if p.pidIn(w.judge.sees) == w.holder.pid && p.exists(t) {
			return p
		}
	}
	return nil
}

// story tells the world to people.
func (w *world) story() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, m := range []*machine{w.here, w.there} {
		say("machine %s, %s, names %v", m.label, m.system, m.names)
		for _, k := range m.boots {
			say("  boot %s from %v to %s, clock wrong by %v at rate %.6f, set %v", k.id, k.from, ending(k.to), k.wrong, k.rate, k.steps)
			for _, s := range k.spaces {
				say("    %s from %v to %s, host name %q, inside %s", s.number, s.from, ending(s.to), s.hostname(w.now), s.parentNumber())
			}
		}
	}
	for _, p := range w.processes {
		role := "process"
		if p == w.holder {
			role = "HOLDER"
		}
		say("%s pid %d in %s of %s (seen as %d), thread %v, from %v to %s, reaped %s, uid %d/%d, %q %q",
			role, p.pid, p.space.number, p.space.boot.id, p.pidIn(w.judge.sees), p.thread, p.began, ending(p.ended), ending(p.reaped), p.uid, p.euid, p.exe, p.comm(w.now))
	}
	say("folder: network %v, owners hidden %v, subsystem %v", w.remote, w.ownersHidden, w.subsystem)
	say("lock: taken %v, published %v, damage %q, owner %d: %.300s", w.lock.taken, w.lock.published, w.lock.damage, w.lock.owner, w.lock.content)
	j := w.judge
	say("judge: in %s of %s, looking into %s, uid %d, packed %v, watching since %s, saw the lock %v, judges %v", j.space.number, j.space.boot.id, j.sees.number, j.uid, j.packed, ending(j.began), j.witness, j.final)
	return b.String()
}

func (s *space) parentNumber() string {
	if s.parent == nil {
		return "none"
	}
	return s.parent.number
}

func ending(t instant) string {
	if t == never {
		return "never"
	}
	return t.String()
}
