package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"berth/sessions"
)

// maxRedo bounds how often a change is made anew because a late writer undid it.
const maxRedo = 3

// sleeper returns a wait of d, which tells whether it was waited to the end; nil for zero.
func sleeper(d time.Duration) func(context.Context) bool {
	if d <= 0 {
		return nil
	}
	return func(ctx context.Context) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// settle looks at the note again after a while. Kioku reads a note, then waits for its lock, and then replaces the note
// by what it made of the old one (hazard 29): a writer that had read before us undoes our change. Then it is made again,
// on top of what that writer left. A caller that goes away meanwhile has its change, unchecked.
func (s *Source) settle(ctx context.Context, t target, id string, edit *sessions.Edit, plan planner) (*sessions.Edit, error) {
	for range maxRedo {
		if s.pause == nil || !s.pause(ctx) {
			return edit, nil
		}
		b, err := readBounded(t.path, maxNote)
		if err == nil && survives(b, edit) {
			return edit, nil
		}
		again, err := s.holding(ctx, t, id, plan)
		switch {
		case err == nil:
			again.Warnings = append(again.Warnings, "another program wrote the note back as it had been before; it was changed again")
			edit = again
		case errors.Is(err, sessions.ErrClosed), errors.Is(err, sessions.ErrNotFound):
			edit.Warnings = append(edit.Warnings, fmt.Sprintf("another program changed the note right afterwards: %v", err))
			return edit, nil
		default:
			return nil, &sessions.Error{Err: sessions.ErrStale, Session: t.key, Hint: "look at the note and try again",
				Detail: fmt.Sprintf("another program overwrote the note after we wrote it, and it could not be written again: %v", err)}
		}
	}
	return edit, nil
}

// survives reports whether a note still has our change. Others may have added to it since. A change without a mark of
// ours, an undo, is only known to be lost when the note is what it was before.
func survives(now []byte, edit *sessions.Edit) bool {
	if mark := ourMark(edit); len(mark) < len(edit.After) {
		return bytes.Contains(now, mark)
	}
	return !bytes.Equal(now, edit.Before)
}
