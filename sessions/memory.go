package sessions

import (
	"slices"
	"strings"
	"time"

	"berth/locks"
)

// memory is what the Index remembers of a Session that somebody has open, beside its row.
type memory struct {
	past   past
	tenure tenure
	noted  time.Time // when a key of a note was last seen to have been changed by another program
	back   time.Time // when it came back from being archived or closed
	handed *takeover // a note whose client became another one, until that was told
}

// recollection is what a memory has to say about a Session at one moment. The zero recollection says nothing.
type recollection struct {
	was, is  findings
	taken    *takeover
	pids     []int     // processes whose end changes something
	deadline time.Time // when something changes by itself, zero when nothing will
}

// remember takes what there is to see of e into its memory. A Session that nobody has open has none.
func (x *Index) remember(e *entry, s *Situation, now time.Time) recollection {
	if e.memory == nil {
		if e.rec.Lock == nil && !e.rec.unfinished() && !x.lives(s.LastWriter) {
			return recollection{}
		}
		e.memory = &memory{}
	}
	m, l := *e.memory, x.lookAt(e, s, now)
	r := recollection{was: m.past.findings()}
	m.past = m.past.after(l)
	r.is = m.past.findings()
	m.tenure, r.taken = m.tenure.after(l.claimant(), s.LastWriter, x.livesStill, now)
	if m.handed != nil {
		r.taken, m.handed = m.handed, nil
	}
	for _, v := range m.past.views {
		r.pids = append(r.pids, v.who.PID)
	}
	if e.memory, r.deadline = m.keep(e.rec, now); e.memory == nil {
		r.is = findings{}
	}
	x.leave(e, s.LastWriter)
	return r
}

// keep returns m while there is something to remember, and how long there will be without anything happening.
func (m memory) keep(r *Record, now time.Time) (*memory, time.Time) {
	until := m.tenure.last.Add(takeoverRecent)
	switch {
	case m.tenure.next != nil:
		return &m, m.tenure.certain()
	case r.Lock != nil || r.unfinished() || len(m.past.views) > 0:
		return &m, time.Time{}
	case !m.noted.IsZero() && now.Sub(m.noted) < hotFor:
		return &m, m.noted.Add(hotFor)
	case m.tenure.by != nil && now.Before(until):
		return &m, until
	}
	return nil, time.Time{}
}

// claimant is who has the lock, nil without one and when it is dead. A hold of berth is none: it lasts for one write.
func (l *look) claimant() *Party {
	if l.token == "" || l.dead || l.ours {
		return nil
	}
	return &l.holder
}

// lookAt gathers what there is to see.
func (x *Index) lookAt(e *entry, s *Situation, now time.Time) look {
	l := look{author: s.LastWriter, open: e.rec.OpenTurn, owners: e.turnOwners(), now: now, lives: x.livesStill}
	if f := e.rec.Lock; f != nil {
		l.ours = strings.HasPrefix(f.Record.Client, "berth")
		l.token, l.dead, l.holder = tokenOf(f), s.Lock.Verdict == locks.Dead, x.lockHolder(e.store, s, now)
	}
	if trace := x.traces[e]; trace != nil && len(trace.Wires) > 0 {
		l.wires = trace.Wires
		if e.memory.past.wires == nil {
			return l // the first look has nothing to compare with
		}
		l.altered = alterations(e.memory.past.wires, l.wires, func(was Wire) (extends, backup Tri) {
			if j, ok := e.store.src.(Journaled); ok {
				return j.Compare(e.rec.Key, was)
			}
			return Unknown, Unknown
		})
	}
	return l
}

// turnOwners are those who were proven to have begun a turn that is open.
func (e *entry) turnOwners() (all []Party) {
	if as := e.store.authors[e.rec.Key]; as != nil {
		for _, t := range as.turns {
			if t.by != nil {
				all = append(all, t.by.Party)
			}
		}
	}
	return all
}

// tokenOf tells one hold of a lock from the next.
func tokenOf(f *locks.File) string {
	if f.Record.Token != "" {
		return f.Record.Token
	}
	return f.ModTime.UTC().Format(time.RFC3339Nano)
}

// lockHolder is the holder of the lock of s, by the name that it has as a process where that is known. The process on
// another host, or a dead one, is told from others by what the lock says of it.
func (x *Index) lockHolder(st *store, s *Situation, now time.Time) Party {
	r := &s.Record.Lock.Record
	p := Party{Identity: locks.Identity{BootID: "lock of " + r.Hostname, PID: r.PID}, Name: HolderName(lockHolder(*s)), Certainty: Proven}
	if s.Lock.Verdict != locks.Live {
		return p
	}
	if id, ok := x.cfg.Prober.Identify(r.PID); ok {
		p.Identity = id
	}
	clients, _ := x.cfg.Prober.Clients()
	for _, c := range clients {
		if c.Identity == p.Identity {
			p.Name = x.author(st, c, ViaLock, "", now).Name
		}
	}
	return p
}

// livesStill reports whether a process is not known to have ended.
func (x *Index) livesStill(id locks.Identity) bool { return x.cfg.Prober.Alive(id) != locks.Dead }

func (x *Index) lives(p *Party) bool { return p != nil && x.livesStill(p.Identity) }

// opened is the Session that a client works in, and when it was last proven to.
type opened struct {
	e    *entry
	seen time.Time
}

// leave notes where the proven writer of e works. A client that a person runs has one Session open at a time, so it
// has left the one before; a server keeps them all.
func (x *Index) leave(e *entry, author *Party) {
	if author == nil || e.store.serves(author.PID) {
		return
	}
	was, ok := x.opened[author.Identity]
	if ok && !author.Seen.After(was.seen) {
		return
	}
	x.opened[author.Identity] = opened{e, author.Seen}
	if ok && was.e != e && was.e.memory != nil {
		m := *was.e.memory
		m.past = m.past.left(author.Identity)
		was.e.memory = &m
		x.dirty[was.e] = true
	}
}

// serves reports whether pid is a server of the store.
func (st *store) serves(pid int) bool {
	return slices.ContainsFunc(st.servers(), func(s Server) bool { return s.PID == pid })
}
