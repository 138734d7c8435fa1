package sessions

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func rowOf(r *Record) *Session { return &Session{Record: r} }

// snapshotOf returns a Snapshot of rows in their order.
func snapshotOf(rows ...*Session) *Snapshot {
	var t table
	for _, r := range rows {
		t.add(r)
	}
	s := &Snapshot{}
	s.chunks, s.count = t.freeze()
	return s
}

// TestTableAgainstModel adds, replaces and removes at random, compares with a plain map, and checks that no
// Snapshot changes after it was published.
func TestTableAgainstModel(t *testing.T) {
	for seed := range uint64(5) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var tab table
		model := map[int]*Session{}
		type published struct {
			snap *Snapshot
			want []*Session
		}
		var all []published
		for step := range 3000 {
			changeAtRandom(t, rnd, &tab, model, step)
			if rnd.IntN(100) == 0 {
				s := &Snapshot{}
				s.chunks, s.count = tab.freeze()
				all = append(all, published{s, slices.Collect(maps.Values(model))})
			}
		}
		for i, p := range all {
			if got := slices.Collect(p.snap.All()); !sameRows(got, p.want) || p.snap.Len() != len(p.want) {
				t.Fatalf("seed %d, snapshot %d: %d rows, Len %d; the model had %d", seed, i, len(got), p.snap.Len(), len(p.want))
			}
		}
	}
}

func changeAtRandom(t *testing.T, rnd *rand.Rand, tab *table, model map[int]*Session, step int) {
	row := rowOf(&Record{Key: fmt.Sprint(step)})
	if len(model) == 0 || rnd.IntN(3) > 0 {
		slot := tab.add(row)
		if model[slot] != nil {
			t.Fatalf("slot %d was given out twice", slot)
		}
		model[slot] = row
		return
	}
	slots := slices.Sorted(maps.Keys(model))
	slot := slots[rnd.IntN(len(slots))]
	if rnd.IntN(2) == 0 {
		tab.set(slot, row)
		model[slot] = row
		return
	}
	tab.remove(slot)
	delete(model, slot)
}

func sameRows(a, b []*Session) bool {
	byKey := func(x, y *Session) int { return strings.Compare(x.Key, y.Key) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byKey), slices.SortedFunc(slices.Values(b), byKey))
}

// TestTableSharesBlocks: one changed row copies one block, the others stay those of the older Snapshot.
func TestTableSharesBlocks(t *testing.T) {
	var tab table
	for i := range 3 * chunkSize {
		tab.add(rowOf(&Record{Key: fmt.Sprint(i)}))
	}
	before, _ := tab.freeze()
	tab.set(chunkSize, rowOf(&Record{Key: "new"}))
	after, _ := tab.freeze()
	for i := range before {
		if shared := &before[i][0] == &after[i][0]; shared != (i != 1) {
			t.Errorf("block %d shared: %v", i, shared)
		}
	}
	if before[1][0].Key == "new" {
		t.Error("a published block was changed")
	}
}

func TestAllStopsWhenAsked(t *testing.T) {
	n := 0
	for range snapshotOf(rowOf(&Record{}), rowOf(&Record{}), rowOf(&Record{})).All() {
		n++
		if n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d rows seen", n)
	}
}

func TestSorted(t *testing.T) {
	row := func(path string, age time.Duration) *Session {
		return rowOf(&Record{Path: path, UpdatedAt: ago(age)})
	}
	s := snapshotOf(row("/c", time.Hour), row("/b", 0), row("/a", time.Hour), row("/d", 2*time.Hour))
	tests := []struct {
		name string
		keep func(*Session) bool
		want string
	}{
		{"all, the latest first, the same moment by path", nil, "/b /a /c /d"},
		{"some", func(s *Session) bool { return s.Path != "/a" }, "/b /c /d"},
		{"none", func(*Session) bool { return false }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := paths(s.Sorted(tt.keep)); got != tt.want {
				t.Errorf("Sorted = %q, want %q", got, tt.want)
			}
		})
	}
}

func paths(rows []*Session) string {
	var ps []string
	for _, r := range rows {
		ps = append(ps, r.Path)
	}
	return strings.Join(ps, " ")
}

// TestFind says what a person may type to name a Session.
func TestFind(t *testing.T) {
	kimi := func(id string) *Session {
		return rowOf(&Record{ID: id, Root: "/home/k", Path: filepath.Join("/home/k/sessions/wd", id)})
	}
	note := func(id, rel string) *Session {
		return rowOf(&Record{ID: id, Root: "/vault", Path: filepath.Join("/vault", rel)})
	}
	all := snapshotOf(
		kimi("session_33e612fb-1111"), kimi("session_33e699aa-2222"), kimi("session_58f7"), kimi("session_58f7d8db"),
		note("019F76d0-7200", "Projects/demo/a.md"), note("twin", "x/1.md"), note("twin", "x/2.md"), note("", "legacy.md"),
	)
	tests := []struct {
		name, ref string
		want      string // paths, in order
		err       error
	}{
		{"a whole id", "session_33e612fb-1111", "/home/k/sessions/wd/session_33e612fb-1111", nil},
		{"a prefix", "session_33e612", "/home/k/sessions/wd/session_33e612fb-1111", nil},
		{"a prefix without its session_", "33e612", "/home/k/sessions/wd/session_33e612fb-1111", nil},
		{"a whole id without its session_", "33e612fb-1111", "/home/k/sessions/wd/session_33e612fb-1111", nil},
		{"case does not matter", "019f76D0", "/vault/Projects/demo/a.md", nil},
		{"nor in front", "SESSION_33E612", "/home/k/sessions/wd/session_33e612fb-1111", nil},
		{"a whole id that others begin with", "session_58f7", "/home/k/sessions/wd/session_58f7", nil},
		{"the same without its session_", "58f7", "/home/k/sessions/wd/session_58f7", nil},
		{"a path", "/vault/legacy.md", "/vault/legacy.md", nil},
		{"a path below the root", "Projects/demo/a.md", "/vault/Projects/demo/a.md", nil},
		{"a path without case", "/vault/LEGACY.md", "", ErrNotFound},
		{"an ambiguous prefix lists its matches", "33e6", "/home/k/sessions/wd/session_33e612fb-1111 /home/k/sessions/wd/session_33e699aa-2222", ErrAmbiguous},
		{"an id that two notes carry", "twin", "/vault/x/1.md /vault/x/2.md", ErrAmbiguous},
		{"one of the two by its path", "x/2.md", "/vault/x/2.md", nil},
		{"what nothing begins with", "ffff", "", ErrNotFound},
		{"a part from the middle", "612fb", "", ErrNotFound},
		{"more than an id", "session_33e612fb-1111-and-more", "", ErrNotFound},
		{"half a letter", "019F76d0-72\xc3", "", ErrNotFound},
		{"nothing", "", "", ErrNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := all.Find(tt.ref)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error = %v, want %v", err, tt.err)
			}
			found := []*Session{got}
			if e := (*Error)(nil); errors.As(err, &e) {
				found = e.Candidates
			}
			if tt.want != paths(found) {
				t.Errorf("Find(%q) = %q, want %q", tt.ref, paths(found), tt.want)
			}
		})
	}
}
