package sessions

import (
	"context"
	"slices"
	"time"

	"berth/locks"
)

// derive classifies e again and records what changed.
func (x *Index) derive(e *entry, now time.Time) {
	s := Situation{
		Record: e.rec, Grown: e.grown, SameID: e.sameID(), Group: e.group(), ParentMissing: e.parentMissing(),
	}
	var pids []int
	if e.rec.Lock != nil {
		x.cfg.Prober.Witness(e.rec.Lock)
		s.Lock = x.cfg.Prober.Judge(e.rec.Lock, now)
		if s.Lock.Verdict != locks.Dead {
			pids = append(pids, e.rec.Lock.Record.PID)
		}
	}
	if as := e.store.authors[e.rec.Key]; as != nil && as.last != nil {
		s.LastWriter = &as.last.Party
	}
	if e.rec.unfinished() {
		s.Writer = x.writer(e, now)
		pids = append(pids, s.Writer.PIDs...)
	}
	r := x.remember(e, &s, now)
	s.Past = r.is
	pids = append(pids, r.pids...)
	row, deadline := Classify(s, now, x.cfg.Policy)
	x.due.set(e, earliest(deadline, r.deadline))
	x.await(e, pids)
	x.heat(e, row, now)
	st := step{
		old: e.row, row: row, was: r.was.outdated, is: r.is.outdated, taken: r.taken, ours: x.own[e] != nil, now: now, policy: x.cfg.Policy,
	}
	if m := e.memory; m != nil {
		if e.row != nil && over(e.row) && !over(row) {
			m.back = now
		}
		st.back = m.back
	}
	x.store(e, row, x.tell(st))
}

// earliest returns the earlier of two moments, of which the zero one means never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// store puts row in the table when it says something new, or when there is news of it.
func (x *Index) store(e *entry, row *Session, news []News) {
	switch old := e.row; {
	case e.slot < 0:
		e.slot = int32(x.rows.add(row))
		x.events = append(x.events, Event{Kind: Added, Session: row, News: news})
	case sameRow(old, row):
		if len(news) > 0 {
			x.events = append(x.events, Event{Kind: Changed, Session: old, Previous: old, News: news})
		}
		return
	default:
		x.rows.set(int(e.slot), row)
		x.events = append(x.events, Event{Kind: Changed, Session: row, Previous: old, News: news})
	}
	e.row = row
}

func sameRow(a, b *Session) bool {
	return a.Record == b.Record && a.Status == b.Status && a.AmbiguousGroup == b.AmbiguousGroup && a.Work == b.Work &&
		slices.Equal(a.Reasons, b.Reasons) && slices.Equal(a.AllFacts, b.AllFacts) &&
		slices.Equal(a.AllEvidence, b.AllEvidence) && sameHolder(a.Holder, b.Holder) &&
		(a.LastWriter == b.LastWriter || a.LastWriter.Same(b.LastWriter))
}

func sameHolder(a, b *Holder) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.PID == b.PID && a.Where == b.Where && a.Verdict == b.Verdict && a.Via == b.Via && a.Certainty == b.Certainty && a.Client == b.Client &&
		a.Hostname == b.Hostname && a.StartedAt.Equal(b.StartedAt) && slices.Equal(a.Evidence, b.Evidence)
}

// writer works out who may be behind e's unfinished work.
func (x *Index) writer(e *entry, now time.Time) Writer {
	known, looked := x.cfg.Prober.Clients()
	q := inquiry{
		rec: e.rec, clients: known, census: x.census(e, looked, now), servers: x.liveServers(e.store),
	}
	as := e.store.authors[e.rec.Key]
	if as != nil && as.last != nil {
		q.last, q.alive = as.last, x.cfg.Prober.Alive(as.last.Identity)
	}
	for _, begun := range e.rec.OpenTurns {
		t := turnOwner{begun: begun}
		if as != nil {
			t.by = as.of(begun)
		}
		if t.by != nil {
			t.alive = x.cfg.Prober.Alive(t.by.Identity)
		}
		q.turns = append(q.turns, t)
	}
	w := findWriter(q)
	if q.census == outdated && (w.Holder == nil || w.Holder.Certainty != Proven) {
		if e.asked.IsZero() {
			e.asked = now
		}
		x.askLook(e)
	}
	return w
}

func (x *Index) liveServers(st *store) []Server {
	var live []Server
	for _, s := range st.servers() {
		if id, ok := x.cfg.Prober.Identify(s.PID); ok && x.cfg.Prober.Alive(id) != locks.Dead {
			live = append(live, s)
		}
	}
	return live
}

// hotFor is how long a Session without a lock or an open turn stays watched after we saw somebody work in it.
const hotFor = 24 * time.Hour

// heat keeps the folder of a Session in use in view. Which of the others are watched, the Watcher chose when it
// started: those that changed last.
func (x *Index) heat(e *entry, row *Session, now time.Time) {
	f, ok := e.store.src.(Foldered)
	if !ok {
		return
	}
	if row.Lock != nil || row.unfinished() || now.Sub(e.grown) < hotFor {
		x.cfg.Touch(f.Folder(e.rec))
	}
}

// awaited is a process whose end changes rows.
type awaited struct {
	id      locks.Identity
	entries map[*entry]bool
	kept    bool // also when no row depends on it: what it wrote last may be seen only after its end
	cancel  context.CancelFunc
}

// await makes e depend on the ends of exactly these processes.
func (x *Index) await(e *entry, pids []int) {
	var want []*awaited
	for _, pid := range pids {
		if id, ok := x.cfg.Prober.Identify(pid); ok {
			a := x.awaited[id]
			if a == nil {
				a = x.startAwait(id)
			}
			a.entries[e] = true
			if !slices.Contains(want, a) {
				want = append(want, a)
			}
		}
	}
	for _, a := range e.waits {
		if !slices.Contains(want, a) {
			x.stopAwait(a, e)
		}
	}
	e.waits = want
}

// recheckExit is how often a process is looked at where its end cannot be waited for.
const recheckExit = 30 * time.Second

func (x *Index) startAwait(id locks.Identity) *awaited {
	ctx, cancel := context.WithCancel(context.Background())
	a := &awaited{id: id, entries: map[*entry]bool{}, cancel: cancel}
	x.awaited[id] = a
	x.wg.Go(func() {
		if err := x.cfg.Prober.AwaitExit(ctx, id); err != nil && ctx.Err() == nil {
			select {
			case <-time.After(recheckExit):
			case <-ctx.Done():
			}
		}
		select {
		case x.exits <- id:
		case <-ctx.Done():
		}
	})
	return a
}

// keepAwaiting waits for the end of a client whether or not rows depend on it.
func (x *Index) keepAwaiting(id locks.Identity) {
	a := x.awaited[id]
	if a == nil {
		a = x.startAwait(id)
	}
	a.kept = true
}

func (x *Index) stopAwait(a *awaited, e *entry) {
	delete(a.entries, e)
	if len(a.entries) == 0 && !a.kept {
		a.cancel()
		delete(x.awaited, a.id)
	}
}

// stopAwaits ends every wait.
func (x *Index) stopAwaits() {
	for _, a := range x.awaited {
		a.cancel()
	}
}

// takeExit derives again what depended on a process that ended.
func (x *Index) takeExit(id locks.Identity, now time.Time) {
	a := x.awaited[id]
	if a == nil {
		return
	}
	a.cancel()
	delete(x.awaited, id)
	delete(x.opened, id)
	for _, st := range x.stores {
		st.ledger.end(id, now)
	}
	for e := range a.entries {
		e.waits = slices.DeleteFunc(e.waits, func(w *awaited) bool { return w == a })
		x.dirty[e] = true
		if e.rec.Lock != nil {
			// What it wrote last may not have been reported yet; what comes after this reading is somebody else's.
			x.reload(e.store, e.rec.Key, now)
		}
	}
}

// takeDue handles every entry whose deadline has come.
func (x *Index) takeDue(now time.Time) {
	for e := x.due.pop(now); e != nil; e = x.due.pop(now) {
		x.dirty[e] = true
	}
}

// settle reads e again when the moment for that has come: at a deadline, or late, when more urgent work
// stood in front. It does so at most once per derivation, so a Source that never settles cannot keep the Index busy.
func (x *Index) settle(e *entry, now time.Time) {
	if !e.rec.Settle.IsZero() && !now.Before(e.rec.Settle) {
		x.reload(e.store, e.rec.Key, now)
	}
}
