package sessions

import (
	"log/slog"
	"path/filepath"
	"time"

	"berth/locks"
)

// Tri is a fact with three values. The zero value is [Unknown]: what cannot be observed is never "no".
type Tri uint8

const (
	Unknown Tri = iota
	No
	Yes
)

// TriOf returns Yes or No.
func TriOf(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// MarshalJSON writes true or false; an Unknown field is left out by its omitzero tag, and null where
// the tag is missing.
func (t Tri) MarshalJSON() ([]byte, error) {
	switch t {
	case Yes:
		return []byte("true"), nil
	case No:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Tri) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*t = Yes
	case "false":
		*t = No
	default:
		*t = Unknown
	}
	return nil
}

// Status is the derived answer for one Session.
type Status string

const (
	Occupied Status = "occupied"
	Stale    Status = "stale"
	Active   Status = "active"
	Closed   Status = "closed"
	Archived Status = "archived"
)

// Reason is a code word for why a Session has its Status.
type Reason string

const (
	ReasonLock          Reason = "lock"           // occupied: a lock whose holder is live or unknown
	ReasonOpenTurn      Reason = "open-turn"      // occupied: an open turn whose writer lives
	ReasonExternalWrite Reason = "external-write" // stale: a live client has an outdated view, since another party wrote
	ReasonUnlockedWrite Reason = "unlocked-write" // stale: a journal grew under a lock that another party or a dead holder has
	ReasonDeadLock      Reason = "dead-lock"      // stale: a dead holder's lock is still there
	ReasonInterrupted   Reason = "interrupted"    // stale: the wire ends inside a turn and no writer lives
	ReasonAbandoned     Reason = "abandoned"      // stale: an active note without activity for too long
)

// Fact is a code word for a truth that stands beside the Status.
type Fact string

const (
	FactAmbiguous     Fact = "ambiguous"      // an implicit end would match this note and others
	FactBusy          Fact = "busy"           // a turn runs
	FactWaiting       Fact = "waiting"        // an approval or a question waits for a person
	FactDamaged       Fact = "damaged"        // a part of it cannot be read; Problems say which
	FactDuplicateID   Fact = "duplicate-id"   // another note carries the same id
	FactTwoWriters    Fact = "two-writers"    // turns of two writers interleave, or a turn id repeats
	FactRewritten     Fact = "rewritten"      // a journal was changed otherwise than by appending to it
	FactOrphan        Fact = "orphan"         // its parent is missing
	FactNotIndexed    Fact = "not-indexed"    // the client's own index does not name it
	FactFolderMissing Fact = "folder-missing" // its work folder is not there
	FactLinked        Fact = "linked"         // carries coordination keys; read-only for us
)

// Work is what the tail of a Session's journal says about the work in it.
type Work struct {
	Busy               Tri    `json:"busy,omitzero"`
	MainTurnActive     Tri    `json:"main_turn_active,omitzero"`
	PendingInteraction string `json:"pending_interaction,omitempty"` // "none", "approval", "question"
	LastTurnReason     string `json:"last_turn_reason,omitempty"`    // "completed", "cancelled", "failed"
}

// Agent is one of the agents that worked in a Session. Subagents fold under their Session.
type Agent struct {
	ID     string `json:"id"`
	Type   string `json:"type,omitempty"` // "main" or "sub"
	Parent string `json:"parent,omitempty"`
}

// MaxAgents bounds Record.Agents; AgentCount is always the full number.
const MaxAgents = 32

// Stamp is a cheap identity of everything a Record was read from (inode, size and modification time of
// each file, hashed). Equal Stamps mean that nothing needs to be read again. The zero Stamp equals nothing.
type Stamp uint64

// Record is what a Source read about one Session: facts, no opinion. A Record is never changed once it
// is in a Snapshot.
type Record struct {
	// Key is unique within its Source and stays the same while the Session stays in its place: the
	// slash-separated path relative to the Source's root.
	Key   string `json:"-"`
	Stamp Stamp  `json:"-"`

	ID         string `json:"id,omitempty"` // empty for a legacy note
	Source     string `json:"source"`       // Source.Name
	Root       string `json:"root"`         // absolute path of the vault or home
	Path       string `json:"path"`         // absolute path of the note or the session folder
	Project    string `json:"project,omitempty"`
	WorkDir    string `json:"work_dir,omitempty"`
	Title      string `json:"title,omitempty"`
	Agent      string `json:"agent,omitempty"`
	ClientName string `json:"client_name,omitempty"`
	ParentID   string `json:"parent_id,omitempty"`
	ForkedFrom string `json:"forked_from,omitempty"`

	CreatedAt  time.Time `json:"created_at,omitzero"`
	UpdatedAt  time.Time `json:"updated_at,omitzero"` // the last activity that the disk shows
	EndedAt    time.Time `json:"ended_at,omitzero"`
	ArchivedAt time.Time `json:"archived_at,omitzero"`
	Archived   Tri       `json:"archived,omitzero"`

	// StatusWord is the status as a note has it, verbatim ("active", "done", "paused", "unknown" when
	// the note has none). Empty for a Source without such a word.
	StatusWord string `json:"status_word,omitempty"`
	// Open reports whether work may go on in it: a note whose status is active, a Kimi session that
	// is not archived.
	Open bool `json:"-"`

	Work       Work     `json:"work,omitzero"`
	Agents     []Agent  `json:"agents,omitempty"`
	AgentCount int      `json:"agent_count,omitempty"`
	Problems   []string `json:"problems,omitempty"`

	// Facts are those the Source can see by itself; the Index adds its own.
	Facts []Fact `json:"-"`
	// Evidence are sentences with values. Empty for an unremarkable Session.
	Evidence []string `json:"-"`

	// OpenTurn reports that the journal ends inside a turn, whoever began it; TurnSince is when it
	// began (zero when the tail does not say).
	OpenTurn bool `json:"-"`
	// Overtaken reports that a later turn has begun and ended since the open one last showed a sign of life.
	// Without a living writer the open turn is history then, not an interruption: a client that is killed inside
	// a turn never ends it, not even when the session is resumed and goes on.
	Overtaken bool      `json:"-"`
	TurnSince time.Time `json:"-"`
	// OpenTurns is when each of the open turns began, as their records say; a moment stays the same from one
	// reading to the next. Empty when the tail does not tell them apart.
	OpenTurns []time.Time `json:"-"`
	// WireBytes is the size of all journals together.
	WireBytes int64 `json:"-"`
	// Lock is the Session's lock file, nil when there is none.
	Lock *locks.File `json:"-"`
	// Groups are the implicit selectors that would match this open note, the most telling first; two
	// open notes that share one are ambiguous. Empty for a Source without implicit selection.
	Groups []string `json:"-"`
	// Trace tells this reading from others of the same Session; nil when the Source keeps none, or nobody has the
	// Session open.
	Trace *Trace `json:"-"`
	// Settle asks for another reading at this moment: something was unfinished (a torn last line, an
	// empty file) that may be in flight. Zero when nothing is.
	Settle time.Time `json:"-"`
}

// Holder is the process that has a Session: the holder of its lock, or a writer inferred without one.
type Holder struct {
	PID       int           `json:"pid,omitempty"`
	Hostname  string        `json:"hostname,omitempty"`
	Client    string        `json:"client,omitempty"`
	Where     string        `json:"where,omitempty"`     // where a person finds it: "pts/2", "port 58627"
	StartedAt time.Time     `json:"started_at,omitzero"` // when the lock was taken, or the process began
	Verdict   locks.Verdict `json:"verdict"`
	Via       Via           `json:"via"`
	Certainty Certainty     `json:"certainty,omitempty"` // that it is this process and no other
	Evidence  []string      `json:"evidence,omitempty"`
}

// Via says how a Holder is known.
type Via string

const (
	ViaLock          Via = "lock"           // its lock file
	ViaTempName      Via = "temp-name"      // a temp file name with its pid, seen when it wrote
	ViaWriteCounter  Via = "write-counter"  // the one write counter that moved when the journal grew
	ViaServer        Via = "server"         // the only candidate is a running server of the home
	ViaOnlyCandidate Via = "only-candidate" // the only client process in the work folder
	ViaOneOf         Via = "one-of"         // one of several; Evidence names them all
)

// Session is a Record with what the Index derived for it.
type Session struct {
	*Record
	Status         Status   `json:"status"`
	Reasons        []Reason `json:"reasons,omitempty"`
	AllFacts       []Fact   `json:"facts,omitempty"`
	Holder         *Holder  `json:"holder,omitempty"`
	AmbiguousGroup string   `json:"ambiguous_group,omitempty"`
	// LastWriter is the last process that was proven to write in the Session while we looked, whether or not it
	// still lives or holds anything; nil when none was. A take-over is a change of it: an [Event] has the row
	// before and the row after.
	LastWriter *Party `json:"last_writer,omitempty"`
	// Work shadows the Record's: busy and main_turn_active are true only while the writer lives.
	Work        Work     `json:"work,omitzero"`
	AllEvidence []string `json:"evidence,omitempty"`
}

// Has reports whether f is among the Session's facts.
func (s *Session) Has(f Fact) bool {
	for _, g := range s.AllFacts {
		if g == f {
			return true
		}
	}
	return false
}

// Name returns what to call the Session in one line: its title, else its id, else its path.
func (s *Session) Name() string {
	switch {
	case s.Title != "":
		return s.Title
	case s.ID != "":
		return s.ID
	}
	return s.Path
}

// Rel is the Session's path below its store's root, slash-separated.
func (s *Session) Rel() string {
	rel, err := filepath.Rel(s.Root, s.Path)
	if err != nil {
		return s.Path
	}
	return filepath.ToSlash(rel)
}

// LogValue prints the id (or the path of a note without one), never any content.
func (s *Session) LogValue() slog.Value {
	if s.ID != "" {
		return slog.StringValue(s.ID)
	}
	return slog.StringValue(s.Rel())
}
