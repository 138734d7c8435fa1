package vault

import (
	"bytes"
	"context"
	"strings"

	"berth/sessions"
)

// PlanRestore returns what [Source.Restore] would write now. It needs no locks and writes nothing.
func (s *Source) PlanRestore(key string, r sessions.RestoreRequest) (*sessions.Edit, error) {
	t, err := s.resolve(key)
	if err != nil {
		return nil, err
	}
	return restoring(t, r)
}

// Restore puts the bytes from before an edit of ours back, byte for byte. A note that is not what that edit left is
// refused with ErrStale and the difference.
func (s *Source) Restore(ctx context.Context, key string, r sessions.RestoreRequest) (*sessions.Edit, error) {
	if _, err := s.PlanRestore(key, r); err != nil {
		return nil, err
	}
	return s.change(ctx, key, r.ID, func(n *note) (*sessions.Edit, error) { return planRestore(n, r) })
}

// restoring reads the note and plans. A note that can no longer be read as a session has changed, and the difference
// says more than why it cannot be read.
func restoring(t target, r sessions.RestoreRequest) (*sessions.Edit, error) {
	n, err := readNote(t)
	if n != nil && n.raw != nil && !bytes.Equal(n.raw, r.From) {
		return nil, n.changedSince(r.From)
	}
	if err != nil {
		return nil, err
	}
	return planRestore(n, r)
}

// restoredResult is the result of an undo, in the manner of Kioku's results.
type restoredResult struct {
	Action    string  `json:"action"`
	SessionID *string `json:"session_id"`
	Path      string  `json:"path"`
	Status    string  `json:"status"` // that the note has again
}

func planRestore(n *note, r sessions.RestoreRequest) (*sessions.Edit, error) {
	if !bytes.Equal(n.raw, r.From) {
		return nil, n.changedSince(r.From)
	}
	if !strings.EqualFold(strings.TrimSpace(r.ID), n.meta.id) {
		return nil, refused(n.key, "list the sessions again", "the note's session_id is %q now, not %q", n.meta.id, r.ID)
	}
	if err := n.replaceable(); err != nil {
		return nil, err
	}
	to := &note{target: n.target, raw: r.To, parts: split(r.To, true)}
	if err := to.parse(); err != nil {
		return nil, err
	}
	return &sessions.Edit{
		Path: n.path, Before: n.raw, After: r.To, Message: "Restored: " + n.key,
		Result: &restoredResult{Action: "undone", SessionID: orNull(n.meta.id), Path: n.key, Status: to.meta.status},
	}, nil
}

func (n *note) changedSince(from []byte) error {
	return &sessions.Error{
		Err: sessions.ErrStale, Session: n.key, Detail: "the note was changed since; undoing would lose that",
		Hint: "take the change back by hand in an editor", Diff: sessions.Diff(from, n.raw),
	}
}
