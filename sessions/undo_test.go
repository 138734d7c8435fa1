package sessions

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
)

// The fake store can put a note back while stale is nil.
func (n *notes) PlanRestore(key string, r RestoreRequest) (*Edit, error) {
	if n.stale != nil {
		return nil, n.stale
	}
	return &Edit{Path: n.root + "/" + key, Before: r.From, After: r.To, Message: "would restore"}, n.fail
}

func (n *notes) Restore(_ context.Context, key string, r RestoreRequest) (*Edit, error) {
	e, err := n.PlanRestore(key, r)
	if err == nil {
		n.put(note(key, withID(r.ID)))
	}
	return e, err
}

// album is Images in memory.
type album struct {
	kept []*Image // the oldest first
	full error
}

func (a *album) Keep(img *Image) error {
	if a.full != nil {
		return a.full
	}
	if err := a.Forget(img.Action); err != nil {
		return err
	}
	copied := *img
	a.kept = append(a.kept, &copied)
	return nil
}

func (a *album) Forget(action string) error {
	a.kept = slices.DeleteFunc(a.kept, func(img *Image) bool { return img.Action == action })
	return nil
}

func (a *album) Load(action string) (*Image, error) {
	for _, img := range a.kept {
		if img.Action == action {
			return img, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (a *album) List() (names []string, err error) {
	for _, img := range slices.Backward(a.kept) {
		names = append(names, img.Action)
	}
	return names, nil
}

// trail keeps the actions of a Service.
func (d *desk) trail() *[]Action {
	var all []Action
	d.Audit = func(a Action) error { all = append(all, a); return nil }
	return &all
}

func TestUndoAndItsUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a"), note("b")}, nil)
		a, trail := &album{}, d.trail()
		d.Images = a
		closed, err := d.Close(t.Context(), "a", "", false)
		if err != nil || closed.Action == "" || len(a.kept) != 1 || (*trail)[0].ID != closed.Action {
			t.Fatalf("closed %+v, %v; kept %v, trail %v", closed, err, a.kept, *trail)
		}
		last, err := d.LastUndoable(t.Context())
		if err != nil || last.Action != closed.Action {
			t.Errorf("the newest is %+v, %v", last, err)
		}
		u, err := d.Undo(t.Context(), UndoRequest{Action: closed.Action})
		if err != nil || u.Edit.Message != "Taken back: closed" && u.Edit.Message != "Taken back: would close" {
			t.Fatalf("undone %+v, %v", u, err)
		}
		d.want("after the undo", "a active", "b active")
		if got := (*trail)[1]; got.Kind != ActionUndone || got.ID != u.Edit.Action || got.ID == closed.Action {
			t.Errorf("trail: %+v", got)
		}
		if last, err := d.LastUndoable(t.Context()); err != nil || last.Action != u.Edit.Action {
			t.Errorf("the newest is %+v, %v; want the undo", last, err)
		}
	})
}

// The image is there before the write, and goes when there is none.
func TestImageOfAFailedEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a")}, nil)
		a := &album{}
		d.Images = a
		row, err := d.Find(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.edit(t.Context(), row, ActionClosed, false,
			func() (*Edit, error) { return &Edit{Path: "/vault/a", After: []byte("x")}, nil },
			func() (*Edit, error) {
				if len(a.kept) != 1 || string(a.kept[0].After) != "x" {
					t.Errorf("when it is written, %v is kept", a.kept)
				}
				return nil, errors.New("disk on fire")
			})
		if err == nil || len(a.kept) != 0 {
			t.Errorf("%v, and %v is kept", err, a.kept)
		}
	})
}

func TestEditWithoutAnImage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a")}, nil)
		d.Images = &album{full: errors.New("disk full")}
		edit, err := d.Close(t.Context(), "a", "", false)
		if err != nil || edit.Action != "" || !strings.Contains(strings.Join(edit.Warnings, ""), "cannot be undone: disk full") {
			t.Errorf("closed %+v, %v", edit, err)
		}
	})
}

func TestUndoRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a")}, nil)
		a := &album{}
		d.Images = a
		closed, err := d.Close(t.Context(), "a", "", false)
		if err != nil {
			t.Fatal(err)
		}
		d.notes.stale = &Error{Err: ErrStale, Detail: "changed since", Diff: "+mine"}
		_, err = d.Undo(t.Context(), UndoRequest{Action: closed.Action})
		if e := refusal(t, err, ErrStale); e.Diff != "+mine" || len(a.kept) != 1 {
			t.Errorf("refused with %+v; kept %v", e, a.kept)
		}
		_, err = d.LastUndoable(t.Context())
		refusal(t, err, ErrNotFound)
		d.notes.stale = nil
		d.notes.put(note("a", withID("other")))
		_, err = d.Undo(t.Context(), UndoRequest{Action: closed.Action})
		refusal(t, err, ErrStale)
		_, err = d.Undo(t.Context(), UndoRequest{Action: "nothing", DryRun: true})
		refusal(t, err, ErrNotFound)
	})
}

// keeper is a Reclaimer that has removed locks.
type keeper struct {
	sweeper
	kept []locks.KeptLock
}

func (k *keeper) Kept() ([]locks.KeptLock, error) { return k.kept, nil }

func TestNewestOfLocksAndEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a")}, nil)
		d.Images = &album{}
		k := &keeper{kept: []locks.KeptLock{{ID: "lock-1", Path: "/home/l", At: time.Now()}}}
		d.Reclaimer = k
		time.Sleep(time.Second) // of the bubble's clock
		closed, err := d.Close(t.Context(), "a", "", false)
		if err != nil {
			t.Fatal(err)
		}
		if last, err := d.LastUndoable(t.Context()); err != nil || last.Action != closed.Action {
			t.Errorf("the newest is %+v, %v; want the close", last, err)
		}
		k.kept = append([]locks.KeptLock{{ID: "lock-2", Path: "/home/l", At: time.Now().Add(time.Second)}}, k.kept...)
		if last, err := d.LastUndoable(t.Context()); err != nil || last.Action != "lock-2" {
			t.Errorf("the newest is %+v, %v; want the lock", last, err)
		}
		if u, err := d.Undo(t.Context(), UndoRequest{Action: "lock-2"}); err != nil || u.Lock == nil {
			t.Errorf("undone %+v, %v", u, err)
		}
	})
}
