package sessiontest

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"berth/sessions"
	"berth/watcher"
)

func testEmpty(t *testing.T, s Store) {
	src := s.Open(t, root(t))
	if keys := list(t, src); len(keys) != 0 {
		t.Errorf("List of an empty store = %q, want nothing", keys)
	}
}

func testMissing(t *testing.T, s Store) {
	src := s.Open(t, filepath.Join(root(t), "not", "there"))
	if keys := list(t, src); len(keys) != 0 {
		t.Errorf("List of a missing store = %q, want nothing", keys)
	}
	wantNotFound(t, src, "sessions/bucket/session")
	wantNotFound(t, src, "note.md")
}

func testIdentity(t *testing.T, s Store) {
	dir, src, _ := filled(t, s)
	if src.Name() == "" || src.Name() != s.Open(t, dir).Name() {
		t.Errorf("Name = %q, want a constant", src.Name())
	}
	if src.Root() != dir {
		t.Errorf("Root = %q, want %q", src.Root(), dir)
	}
	w := src.Watch()
	if w.Path != dir {
		t.Errorf("Watch().Path = %q, want %q", w.Path, dir)
	}
	if w.Dir != nil && w.Dir(".") == watcher.Skip {
		t.Error("the root itself is not watched")
	}
}

func testAgree(t *testing.T, s Store) {
	dir, src, want := filled(t, s)
	slices.Sort(want)
	if got := loadable(t, src); !slices.Equal(got, want) {
		t.Fatalf("sessions = %q\nwant       %q", got, want)
	}
	for _, key := range want {
		r := load(t, src, key)
		checkRecord(t, src, dir, key, r)
		if got := stamp(t, src, key); got != r.Stamp {
			t.Errorf("%s: Stamp = %v, but Load says %v", key, got, r.Stamp)
		}
	}
}

// checkRecord checks what holds for every Record of a sound Session.
func checkRecord(t *testing.T, src sessions.Source, dir, key string, r *sessions.Record) {
	t.Helper()
	if r.Key != key || r.Source != src.Name() || r.Root != dir {
		t.Errorf("%s: record says key %q, source %q, root %q", key, r.Key, r.Source, r.Root)
	}
	if !filepath.IsAbs(r.Path) || !strings.HasPrefix(r.Path, dir+string(filepath.Separator)) {
		t.Errorf("%s: path %q is not inside of %q", key, r.Path, dir)
	}
	if len(r.Problems) > 0 || slices.Contains(r.Facts, sessions.FactDamaged) {
		t.Errorf("%s: a sound session has facts %q, problems %q", key, r.Facts, r.Problems)
	}
	if !r.Settle.IsZero() {
		t.Errorf("%s: wants another reading at %v, though all has settled", key, r.Settle)
	}
	if r.UpdatedAt.IsZero() {
		t.Errorf("%s: no time of the last activity", key)
	}
}

func testRepeatable(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	other := s.Open(t, dir)
	for _, key := range keys {
		now := settled()
		a, errA := src.Load(key, now)
		b, errB := other.Load(key, now)
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two readings differ:\n%+v %v\n%+v %v", key, a, errA, b, errB)
		}
	}
}

func testStamp(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	first, second := keys[0], keys[1]
	before, untouched := stamp(t, src, first), stamp(t, src, second)
	load(t, src, first)
	if got := stamp(t, src, first); got != before {
		t.Errorf("Stamp moved from %v to %v without a change", before, got)
	}
	s.Change(t, dir, first)
	after := stamp(t, src, first)
	if after == before {
		t.Errorf("Stamp stayed %v after a change", before)
	}
	if r := load(t, src, first); r.Stamp != after {
		t.Errorf("Load after a change says %v, Stamp %v", r.Stamp, after)
	}
	if got := stamp(t, src, second); got != untouched {
		t.Errorf("Stamp of another session moved from %v to %v", untouched, got)
	}
}

func testGone(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	for _, key := range keys {
		load(t, src, key)
	}
	s.Remove(t, dir, keys[0])
	wantNotFound(t, src, keys[0])
	want := slices.Clone(keys[1:])
	slices.Sort(want)
	if got := loadable(t, src); !slices.Equal(got, want) {
		t.Errorf("after a removal the sessions are %q, want %q", got, want)
	}
}

func testHostileKeys(t *testing.T, s Store) {
	_, src, keys := filled(t, s)
	for _, key := range []string{
		"", ".", "..", "/", "../store/" + keys[0], "./" + keys[0], keys[0] + "/", keys[0] + "/..",
		"/etc/passwd", "a/../" + keys[0], "a//b", "nul\x00byte", strings.Repeat("x/", 600) + "x",
		`..\..\x`, keys[0] + "-not",
	} {
		wantNotFound(t, src, key)
	}
}

func testChanged(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	for _, key := range keys {
		id := load(t, src, key).ID
		path := s.Change(t, dir, key)
		for _, op := range []watcher.Op{watcher.Write, watcher.Create, watcher.Create | watcher.Write} {
			c := src.Changed(watcher.Event{Root: dir, Path: path, Op: op})
			if !c.All && !slices.Contains(c.Keys, key) && !slices.Contains(c.IDs, id) {
				t.Errorf("Changed(%s, %b) = %+v, want it to name %q", path, op, c, key)
			}
		}
	}
}

func testForeignEvent(t *testing.T, s Store) {
	dir, src, _ := filled(t, s)
	for _, path := range []string{filepath.Dir(dir), dir + "-other/x.md", "", "relative"} {
		c := src.Changed(watcher.Event{Root: dir, Path: path, Op: watcher.Write})
		if c.All || len(c.Keys) > 0 || len(c.IDs) > 0 || c.Writer != 0 {
			t.Errorf("Changed(%q) = %+v, want nothing", path, c)
		}
	}
}

func testBroken(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	s.Break(t, dir, keys[1])
	slices.Sort(keys)
	if got := loadable(t, src); !slices.Equal(got, keys) {
		t.Fatalf("with a broken one the sessions are %q, want all of %q", got, keys)
	}
	damaged := 0
	for _, key := range keys {
		r := load(t, src, key)
		if slices.Contains(r.Facts, sessions.FactDamaged) {
			damaged++
			if len(r.Problems) == 0 || r.UpdatedAt.IsZero() {
				t.Errorf("%s: damaged, with problems %q, updated at %v", key, r.Problems, r.UpdatedAt)
			}
		}
	}
	if damaged != 1 {
		t.Errorf("%d sessions are damaged, want 1", damaged)
	}
}

func testCancel(t *testing.T, s Store) {
	_, src, _ := filled(t, s)
	err := src.List(cancelled(t), func(string) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("List after the end of its context: %v, want %v", err, context.Canceled)
	}
}

func testReadOnly(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	s.Break(t, dir, keys[2])
	before := digest(t, dir)
	for _, key := range loadable(t, src) {
		stamp(t, src, key)
		src.Changed(watcher.Event{Root: dir, Path: load(t, src, key).Path, Op: watcher.Write})
	}
	if after := digest(t, dir); after != before {
		t.Error("reading changed the store")
	}
}

func testConcurrent(t *testing.T, s Store) {
	dir, src, keys := filled(t, s)
	path := s.Change(t, dir, keys[0])
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, key := range keys {
				if _, err := src.Load(key, settled()); err != nil {
					t.Errorf("Load(%q): %v", key, err)
				}
				if _, err := src.Stamp(key); err != nil {
					t.Errorf("Stamp(%q): %v", key, err)
				}
			}
		})
		wg.Go(func() {
			src.Changed(watcher.Event{Root: dir, Path: path, Op: watcher.Write})
			if err := src.List(t.Context(), func(string) {}); err != nil {
				t.Errorf("List: %v", err)
			}
		})
	}
	wg.Wait()
}
