package sessions

import (
	"time"

	"berth/locks"
)

// Certainty says how sure it is that a process is the one that wrote, or holds, a Session.
type Certainty string

const (
	// Proven: the process gave itself away, by its pid in a temp file's name, by the one write counter that
	// moved with the journal, or by the lock that names it. It is never taken back.
	Proven Certainty = "proven"
	// Likely: it is the only process that can have done it, as far as can be seen.
	Likely Certainty = "likely"
	// OneOf: it is one of several; the evidence names them all.
	OneOf Certainty = "one-of"
)

// Party is a process in its relation to one Session: it wrote in it, or holds it. A Party outlives its process, so
// whether that still lives is another question ([Prober.Alive]). It is never changed once it is shared.
type Party struct {
	locks.Identity
	Name      string    `json:"name"` // "Kimi in a terminal (pid 3988, pts/2)"
	Seen      time.Time `json:"seen"` // when it was last seen to write
	Certainty Certainty `json:"certainty"`
}

// Same reports whether p and q are one process; the answer for nil is no.
func (p *Party) Same(q *Party) bool { return p != nil && q != nil && p.Identity == q.Identity }
