package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"berth/locks"
)

// Reclaimer removes the locks of dead holders. *locks.Reclaimer is one.
type Reclaimer interface {
	Reclaim(ctx context.Context, f *locks.File, o locks.ReclaimOptions) (locks.Outcome, error)
	// Clear removes a marker or temp file that a crash left behind.
	Clear(ctx context.Context, l locks.Leftover, o locks.ReclaimOptions) (locks.Outcome, error)
	Undo(ctx context.Context, id string) (locks.Outcome, error)
}

// UnlockRequest says which lock a person wants removed.
type UnlockRequest struct {
	Ref string `json:"ref"` // a session, or the session id of a lock without one
	// Token is that of the lock that the person was shown. The lock is left alone when another is there by now.
	Token string `json:"token"`
	// Force removes a lock whose holder cannot be judged. A live holder's stays.
	Force bool `json:"force,omitempty"`
}

// Unlocked says what was removed.
type Unlocked struct {
	Action    string   `json:"action"` // names it for Undo; "" when it cannot be undone
	SessionID string   `json:"session_id"`
	Path      string   `json:"path"`
	Evidence  []string `json:"evidence,omitempty"`
}

// Unlock removes a lock by hand. Errors: ErrNotFound when there is none, ErrOccupied for a live holder, ErrStale when
// another lock is there than the one that was shown, ErrRefused for one that is not proven dead without Force, or when
// reclaiming is switched off.
func (s *Service) Unlock(ctx context.Context, r UnlockRequest) (*Unlocked, error) {
	if s.Reclaimer == nil {
		return nil, &Error{Err: ErrRefused, Session: r.Ref, Detail: "reclaiming locks is switched off",
			Hint: "set reclaim: ask, or auto, in the configuration"}
	}
	f, row, err := s.lockOf(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	out, err := s.Reclaimer.Reclaim(ctx, f, locks.ReclaimOptions{ByHand: true, Force: r.Force, Token: r.Token})
	if row != nil {
		_, rerr := s.Index.Refresh(ctx, row)
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return nil, unlockError(f, &out, err)
	}
	return &Unlocked{Action: out.ID, SessionID: f.SessionID, Path: f.Path, Evidence: out.First.Evidence}, nil
}

// lockOf finds the lock that ref means: that of a session, which is then returned too, or one whose session is gone.
func (s *Service) lockOf(ctx context.Context, ref string) (*locks.File, *Session, error) {
	row, err := s.Find(ctx, ref)
	if err == nil {
		if row.Lock == nil {
			return nil, nil, &Error{Err: ErrNotFound, Session: row.Name(), Detail: "it has no lock"}
		}
		return row.Lock, row, nil
	}
	if !errors.Is(err, ErrNotFound) || ref == "" {
		return nil, nil, err
	}
	var found []*locks.File
	for _, f := range s.lockFiles() {
		if f.SessionID == ref || strings.HasPrefix(strings.TrimPrefix(f.SessionID, "session_"), ref) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil, nil, err
	}
	return found[0], nil, nil
}

// lockFiles are those of all stores, with or without a session.
func (s *Service) lockFiles() []*locks.File {
	var all []*locks.File
	for _, st := range s.Index.stores {
		if l, ok := st.src.(Locked); ok {
			files, _, _ := locks.List(l.LockDir()) // a folder that cannot be listed has none to remove
			all = append(all, files...)
		}
	}
	return all
}

// unlockError puts a refusal of the Reclaimer into the words of the domain.
func unlockError(f *locks.File, out *locks.Outcome, err error) error {
	e := &Error{Session: f.SessionID, Detail: err.Error()}
	proof := strings.Join(out.First.Evidence, "; ")
	switch {
	case errors.Is(err, locks.ErrAlive):
		e.Err, e.Detail = ErrOccupied, "its holder lives: "+proof
		e.Hint = "end that process first; berth stop asks it to"
	case errors.Is(err, locks.ErrFormat):
		e.Err, e.Detail = ErrRefused, "its format is not fully known, so berth never removes it: "+proof
		e.Hint = "end the client that holds it"
	case errors.Is(err, locks.ErrUnproved):
		e.Err, e.Detail = ErrRefused, "its holder is not proven dead: "+proof
		e.Hint = "make sure that nobody works in the session, then use --force"
	case errors.Is(err, locks.ErrChanged):
		e.Err, e.Detail = ErrStale, "another lock is there by now than the one that was shown"
		e.Hint = "look again with berth locks"
	case errors.Is(err, locks.ErrBusy):
		e.Err, e.Detail = ErrRefused, "another process is reclaiming this lock"
		e.Hint = "wait a moment, then look again with berth locks"
	case errors.Is(err, fs.ErrNotExist):
		e.Err, e.Detail = ErrNotFound, "the lock has gone already"
	default:
		return fmt.Errorf("unlock: %w", err)
	}
	return e
}

// UndoReclaim puts a removed lock back, while no newer one is there. id is the one of the Action.
func (s *Service) UndoReclaim(ctx context.Context, id string) (*Unlocked, error) {
	if s.Reclaimer == nil {
		return nil, &Error{Err: ErrRefused, Session: id, Detail: "reclaiming locks is switched off"}
	}
	out, err := s.Reclaimer.Undo(ctx, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Err: ErrNotFound, Session: id, Detail: "no action that can be undone has this name",
			Hint: "berth log shows the actions"}
	case errors.Is(err, locks.ErrHeld):
		return nil, &Error{Err: ErrOccupied, Session: id, Detail: "a newer lock is there; it stays"}
	case err != nil:
		return nil, err
	}
	return &Unlocked{Action: out.ID, SessionID: out.File.SessionID, Path: out.File.Path}, nil
}
