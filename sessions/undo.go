package sessions

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"berth/locks"
)

// Image is a file before and after an [Edit], kept so that the edit can be taken back.
type Image struct {
	Action  string     `json:"action"` // the [Action] that made the edit
	At      time.Time  `json:"at"`
	Kind    ActionKind `json:"kind"`
	Session string     `json:"session,omitempty"` // its id
	Path    string     `json:"path"`
	Message string     `json:"message"`
	Before  []byte     `json:"before"`
	After   []byte     `json:"after"`
}

// Images keeps before-images for a bounded time. *beforeimage.Store is one.
type Images interface {
	// Keep writes an image, or replaces the one of the same action; it is on disk when Keep returns.
	Keep(*Image) error
	// Forget drops the image of an action; one that is not there is no error.
	Forget(action string) error
	// Load fails with an error that wraps fs.ErrNotExist when nothing of that action is kept (any longer).
	Load(action string) (*Image, error)
	// List names the actions that have an image, the newest first.
	List() ([]string, error)
}

// Restorer is implemented by a Source whose files can be put back to what they were before an edit of ours. The rules
// are those of [Closer]; a file that is not what the edit left is refused with ErrStale and the difference.
type Restorer interface {
	PlanRestore(key string, r RestoreRequest) (*Edit, error)
	Restore(ctx context.Context, key string, r RestoreRequest) (*Edit, error)
}

// RestoreRequest says which bytes must be there, and which to put in their place.
type RestoreRequest struct {
	ID       string // as in CloseRequest
	From, To []byte
}

// newAction names an action. The name begins with the time, so that names sort by it.
func newAction(now time.Time) string {
	return now.UTC().Format("20060102T150405.000") + "-" + strings.ToLower(rand.Text()[:8])
}

// safekeeping is the image of one edit that is under way.
type safekeeping struct {
	images Images
	img    *Image
	lost   error // why it could not be kept
}

// keepPlan keeps the image of an edit before it is done, so that even a crash right after it leaves an edit that can be
// taken back. It fails only when the edit itself would.
func (s *Service) keepPlan(row *Session, kind ActionKind, plan func() (*Edit, error)) (*safekeeping, error) {
	now := time.Now()
	k := &safekeeping{images: s.Images, img: &Image{Action: newAction(now), At: now.UTC(), Kind: kind, Session: row.ID}}
	if _, ok := s.source(row).(Restorer); !ok || s.Images == nil {
		k.images = nil // nobody could put it back
		return k, nil
	}
	edit, err := plan()
	if err != nil {
		return nil, err
	}
	k.keep(edit)
	return k, nil
}

func (k *safekeeping) keep(e *Edit) {
	k.img.Path, k.img.Message, k.img.Before, k.img.After = e.Path, e.Message, e.Before, e.After
	k.lost = k.images.Keep(k.img)
}

// done makes the image that of what was really written, and says in the edit how to take it back.
func (k *safekeeping) done(e *Edit) {
	if k.images == nil {
		return
	}
	if !bytes.Equal(k.img.Before, e.Before) || !bytes.Equal(k.img.After, e.After) {
		k.keep(e)
	}
	if k.lost != nil {
		e.Warnings = append(e.Warnings, "this cannot be undone: "+k.lost.Error())
		return
	}
	e.Action = k.img.Action
}

// drop forgets the image of an edit that was not done.
func (k *safekeeping) drop() error {
	if k.images == nil {
		return nil
	}
	return k.images.Forget(k.img.Action)
}

// UndoRequest names an action to take back.
type UndoRequest struct {
	Action string `json:"action"`
	DryRun bool   `json:"dry_run,omitempty"` // say what would be written; removed locks have no dry run
}

// Undone is what became of an Undo: one of the two is set.
type Undone struct {
	Edit *Edit     `json:"edit,omitempty"` // of the note that was put back
	Lock *Unlocked `json:"lock,omitempty"` // that was put back
}

// Undo takes one action back: it puts the bytes from before an edit back, while the file is what the edit left, or a
// removed lock, while no newer one is there. Errors: ErrNotFound for an action of which nothing is kept, ErrStale when
// the file changed since (with the difference), ErrOccupied when a newer lock is there.
func (s *Service) Undo(ctx context.Context, r UndoRequest) (*Undone, error) {
	img, err := s.image(r.Action)
	if err == nil {
		edit, err := s.undoEdit(ctx, img, r.DryRun)
		if err != nil {
			return nil, err
		}
		return &Undone{Edit: edit}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if r.DryRun {
		return nil, &Error{Err: ErrNotFound, Session: r.Action, Detail: "no edit is kept under this name", Hint: "berth log shows the actions"}
	}
	lock, err := s.UndoReclaim(ctx, r.Action)
	if err != nil {
		return nil, err
	}
	return &Undone{Lock: lock}, nil
}

func (s *Service) image(action string) (*Image, error) {
	if s.Images == nil {
		return nil, fs.ErrNotExist
	}
	return s.Images.Load(action)
}

func (s *Service) undoEdit(ctx context.Context, img *Image, dryRun bool) (*Edit, error) {
	row, restorer, err := s.restorable(ctx, img)
	if err != nil {
		return nil, err
	}
	r := RestoreRequest{ID: row.ID, From: img.After, To: img.Before}
	named := func(e *Edit, err error) (*Edit, error) {
		if e != nil {
			e.Message = "Taken back: " + img.Message
		}
		return e, err
	}
	return s.edit(ctx, row, ActionUndone, dryRun,
		func() (*Edit, error) { return named(restorer.PlanRestore(row.Key, r)) },
		func() (*Edit, error) { return named(restorer.Restore(ctx, row.Key, r)) })
}

// restorable finds the Session of an image: at its path, or wherever it has moved to since.
func (s *Service) restorable(ctx context.Context, img *Image) (*Session, Restorer, error) {
	row, err := s.Find(ctx, img.Path)
	if errors.Is(err, ErrNotFound) && img.Session != "" {
		row, err = s.Find(ctx, img.Session)
	}
	if err != nil {
		return nil, nil, err
	}
	restorer, ok := s.source(row).(Restorer)
	if !ok || foldID(row.ID) != foldID(img.Session) {
		return nil, nil, &Error{Err: ErrStale, Session: img.Path,
			Detail: fmt.Sprintf("another session is there now: its id is %q, and was %q", row.ID, img.Session)}
	}
	return row, restorer, nil
}

// Undoable is an action that can be taken back.
type Undoable struct {
	Action  string    `json:"action"`
	At      time.Time `json:"at"`
	Message string    `json:"message"`
}

// keptLocks is implemented by a Reclaimer that knows what it can put back, the newest first.
type keptLocks interface {
	Kept() ([]locks.KeptLock, error)
}

// LastUndoable returns the newest action that can be taken back at this moment; ErrNotFound when there is none.
func (s *Service) LastUndoable(ctx context.Context) (*Undoable, error) {
	edit, err := s.lastEdit(ctx)
	if err != nil {
		return nil, err
	}
	lock, err := s.lastLock()
	switch {
	case err != nil:
		return nil, err
	case lock != nil && (edit == nil || lock.At.After(edit.At)):
		return lock, nil
	case edit != nil:
		return edit, nil
	}
	return nil, &Error{Err: ErrNotFound, Detail: "there is nothing that can be undone",
		Hint: "edits can be undone for 30 days, while nobody changed the note since; berth log shows the actions"}
}

func (s *Service) lastEdit(ctx context.Context) (*Undoable, error) {
	if s.Images == nil {
		return nil, nil
	}
	names, err := s.Images.List()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		img, err := s.image(name)
		if err != nil { // too old, or broken: it cannot be undone, others can
			continue
		}
		if _, err := s.undoEdit(ctx, img, true); err == nil {
			return &Undoable{Action: img.Action, At: img.At, Message: img.Message}, nil
		}
	}
	return nil, ctx.Err()
}

func (s *Service) lastLock() (*Undoable, error) {
	r, ok := s.Reclaimer.(keptLocks)
	if !ok {
		return nil, nil
	}
	kept, err := r.Kept()
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	k := kept[0]
	return &Undoable{Action: k.ID, At: k.At, Message: "lock removed: " + k.Path}, nil
}
