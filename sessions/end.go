package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Selector says which open Session an implicit end means. All of it may be empty; then every open one is meant.
type Selector struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`  // as the client calls itself
	Client  string `json:"client,omitempty"` // the client's name
}

// Selecter is implemented by a Source whose protocol ends Sessions without naming them.
type Selecter interface {
	// Selects reports whether an implicit end with sel would match the Session of r.
	Selects(r *Record, sel Selector) bool
	// Named returns the agent and client of sel in the form in which they are compared, "" for what is not given.
	Named(sel Selector) (agent, client string)
}

// EndRequest says which Session to end: by Ref, or, when that is empty, the only one that the Selector matches.
type EndRequest struct {
	Ref string `json:"ref,omitempty"`
	Selector
	Summary string `json:"summary,omitempty"`
	DryRun  bool   `json:"dry_run,omitempty"`
}

// ErrNoActive: an implicit end matches no open Session.
var ErrNoActive = fmt.Errorf("%w: no active session matches", ErrNotFound)

// ErrNotActive: a Session that is not active cannot be resumed.
var ErrNotActive = fmt.Errorf("%w: it is not active", ErrClosed)

// End ends a work session, named or not. Without a name it never guesses: ErrNoActive when nothing matches,
// ErrAmbiguous with every candidate when several do. With a name the Selector is ignored, as in the protocol.
func (s *Service) End(ctx context.Context, r EndRequest) (*Edit, error) {
	if r.Ref != "" {
		return s.Close(ctx, r.Ref, r.Summary, r.DryRun)
	}
	row, err := s.selected(ctx, r.Selector)
	if err != nil {
		return nil, err
	}
	return s.Close(ctx, row.Path, r.Summary, r.DryRun)
}

// selected returns the one Session that sel matches. Each candidate is read again first: what another client has
// ended meanwhile is none.
func (s *Service) selected(ctx context.Context, sel Selector) (*Session, error) {
	var found []*Session
	for _, row := range s.Index.Snapshot().Sorted(func(row *Session) bool { return s.selects(row, sel) }) {
		fresh, err := s.Index.Refresh(ctx, row)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		case s.selects(fresh, sel):
			found = append(found, fresh)
		}
	}
	switch len(found) {
	case 0:
		return nil, s.noActive(sel)
	case 1:
		return found[0], nil
	}
	slices.SortFunc(found, func(a, b *Session) int { return strings.Compare(a.Path, b.Path) })
	return nil, &Error{Err: ErrAmbiguous, Detail: fmt.Sprintf("%d active sessions match", len(found)), Candidates: found,
		Hint: "name one of them by its id"}
}

func (s *Service) selects(row *Session, sel Selector) bool {
	src, ok := s.source(row).(Selecter)
	return ok && row.Open && src.Selects(row.Record, sel)
}

func (s *Service) noActive(sel Selector) error {
	d := noActiveDetails{Project: orNull(sel.Project)}
	for _, st := range s.Index.stores {
		if src, ok := st.src.(Selecter); ok {
			agent, client := src.Named(sel)
			d.Agent, d.ClientName = orNull(agent), orNull(client)
		}
	}
	return &Error{Err: ErrNoActive, Detail: "no active session matches", Hint: "berth list shows what is open", Details: d}
}

type noActiveDetails struct {
	Project    *string `json:"project"`
	Agent      *string `json:"agent"`
	ClientName *string `json:"client_name"`
}

// orNull is s for JSON, null when it is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Failure is an error in the shape that the work-session protocol gives it (kioku.md section 4.3): details, or
// candidates for AMBIGUOUS_SESSION.
type Failure struct {
	Code       string      `json:"code"`
	Message    string      `json:"message"`
	Details    any         `json:"details,omitempty"`
	Candidates []Candidate `json:"candidates,omitempty"`
}

// Candidate is one of the Sessions that an ambiguous request may mean, with the protocol's keys in its order; what a
// note does not say is null.
type Candidate struct {
	SessionID  *string `json:"session_id"`
	Path       string  `json:"path"` // relative to the store, with /
	Project    *string `json:"project"`
	Agent      *string `json:"agent"`
	ClientName *string `json:"client_name"`
	StartedAt  string  `json:"started_at"`
}

// protocolTime is .NET's round-trip format in UTC.
const protocolTime = "2006-01-02T15:04:05.0000000Z"

// FailureOf puts err, which is not nil, into the protocol's shape.
func FailureOf(err error) Failure {
	f := Failure{Code: Code(err), Message: err.Error(), Details: struct{}{}}
	var e *Error
	if !errors.As(err, &e) {
		return f
	}
	switch {
	case errors.Is(err, ErrAmbiguous):
		f.Details, f.Candidates = nil, []Candidate{}
		for _, c := range e.Candidates {
			f.Candidates = append(f.Candidates, Candidate{
				SessionID: orNull(c.ID), Path: c.Rel(), Project: orNull(c.Project), Agent: orNull(c.Agent),
				ClientName: orNull(c.ClientName), StartedAt: c.CreatedAt.UTC().Format(protocolTime),
			})
		}
	case e.Details != nil:
		f.Details = e.Details
	case errors.Is(err, ErrNotFound):
		f.Details = struct {
			SessionID string `json:"session_id"`
		}{e.Session}
	}
	return f
}
