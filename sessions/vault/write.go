package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"berth/sessions"
	"berth/sessions/internal/atomicfile"
)

// CloseSession ends the session as Kioku's end_work_session does, and returns what it wrote after it
// has read it back (bug B142). Of several callers at once, in this process or others of ours, one
// succeeds and the others get [sessions.ErrClosed].
func (s *Source) CloseSession(ctx context.Context, key string, r sessions.CloseRequest) (*sessions.Edit, error) {
	return s.change(ctx, key, r.ID, func(n *note) (*sessions.Edit, error) { return s.planClose(ctx, n, r) })
}

// MarkResumed appends the protocol's resume mark. Its rules are those of [Source.CloseSession].
func (s *Source) MarkResumed(ctx context.Context, key string, r sessions.MarkRequest) (*sessions.Edit, error) {
	return s.change(ctx, key, r.ID, func(n *note) (*sessions.Edit, error) { return planMark(s.current(), n, r) })
}

// maxPlans bounds how often a change is planned anew because somebody wrote in between.
const maxPlans = 5

// errMoved says that the file is not what the change was planned for.
var errMoved = errors.New("the note changed meanwhile")

// planner says what a note is to become.
type planner func(*note) (*sessions.Edit, error)

// change plans under the locks, writes, reads back, and looks once more a while later.
func (s *Source) change(ctx context.Context, key, id string, plan planner) (*sessions.Edit, error) {
	// A change that is refused must not leave as much as a lock file behind.
	if _, err := s.plan(key, plan); err != nil {
		return nil, err
	}
	t, err := s.resolve(key)
	if err != nil {
		return nil, err
	}
	edit, err := s.holding(ctx, t, id, plan)
	if err != nil {
		return nil, err
	}
	return s.settle(ctx, t, id, edit, plan)
}

// holding makes the change under the locks.
func (s *Source) holding(ctx context.Context, t target, id string, plan planner) (*sessions.Edit, error) {
	release, err := s.lock(ctx, t, id)
	if err != nil {
		return nil, err
	}
	edit, err := s.changeLocked(ctx, t, plan)
	if free := release(); free != nil {
		s.log.Warn("lock not released", "path", t.path, "err", free)
	}
	return edit, err
}

func (s *Source) changeLocked(ctx context.Context, t target, plan planner) (*sessions.Edit, error) {
	for range maxPlans {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := readNote(t)
		if err != nil {
			return nil, err
		}
		edit, err := plan(n)
		if err != nil {
			return nil, err
		}
		err = atomicfile.Replace(t.path, edit.After, n.unchanged)
		failed := err != nil && !errors.Is(err, atomicfile.ErrNotDurable)
		if errors.Is(err, errMoved) || failed && n.unchanged() != nil {
			continue // whatever went wrong, somebody was here; what they left decides
		}
		edit.Was, edit.Left = s.recordOf(n, edit.Before), s.recordOf(n, edit.After)
		return s.written(t, edit, err)
	}
	return nil, &sessions.Error{
		Err: sessions.ErrStale, Session: t.key, Hint: "try again when the other program is done",
		Detail: fmt.Sprintf("another program changed the note %d times while we tried to write it", maxPlans),
	}
}

// unchanged fails when the file is no longer the one that was read. It is the last look before the
// rename: somebody may have written without a lock.
func (n *note) unchanged() error {
	now, err := os.Lstat(n.path)
	if err != nil || !os.SameFile(now, n.info) || now.Mode() != n.info.Mode() {
		return errMoved
	}
	b, err := readBounded(n.path, maxNote)
	if err != nil || !bytes.Equal(b, n.raw) {
		return errMoved
	}
	return nil
}

// written turns the outcome of the replacement into the verb's.
func (s *Source) written(t target, edit *sessions.Edit, err error) (*sessions.Edit, error) {
	switch {
	case errors.Is(err, atomicfile.ErrNotDurable):
		edit.Warnings = append(edit.Warnings, err.Error())
	case errors.Is(err, fs.ErrPermission):
		return nil, refused(t.key, "", "the note cannot be written: %v", err)
	case readOnlyDisk(err):
		return nil, refused(t.key, "", "the file system is read-only: %v", err)
	case err != nil:
		return nil, fmt.Errorf("write note %s: %w", t.key, err)
	}
	b, err := readBounded(t.path, maxNote)
	switch {
	case err == nil && bytes.Equal(b, edit.After):
		return edit, nil
	case err == nil && bytes.Contains(b, ourMark(edit)):
		edit.Warnings = append(edit.Warnings, "another program changed the note right afterwards")
		return edit, nil
	}
	return nil, &sessions.Error{
		Err: sessions.ErrStale, Session: t.key, Hint: "look at the note and try again",
		Detail: "another program overwrote the note right after we wrote it",
	}
}

// ourMark is the heading with our time, which no other writer would write.
func ourMark(edit *sessions.Edit) []byte {
	for _, heading := range []string{endedHeading, resumedHeading} {
		if i := strings.LastIndex(string(edit.After), heading); i >= len(bytes.TrimRight(edit.Before, " \t\r\n")) {
			line, _ := cutLine(edit.After, i)
			return bytes.TrimRight(line, "\r\n")
		}
	}
	return edit.After
}
