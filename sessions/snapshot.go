package sessions

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// chunkSize is how many rows share one block of a Snapshot. A change copies one block and the list of
// blocks: with 100,000 Sessions about 6 KB.
const chunkSize = 512

// Store is the state of one Source as a whole.
type Store struct {
	Source   string    `json:"source"`
	Root     string    `json:"root"`
	Sessions int       `json:"sessions"`
	ListedAt time.Time `json:"listed_at,omitzero"` // the last time everything in it was looked at
	Problem  string    `json:"problem,omitempty"`  // why it cannot be listed
}

// Snapshot is the whole Index at one moment. It is immutable.
type Snapshot struct {
	Revision uint64
	Stores   []Store
	chunks   [][]*Session // holes are nil
	count    int
}

// Len returns how many Sessions there are.
func (s *Snapshot) Len() int { return s.count }

// All yields every Session, in no particular order.
func (s *Snapshot) All() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for _, c := range s.chunks {
			for _, row := range c {
				if row != nil && !yield(row) {
					return
				}
			}
		}
	}
}

// Sorted returns the Sessions that keep accepts (all when keep is nil), the latest activity first.
func (s *Snapshot) Sorted(keep func(*Session) bool) []*Session {
	out := []*Session{}
	for row := range s.All() {
		if keep == nil || keep(row) {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out
}

// Find returns the Session that ref names: a whole id or a unique prefix of one (with or without its "session_" in
// front), a path, or a path below the store's root. It fails with an *Error: ErrNotFound, or ErrAmbiguous
// with every match.
func (s *Snapshot) Find(ref string) (*Session, error) { return find(s.All(), ref) }

func find(rows iter.Seq[*Session], ref string) (*Session, error) {
	if ref == "" {
		return nil, &Error{Err: ErrNotFound, Detail: "no session was named"}
	}
	var exact, prefix []*Session
	for row := range rows {
		switch {
		case isNamed(row, ref):
			exact = append(exact, row)
		case hasIDPrefix(row.ID, ref):
			prefix = append(prefix, row)
		}
	}
	if len(exact) > 0 {
		return only(ref, exact)
	}
	return only(ref, prefix)
}

// isNamed reports whether ref is all of row's id (with or without its "session_") or its path.
func isNamed(row *Session, ref string) bool {
	return strings.EqualFold(row.ID, ref) || strings.EqualFold(bareID(row.ID), ref) || row.Path == ref ||
		strings.HasSuffix(row.Path, filepath.FromSlash(ref)) && row.Rel() == ref
}

func hasIDPrefix(id, ref string) bool {
	bare := bareID(id)
	return len(ref) <= len(id) && strings.EqualFold(id[:len(ref)], ref) ||
		len(ref) <= len(bare) && strings.EqualFold(bare[:len(ref)], ref)
}

func bareID(id string) string { return strings.TrimPrefix(id, "session_") }

func only(ref string, found []*Session) (*Session, error) {
	switch len(found) {
	case 0:
		return nil, &Error{Err: ErrNotFound, Session: ref, Detail: "no session has this id or path",
			Hint: "berth list --all shows every session"}
	case 1:
		return found[0], nil
	}
	slices.SortFunc(found, func(a, b *Session) int { return strings.Compare(a.Path, b.Path) })
	return nil, &Error{Err: ErrAmbiguous, Session: ref, Detail: "more than one session matches",
		Hint: "give more of the id, or the path", Candidates: found}
}

// table is the Index's own, changing side of a Snapshot: rows by slot, blocks copied before they change.
type table struct {
	chunks [][]*Session
	owned  map[int]bool // blocks that no published Snapshot shares
	free   []int
	size   int // slots handed out
	count  int
}

// add stores row in a slot of its own and returns the slot.
func (t *table) add(row *Session) int {
	var slot int
	if n := len(t.free); n > 0 {
		slot, t.free = t.free[n-1], t.free[:n-1]
	} else {
		slot = t.size
		t.size++
	}
	t.set(slot, row)
	t.count++
	return slot
}

// remove empties slot.
func (t *table) remove(slot int) {
	t.set(slot, nil)
	t.free = append(t.free, slot)
	t.count--
}

// set replaces the row in slot.
func (t *table) set(slot int, row *Session) {
	i := slot / chunkSize
	if t.owned == nil {
		t.owned = map[int]bool{}
		t.chunks = slices.Clone(t.chunks)
	}
	if i == len(t.chunks) {
		t.chunks = append(t.chunks, make([]*Session, chunkSize))
		t.owned[i] = true
	}
	if !t.owned[i] {
		t.chunks[i] = slices.Clone(t.chunks[i])
		t.owned[i] = true
	}
	t.chunks[i][slot%chunkSize] = row
}

// freeze hands the rows to a Snapshot; whatever changes later is copied first.
func (t *table) freeze() ([][]*Session, int) {
	t.owned = nil
	return t.chunks, t.count
}
