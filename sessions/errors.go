package sessions

import (
	"errors"
	"fmt"
)

// The conditions that callers branch on. Each has a code in words ([Code]) for scripts.
var (
	ErrNotFound   = errors.New("no such session")
	ErrOccupied   = errors.New("session is occupied")
	ErrAmbiguous  = errors.New("more than one session matches")
	ErrStale      = errors.New("session changed meanwhile")
	ErrClosed     = errors.New("session is already closed")
	ErrRefused    = errors.New("refused")
	ErrNotCapable = fmt.Errorf("%w: this kind of session does not have that action", ErrRefused)
	// ErrNoFolder: everything else is in order, but somebody has to say where the project has its folder.
	ErrNoFolder = fmt.Errorf("%w: the folder of its project is not known", ErrRefused)
)

// Error is a failed verb: which one, on what, why, and what the user can do.
type Error struct {
	Err     error  // one of the sentinels above, or another cause
	Session string // the id or path that was asked for
	Detail  string // what blocks, with values
	Hint    string // what to do about it; may be empty
	// Candidates are the Sessions that match, for ErrAmbiguous.
	Candidates []*Session
	// Diff shows what stands in the way of an undo, for ErrStale: what changed since.
	Diff string
	// Details are what the protocol of the store says beside the message, for JSON; nil when it says nothing.
	Details any
}

// Error names the cause and its detail; the hint is printed apart.
func (e *Error) Error() string {
	what := e.Detail
	if what == "" {
		what = fmt.Sprint(e.Err)
	}
	if e.Session == "" {
		return what
	}
	return e.Session + ": " + what
}

// Unwrap makes errors.Is find the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the code word for err, as scripts see it: the words of the two session protocols where
// they have one.
func Code(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrNoActive):
		return "NO_ACTIVE_SESSION"
	case errors.Is(err, ErrNotFound):
		return "SESSION_NOT_FOUND"
	case errors.Is(err, ErrOccupied):
		return "session.occupied"
	case errors.Is(err, ErrAmbiguous):
		return "AMBIGUOUS_SESSION"
	case errors.Is(err, ErrStale):
		return "session.stale"
	case errors.Is(err, ErrNotActive):
		return "SESSION_NOT_ACTIVE"
	case errors.Is(err, ErrClosed):
		return "SESSION_ALREADY_CLOSED"
	case errors.Is(err, ErrRefused):
		return refusedCode(err)
	}
	return "ERROR"
}
