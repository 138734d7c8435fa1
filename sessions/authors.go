package sessions

import (
	"slices"
	"time"

	"berth/locks"
)

// Times around the events of a watcher.
const (
	// heldBack is how long the Watcher may hold back an event of a file that changes often, with some room.
	heldBack = 1200 * time.Millisecond
	// onTheWay is how long an event of a quiet file may take to us.
	onTheWay = 200 * time.Millisecond
	// namedFor is how long a temp file's name speaks for a growth: the client writes both within milliseconds, and
	// the event of the journal may be held back for one quiet time.
	namedFor = 400 * time.Millisecond
)

// authors is what is known of who wrote in one Session. Owned by the Index's goroutine.
type authors struct {
	last  *author
	turns []turnOwner
	named []*author // whose pid was in the name of a temp file lately
	// stranger is when a temp file was named by a process that had ended before it could be identified.
	stranger time.Time
	// read is when the Session was last read at an event, or a moment before; before is the time before that.
	read, before time.Time
}

// reading notes that the Session is about to be read, at an event.
func (as *authors) reading(now time.Time) { as.before, as.read = as.read, now }

// of returns who began the open turn of that moment, nil when it is not proven.
func (as *authors) of(begun time.Time) *author {
	for i := range as.turns {
		if as.turns[i].begun.Equal(begun) {
			return as.turns[i].by
		}
	}
	return nil
}

// name notes that a gave its pid to a temp file. A turn that has just appeared is its, when it is the only one that is
// nobody's.
func (as *authors) name(a *author, now time.Time) {
	as.last = a
	as.named = slices.DeleteFunc(as.named, func(b *author) bool {
		return b.Identity == a.Identity || now.Sub(b.Seen) > namedFor
	})
	as.named = append(as.named, a)
	if free := as.free(); len(free) == 1 && now.Sub(free[0].appeared) <= heldBack {
		as.claim(free[0], a)
	}
}

// wasNamed reports whether id gave its pid to a temp file a moment before now.
func (as *authors) wasNamed(id locks.Identity, now time.Time) bool {
	return slices.ContainsFunc(as.named, func(a *author) bool { return a.Identity == id && now.Sub(a.Seen) <= namedFor })
}

// follow takes over which turns are open after a reading. by is who wrote what is new in it, nil when that is not
// proven. When a turn ended in it, what is new may be of two processes, one of which ended its turn while the other
// began one: then nobody gets anything.
func (as *authors) follow(open []time.Time, by *author, now time.Time) {
	had := len(as.turns)
	as.turns = slices.DeleteFunc(as.turns, func(t turnOwner) bool { return !slices.ContainsFunc(open, t.begun.Equal) })
	kept := len(as.turns)
	for _, begun := range open {
		if !slices.ContainsFunc(as.turns, func(t turnOwner) bool { return t.begun.Equal(begun) }) {
			as.turns = append(as.turns, turnOwner{begun: begun, appeared: now})
		}
	}
	added, free := len(as.turns)-kept, as.free()
	switch {
	case by == nil || kept < had:
	case added == 1:
		as.claim(&as.turns[kept], by)
	case added == 0 && len(free) == 1:
		as.claim(free[0], by) // it goes on with a turn, and not with one of somebody else
	}
}

// free are the open turns without an author.
func (as *authors) free() []*turnOwner {
	var free []*turnOwner
	for i := range as.turns {
		if as.turns[i].by == nil {
			free = append(free, &as.turns[i])
		}
	}
	return free
}

// Around the moment at which a temp file's name is seen its process may have begun a turn: it notes the beginning, and
// writes it down a moment later, when the machine is busy.
const (
	begunBefore = time.Second
	begunAfter  = 150 * time.Millisecond
)

// claim makes a the author of t. One process runs one turn at a time, so who has a turn gets no other. A temp file's
// name alone stands for a turn that began then; it may have been for the end of another.
func (as *authors) claim(t *turnOwner, a *author) {
	for i := range as.turns {
		if by := as.turns[i].by; by != nil && by.Identity == a.Identity {
			return
		}
	}
	if a.via == ViaTempName && !a.sole && (t.begun.Before(a.Seen.Add(-begunBefore)) || t.begun.After(a.Seen.Add(begunAfter))) {
		return
	}
	t.by = a
}

// grown is a Session whose journals were longer at this reading than at the one before.
type grown struct {
	e     *entry
	bytes int64
	// since is a moment before the first of these bytes was written.
	since time.Time
}

// authorsOf returns what is known of who wrote key, new when nothing is.
func (st *store) authorsOf(key string) *authors {
	as := st.authors[key]
	if as == nil {
		as = &authors{}
		st.authors[key] = as
	}
	return as
}

// meet takes over that the process pid gave its number to a temp file of the store, in the Session key unless that is
// "". A process that has ended and that nobody knew cannot be named, and still it was somebody.
func (x *Index) meet(st *store, key string, pid int, now time.Time) {
	c, ok := x.cfg.Prober.Meet(pid, st.src.Name())
	if ok {
		st.ledger.note(c, now)
		x.keepAwaiting(c.Identity)
	} else {
		c, ok = st.ledger.former(pid)
	}
	switch {
	case key == "":
	case ok:
		st.authorsOf(key).name(x.author(st, c, ViaTempName, namedBy(pid, now), now), now)
		if e := st.entries[key]; e != nil {
			x.dirty[e] = true
		}
	default:
		st.authorsOf(key).stranger = now
	}
}

// confirm takes over that pid made a temp file of the Session key a while ago, the making of which may have been missed:
// a new folder is watched a moment after it appeared. Who wrote since can only be told when nobody else may have.
func (x *Index) confirm(st *store, key string, pid int, now time.Time) {
	e, as := st.entries[key], st.authors[key]
	if e == nil || as == nil {
		return
	}
	all := st.suspects(grown{e: e, since: now.Add(-heldBack)}, as, now)
	if len(all) != 1 || all[0].client.PID != pid || all[0].ended {
		return
	}
	a := x.author(st, all[0].client, ViaTempName, namedBy(pid, now), now)
	a.sole = true
	as.last = a
	if free := as.free(); len(free) == 1 && now.Sub(free[0].appeared) <= heldBack {
		as.claim(free[0], a)
	}
	x.dirty[e] = true
}

// author describes a client of the store that was proven to write at now.
func (x *Index) author(st *store, c locks.Client, via Via, why string, now time.Time) *author {
	a := &author{client: c.Name, where: c.TTY, via: via, why: why}
	for _, s := range st.servers() {
		if s.PID == c.PID {
			a.client, a.where = s.Name, s.Where
		}
	}
	a.Party = Party{Identity: c.Identity, Name: processName(a.client, c.PID, a.where), Seen: now, Certainty: Proven}
	return a
}

// servers are those that the store names; whether they live is another question.
func (st *store) servers() []Server {
	if served, ok := st.src.(Served); ok {
		return served.Servers()
	}
	return nil
}

// count reads the write counters of the store's clients.
func (x *Index) count(st *store) {
	counters := x.cfg.Prober.Counters(st.src.Name())
	for _, c := range counters {
		x.keepAwaiting(c.Identity)
	}
	st.ledger.enter(counters, time.Now())
}

// followReading takes over a new reading of e, whose journals had before bytes until now. When they grew, who did it
// is found out before e is derived.
func (x *Index) followReading(e *entry, before int64, now time.Time) {
	st := e.store
	if n := e.rec.WireBytes - before; n > 0 {
		x.grown = append(x.grown, grown{e, n, x.unseenSince(st.authorsOf(e.rec.Key), now)})
	} else if as := st.authors[e.rec.Key]; as != nil {
		as.follow(e.rec.OpenTurns, nil, now)
	}
}

// unseenSince is a moment before which nothing of a Session was written that was not read until now. A file that was
// quiet is reported at once. The batch that was handled last may have been under way for longer.
func (x *Index) unseenSince(as *authors, now time.Time) time.Time {
	since := now.Add(-onTheWay)
	if x.batchEnd.After(since) && x.batchBegan.Before(since) {
		since = x.batchBegan
	}
	if as.before.Before(since) && now.Sub(as.before) <= heldBack {
		since = as.before
	}
	return since
}

// creditAll finds out who wrote what has grown, and whose the open turns are.
func (x *Index) creditAll(now time.Time) {
	counted := map[*store]bool{}
	for _, g := range x.grown {
		st := g.e.store
		if st.entries[g.e.rec.Key] != g.e {
			continue
		}
		if !counted[st] {
			// After the reading, so that nothing of the growth is missing in it.
			x.count(st)
			counted[st] = true
		}
		x.credit(g, now)
	}
	clear(x.grown)
	x.grown = x.grown[:0]
}

func (x *Index) credit(g grown, now time.Time) {
	st, as := g.e.store, g.e.store.authorsOf(g.e.rec.Key)
	c := attribute(growth{bytes: g.bytes, suspects: st.suspects(g, as, now)})
	var a *author
	if c.by != nil {
		a = x.author(st, c.by.client, c.via, c.why, now)
		a.sole = c.open == 1
		as.last = a
	}
	if c.open == 0 && !x.looks.ended.IsZero() {
		x.askLook(g.e)
	}
	as.follow(g.e.rec.OpenTurns, a, now)
}

// suspects are all who may have written in the Session of g: its clients, those that have just ended among them, and a
// stranger that showed itself and ended before it could be looked at.
func (st *store) suspects(g grown, as *authors, now time.Time) []suspect {
	servers := st.servers()
	var all []suspect
	for _, a := range st.ledger.all() {
		if !a.ended.IsZero() && !a.ended.After(g.since) {
			continue
		}
		named := as.wasNamed(a.client.Identity, now)
		serves := slices.ContainsFunc(servers, func(s Server) bool { return s.PID == a.client.PID })
		if named || serves || mayWrite(a.client, g.e.rec) {
			all = append(all, suspect{client: a.client, move: a.since(g.since), named: named, ended: !a.ended.IsZero()})
		}
	}
	if now.Sub(as.stranger) <= heldBack {
		all = append(all, suspect{})
	}
	return all
}

// mayWrite reports whether a client may write in the Session. Those that a person or a script runs work in their own
// folder only.
func mayWrite(c locks.Client, r *Record) bool {
	return c.Anywhere || c.Dir == "" || r.WorkDir == "" || sameDir(c.Dir, r.WorkDir)
}
