package sessions

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"berth/locks"
)

// startSlack is how much later than the turn a process may seem to have started: wall-clock start
// times are derived from the boot time and are off by up to a second.
const startSlack = 2 * time.Second

// Witness is a process that a temp file name gave away as the writer of a Session, identified while
// it was alive.
type Witness struct {
	locks.Identity
	Seen time.Time
}

// party is the witness as others see it.
func (w *Witness) party() *Party {
	return &Party{Identity: w.Identity, Name: fmt.Sprintf("a process (pid %d)", w.PID), Seen: w.Seen, Certainty: Proven}
}

// candidate is a live process that may be the writer of an open turn.
type candidate struct {
	pid     int
	name    string
	started time.Time
	via     Via
	why     string
}

// lineup is what a search for the writer found.
type lineup struct {
	candidates []candidate
	doubts     []string // processes that may be the writer, but that cannot be seen well enough
	cleared    []string // processes that cannot be the writer, and why
}

// findWriter decides who may be behind r's open turn. witness may be nil; alive is the verdict on it. clients are
// the live client processes of r's program, nil when they cannot be listed; servers are the store's live servers.
func findWriter(r *Record, witness *Witness, alive locks.Verdict, clients []locks.Client, servers []Server) Writer {
	if witness != nil && alive == locks.Live {
		return witnessed(witness, clients)
	}
	found := lineUp(r, clients, servers)
	var gone []string
	switch {
	case witness == nil:
	case alive == locks.Dead:
		gone = []string{fmt.Sprintf("pid %d wrote its state and is gone", witness.PID)}
	default:
		found.doubts = append(found.doubts, fmt.Sprintf("whether pid %d, which wrote its state, lives cannot be seen", witness.PID))
	}
	switch cs := found.candidates; {
	case len(cs) > 0:
		return suspected(cs, gone)
	case len(found.doubts) > 0:
		return Writer{Alive: Unknown, Evidence: append(gone, found.doubts...)}
	case len(found.cleared) > 0:
		return Writer{Alive: No, Evidence: append(gone, found.cleared...)}
	}
	return Writer{Alive: No, Evidence: append(gone, "no client process works in its folder")}
}

func witnessed(w *Witness, clients []locks.Client) Writer {
	h := &Holder{PID: w.PID, Verdict: locks.Live, Via: ViaTempName, Certainty: Proven, Evidence: []string{
		fmt.Sprintf("pid %d wrote its state at %s (seen by the name of its temp file) and lives",
			w.PID, w.Seen.UTC().Format(time.RFC3339)),
	}}
	for _, c := range clients {
		if c.PID == w.PID {
			h.Client, h.StartedAt = c.Name, tidyTime(c.Started)
		}
	}
	return Writer{Alive: Yes, PIDs: []int{w.PID}, Holder: h}
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
			PID: c.pid, Client: c.name, StartedAt: tidyTime(c.started), Verdict: locks.Live, Via: c.via,
			Certainty: Likely, Evidence: []string{c.why, "likely the writer: the only candidate"},
		}
	}
	return w
}

func lineUp(r *Record, clients []locks.Client, servers []Server) lineup {
	var l lineup
	taken := map[int]bool{}
	for _, s := range servers {
		taken[s.PID] = true
		l.place(r, candidate{s.PID, s.Name, s.StartedAt, ViaServer,
			fmt.Sprintf("%s (pid %d) serves this store", s.Name, s.PID)})
	}
	for _, c := range clients {
		who := fmt.Sprintf("%s (pid %d)", c.Name, c.PID)
		switch known := c.Dir != "" && r.WorkDir != ""; {
		case taken[c.PID]:
		case known && sameDir(c.Dir, r.WorkDir):
			l.place(r, candidate{c.PID, c.Name, c.Started, ViaOnlyCandidate, who + " works in " + c.Dir})
		case !known && canHaveBegun(c.Started, r.TurnSince):
			l.doubts = append(l.doubts, who+" runs, and whether it works in this session's folder cannot be seen")
		}
	}
	if clients == nil {
		l.doubts = append(l.doubts, "the processes of this system cannot be listed")
	}
	return l
}

// place makes c a candidate, unless it started after the turn.
func (l *lineup) place(r *Record, c candidate) {
	if canHaveBegun(c.started, r.TurnSince) {
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
		names[i] = fmt.Sprintf("%s (pid %d)", c.name, c.pid)
		h.Evidence = append(h.Evidence, c.why)
	}
	h.Client = "one of " + strings.Join(names, ", ")
	return h
}
