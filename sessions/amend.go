package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"berth/locks"
)

// AmendKind is what is to be changed about a Session that a client keeps.
type AmendKind string

const (
	AmendArchive AmendKind = "archive"
	AmendRestore AmendKind = "restore"
	AmendRename  AmendKind = "rename"
)

// The Actions of amending.
const (
	ActionArchived ActionKind = "archived"
	ActionRestored ActionKind = "restored"
	ActionRenamed  ActionKind = "renamed"
)

var amendActions = map[AmendKind]ActionKind{
	AmendArchive: ActionArchived, AmendRestore: ActionRestored, AmendRename: ActionRenamed,
}

// Why a Session cannot be amended, beside the conditions that every verb has.
var (
	ErrTitleEmpty = fmt.Errorf("%w: the title is empty", ErrRefused)
	ErrUnsafeID   = fmt.Errorf("%w: the id cannot be part of a path", ErrRefused)
	ErrNoState    = fmt.Errorf("%w: it has no metadata", ErrRefused)
	ErrBadState   = fmt.Errorf("%w: its metadata cannot be read", ErrRefused)
	// ErrAskServer: a running server of the store has to do it, and nobody has allowed that to be asked.
	ErrAskServer = fmt.Errorf("%w: a running server has to be asked", ErrRefused)
)

// amendCodes are the code words of these conditions; those with "session." are the Kimi client's.
var amendCodes = []struct {
	err  error
	code string
}{
	{ErrTitleEmpty, "session.title_empty"},
	{ErrUnsafeID, "session.id_invalid"},
	{ErrNoState, "session.state_not_found"},
	{ErrBadState, "session.state_invalid"},
	{ErrAskServer, "SERVER_NOT_ASKED"},
}

// AmendRequest says what to change about which Session.
type AmendRequest struct {
	Kind   AmendKind `json:"kind"`
	Ref    string    `json:"ref"`
	Title  string    `json:"title,omitempty"` // for AmendRename
	DryRun bool      `json:"dry_run,omitempty"`
	// UseServer allows to ask the running server of the store, with the store's own token, when there is one.
	UseServer bool `json:"use_server,omitempty"`
}

// Amendment is an AmendRequest for a Source.
type Amendment struct {
	Kind      AmendKind
	Title     string
	UseServer bool
	ID        string // what the caller believes the Session's id to be
	Now       time.Time
}

// Amender is implemented by a Source whose Sessions belong to clients that keep them in memory.
//
// PlanAmend makes every check that can be made without a claim, and returns what would be written; it writes nothing.
// An Edit that changes nothing (After equals Before) says that the Session is that way already. AmendSession has the
// change made by the running server of the store, or makes it itself under the Session's lock, and reads it back. Both
// fail with an *Error: ErrOccupied when somebody may have the Session in memory, ErrStale when it changed under our
// hands, ErrAskServer, or one of the reasons above.
type Amender interface {
	PlanAmend(ctx context.Context, key string, a Amendment) (*Edit, error)
	AmendSession(ctx context.Context, key string, a Amendment) (*Edit, error)
}

// Amend archives, restores or renames a Session, or with DryRun only says what it would write. What is that way
// already is left alone, without an error.
func (s *Service) Amend(ctx context.Context, r AmendRequest) (*Edit, error) {
	action, known := amendActions[r.Kind]
	if !known {
		return nil, &Error{Err: ErrRefused, Session: r.Ref, Detail: fmt.Sprintf("%q is none of archive, restore, rename", r.Kind)}
	}
	row, err := s.Find(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	amender, ok := s.source(row).(Amender)
	if !ok {
		return nil, &Error{Err: ErrNotCapable, Session: row.Name(),
			Detail: fmt.Sprintf("a %s session has no %s", row.Source, r.Kind), Hint: "berth close ends a work session of a vault"}
	}
	if err := s.amendable(row); err != nil {
		return nil, err
	}
	a := Amendment{Kind: r.Kind, Title: r.Title, UseServer: r.UseServer, ID: row.ID, Now: time.Now()}
	plan, err := amender.PlanAmend(ctx, row.Key, a)
	if err != nil || r.DryRun || bytes.Equal(plan.Before, plan.After) {
		return plan, err
	}
	return s.edit(ctx, row, action, false,
		func() (*Edit, error) { return plan, nil },
		func() (*Edit, error) { return amender.AmendSession(ctx, row.Key, a) })
}

// amendable says why nobody but its holder may write in row, or nil.
func (s *Service) amendable(row *Session) error {
	if err := s.unique(row); err != nil {
		return err
	}
	switch {
	case row.Holder != nil && row.Holder.Verdict != locks.Dead:
		return &Error{Err: ErrOccupied, Session: row.Name(), Detail: "it is occupied by " + HolderName(row.Holder),
			Hint: "a client writes what it has in memory over what others change; end it first, or do it there"}
	case row.OpenTurn && !row.Overtaken && row.Work.Busy != No:
		return &Error{Err: ErrOccupied, Session: row.Name(),
			Detail: "its last turn has not ended, and whether its writer lives cannot be seen", Hint: "berth show has the evidence"}
	}
	return nil
}

// refusedCode is the code word for an error that matches ErrRefused.
func refusedCode(err error) string {
	for _, c := range amendCodes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return "REFUSED"
}
