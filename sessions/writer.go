package sessions

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"berth/locks"
)

// startSlack is how much later than the turn a process may seem to have started: wall-clock start
// times are derived from the boot time and are off by up to a second.
const startSlack = 2 * time.Second

// author is a process that was proven to write in a Session, and how.
type author struct {
	Party
	client string // "Kimi in a terminal"
	where  string // "pts/2", "port 58627", or ""
	via    Via
	why    string // a sentence
	sole   bool   // nobody else can have written what it is credited with
}

// holder describes a as the one who has the Session now.
func (a *author) holder(started time.Time) *Holder {
	return &Holder{
		PID: a.PID, Client: a.client, Where: a.where, StartedAt: tidyTime(started), Verdict: locks.Live,
		Via: a.via, Certainty: Proven, Evidence: []string{a.why, fmt.Sprintf("pid %d lives", a.PID)},
	}
}

// turnOwner is an open turn, and who began it.
type turnOwner struct {
	begun    time.Time
	appeared time.Time     // when we saw it appear, zero when it was open already when we came
	by       *author       // nil when that is not proven
	alive    locks.Verdict // of by
}

// inquiry is everything that decides who may be behind the unfinished work of a Session.
type inquiry struct {
	rec *Record
	// turns are the open turns; empty when they cannot be told apart, or when only a task is open.
	turns []turnOwner
	// last is the last proven author, whatever it wrote; nil when there is none. alive is the verdict on it.
	last  *author
	alive locks.Verdict

	clients []locks.Client // known clients, of whatever program
	census  census
	servers []Server // live servers of the store
}

// census says what the known clients are worth as a list of all.
type census uint8

const (
	complete   census = iota // whoever may have begun the work and still runs is among them
	outdated                 // nobody has looked since the work began; somebody is about to
	impossible               // the processes of this system cannot be listed
)

// lineup is what a search for the writer found.
type lineup struct {
	candidates []candidate
	doubts     []string // processes that may be the writer, but that cannot be seen well enough
	cleared    []string // processes that cannot be the writer, and why
	searched   bool     // other processes than the proven authors were looked at
}

// candidate is a live process that may be the writer of an open turn.
type candidate struct {
	pid     int
	name    string
	where   string
	started time.Time
	via     Via
	why     string
}

// findWriter decides who may be behind the open turns of q, or behind its task. A turn whose author is proven has
// no other; that one's end leaves it to nobody, however many clients are there.
func findWriter(q inquiry) Writer {
	var gone []string
	var found lineup
	ownerless, since := len(q.turns) == 0, q.rec.TurnSince
	for _, t := range slices.Backward(q.turns) {
		switch {
		case t.by == nil:
			if !ownerless {
				ownerless, since = true, t.begun
			}
		case t.alive == locks.Live:
			w := authored(t.by, q)
			if ownerless {
				w.Evidence = append(w.Evidence, "another turn, begun "+since.UTC().Format(time.RFC3339)+", has an author that is not proven")
			}
			return w
		default:
			gone, found.doubts = q.absent(t.by, t.alive, gone, found.doubts)
		}
	}
	if len(q.turns) == 0 && q.last != nil {
		if q.alive == locks.Live {
			return authored(q.last, q)
		}
		gone, found.doubts = q.absent(q.last, q.alive, gone, found.doubts)
	}
	if ownerless {
		found.search(q, since)
	}
	return found.writer(gone)
}

// absent notes that a, who would be the writer, is dead or cannot be seen.
func (q inquiry) absent(a *author, alive locks.Verdict, gone, doubts []string) (g, d []string) {
	if alive == locks.Dead {
		return append(gone, fmt.Sprintf("%s, and pid %d is gone", a.why, a.PID)), doubts
	}
	return gone, append(doubts, fmt.Sprintf("%s, and whether pid %d lives cannot be seen", a.why, a.PID))
}

func authored(a *author, q inquiry) Writer {
	var started time.Time
	for _, c := range q.clients {
		if c.Identity == a.Identity {
			started = c.Started
		}
	}
	return Writer{Alive: Yes, PIDs: []int{a.PID}, Holder: a.holder(started)}
}

// writer sums up a search. gone are those that are known to have ended.
func (l *lineup) writer(gone []string) Writer {
	switch {
	case len(l.candidates) > 0:
		return suspected(l.candidates, gone)
	case len(l.doubts) > 0:
		return Writer{Alive: Unknown, Evidence: append(gone, l.doubts...)}
	case len(l.cleared) > 0:
		return Writer{Alive: No, Evidence: append(gone, l.cleared...)}
	case l.searched:
		gone = append(gone, "no client process works in its folder")
	}
	return Writer{Alive: No, Evidence: gone}
}

// suspected names one candidate, or all of them.
func suspected(cs []candidate, gone []string) Writer {
	w := Writer{Alive: Yes, Evidence: gone, Holder: oneOf(cs)}
	for _, c := range cs {
		w.PIDs = append(w.PIDs, c.pid)
	}
	if len(cs) == 1 {
		c := cs[0]
		w.Holder = &Holder{
			PID: c.pid, Client: c.name, Where: c.where, StartedAt: tidyTime(c.started), Verdict: locks.Live, Via: c.via,
			Certainty: Likely, Evidence: []string{c.why, "likely the writer: the only candidate"},
		}
	}
	return w
}

// search lines up who may have begun something at since.
func (l *lineup) search(q inquiry, since time.Time) {
	l.searched = true
	taken := map[int]bool{}
	for _, s := range q.servers {
		taken[s.PID] = true
		l.place(since, candidate{s.PID, s.Name, s.Where, s.StartedAt, ViaServer,
			processName(s.Name, s.PID, s.Where) + " serves this store"})
	}
	for _, c := range q.clients {
		if c.Program != q.rec.Source {
			continue
		}
		switch known := c.Dir != "" && q.rec.WorkDir != ""; {
		case taken[c.PID]:
		case known && sameDir(c.Dir, q.rec.WorkDir):
			l.place(since, candidate{c.PID, c.Name, c.TTY, c.Started, ViaOnlyCandidate, c.String() + " works in " + c.Dir})
		case !known && canHaveBegun(c.Started, since):
			l.doubts = append(l.doubts, c.String()+" runs, and whether it works in this session's folder cannot be seen")
		}
	}
	switch q.census {
	case impossible:
		l.doubts = append(l.doubts, "the processes of this system cannot be listed")
	case outdated:
		l.doubts = append(l.doubts, "the processes of this system have not been looked through since")
	}
}

// place makes c a candidate, unless it started after the turn.
func (l *lineup) place(turn time.Time, c candidate) {
	if canHaveBegun(c.started, turn) {
		l.candidates = append(l.candidates, c)
		return
	}
	l.cleared = append(l.cleared, fmt.Sprintf("%s, but started %s, after the turn", c.why, c.started.UTC().Format(time.RFC3339)))
}

// canHaveBegun reports whether a process that started at start can have begun a turn at turn; an unknown
// time rules nothing out.
func canHaveBegun(start, turn time.Time) bool {
	return start.IsZero() || turn.IsZero() || !start.After(turn.Add(startSlack))
}

// sameDir compares a process's folder with the one that a client wrote down, without a look at the disk.
func sameDir(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	return a == b || (runtime.GOOS == "windows" && strings.EqualFold(a, b))
}

func oneOf(cs []candidate) *Holder {
	h := &Holder{Verdict: locks.Live, Via: ViaOneOf, Certainty: OneOf}
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = processName(c.name, c.pid, c.where)
		h.Evidence = append(h.Evidence, c.why)
	}
	h.Client = "one of " + strings.Join(names, ", ")
	return h
}

// processName names a process among others: "Kimi server (pid 4121, port 58627)". name and where may be empty.
func processName(name string, pid int, where string) string {
	if name == "" {
		name = "a process"
	}
	if where != "" {
		return fmt.Sprintf("%s (pid %d, %s)", name, pid, where)
	}
	return fmt.Sprintf("%s (pid %d)", name, pid)
}
