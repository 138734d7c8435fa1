package sessions

import (
	"fmt"
	"slices"
	"time"

	"berth/locks"
)

// alteration is how a journal differs from an earlier reading of it.
type alteration uint8

const (
	unaltered alteration = iota
	appended             // it still begins with all that it held
	begun                // it was not there
	repaired             // its client dropped what it could not read
	migrated             // its client wrote it anew in a newer protocol
	rewritten            // in place, and not by appending
	shrunk               // in place, it lost its end
	replaced             // another file is in its place
	lost                 // it is gone
)

// byAppending reports whether this is what a client does that goes on with a Session.
func (a alteration) byAppending() bool { return a == appended || a == begun }

// foreign reports whether no client of the journal does this: it only appends, but for repairs and migrations
// (kimi.md section 4).
func (a alteration) foreign() bool { return a >= rewritten }

// alter says how is differs from was, both of one agent; is may be nil. extends and backup are what [Journaled] says
// of was.
func alter(was, is *Wire, extends, backup Tri) alteration {
	switch {
	case is == nil:
		return lost
	case is.sameBytes(was):
		return unaltered
	case is.Size > was.Size && (extends == Yes || extends == Unknown && is.sameFile(was)):
		return appended
	case was.Legacy && !is.Legacy:
		return migrated
	case backup == Yes, was.Torn && !is.sameFile(was) && is.First == was.First && is.First != 0:
		return repaired
	case !is.sameFile(was):
		return replaced
	case is.Size < was.Size:
		return shrunk
	}
	return rewritten
}

// sentence says what happened to the journal of an agent.
func (a alteration) sentence(was, is *Wire) string {
	name := journalName(was.Agent)
	switch a {
	case repaired:
		return fmt.Sprintf("its client repaired %s: %d bytes became %d", name, was.Size, is.Size)
	case migrated:
		return fmt.Sprintf("its client wrote %s anew in a newer protocol", name)
	case rewritten:
		if is.Size == was.Size {
			return fmt.Sprintf("%s was rewritten in place with the same length, %d bytes", name, is.Size)
		}
		return fmt.Sprintf("%s was rewritten in place: %d bytes became %d, which do not begin with the old", name, was.Size, is.Size)
	case shrunk:
		return fmt.Sprintf("%s was cut from %d to %d bytes", name, was.Size, is.Size)
	case replaced:
		return fmt.Sprintf("another file took the place of %s: %d bytes became %d", name, was.Size, is.Size)
	case lost:
		return name + " is gone"
	}
	return ""
}

func journalName(agent string) string {
	if agent == "main" {
		return "the journal"
	}
	return "the journal of " + agent
}

// altered is one journal that differs from an earlier reading.
type altered struct {
	how alteration
	was *Wire // nil for one that was not there
	is  *Wire // nil for one that is gone
}

// alterations compares two readings of a Session's journals. compare is that of [Journaled]; it is asked only for what
// is not the same.
func alterations(was, is []Wire, compare func(Wire) (extends, backup Tri)) []altered {
	var all []altered
	for i := range was {
		w := wireOf(is, was[i].Agent)
		if w == nil && len(is) == MaxAgents {
			continue // it may have made room for a newer one
		}
		a := altered{was: &was[i], is: w}
		var extends, backup Tri
		if w != nil && !w.sameBytes(a.was) {
			extends, backup = compare(was[i])
		}
		if a.how = alter(a.was, a.is, extends, backup); a.how != unaltered {
			all = append(all, a)
		}
	}
	for i := range is {
		if wireOf(was, is[i].Agent) == nil {
			all = append(all, altered{how: begun, is: &is[i]})
		}
	}
	return all
}

func wireOf(wires []Wire, agent string) *Wire {
	for i := range wires {
		if wires[i].Agent == agent {
			return &wires[i]
		}
	}
	return nil
}

// bytesOf is the size of all journals together.
func bytesOf(wires []Wire) (n int64) {
	for i := range wires {
		n += wires[i].Size
	}
	return n
}

// hold is one hold of a Session's lock, from its taking to its release.
type hold struct {
	token string // "" without a lock
	by    Party
	ours  bool // the holder is berth, for one write of metadata
	dead  bool // the holder is proven dead
	// quiet reports that the journals were read after that: whatever is new since, the holder did not write.
	quiet bool
	taken []Wire // the journals when the hold was first seen
}

// view is a live client that has a Session open, and what it knows of it.
type view struct {
	who   Party
	wires []Wire // the journals after its own last write, or when it last took the lock
	// since is when another party wrote what it does not know, zero while it knows all; by is who did, nil when
	// that is not known.
	since time.Time
	by    *Party
}

func (v *view) outdated() bool { return !v.since.IsZero() }

// maxViews bounds how many clients of one Session are followed.
const maxViews = 8

// maxRemarks bounds how many remarks about its past a Session shows; the latest count.
const maxRemarks = 4

// past is what is remembered of a Session that somebody has open. The zero past remembers nothing. A past is never
// changed: each look makes a new one.
type past struct {
	wires []Wire
	hold  hold
	freed []Wire // the journals when a hold was last released
	views []view
	open  bool      // a turn was open
	seen  time.Time // the newest proof of a writer that was taken into account

	unlocked, interleaved, tampered string   // what was observed, in words; "" when it was not
	remarks                         []string // what clients did to the journals in good order
}

// look is what there is to see of a Session at one moment.
type look struct {
	wires   []Wire // as just read; nil when they were not
	altered []altered
	token   string  // of the lock, "" without one
	holder  Party   // of the lock
	dead    bool    // it is proven dead
	ours    bool    // it is berth
	author  *Party  // the last process proven to write in the Session, nil when there is none
	open    bool    // a turn is open
	owners  []Party // who was proven to have begun an open turn
	lives   func(locks.Identity) bool
	now     time.Time
}

// after returns what is remembered after a look at the Session.
func (p past) after(l look) past {
	p.views = slices.DeleteFunc(slices.Clone(p.views), func(v view) bool { return !l.lives(v.who.Identity) })
	proven := l.author
	if proven != nil && !proven.Seen.After(p.seen) {
		proven = nil
	}
	p.follow(l)
	if len(l.altered) > 0 {
		p.judge(l, proven)
	}
	if l.wires != nil {
		p.wires = l.wires
	}
	if by := p.writer(l, proven); by != nil && (proven != nil || len(l.altered) > 0) {
		p.know(*by, l)
	}
	p.open = l.open
	if proven != nil {
		p.seen = proven.Seen
	}
	return p
}

// follow takes over whose lock there is. A client that takes the lock anew compares what it knows with the disk, and
// reads again what it does not know (kimi.md section 9), so its view is whole then.
func (p *past) follow(l look) {
	if l.token != p.hold.token {
		if p.hold.token != "" {
			p.freed = p.wires
		}
		p.unlocked, p.hold = "", hold{token: l.token}
		if l.token != "" {
			p.hold.by, p.hold.taken = l.holder, latestOf(l.wires, p.wires)
			if !l.dead && !l.ours {
				p.views = slices.DeleteFunc(p.views, func(v view) bool { return v.who.Identity == l.holder.Identity })
				p.know(l.holder, l)
			}
		}
	}
	p.hold.dead, p.hold.ours = l.dead && l.token != "", l.ours
}

func latestOf(now, before []Wire) []Wire {
	if now != nil {
		return now
	}
	return before
}

// writer is who wrote what is new: whoever is proven to, else the living holder of the lock, else the last one that
// was proven to, while it lives and a turn is open. nil is somebody unknown.
func (p *past) writer(l look, proven *Party) *Party {
	switch {
	case proven != nil:
		return proven
	case p.hold.token != "" && !p.hold.dead && !p.hold.ours:
		return &p.hold.by
	case l.author != nil && (l.open || p.open) && l.lives(l.author.Identity):
		return l.author
	}
	return nil
}

// judge draws the conclusions from journals that are not as they were.
func (p *past) judge(l look, proven *Party) {
	by := p.writer(l, proven)
	grew := false
	for _, a := range l.altered {
		switch {
		case a.how.byAppending():
			grew = true
		case a.how.foreign():
			p.tampered = a.how.sentence(a.was, a.is) + " at " + clock(l.now)
			p.outdate(proven, l.now)
		default:
			p.remark(a.how.sentence(a.was, a.is) + " at " + clock(l.now))
		}
	}
	if !grew {
		return
	}
	p.checkLock(l, proven)
	p.checkTurns(l, proven)
	if by != nil {
		p.outdate(by, l.now)
	}
}

// outdate notes that everybody but by, who may be nil, does not know what is new. A client that was itself proven to
// write a moment ago is left out: who of two was first cannot be told then, and the next write will tell.
func (p *past) outdate(by *Party, now time.Time) {
	for i := range p.views {
		if v := &p.views[i]; !v.outdated() && !v.who.Same(by) && now.Sub(v.who.Seen) > heldBack {
			v.since, v.by = now, by
		}
	}
}

// checkLock notes a growth under a lock that another party or a dead holder has. What its holder appends is as it
// should be, also what it had under way when it died.
func (p *past) checkLock(l look, proven *Party) {
	before, after := bytesOf(p.wires), bytesOf(l.wires)
	switch {
	case p.hold.token == "":
	case proven != nil && !proven.Same(&p.hold.by):
		p.unlocked = fmt.Sprintf("%s wrote at %s while %s had the lock: the journals grew from %d to %d bytes",
			proven.Name, clock(l.now), p.hold.by.Name, before, after)
	case p.hold.dead && p.hold.quiet:
		p.unlocked = fmt.Sprintf("the journals grew from %d to %d bytes at %s, though %s, which has the lock, is dead",
			before, after, clock(l.now), p.hold.by.Name)
	}
	p.hold.quiet = p.hold.quiet || p.hold.dead
}

// checkTurns notes at once that two clients write on top of each other: one writes inside of the other's turn, or one
// goes on from what it knew before the other wrote.
func (p *past) checkTurns(l look, proven *Party) {
	if proven == nil {
		return
	}
	for i := range l.owners {
		if o := &l.owners[i]; !o.Same(proven) && l.lives(o.Identity) {
			p.interleaved = fmt.Sprintf("%s wrote at %s inside of a turn of %s", proven.Name, clock(l.now), o.Name)
			return
		}
	}
	for i := range p.views {
		if v := &p.views[i]; v.who.Same(proven) && v.outdated() {
			p.interleaved = fmt.Sprintf("%s went on at %s from what it knew before %s wrote", proven.Name, clock(l.now), nameOf(v.by))
		}
	}
}

// know notes that who knows the journals as they are now, but for what it has missed before.
func (p *past) know(who Party, l look) {
	wires := latestOf(l.wires, p.wires)
	for i := range p.views {
		if v := &p.views[i]; v.who.Identity == who.Identity {
			if v.who = who; !v.outdated() {
				v.wires = wires
			}
			return
		}
	}
	if !l.lives(who.Identity) {
		return
	}
	if len(p.views) == maxViews {
		p.views = slices.Delete(p.views, 0, 1)
	}
	p.views = append(p.views, view{who: who, wires: wires})
}

func (p *past) remark(text string) {
	p.remarks = append(slices.Clone(p.remarks[max(0, len(p.remarks)-maxRemarks+1):]), text)
}

// left returns what is remembered when a client is known to have left the Session for another one.
func (p past) left(id locks.Identity) past {
	p.views = slices.DeleteFunc(slices.Clone(p.views), func(v view) bool { return v.who.Identity == id })
	return p
}

// findings are what a past means for the Status. The zero findings mean nothing.
type findings struct {
	reasons  []Reason
	facts    []Fact
	evidence []string
	outdated []view // who has an outdated view
}

// findings draws the sum.
func (p *past) findings() findings {
	var f findings
	for _, v := range p.views {
		if v.outdated() {
			f.outdated = append(f.outdated, v)
			f.evidence = append(f.evidence, v.evidence(p.wires))
		}
	}
	if len(f.outdated) > 0 {
		f.reasons = append(f.reasons, ReasonExternalWrite)
	}
	if p.unlocked != "" {
		f.reasons = append(f.reasons, ReasonUnlockedWrite)
		f.evidence = append(f.evidence, p.unlocked)
	}
	if p.interleaved != "" {
		f.facts = append(f.facts, FactTwoWriters)
		f.evidence = append(f.evidence, p.interleaved)
	}
	if p.tampered != "" {
		f.facts = append(f.facts, FactRewritten)
		f.evidence = append(f.evidence, p.tampered)
	}
	f.evidence = append(f.evidence, p.remarks...)
	return f
}

// evidence says what v does not know.
func (v *view) evidence(now []Wire) string {
	return fmt.Sprintf("%s is out of date: it knows %d bytes of the journals, %s wrote at %s, and they have %d bytes now",
		v.who.Name, bytesOf(v.wires), nameOf(v.by), clock(v.since), bytesOf(now))
}

func nameOf(p *Party) string {
	if p == nil {
		return "another program"
	}
	return p.Name
}

// clock is a moment in evidence.
func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
