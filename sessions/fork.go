package sessions

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// ActionForked: a Session was copied into a new one.
const ActionForked ActionKind = "forked"

// ForkRequest says which Session to fork.
type ForkRequest struct {
	Ref       string `json:"ref"`
	Title     string `json:"title,omitempty"` // of the fork; "" names it after its origin, as the client does
	DryRun    bool   `json:"dry_run,omitempty"`
	UseServer bool   `json:"use_server,omitempty"` // as in AmendRequest
}

// Forking is a ForkRequest for a Source.
type Forking struct {
	Title     string
	UseServer bool
	ID        string // what the caller believes the id of the origin to be
	Now       time.Time
}

// Fork is a Session that was, or would be, made as a copy of another.
type Fork struct {
	SessionID  string   `json:"session_id"` // "" for a plan that a server carries out: it chooses
	Path       string   `json:"path,omitempty"`
	Title      string   `json:"title"`
	ForkedFrom string   `json:"forked_from"`
	Files      int      `json:"files,omitempty"` // that are copied
	By         string   `json:"by,omitempty"`    // the server that does it
	Warnings   []string `json:"warnings,omitempty"`
}

// Forker is implemented by a Source whose Sessions can be forked. The origin is only read. The rules are those of Amender,
// except that a client that has the origin open without working in it is in nobody's way.
type Forker interface {
	PlanFork(ctx context.Context, key string, f Forking) (*Fork, error)
	ForkSession(ctx context.Context, key string, f Forking) (*Fork, error)
}

// Fork copies a Session with its whole history into a new one, or with DryRun only says what would be made.
func (s *Service) Fork(ctx context.Context, r ForkRequest) (*Fork, error) {
	row, err := s.Find(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	forker, ok := s.source(row).(Forker)
	if !ok {
		return nil, &Error{Err: ErrNotCapable, Session: row.Name(), Detail: fmt.Sprintf("a %s session cannot be forked", row.Source)}
	}
	if err := s.amendable(row); err != nil {
		return nil, err
	}
	f := Forking{Title: r.Title, UseServer: r.UseServer, ID: row.ID, Now: time.Now()}
	if r.DryRun {
		return forker.PlanFork(ctx, row.Key, f)
	}
	fork, err := forker.ForkSession(ctx, row.Key, f)
	if err != nil {
		return nil, err
	}
	aerr := s.audit(Action{Kind: ActionForked, Session: fork.SessionID, Source: row.Source, Path: fork.Path, Detail: "forked from " + row.ID})
	for _, err := range []error{aerr, s.lookFor(ctx, row.Root, fork.Path)} {
		if err != nil { // it is made all the same
			fork.Warnings = append(fork.Warnings, err.Error())
		}
	}
	return fork, nil
}

// lookFor makes the Index look for a new Session at path, in the store at root.
func (s *Service) lookFor(ctx context.Context, root, path string) error {
	key, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	return s.Index.ask(ctx, func(now time.Time) {
		if st := s.Index.storeAt(root); st != nil {
			s.Index.reload(st, filepath.ToSlash(key), now)
			s.Index.flush(now)
		}
	})
}
