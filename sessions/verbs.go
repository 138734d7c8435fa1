package sessions

import (
	"context"
	"encoding/json"
	"time"
)

// CloseRequest says how to end a work session.
type CloseRequest struct {
	Summary string    // one line or more for the note; may be empty
	Now     time.Time // becomes ended_at; never before the session's start
	// ID is what the caller believes the Session's id to be, "" for a legacy note. Close refuses when
	// the note on disk says otherwise (bug B40).
	ID string
}

// Edit is a change to one file: planned (by a Plan method) or done.
type Edit struct {
	Path   string // absolute
	Before []byte
	After  []byte
	// Message is one line in the words of the session protocol: "Session closed: <path>".
	Message string
	// Result is the protocol's result object with its own key names and order (kioku.md section 4.2).
	Result any
	// Was and Left are the Session as it was found, and as this Edit left it; nil when the Edit was only planned.
	Was, Left *Record `json:"-"`
	// Action names the edit, to undo it; "" when it cannot be undone or was only planned.
	Action string
	// Warnings are things the user should know although it worked.
	Warnings []string
}

// UnmarshalJSON keeps Result as JSON, since the order of its keys is the protocol's.
func (e *Edit) UnmarshalJSON(b []byte) error {
	type plain Edit
	var raw json.RawMessage
	into := struct {
		*plain
		Result *json.RawMessage
	}{plain: (*plain)(e), Result: &raw}
	if err := json.Unmarshal(b, &into); err != nil {
		return err
	}
	if raw != nil {
		e.Result = raw
	}
	return nil
}

// Closer is implemented by a Source whose Sessions we can end by ourselves.
//
// PlanClose returns exactly what CloseSession would write at that moment, and writes nothing.
// CloseSession takes the locks, reads again, writes, reads back, and returns what it wrote. Both fail
// with an *Error: ErrNotFound, ErrClosed (not active), ErrRefused (linked, malformed, hard link, read-only …),
// ErrStale (changed under our hands more often than we retry), ErrAmbiguous (duplicate id).
type Closer interface {
	PlanClose(key string, r CloseRequest) (*Edit, error)
	CloseSession(ctx context.Context, key string, r CloseRequest) (*Edit, error)
}

// Marker is implemented by a Source whose protocol records a resume in the Session itself. The rules
// are those of Closer.
type Marker interface {
	PlanMark(key string, r MarkRequest) (*Edit, error)
	MarkResumed(ctx context.Context, key string, r MarkRequest) (*Edit, error)
}

// MarkRequest says which Session is resumed, and when.
type MarkRequest struct {
	Now time.Time
	ID  string // as in CloseRequest
}
