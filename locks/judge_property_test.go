package locks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// world is the truth of which Judge sees only facts: a holder that lives and the lock it took, on a
// machine whose wall clock is set now and then. Times are seconds since the boot, as a clock counts
// them that nobody sets.
type world struct {
	*rand.Rand
	began, taken, now float64
	steps             []step // of the wall clock, by time
	startNotedAtBirth bool   // the kernel notes starts by the wall clock of that moment
}

type step struct{ when, by float64 }

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.now = 10 + w.Float64()*1e6
	w.began = w.Float64() * w.now
	w.taken = w.began + w.Float64()*(w.now-w.began)
	for when := 0.0; w.IntN(3) > 0; {
		when += w.Float64() * (w.now - when)
		by := w.NormFloat64() * 7200
		w.steps = append(w.steps, step{when, by})
		if w.maybe() { // taken back at once, as two readings of the clock would not notice
			w.steps = append(w.steps, step{when + w.Float64()*(w.now-when), -by})
			when = w.steps[len(w.steps)-1].when
		}
	}
	w.startNotedAtBirth = w.IntN(4) == 0
	return w
}

func (w *world) maybe() bool { return w.IntN(2) == 0 }

func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

// wall returns what the wall clock, as it is set at the moment asOf, says of the moment t.
func (w *world) wall(t, asOf float64) time.Time {
	for _, s := range w.steps {
		if s.when <= asOf {
			t += s.by
		}
	}
	return at(0, 0, 0).Add(time.Duration(t * float64(time.Second)))
}

// stableSince returns what a watcher of the clock knows that began at a random moment.
func (w *world) stableSince() time.Time {
	if w.startNotedAtBirth || w.maybe() {
		return time.Time{}
	}
	since := w.Float64() * w.now
	for _, s := range w.steps {
		since = max(since, s.when)
	}
	return w.wall(since, w.now)
}

// lock returns the lock as the holder published it.
func (w *world) lock() File {
	f := File{UID: 1000, Remote: w.maybe()}
	f.Record = Record{
		Version: 1, PID: pick(w, 4242, 4242, 4242, 1, 2), Hostname: pick(w, "devbox", "DevBox", "devbox.lan", ""),
		StartedAt: w.wall(w.taken, w.taken).Truncate(time.Millisecond),
		Client:    pick(w, "kimi-code-cli 2.2.0", "kimi-code-cli/2.2.0", "acme 1.0", ""),
	}
	if w.maybe() {
		f.Record.BootID, f.Record.ProcessStart, f.Record.PIDNamespace = "boot-b", w.ticks(), "pid:[1]"
	}
	if w.IntN(20) == 0 {
		f.Record.StartedAt = time.Time{}
	}
	return f
}

func (w *world) ticks() uint64 { return 1 + uint64(w.began*100) }

func (w *world) host() HostFacts {
	return HostFacts{
		Hostname: "devbox", BootID: "boot-b", PIDNamespace: "pid:[1]",
		Boot: w.wall(0, w.now), ClockStableSince: w.stableSince(), SharedName: w.maybe(),
	}
}

// holder returns the facts about the holder, some of them withheld.
func (w *world) holder() ProcessFacts {
	p := ProcessFacts{State: Running, Start: w.ticks(), UID: 1000, EUID: 1000, Comm: pick(w, "kimi-code", "MainThread", "")}
	if w.maybe() { // while the lock is there and the holder lives, nobody else has its pid
		p.Witnessed, p.WitnessedHolder = w.ticks(), w.maybe()
	}
	p.StartTime = w.wall(w.began, w.now).Add(-time.Duration(w.Int64N(int64(20 * time.Millisecond))))
	if w.startNotedAtBirth {
		p.StartTime = w.wall(w.began, w.began)
	}
	p.Program = pick(w, "/usr/bin/node", "/usr/bin/node (deleted)", "/opt/kimi", "/usr/share/code/code", "")
	switch w.IntN(6) {
	case 0:
		p = ProcessFacts{State: pick(w, Running, NotKnown), UID: -1, EUID: -1}
	case 1:
		p.StartTime, p.Start = time.Time{}, 0
	case 2:
		p.UID = 0 // set-uid
	}
	return p
}

// stranger returns facts about whatever has the pid where the holder is not.
func (w *world) stranger() ProcessFacts {
	return ProcessFacts{
		State: pick(w, Gone, Zombie, Running, NotKnown), Thread: w.IntN(10) == 0, Start: w.Uint64N(1e8),
		StartTime: w.wall(w.Float64()*w.now, w.now), UID: pick(w, -1, 0, 1000, 1001), EUID: pick(w, -1, 0, 1000),
		Program: pick(w, "/usr/bin/vim", "/usr/bin/node", ""), Comm: pick(w, "vim", "kimi-code"),
		Witnessed: pick(w, 0, w.Uint64N(1e8)), WitnessedHolder: w.maybe(),
	}
}

// places are where a living holder can be, and how the facts show it.
var places = map[string]func(w *world) (File, HostFacts, ProcessFacts){
	"here": func(w *world) (File, HostFacts, ProcessFacts) {
		return w.lock(), w.host(), w.holder()
	},
	"here, in a program of its own": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h, p := w.lock(), w.host(), w.holder()
		f.Record.Client, p.Program, p.Comm = "acme 1.0", "/opt/acme", "acme"
		return f, h, p
	},
	"here, on a file system with owners of its own": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h, p := w.lock(), w.host(), w.holder()
		f.UID = pick(w, -1, 65534)
		if p.Program != "" {
			f.UID = 1001
		}
		return f, h, p
	},
	"here, and the host was renamed": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h, p := w.lock(), w.host(), w.holder()
		h.Hostname = "newbox"
		return f, h, p
	},
	"on another host": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h := w.lock(), w.host()
		f.Record.Hostname = "other"
		if f.Record.BootID != "" {
			f.Record.BootID = "boot-o"
		}
		return f, h, w.stranger()
	},
	"in a container with a name of its own": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h := w.lock(), w.host()
		f.Record.Hostname = "6f1c2a"
		if f.Record.BootID != "" {
			f.Record.PIDNamespace = "pid:[2]"
		}
		return f, h, w.stranger()
	},
	"in a container with the host's name": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h, p := w.lock(), w.host(), w.stranger()
		p.Namesake = 29310
		if f.Record.BootID != "" {
			f.Record.PIDNamespace = "pid:[2]"
		}
		return f, h, p
	},
	"outside of our sandbox": func(w *world) (File, HostFacts, ProcessFacts) {
		f, h := w.lock(), w.host()
		h.Sandboxed, h.PIDNamespace = true, pick(w, "pid:[3]", "")
		return f, h, w.stranger()
	},
	"behind a lock that cannot be read": func(w *world) (File, HostFacts, ProcessFacts) {
		f := w.lock()
		f.Problem = pick(w, "torn", "empty", "version 2 is not known")
		return f, w.host(), w.stranger()
	},
}

const scenarios = 200_000

// The one promise: whatever the clock did (B157) and wherever it is, a living holder is never dead.
func TestJudgeNeverKillsTheLiving(t *testing.T) {
	first := rand.Uint64()
	for place, facts := range places {
		t.Run(place, func(t *testing.T) {
			verdicts := map[Verdict]int{}
			for seed := first; seed < first+scenarios/uint64(len(places)); seed++ {
				w := newWorld(seed)
				f, h, p := facts(w)
				j := Judge(&f, h, p, w.wall(w.now, w.now))
				verdicts[j.Verdict]++
				if j.Verdict == Dead {
					t.Fatalf("seed %d: dead by %q\n%s", seed, j.Evidence, describe(w, f, h, p))
				}
			}
			t.Logf("verdicts: %v", verdicts)
		})
	}
}

// A system that shares name and folder with this one cannot be told from it by a lock of today's
// clients. Its locks may seem dead, but nothing may be removed without a person.
func TestJudgeNeverAutomaticWhenTheNameIsShared(t *testing.T) {
	first := rand.Uint64()
	for seed := first; seed < first+scenarios; seed++ {
		w := newWorld(seed)
		f, h, p := w.lock(), w.host(), w.stranger()
		f.Record.BootID, f.Record.ProcessStart, f.Record.PIDNamespace = "", 0, ""
		h.SharedName, f.Remote = w.maybe(), true
		if h.SharedName {
			f.Remote = w.maybe()
		}
		if j := Judge(&f, h, p, w.wall(w.now, w.now)); j.Automatic {
			t.Fatalf("seed %d: removed by %q\n%s", seed, j.Evidence, describe(w, f, h, p))
		}
	}
}

func describe(w *world, f File, h HostFacts, p ProcessFacts) string {
	return strings.Join([]string{
		fmt.Sprintf("began %.3f taken %.3f now %.3f steps %v", w.began, w.taken, w.now, w.steps),
		fmt.Sprintf("lock %+v", f), fmt.Sprintf("host %+v", h), fmt.Sprintf("process %+v", p),
	}, "\n")
}
