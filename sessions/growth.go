package sessions

import (
	"fmt"
	"strings"
	"time"

	"berth/locks"
)

// freshFor is how old the reading before a growth may be for a counter's move to speak for its process. After a
// longer time it may have written anything; that it did not move speaks against it at any age.
const freshFor = 1500 * time.Millisecond

// suspect is a client that may have written in a Session.
type suspect struct {
	client locks.Client // zero for somebody whom we do not know
	move   move         // of its write counter, at least since the journals were read before
	named  bool         // its pid was in the name of a temp file of this Session just now
	ended  bool         // it has ended since, and may have written before that
}

// cleared reports that the process did not write n bytes.
func (s *suspect) cleared(n int64) bool { return s.move.known && int64(s.move.bytes) < n }

// moved reports that the process wrote n bytes or more just now, whatever they were.
func (s *suspect) moved(n int64) bool {
	return s.move.known && !s.cleared(n) && s.move.over <= freshFor
}

// growth is one growth of a Session's journals, with everybody who may have written it.
type growth struct {
	bytes    int64
	suspects []suspect
}

// credit is the answer to the question who wrote a growth.
type credit struct {
	by  *suspect // nil when nobody is proven
	via Via
	why string
	// open is how many of the suspects may have written it. With none it was somebody whom we do not know.
	open int
}

// attribute decides who wrote g. It is proven for the one process whose counter moved by at least as much, when those
// of all others are known to have moved by less; else for the one process that a temp file's name gave away at that
// time. A name does not count against the counters: when they say that its process did not write so much, or cannot say
// and another one did. Nor does that of a process which has ended since, while others may have gone on.
func attribute(g growth) credit {
	var c credit
	var moved, named []*suspect
	for i := range g.suspects {
		s := &g.suspects[i]
		if s.cleared(g.bytes) {
			continue
		}
		c.open++
		if s.named {
			named = append(named, s)
		}
		if s.moved(g.bytes) {
			moved = append(moved, s)
		}
	}
	switch {
	case c.open == 1 && len(moved) == 1:
		c.by, c.via, c.why = moved[0], ViaWriteCounter, g.counted(moved[0])
	case len(named) == 1 && (c.open == 1 || named[0].move.known || len(moved) == 0 && !named[0].ended):
		c.by, c.via, c.why = named[0], ViaTempName, namedBy(named[0].client.PID, time.Time{})
	}
	return c
}

// maxOthers is how many of the others a sentence names.
const maxOthers = 3

// counted says what the counters prove.
func (g *growth) counted(by *suspect) string {
	var others []string
	for i := range g.suspects {
		if s := &g.suspects[i]; s != by {
			others = append(others, fmt.Sprintf("pid %d %d", s.client.PID, s.move.bytes))
		}
	}
	text := fmt.Sprintf("pid %d wrote %d bytes while the journal grew by %d", by.client.PID, by.move.bytes, g.bytes)
	switch n := len(others); {
	case n == 0:
	case n > maxOthers:
		text += fmt.Sprintf("; %d others wrote less", n)
	default:
		text += "; the others wrote less: " + strings.Join(others, ", ")
	}
	return text
}

// namedBy says what a temp file's name proves; at may be zero.
func namedBy(pid int, at time.Time) string {
	text := fmt.Sprintf("pid %d wrote its state", pid)
	if !at.IsZero() {
		text += " at " + at.UTC().Format(time.RFC3339)
	}
	return text + " (seen by the name of its temp file)"
}
