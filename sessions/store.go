package sessions

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"berth/locks"
)

// store is the Index's side of one Source. Owned by the Index's goroutine.
type store struct {
	src      Source
	info     Store
	entries  map[string]*entry          // by Record.Key
	byID     map[string]*entry          // by folded id, chained through entry.nextID
	groups   map[string]map[*entry]bool // open notes by implicit selector
	children map[string]map[*entry]bool // by folded parent id
	authors  map[string]*authors        // by Record.Key
	ledger   ledger                     // of the clients' write counters
	failed   map[string]error           // why the last reading of a key failed
	scan     scanState
}

// entry is one Session in the Index.
type entry struct {
	store  *store
	rec    *Record
	row    *Session
	nextID *entry // another entry of the store with the same id
	slot   int32  // in the table, -1 when not there
	place  int32  // in the deadlines, -1 when not there
	gen    int32  // the scan that saw it last
	grown  time.Time
	asked  time.Time // when a look at all processes was first wanted for the present work, see [Index.census]
	memory *memory   // nil while nobody has it open
	waits  []*awaited
}

func newStore(src Source) *store {
	return &store{
		src: src, info: Store{Source: src.Name(), Root: src.Root()},
		entries: map[string]*entry{}, byID: map[string]*entry{}, groups: map[string]map[*entry]bool{},
		children: map[string]map[*entry]bool{}, authors: map[string]*authors{}, failed: map[string]error{},
	}
}

// foldID makes ids comparable: both session protocols compare them trimmed; Kioku's without case.
func foldID(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// apply takes over what a Load of key returned.
func (x *Index) apply(st *store, key string, rec *Record, err error, now time.Time) {
	e := st.entries[key]
	trace := takeTrace(rec)
	gone := errors.Is(err, ErrNotFound)
	if err != nil && !gone {
		x.noteFailure(st, key, err)
	} else {
		delete(st.failed, key)
	}
	if e != nil {
		e.gen = st.scan.gen
	}
	switch {
	case gone && e != nil:
		x.remove(e)
	case err != nil:
	case e == nil:
		x.add(st, rec, now)
	default:
		x.noteChanges(e, e.rec, e.rec.Trace, rec, trace, now)
		x.replace(e, rec, now)
	}
	if e = st.entries[key]; e != nil && err == nil && x.dirty[e] {
		x.traces[e] = trace
	}
}

// takeTrace returns rec's trace, and takes it out of rec unless somebody has the Session open: of 100,000 Sessions
// few are. rec may be nil.
func takeTrace(rec *Record) *Trace {
	if rec == nil {
		return nil
	}
	trace := rec.Trace
	if rec.Lock == nil && !rec.unfinished() && (rec.StatusWord == "" || !rec.Open) {
		rec.Trace = nil
	}
	return trace
}

// noteFailure reports that key could not be read, loudly only the first time.
func (x *Index) noteFailure(st *store, key string, err error) {
	level := slog.LevelWarn
	if st.failed[key] != nil {
		level = slog.LevelDebug
	}
	st.failed[key] = err
	x.log.Log(context.Background(), level, "cannot read session", "source", st.src.Name(), "path", key, "err", err)
}

func (x *Index) add(st *store, rec *Record, now time.Time) {
	e := &entry{store: st, rec: rec, slot: -1, place: -1, gen: st.scan.gen}
	if !st.info.ListedAt.IsZero() {
		e.grown = now // it was not there before, so somebody has just made it
	}
	st.entries[rec.Key] = e
	if !e.grown.IsZero() {
		x.followReading(e, 0, now)
	}
	x.link(e)
	x.dirty[e] = true
}

// replace takes over a new reading. Rows with a lock or an open turn are derived again even when the
// files are the same, since their processes may have changed.
func (x *Index) replace(e *entry, rec *Record, now time.Time) {
	if rec.Stamp == e.rec.Stamp && reflect.DeepEqual(e.rec, rec) {
		if rec.Lock != nil || rec.unfinished() {
			x.dirty[e] = true
		}
		return
	}
	old := e.rec
	if progressed(old, rec) {
		e.grown = now
	}
	if sameLinks(e.rec, rec) {
		e.rec = rec
	} else {
		x.unlink(e)
		e.rec = rec
		x.link(e)
	}
	if !rec.TurnSince.Equal(old.TurnSince) || rec.unfinished() != old.unfinished() {
		e.asked = time.Time{}
	}
	x.followReading(e, old.WireBytes, now)
	x.dirty[e] = true
}

// progressed reports whether somebody worked in the Session between two readings. A lock that comes or goes, or
// an index that is read anew, is no work.
func progressed(old, rec *Record) bool {
	return rec.UpdatedAt.After(old.UpdatedAt) || rec.unfinished() && !old.unfinished()
}

// sameLinks reports whether a and b stand in the same relations to other Sessions.
func sameLinks(a, b *Record) bool {
	return a.ID == b.ID && a.ParentID == b.ParentID && slices.Equal(a.Groups, b.Groups)
}

func (x *Index) remove(e *entry) {
	x.unlink(e)
	delete(e.store.entries, e.rec.Key)
	delete(e.store.authors, e.rec.Key)
	x.due.set(e, time.Time{})
	x.await(e, nil)
	delete(x.dirty, e)
	delete(x.own, e)
	maps.DeleteFunc(x.opened, func(_ locks.Identity, o opened) bool { return o.e == e })
	if e.slot >= 0 {
		x.rows.remove(int(e.slot))
		x.events = append(x.events, Event{Kind: Removed, Session: e.row})
	}
}

// link enters e under its id, its parent and its groups, and marks those whose facts this changes. A vault may hold
// thousands of copies of one note, so only what turns a fact around counts: the first, and the second of a kind.
func (x *Index) link(e *entry) {
	st := e.store
	if id := foldID(e.rec.ID); id != "" {
		e.nextID = st.byID[id]
		st.byID[id] = e
		switch next := e.nextID; {
		case next == nil:
			x.touchAll(st.children[id])
		case next.nextID == nil:
			x.dirty[next] = true
		}
	}
	if p := foldID(e.rec.ParentID); p != "" {
		join(st.children, p, e)
	}
	for _, g := range e.rec.Groups {
		join(st.groups, g, e)
		if len(st.groups[g]) == 2 {
			x.touchAll(st.groups[g])
		}
	}
}

// unlink undoes link.
func (x *Index) unlink(e *entry) {
	st := e.store
	if id := foldID(e.rec.ID); id != "" {
		st.dropID(id, e)
		switch left := st.byID[id]; {
		case left == nil:
			x.touchAll(st.children[id])
		case left.nextID == nil:
			x.dirty[left] = true
		}
	}
	if p := foldID(e.rec.ParentID); p != "" {
		leave(st.children, p, e)
	}
	for _, g := range e.rec.Groups {
		leave(st.groups, g, e)
		if len(st.groups[g]) == 1 {
			x.touchAll(st.groups[g])
		}
	}
}

func (st *store) dropID(id string, e *entry) {
	if st.byID[id] == e {
		st.byID[id] = e.nextID
	} else {
		for p := st.byID[id]; p != nil; p = p.nextID {
			if p.nextID == e {
				p.nextID = e.nextID
			}
		}
	}
	if st.byID[id] == nil {
		delete(st.byID, id)
	}
	e.nextID = nil
}

func (x *Index) touchAll(es map[*entry]bool) {
	for e := range es {
		x.dirty[e] = true
	}
}

func join(m map[string]map[*entry]bool, key string, e *entry) {
	if m[key] == nil {
		m[key] = map[*entry]bool{}
	}
	m[key][e] = true
}

func leave(m map[string]map[*entry]bool, key string, e *entry) {
	delete(m[key], e)
	if len(m[key]) == 0 {
		delete(m, key)
	}
}

// group returns the first of e's implicit selectors that another open note shares, or "".
func (e *entry) group() string {
	for _, g := range e.rec.Groups {
		if len(e.store.groups[g]) > 1 {
			return g
		}
	}
	return ""
}

// sameID reports whether another entry carries e's id.
func (e *entry) sameID() bool {
	first := e.store.byID[foldID(e.rec.ID)]
	return first != nil && first.nextID != nil
}

// parentMissing reports that e names a parent that is not there. Before the store has been listed as a whole
// nobody is called an orphan.
func (e *entry) parentMissing() bool {
	p := foldID(e.rec.ParentID)
	return p != "" && !e.store.info.ListedAt.IsZero() && e.store.byID[p] == nil
}
