package locks

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// The reasons a [Judgement] can have. A lock that cannot be read has its [File.Problem] as reason.
const (
	ReasonSameProcess   = "same process"                            // live: boot id, pid and start stamp match
	ReasonAlive         = "process is alive"                        // live
	ReasonNoProcess     = "no such process"                         // dead
	ReasonZombie        = "zombie"                                  // dead
	ReasonOtherUser     = "pid now belongs to another user"         // dead
	ReasonReused        = "pid reused"                              // dead
	ReasonBeforeBoot    = "before this boot"                        // dead
	ReasonRenamedHost   = "renamed host"                            // dead
	ReasonFormat        = "format not fully known"                  // unknown
	ReasonOtherHost     = "other host"                              // unknown
	ReasonSharedFolder  = "folder of several machines"              // unknown
	ReasonSharedName    = "host name of several systems"            // unknown
	ReasonNamespace     = "other pid namespace"                     // unknown
	ReasonSandbox       = "sandbox"                                 // unknown
	ReasonNoPID         = "no usable pid"                           // unknown
	ReasonThread        = "thread id"                               // unknown
	ReasonNotExaminable = "process cannot be examined"              // unknown
	ReasonForeignClient = "pid belongs to a client of another user" // unknown
	ReasonNoTime        = "no lock time"                            // unknown
	ReasonClock         = "clock may have changed"                  // unknown
)

const (
	// reuseSlack is how much later than the lock a process may seem to begin and still be its holder:
	// ticks and the lock's milliseconds are cut, and a leap second may lie between.
	reuseSlack = 2 * time.Second
	// bootSlack is the same for the boot.
	bootSlack = 30 * time.Second
	// overflowUID is what the kernel shows for a user it cannot map (user namespaces) and what NFS
	// stores for root. It names nobody.
	overflowUID = 65534
)

// HostFacts are what is known about the machine and the namespace that judge. The zero value of a
// field means that it is not known.
type HostFacts struct {
	Hostname     string
	BootID       string
	PIDNamespace string    // such as "pid:[4026531836]"; "" where there are none
	Boot         time.Time // by the wall clock as it is set now

	// ClockStableSince is the earliest moment since which the wall clock is known not to have been
	// set. Zero means that nothing is known, so times alone prove no death. It must stay zero where
	// the kernel notes the start of a process by the wall clock of that moment (macOS, Windows).
	ClockStableSince time.Time

	// Sandboxed reports that the host's processes cannot be seen although its name is ours.
	Sandboxed bool
	// SharedName reports that a system with process ids of its own may carry this host name too (a
	// container beside others, Windows beside its Linux subsystem).
	SharedName bool
}

// State says whether a process exists.
type State uint8

const (
	NotKnown State = iota // it could not be asked
	Gone                  // no process has this pid
	Zombie                // it has ended and waits for its parent
	Running
)

// ProcessFacts are what is known about the process that has a lock's pid now.
type ProcessFacts struct {
	State  State
	Thread bool // the pid is that of a thread
	// Inner reports that the process lives in a pid namespace below ours, where it has another pid.
	Inner bool
	// Namesake is the pid of a process of the lock's owner that lives in a pid namespace below ours
	// and has the lock's pid there; 0 when there is none. Needed only where all else says dead.
	Namesake int

	Start     uint64    // see [Identity]; 0 when unknown
	StartTime time.Time // by the wall clock as it is set now (see [HostFacts.ClockStableSince]); zero when unknown
	UID, EUID int       // real and effective; -1 when unknown
	Program   string    // path of the executable, "" when unknown
	Comm      string    // command name as the kernel has it

	// Witnessed is the start stamp of the process that had the pid at a moment when the lock was there
	// already, 0 when nobody looked (see [System.Witness]).
	Witnessed uint64
	// WitnessedHolder reports that this process was found to be the holder then.
	WitnessedHolder bool
}

// Judge says what can be proved about the holder of a lock. It is a pure function; the rules are
// described in the package documentation and are tried in their order. now is used for times that lie
// in the future, and its location for the times in the evidence.
func Judge(f *File, h HostFacts, p ProcessFacts, now time.Time) Judgement {
	c := claim{f: f, r: &f.Record, h: &h, p: &p, now: now}
	same, exact := sameHost(f.Record.Hostname, h.Hostname)
	c.hostProved = exact || c.sameBoot()
	switch {
	case f.otherFormat(): // rule 1
		return c.format()
	case f.Problem != "":
		return c.unknown(f.Problem, "the lock file cannot be relied on: "+f.Problem)
	case !same: // rule 2
		return c.elsewhere()
	case c.otherNamespace(): // rule 3
		return c.unknown(ReasonNamespace, c.namespaceWords())
	case h.Sandboxed && c.r.PIDNamespace == "":
		return c.unknown(ReasonSandbox, "from inside a sandbox the process "+c.pid()+" cannot be looked up")
	case !usablePID(c.r.PID): // rule 4
		return c.unknown(ReasonNoPID, "the lock names pid "+strconv.Itoa(c.r.PID)+", which proves nothing")
	case p.State == Gone: // rule 5
		return c.dead(ReasonNoProcess, c.pid()+" is gone")
	case p.State == Zombie:
		return c.dead(ReasonZombie, c.pid()+" has ended and waits for its parent")
	case c.recordedBootDiffers(): // rule 8, the half that needs no clock
		return c.dead(ReasonBeforeBoot, "the lock was taken in boot "+c.r.BootID+", this is boot "+h.BootID)
	case p.State == NotKnown:
		return c.unknown(ReasonNotExaminable, "nothing can be learned about "+c.pid())
	case c.stampsKnown(): // rule 7 without a clock
		return c.byStamp()
	case p.Thread: // rule 4 again: only a lock without fields of ours may name one
		return c.unknown(ReasonThread, c.pid()+" is a thread of another process")
	case c.witnessed(): // rule 9
		return c.byWitness()
	case c.otherUser(): // rule 6
		return c.byUser()
	}
	return c.byTimes() // rules 7 and 8
}

// claim is one question to Judge. It lives on the stack of that call.
type claim struct {
	f          *File
	r          *Record
	h          *HostFacts
	p          *ProcessFacts
	now        time.Time
	hostProved bool // the lock was surely taken on this host
}

// elsewhere judges a lock that names another host. Only a boot id of ours can show that it is this
// host under an older name; a machine id cannot, clones share it.
func (c *claim) elsewhere() Judgement {
	names := "the lock names host " + strconv.Quote(c.r.Hostname) + ", this is " + strconv.Quote(c.h.Hostname)
	if !c.sameBoot() || c.r.PIDNamespace != c.h.PIDNamespace || !usablePID(c.r.PID) {
		return c.unknown(ReasonOtherHost, names)
	}
	renamed := func(proof string) Judgement {
		return Judgement{Verdict: Dead, Reason: ReasonRenamedHost, Evidence: []string{names, "boot id is the same", proof}}
	}
	switch {
	case c.p.State == Gone || c.p.State == Zombie:
		return renamed(c.pid() + " is gone")
	case !c.stampsKnown():
		return c.unknown(ReasonOtherHost, names)
	}
	j := c.byStamp()
	if j.Verdict == Dead {
		return renamed(j.Evidence[0])
	}
	return j
}

func (c *claim) sameBoot() bool {
	return c.r.BootID != "" && c.r.BootID == c.h.BootID
}

func (c *claim) recordedBootDiffers() bool {
	return c.r.BootID != "" && c.h.BootID != "" && c.r.BootID != c.h.BootID
}

// otherNamespace reports whether the lock's pid counts in another pid namespace. Namespace numbers
// are of one boot, so those of another boot are not compared.
func (c *claim) otherNamespace() bool {
	if c.r.PIDNamespace == "" {
		return c.p.Inner || c.p.Namesake != 0
	}
	return c.r.PIDNamespace != c.h.PIDNamespace && !c.recordedBootDiffers()
}

func (c *claim) namespaceWords() string {
	switch {
	case c.r.PIDNamespace != "":
		return "the lock was taken in " + c.r.PIDNamespace + ", this is " + cmp.Or(c.h.PIDNamespace, "none")
	case c.p.Namesake != 0:
		return "pid " + strconv.Itoa(c.p.Namesake) + " has pid " + strconv.Itoa(c.r.PID) + " in a pid namespace of its own"
	}
	return c.pid() + " has another pid in its own pid namespace"
}

// stampsKnown reports whether the lock tells, in fields of ours, when its process began.
func (c *claim) stampsKnown() bool {
	return c.r.ProcessStart != 0 && c.p.Start != 0 && c.r.BootID == c.h.BootID
}

func (c *claim) byStamp() Judgement {
	if c.r.ProcessStart == c.p.Start {
		return c.live(ReasonSameProcess, c.pid()+" is the process that took the lock, by boot id and start stamp")
	}
	return c.dead(ReasonReused, c.pid()+" has another start stamp than the process that took the lock")
}

// witnessed reports whether what was seen earlier decides. The process of then may have been another than
// the holder; while it lives that says nothing.
func (c *claim) witnessed() bool {
	seen := c.p.Witnessed
	return seen != 0 && c.p.Start != 0 && (seen != c.p.Start || c.p.WitnessedHolder)
}

func (c *claim) byWitness() Judgement {
	if c.p.Witnessed == c.p.Start {
		return c.live(ReasonSameProcess, c.pid()+" is the process that was seen with this lock earlier, by start stamp")
	}
	return c.dead(ReasonReused, c.pid()+" has another start stamp than the process that was seen with this lock earlier")
}

// otherUser reports whether a process of another user has the pid. A program with the set-uid bit has
// two users, and either may own its files.
func (c *claim) otherUser() bool {
	owner := c.f.UID
	return owner >= 0 && owner != overflowUID && c.p.UID >= 0 && c.p.EUID >= 0 && c.p.UID != owner && c.p.EUID != owner
}

// byUser says dead unless the process may be a client after all: file systems exist that show one
// owner for everything, and people change owners of whole folders.
func (c *claim) byUser() Judgement {
	words := c.pid() + " belongs to uid " + strconv.Itoa(c.p.UID) + ", the lock to uid " + strconv.Itoa(c.f.UID)
	if !c.p.mayHost() {
		return c.dead(ReasonOtherUser, words)
	}
	if j := c.byTimes(); j.Verdict == Dead { // one that began later is not the holder, whosever it is
		return j
	}
	return c.unknown(ReasonForeignClient, words)
}

// byTimes compares wall-clock times. On Linux the boot and every start move when the clock is set
// and startedAt does not, so a time alone never proves a death: a second witness is needed.
func (c *claim) byTimes() Judgement {
	began, taken := c.p.StartTime, c.r.StartedAt
	switch {
	case taken.IsZero():
		return c.unknown(ReasonNoTime, c.pid()+" is alive, but the lock does not say when it was taken")
	case taken.After(c.now.Add(reuseSlack)):
		return c.unknown(ReasonClock, "the lock was taken at "+c.clock(taken)+", which is in the future")
	case !c.sameBoot() && !c.h.Boot.IsZero() && taken.Before(c.h.Boot.Add(-bootSlack)):
		return c.withWitness(ReasonBeforeBoot, "lock taken "+c.clock(taken)+", booted "+c.clock(c.h.Boot))
	case began.IsZero():
		return c.unknown(ReasonNotExaminable, c.pid()+" exists, but not since when")
	case began.After(taken.Add(reuseSlack)):
		return c.withWitness(ReasonReused, c.startWords())
	}
	return c.live(ReasonAlive, c.pid()+" is alive, program "+c.program(), c.startWords())
}

// withWitness says dead when something beside the times speaks for it, else unknown. That an
// executable is no known client is the weaker witness: it leaves the removal to a person.
func (c *claim) withWitness(reason, times string) Judgement {
	since := c.h.ClockStableSince
	switch {
	case !since.IsZero() && !c.r.StartedAt.Before(since):
		return c.dead(reason, times, "the clock was not set since "+c.clock(since))
	case c.strangeProgram():
		j := c.dead(reason, times, c.pid()+" runs "+c.program()+", which is no known client")
		j.Automatic = false
		return j
	}
	return c.unknown(ReasonClock, times, "the clock may have been set since, and nothing else speaks against "+c.pid())
}

// strangeProgram reports whether the process cannot be the client that the lock names. It holds only
// for clients of which it is known what they run in.
func (c *claim) strangeProgram() bool {
	return c.p.Program != "" && !c.p.mayHost() && knownProduct(c.r.Client)
}

func (c *claim) live(reason string, evidence ...string) Judgement {
	return Judgement{Verdict: Live, Reason: reason, Evidence: evidence}
}

func (c *claim) unknown(reason string, evidence ...string) Judgement {
	return Judgement{Verdict: Unknown, Reason: reason, Evidence: evidence}
}

// dead says so unless another system may have written the lock: what its pid is here then says nothing.
func (c *claim) dead(reason string, evidence ...string) Judgement {
	switch here := c.sameBoot() && c.r.PIDNamespace == c.h.PIDNamespace; {
	case here:
		return Judgement{Verdict: Dead, Reason: reason, Evidence: evidence, Automatic: true}
	case c.f.Remote:
		return c.unknown(ReasonSharedFolder, append(evidence, "other machines may share this folder, and one of them may have this name")...)
	case c.h.SharedName && !c.ownKernel():
		return c.unknown(ReasonSharedName, append(evidence, "another system on this machine may have the same name")...)
	}
	j := Judgement{Verdict: Dead, Reason: reason, Evidence: evidence}
	doubt := c.doubt()
	if doubt == "" {
		j.Automatic = true
	} else {
		j.Evidence = append(j.Evidence, doubt)
	}
	return j
}

// doubt says why a person should look at a dead lock before it goes, or "".
func (c *claim) doubt() string {
	switch {
	case !c.hostProved:
		return "that host " + strconv.Quote(c.r.Hostname) + " is this host " + strconv.Quote(c.h.Hostname) + " is likely, not certain"
	case c.h.SharedName:
		return "another system on this machine has the same name"
	}
	return ""
}

// ownKernel reports whether the lock is surely of this system although others have its name. Containers
// share our kernel, so a lock of an earlier boot is that of an ended one whoever took it; and where
// there are no boot ids (Windows) only its own programs write a start stamp without one.
func (c *claim) ownKernel() bool {
	return c.recordedBootDiffers() || c.r.ProcessStart != 0 && c.r.BootID == "" && c.h.BootID == ""
}

func (c *claim) pid() string {
	return "pid " + strconv.Itoa(c.r.PID)
}

func (c *claim) program() string {
	return cmp.Or(c.p.Program, "unknown")
}

func (c *claim) startWords() string {
	return c.pid() + " started " + c.clock(c.p.StartTime) + ", lock taken " + c.clock(c.r.StartedAt)
}

// clock writes t as people read it: without the date when it is today.
func (c *claim) clock(t time.Time) string {
	t = t.In(c.now.Location())
	y, m, d := t.Date()
	if ny, nm, nd := c.now.Date(); y == ny && m == nm && d == nd {
		return t.Format("15:04:05")
	}
	return t.Format(time.DateTime)
}

// usablePID reports whether a pid can name one process: pid 1 is alive in every container, and more
// than 31 bits are no pid.
func usablePID(pid int) bool {
	return pid > 1 && pid <= math.MaxInt32
}

// sameHost compares host names as people use them: case and a trailing dot do not count, and a name
// without a domain equals one with any. exact means that the names leave no doubt. An empty name in a
// lock means this host to its clients, but any host may have written it.
func sameHost(lock, own string) (same, exact bool) {
	lock, own = strings.TrimSuffix(lock, "."), strings.TrimSuffix(own, ".")
	if lock == "" {
		return true, false
	}
	if strings.EqualFold(lock, own) {
		return true, !genericName(own)
	}
	lockName, lockDomain, _ := strings.Cut(lock, ".")
	ownName, ownDomain, _ := strings.Cut(own, ".")
	return strings.EqualFold(lockName, ownName) && (lockDomain == "" || ownDomain == ""), false
}

// genericName reports whether many machines have this name.
func genericName(host string) bool {
	name, _, _ := strings.Cut(host, ".")
	return strings.EqualFold(name, "localhost")
}
