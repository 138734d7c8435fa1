package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
)

// sweeper is a Reclaimer that removes locks from a disk, after a pause as the real one has.
type sweeper struct {
	disk *disk
	fail error
	undo error

	mu    sync.Mutex
	asked []string
}

func (s *sweeper) Reclaim(ctx context.Context, f *locks.File, o locks.ReclaimOptions) (locks.Outcome, error) {
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%d hand=%v force=%v token=%q", f.Record.PID, o.ByHand, o.Force, o.Token))
	s.mu.Unlock()
	out := locks.Outcome{ID: "act-1", File: *f, First: locks.Judgement{Verdict: locks.Dead, Evidence: []string{"pid 40 is gone"}}}
	if !o.ByHand {
		select {
		case <-time.After(locks.DefaultPause):
		case <-ctx.Done():
			return out, context.Cause(ctx)
		}
	}
	if s.fail != nil {
		return out, s.fail
	}
	s.disk.put(session("a"))
	return out, nil
}

func (s *sweeper) Clear(_ context.Context, l locks.Leftover, _ locks.ReclaimOptions) (locks.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, "clear "+filepath.Base(l.Path))
	return locks.Outcome{Action: locks.Cleared}, nil
}

func (s *sweeper) Undo(_ context.Context, id string) (locks.Outcome, error) {
	return locks.Outcome{ID: id, File: locks.File{SessionID: "a"}}, s.undo
}

// asks returns what was asked so far, one a line.
func (s *sweeper) asks() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, "\n")
}

// TestJanitor: a dead lock goes by itself after the pause, once, however often its row changes meanwhile; a lock whose
// holder lives, or cannot be judged, is not touched.
func TestJanitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := func(r *Record) { r.Lock = &locks.File{Record: locks.Record{PID: 42, Hostname: "other"}} }
		r := newListedRig(t, newDisk("kimi", "/home", session("a", lockedBy(40)), session("b", lockedBy(41)), session("c", other)), nil)
		r.procs.start(41, "/p")
		r.hint("b")
		s := &sweeper{disk: r.disk}
		j := &Janitor{Index: r.index, Reclaimer: s}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- j.Run(ctx) }()
		synctest.Wait()
		for n := range 3 {
			r.disk.put(session("a", lockedBy(40), func(r *Record) { r.Title = fmt.Sprint(n) }))
			r.hint("a")
		}
		time.Sleep(locks.DefaultPause + time.Second)
		synctest.Wait()
		if got, want := s.asks(), `40 hand=false force=false token=""`; got != want {
			t.Errorf("asked\n%s\nwant\n%s", got, want)
		}
		r.want("afterwards", "a active", "b occupied lock", "c occupied lock")
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestJanitorLeavesAlone: what the Reclaimer does not want to remove stays, and is not asked about again and again.
func TestJanitorLeavesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", lockedBy(40))), nil)
		s := &sweeper{disk: r.disk, fail: locks.ErrUnproved}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- (&Janitor{Index: r.index, Reclaimer: s}).Run(ctx) }()
		time.Sleep(3 * DefaultSweep)
		synctest.Wait()
		if n := strings.Count(s.asks(), "40"); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
		cancel()
		<-ended
	})
}

// TestJanitorClears is bug B83: what a crash left beside the locks goes, the locks themselves stay.
func TestJanitorClears(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.lock.reclaim", "a.lock.tmp-4242-1", "b.lock", "other.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("a"))
		r := newListedRig(t, d, func(cfg *IndexConfig) { cfg.Sources = []Source{lockedHome{disk: d, locks: dir}} })
		s := &sweeper{disk: d}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- (&Janitor{Index: r.index, Reclaimer: s}).Run(ctx) }()
		synctest.Wait()
		cancel()
		<-ended
		asked := strings.Split(s.asks(), "\n")
		slices.Sort(asked)
		if got, want := strings.Join(asked, ", "), "clear a.lock.reclaim, clear a.lock.tmp-4242-1"; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	})
}

func TestUnlock(t *testing.T) {
	other := errors.New("disk full")
	for _, tt := range []struct {
		name   string
		rec    *Record
		ref    string
		off    bool
		fail   error
		want   error // nil: it is removed
		detail string
	}{
		{name: "a dead lock", rec: session("a", lockedBy(40)), ref: "a"},
		{name: "a session without a lock", rec: session("a"), ref: "a", want: ErrNotFound, detail: "no lock"},
		{name: "an unknown session", rec: session("a"), ref: "zzz", want: ErrNotFound, detail: "no session"},
		{name: "switched off", rec: session("a", lockedBy(40)), ref: "a", off: true, want: ErrRefused, detail: "switched off"},
		{name: "a live holder", rec: session("a", lockedBy(40)), ref: "a", fail: locks.ErrAlive, want: ErrOccupied, detail: "lives: pid 40"},
		{name: "an unknown holder", rec: session("a", lockedBy(40)), ref: "a", fail: locks.ErrUnproved, want: ErrRefused, detail: "not proven dead"},
		{name: "B88: a format that nobody knows", rec: session("a", lockedBy(40)), ref: "a", fail: errors.Join(locks.ErrUnproved, locks.ErrFormat),
			want: ErrRefused, detail: "never removes it"},
		{name: "B86: another lock by now", rec: session("a", lockedBy(40)), ref: "a", fail: locks.ErrChanged, want: ErrStale, detail: "another lock"},
		{name: "somebody else does it", rec: session("a", lockedBy(40)), ref: "a", fail: locks.ErrBusy, want: ErrRefused, detail: "another process"},
		{name: "it has just gone", rec: session("a", lockedBy(40)), ref: "a", fail: fs.ErrNotExist, want: ErrNotFound, detail: "gone already"},
		{name: "another error is passed on", rec: session("a", lockedBy(40)), ref: "a", fail: other, want: other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, nil, []*Record{tt.rec})
				s := &sweeper{disk: d.disk, fail: tt.fail}
				if !tt.off {
					d.Reclaimer = s
				}
				got, err := d.Unlock(t.Context(), UnlockRequest{Ref: tt.ref, Token: "tok", Force: true})
				if tt.want == nil {
					if err != nil || got.Action != "act-1" || s.asks() != `40 hand=true force=true token="tok"` {
						t.Fatalf("got %+v, %v; asked %s", got, err, s.asks())
					}
					d.want("afterwards", "a active")
					return
				}
				if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.detail) {
					t.Errorf("got %v, want %v with %q", err, tt.want, tt.detail)
				}
			})
		})
	}
}

func TestUndoReclaim(t *testing.T) {
	for _, tt := range []struct {
		name string
		undo error
		want error
	}{
		{"put back", nil, nil},
		{"unknown", fs.ErrNotExist, ErrNotFound},
		{"a newer lock is there", locks.ErrHeld, ErrOccupied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Service{Reclaimer: &sweeper{undo: tt.undo}}
			got, err := s.UndoReclaim(t.Context(), "act-1")
			if !errors.Is(err, tt.want) || (err == nil) != (got != nil) {
				t.Errorf("got %+v, %v; want %v", got, err, tt.want)
			}
		})
	}
	if _, err := (&Service{}).UndoReclaim(t.Context(), "act-1"); !errors.Is(err, ErrRefused) {
		t.Errorf("switched off: %v", err)
	}
}
