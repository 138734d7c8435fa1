package sessions

import (
	"fmt"
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

// candidate is a live process that may be the writer of an open turn.
type candidate struct {
	pid     int
	name    string
	started time.Time
	via     Via
	why     string
}

// findWriter decides who may be behind r's open turn. witness may be nil; alive is the verdict on it.
// clients are the live client processes in r's work folder; servers are the store's live servers.
func findWriter(r *Record, witness *Witness, alive locks.Verdict, clients []locks.Client, servers []Server) Writer {
	var gone []string
	if witness != nil {
		switch alive {
		case locks.Live:
			return witnessed(witness, clients)
		case locks.Dead:
			gone = []string{fmt.Sprintf("pid %d wrote its state and is gone", witness.PID)}
		}
	}
	cs := candidates(r, clients, servers)
	if witness != nil && alive == locks.Dead {
		cs = without(cs, witness.PID)
	}
	switch len(cs) {
	case 0:
		return Writer{Alive: No, Evidence: append(gone, "no client process works in its folder")}
	case 1:
		c := cs[0]
		return Writer{Alive: Yes, PIDs: []int{c.pid}, Evidence: gone, Holder: &Holder{
			PID: c.pid, Client: c.name, StartedAt: c.started, Verdict: locks.Live, Via: c.via,
			Evidence: []string{c.why, "likely the writer: the only candidate"},
		}}
	}
	w := Writer{Alive: Yes, Evidence: gone, Holder: oneOf(cs)}
	for _, c := range cs {
		w.PIDs = append(w.PIDs, c.pid)
	}
	return w
}

func witnessed(w *Witness, clients []locks.Client) Writer {
	h := &Holder{PID: w.PID, Verdict: locks.Live, Via: ViaTempName, Evidence: []string{
		fmt.Sprintf("pid %d wrote its state at %s (seen by the name of its temp file) and lives",
			w.PID, w.Seen.UTC().Format(time.RFC3339)),
	}}
	for _, c := range clients {
		if c.PID == w.PID {
			h.Client, h.StartedAt = c.Name, c.Started
		}
	}
	return Writer{Alive: Yes, PIDs: []int{w.PID}, Holder: h}
}

func candidates(r *Record, clients []locks.Client, servers []Server) []candidate {
	var cs []candidate
	taken := map[int]bool{}
	for _, s := range servers {
		if before(s.StartedAt, r.TurnSince) {
			taken[s.PID] = true
			cs = append(cs, candidate{s.PID, s.Name, s.StartedAt, ViaServer,
				fmt.Sprintf("%s (pid %d) serves this store", s.Name, s.PID)})
		}
	}
	for _, c := range clients {
		if taken[c.PID] || !before(c.Started, r.TurnSince) {
			continue
		}
		cs = append(cs, candidate{c.PID, c.Name, c.Started, ViaOnlyCandidate,
			fmt.Sprintf("%s (pid %d) works in %s", c.Name, c.PID, c.Dir)})
	}
	return cs
}

// before reports whether a process that started at start can have begun a turn at turn; an unknown time rules
// nothing out.
func before(start, turn time.Time) bool {
	return start.IsZero() || turn.IsZero() || !start.After(turn.Add(startSlack))
}

func without(cs []candidate, pid int) []candidate {
	out := cs[:0]
	for _, c := range cs {
		if c.pid != pid {
			out = append(out, c)
		}
	}
	return out
}

func oneOf(cs []candidate) *Holder {
	h := &Holder{Verdict: locks.Live, Via: ViaOneOf}
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = fmt.Sprintf("%s (pid %d)", c.name, c.pid)
		h.Evidence = append(h.Evidence, c.why)
	}
	h.Client = "one of " + strings.Join(names, ", ")
	return h
}
