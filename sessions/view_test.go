package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
	"berth/watcher"
)

// newViewRig is a Service over a home that the test changes.
func newViewRig(t *testing.T, records ...*Record) (*rig, *Service) {
	r := newRig(t, newDisk("kimi", "/home", records...), nil)
	return r, &Service{Index: r.index, Prober: r.procs}
}

func TestView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := newViewRig(t, session("a"), session("b"))
		s.Coverage = func() []watcher.RootStatus { return []watcher.RootStatus{{Path: "/home", Coverage: watcher.Polling}} }
		got := make(chan *View)
		look := func(since uint64) {
			go func() {
				v, err := s.View(t.Context(), since)
				if err != nil {
					t.Error(err)
				}
				got <- v
			}()
			synctest.Wait()
		}
		look(0)
		r.want("before the first listing") // so View waits
		r.rescan()
		v := <-got
		if len(v.Sessions) != 2 || v.Stores[0].Sessions != 2 || v.Coverage[0].Coverage != watcher.Polling {
			t.Errorf("view = %+v", v)
		}

		look(v.Revision) // is what we have: wait
		select {
		case <-got:
			t.Error("View did not wait for a newer revision")
		default:
		}
		r.disk.put(session("c"))
		r.hint("c")
		if next := <-got; next.Revision != v.Revision+1 || len(next.Sessions) != 3 {
			t.Errorf("next view = %+v", next)
		}
		for _, since := range []uint64{0, v.Revision, 1 << 40} { // nothing, the past, another run of the service
			look(since)
			if next := <-got; next.Revision != v.Revision+1 {
				t.Errorf("since %d: revision %d", since, next.Revision)
			}
		}
	})
}

func TestViewGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := newViewRig(t, session("a"))
		why := errors.New("no patience")
		impatient := func() context.Context {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
			t.Cleanup(cancel)
			return ctx
		}
		if _, err := s.View(impatient(), 0); !errors.Is(err, why) {
			t.Errorf("before the first listing: %v", err)
		}
		r.rescan()
		if _, err := s.View(impatient(), r.index.Snapshot().Revision); !errors.Is(err, why) {
			t.Errorf("without anything new: %v", err)
		}
	})
}

func TestViewFind(t *testing.T) {
	v := &View{Sessions: []*Session{rowOf(&Record{ID: "session_ab"}), rowOf(&Record{ID: "session_cd"})}}
	if s, err := v.Find("c"); err != nil || s.ID != "session_cd" {
		t.Errorf("Find = %+v, %v", s, err)
	}
	if _, err := v.Find("x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Find of nothing: %v", err)
	}
}

// TestWatch: a View, then every Event; a View again when much has changed; the end with the Index.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := newViewRig(t, session("a"))
		updates := make(chan string, 100)
		done := make(chan error)
		go func() {
			done <- s.Watch(t.Context(), func(u Update) error {
				updates <- describeUpdate(u)
				return nil
			})
		}()
		r.rescan()
		r.disk.put(session("b"))
		r.hint("b")
		var keys []string
		for i := range maxSingleEvents + 1 {
			keys = append(keys, fmt.Sprint("s", i))
			r.disk.put(session(keys[i]))
		}
		r.hint(keys...)
		r.disk.remove("a")
		r.hint("a")
		r.stop()
		if err := <-done; err != nil {
			t.Errorf("Watch = %v", err)
		}
		close(updates)
		var got []string
		for u := range updates {
			got = append(got, u)
		}
		want := []string{"view of 1", "added b", fmt.Sprintf("view of %d", maxSingleEvents+3), "removed a"}
		if !slices.Equal(got, want) {
			t.Errorf("updates = %q, want %q", got, want)
		}
	})
}

func describeUpdate(u Update) string {
	if u.View != nil {
		return fmt.Sprintf("view of %d", len(u.View.Sessions))
	}
	return string(u.Event.Kind) + " " + u.Event.Session.Key
}

// TestWatchStartsOver: a reader that cannot keep up loses Events, and gets a View instead of what it lost.
func TestWatchStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := newViewRig(t, session("a"))
		r.rescan()
		read := make(chan string) // the reader takes one update when the test does
		enough := errors.New("enough")
		done := make(chan error)
		go func() {
			done <- s.Watch(t.Context(), func(u Update) error {
				select {
				case read <- describeUpdate(u):
					return nil
				case <-t.Context().Done():
					return enough
				}
			})
		}()
		if got := <-read; got != "view of 1" {
			t.Errorf("first update = %q", got)
		}
		for i := range watchBuffer + 2 {
			r.disk.put(session(fmt.Sprint("s", i)))
			r.hint(fmt.Sprint("s", i))
		}
		last := ""
		for range watchBuffer + 2 {
			last = <-read
			if last == fmt.Sprintf("view of %d", watchBuffer+3) {
				break
			}
		}
		if last != fmt.Sprintf("view of %d", watchBuffer+3) {
			t.Errorf("the last update is %q, want a view of all", last)
		}
		r.stop()
		if err := <-done; err != nil {
			t.Errorf("Watch = %v", err)
		}
	})
}

// TestWatchEnds with its reader's error, and without one when its context ends.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := newViewRig(t, session("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Watch(ctx, nil); err != nil {
			t.Errorf("before the first listing: %v", err)
		}
		r.rescan()
		broken := errors.New("broken pipe")
		if err := s.Watch(t.Context(), func(Update) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("Watch = %v, want the reader's error", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Watch(ctx, func(Update) error { return nil }); err != nil {
			t.Errorf("Watch = %v", err)
		}
	})
}

// lockedHome is a home with a folder of lock files.
type lockedHome struct {
	*disk
	locks string
}

func (h lockedHome) LockDir() string { return h.locks }

// TestLocks: the locks of sessions, holders without a lock, locks without a session, and what was left over.
func TestLocks(t *testing.T) {
	dir := t.TempDir()
	ofA := filepath.Join(dir, "a.lock")
	for name, content := range map[string]string{
		"a.lock":             `{"version":1,"token":"t","pid":40,"hostname":"","startedAt":1}`,
		"stray.lock":         `{"version":1,"token":"t","pid":41,"hostname":"","startedAt":1}`,
		"stray.lock.tmp-7-1": ``,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		lockedByFile := func(r *Record) { r.Lock = &locks.File{Path: ofA, Record: locks.Record{PID: 40}} }
		d := newDisk("kimi", "/home", session("a", lockedByFile), session("turn", openTurn), session("free"))
		r := newRig(t, d, func(cfg *IndexConfig) { cfg.Sources = []Source{lockedHome{d, dir}} })
		r.procs.start(50, "/p")
		r.rescan()
		s := &Service{Index: r.index, Prober: r.procs}
		rows, err := s.Locks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			pid := 0
			if row.Holder != nil {
				pid = row.Holder.PID
			}
			got = append(got, fmt.Sprintf("%s %q pid %d", filepath.Base(row.Path), row.SessionID, pid))
		}
		slices.Sort(got)
		want := []string{`. "turn" pid 50`, `a.lock "a" pid 40`, `stray.lock "stray" pid 41`, `stray.lock.tmp-7-1 "" pid 0`}
		if !slices.Equal(got, want) {
			t.Errorf("rows = %q\nwant   %q", got, want)
		}
	})
}

// TestLocksOfAHomeWithoutAny: published clients have no lock folder at all; that is no problem to report.
func TestLocksOfAHomeWithoutAny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("a"))
		r := newRig(t, d, func(cfg *IndexConfig) {
			cfg.Sources = []Source{lockedHome{d, filepath.Join(t.TempDir(), "not-there")}}
		})
		r.rescan()
		s := &Service{Index: r.index, Prober: r.procs}
		if rows, err := s.Locks(t.Context()); err != nil || len(rows) != 0 {
			t.Errorf("Locks = %+v, %v", rows, err)
		}
	})
}
