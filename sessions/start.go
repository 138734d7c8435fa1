package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ActionStarted: we began a work session.
const ActionStarted ActionKind = "started"

// StartRequest says which work session to begin. All of it may be empty.
type StartRequest struct {
	Vault   string `json:"vault,omitempty"` // the store's root; needed when there are several
	Project string `json:"project,omitempty"`
	Name    string `json:"name,omitempty"` // a title, never an identity
	Goal    string `json:"goal,omitempty"`
	Agent   string `json:"agent,omitempty"`  // as the client calls itself; the Source brings it into the store's form
	Client  string `json:"client,omitempty"` // the client's name, verbatim
	Parent  string `json:"parent,omitempty"` // the id of the session that this one comes from
	DryRun  bool   `json:"dry_run,omitempty"`
}

// Starter is implemented by a Source in which we can begin Sessions. The rules are those of [Closer]. The Edit has no
// Before, and its Left is the new Session. A StartSession never touches a file that is there.
type Starter interface {
	PlanStart(r StartRequest, now time.Time) (*Edit, error)
	StartSession(ctx context.Context, r StartRequest, now time.Time) (*Edit, error)
}

// Start begins a work session, or with DryRun only says what it would write. Errors: ErrRefused for a project that the
// store does not allow, ErrAmbiguous when there are several vaults and none is named.
func (s *Service) Start(ctx context.Context, r StartRequest) (*Edit, error) {
	st, starter, err := s.starter(r.Vault)
	if err != nil {
		return nil, err
	}
	var warnings []string
	if r.Parent, warnings, err = s.parent(r.Parent); err != nil {
		return nil, err
	}
	now := time.Now()
	if r.DryRun {
		edit, err := starter.PlanStart(r, now)
		if err != nil {
			return nil, err
		}
		edit.Warnings = append(edit.Warnings, warnings...)
		return edit, nil
	}
	edit, err := starter.StartSession(ctx, r, now)
	if err != nil {
		return nil, err
	}
	edit.Warnings = append(edit.Warnings, warnings...)
	s.started(ctx, st, edit)
	return edit, nil
}

// started keeps a line of what was begun, and makes the Index look at it.
func (s *Service) started(ctx context.Context, st *store, edit *Edit) {
	row := edit.Left
	a := Action{ID: newAction(time.Now()), Kind: ActionStarted, Session: row.ID, Source: row.Source, Path: edit.Path, Detail: edit.Message}
	aerr := s.audit(a)
	rerr := s.Index.ask(ctx, func(now time.Time) {
		s.Index.reload(st, row.Key, now)
		s.Index.flush(now)
	})
	for _, err := range []error{aerr, rerr} {
		if err != nil { // it is written all the same
			edit.Warnings = append(edit.Warnings, err.Error())
		}
	}
}

// starter is the one store in which sessions can be begun, or the one with that root.
func (s *Service) starter(root string) (*store, Starter, error) {
	var found []*store
	for _, st := range s.Index.stores {
		if _, ok := st.src.(Starter); ok && (root == "" || st.src.Root() == root) {
			found = append(found, st)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], found[0].src.(Starter), nil
	case len(found) == 0 && root != "":
		return nil, nil, &Error{Err: ErrNotFound, Session: root, Detail: "it is none of the vaults that berth knows", Hint: "berth config show lists them"}
	case len(found) == 0:
		return nil, nil, &Error{Err: ErrNotFound, Detail: "no vault was found to start a session in",
			Hint: "name one under vaults: in the configuration, or set KIOKU_VAULT_PATH"}
	}
	detail := "there are several vaults:"
	for _, st := range found {
		detail += " " + st.src.Root()
	}
	return nil, nil, &Error{Err: ErrAmbiguous, Detail: detail, Hint: "say which with --vault"}
}

// parent makes a whole id of what may be the beginning of one. An id that no note has is kept as it is: its note may
// lie in a vault that is not here.
func (s *Service) parent(ref string) (id string, warnings []string, err error) {
	if ref == "" {
		return "", nil, nil
	}
	row, err := s.Index.Snapshot().Find(ref)
	switch {
	case err == nil && row.ID != "":
		return row.ID, nil, nil
	case err == nil, errors.Is(err, ErrNotFound):
		return ref, []string{fmt.Sprintf("no session with the id %q is known; it is stored as the parent all the same", ref)}, nil
	}
	return "", nil, err
}
