package sessions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/locks"
)

// Policy holds the settings that Classify depends on.
type Policy struct {
	// AbandonedAfter is how long an active note may be without activity. Zero switches it off.
	AbandonedAfter time.Duration
}

// DefaultPolicy is the one of the contract.
func DefaultPolicy() Policy { return Policy{AbandonedAfter: 12 * time.Hour} }

// growthSettle is how long after a growth that we saw ourselves the absence of a writer proves
// nothing: a client that was just started may not be in the process table's last reading.
const growthSettle = 2 * time.Second

// Situation is everything that decides a Session's Status. The Index collects it; Classify only reads it.
type Situation struct {
	Record *Record
	// Lock is the judgement on Record.Lock; it counts only when Record.Lock is not nil.
	Lock locks.Judgement
	// Writer is what is known about the process behind an open turn.
	Writer Writer
	// LastWriter is the last process proven to write in the Session, nil when none was seen.
	LastWriter *Party
	// Grown is when we saw the journal grow with our own eyes; zero when it never did.
	Grown time.Time
	// SameID reports that another Record of the Source carries this id.
	SameID bool
	// Group is the implicit selector that this open note shares with others, or "".
	Group string
	// Past is what earlier readings tell about it.
	Past findings
	// ParentMissing reports that the Record names a parent and no Record has that id.
	ParentMissing bool
}

// Writer is the answer to "does the process that began the open turn still live?".
type Writer struct {
	Alive    Tri
	Holder   *Holder  // who it is (or may be), when Alive is Yes
	PIDs     []int    // every process that it may be
	Evidence []string // for No and Unknown: what was looked at
}

// unfinished reports whether the journal shows work that only a living writer can go on with.
func (r *Record) unfinished() bool {
	return r.OpenTurn || r.Work.Busy == Yes || r.Work.MainTurnActive == Yes
}

// Classify derives a Session from s. It is pure: the same input gives the same output. The second result is
// when the answer may change without anything changing on disk, zero when it will not.
func Classify(s Situation, now time.Time, p Policy) (*Session, time.Time) {
	out := &Session{Record: s.Record, LastWriter: s.LastWriter}
	out.Status, out.Reasons = status(s, now, p)
	out.Holder = holder(s)
	atWork := running(s, now)
	out.Work = work(s.Record.Work, atWork)
	out.AllFacts = facts(s, out.Work, atWork)
	out.AmbiguousGroup = s.Group
	out.AllEvidence = evidence(s, out, now, p)
	return out, nextDeadline(s, now, p)
}

// status is the table of the contract; the first match wins.
func status(s Situation, now time.Time, p Policy) (Status, []Reason) {
	r := s.Record
	switch {
	case r.Archived == Yes:
		return Archived, nil
	case r.StatusWord != "" && !r.Open:
		return Closed, nil
	}
	var held []Reason
	if r.Lock != nil && s.Lock.Verdict != locks.Dead {
		held = append(held, ReasonLock)
	}
	if r.OpenTurn && s.Writer.Alive == Yes {
		held = append(held, ReasonOpenTurn)
	}
	if len(held) > 0 {
		return Occupied, held
	}
	stale := slices.Clone(s.Past.reasons)
	if r.Lock != nil {
		stale = append(stale, ReasonDeadLock)
	}
	if interrupted(s, now) {
		stale = append(stale, ReasonInterrupted)
	}
	if abandoned(r, now, p) {
		stale = append(stale, ReasonAbandoned)
	}
	if len(stale) > 0 {
		return Stale, stale
	}
	return Active, nil
}

func interrupted(s Situation, now time.Time) bool {
	return s.Record.OpenTurn && !s.Record.Overtaken && s.Writer.Alive == No && !growing(s, now)
}

func growing(s Situation, now time.Time) bool {
	return !s.Grown.IsZero() && now.Sub(s.Grown) < growthSettle
}

func abandoned(r *Record, now time.Time, p Policy) bool {
	at := abandonedAt(r, p)
	return !at.IsZero() && !now.Before(at)
}

// abandonedAt is when r counts as abandoned if nothing happens in it any more; zero is never. A note whose last
// activity is not known is not called abandoned.
func abandonedAt(r *Record, p Policy) time.Time {
	if !r.Open || r.StatusWord == "" || r.UpdatedAt.IsZero() || p.AbandonedAfter <= 0 {
		return time.Time{}
	}
	return r.UpdatedAt.Add(p.AbandonedAfter)
}

// holder names the process that has the Session, whatever its Status: the holder of its lock, unless that one is
// dead and the writer of the open turn is not.
func holder(s Situation) *Holder {
	f := s.Record.Lock
	if s.Record.OpenTurn && s.Writer.Alive == Yes && (f == nil || s.Lock.Verdict == locks.Dead) {
		return s.Writer.Holder
	}
	if f == nil {
		return nil
	}
	return lockHolder(s)
}

// lockHolder is the holder of the lock.
func lockHolder(s Situation) *Holder {
	f := s.Record.Lock
	return &Holder{
		PID: f.Record.PID, Hostname: f.Record.Hostname, Client: f.Record.Client,
		StartedAt: tidyTime(f.Record.StartedAt), Verdict: s.Lock.Verdict, Via: ViaLock, Certainty: Proven,
		Evidence: s.Lock.Evidence,
	}
}

// running answers whether somebody is at work on what the journal shows as unfinished.
func running(s Situation, now time.Time) Tri {
	locked := s.Record.Lock != nil
	switch {
	case locked && s.Lock.Verdict == locks.Live:
		return Yes
	case s.Writer.Alive != No:
		return s.Writer.Alive
	case locked && s.Lock.Verdict != locks.Dead, growing(s, now):
		// The holder may be on another host, the writer too young for the process list.
		return Unknown
	}
	return No
}

// work tells running from merely unfinished.
func work(w Work, running Tri) Work {
	if w.Busy == Yes {
		w.Busy = running
	}
	if w.MainTurnActive == Yes {
		w.MainTurnActive = running
	}
	return w
}

func facts(s Situation, w Work, running Tri) []Fact {
	fs := slices.Clone(s.Record.Facts)
	add := func(f Fact, yes bool) {
		if yes && !slices.Contains(fs, f) {
			fs = append(fs, f)
		}
	}
	add(FactAmbiguous, s.Group != "")
	add(FactBusy, w.Busy == Yes)
	add(FactDuplicateID, s.SameID)
	add(FactOrphan, s.ParentMissing)
	for _, f := range s.Past.facts {
		add(f, true)
	}
	if running == No {
		// A question whose answer nobody is left to hear does not wait for a person.
		fs = slices.DeleteFunc(fs, func(f Fact) bool { return f == FactWaiting })
	}
	if len(fs) == 0 {
		return nil
	}
	slices.Sort(fs)
	return fs
}

func evidence(s Situation, out *Session, now time.Time, p Policy) []string {
	ev := slices.Clip(slices.Clone(s.Record.Evidence))
	if s.Record.Lock != nil {
		ev = append(ev, s.Lock.Evidence...)
	}
	if s.Record.unfinished() {
		ev = append(ev, turnEvidence(s)...)
	}
	ev = append(ev, s.Past.evidence...)
	if slices.Contains(out.Reasons, ReasonAbandoned) {
		ev = append(ev, fmt.Sprintf("no activity since %s, longer than %s",
			s.Record.UpdatedAt.UTC().Format(time.RFC3339), ShortDuration(p.AbandonedAfter)))
	}
	if s.SameID {
		ev = append(ev, "another session of the store has the id "+s.Record.ID+" too")
	}
	if s.ParentMissing {
		ev = append(ev, "its parent "+s.Record.ParentID+" is not in the store")
	}
	return ev
}

func turnEvidence(s Situation) []string {
	open := "the journal ends inside a turn"
	if !s.Record.OpenTurn {
		open = "the journal shows a task that has not ended"
	}
	if !s.Record.TurnSince.IsZero() {
		open += " that began " + s.Record.TurnSince.UTC().Format(time.RFC3339)
	}
	ev := append([]string{open}, s.Writer.Evidence...)
	if s.Writer.Holder != nil {
		ev = append(ev, s.Writer.Holder.Evidence...)
	}
	return ev
}

// nextDeadline is the earliest moment after now at which a rule that depends on time alone may flip.
func nextDeadline(s Situation, now time.Time, p Policy) time.Time {
	var next time.Time
	consider := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	consider(s.Record.Settle)
	consider(abandonedAt(s.Record, p))
	if s.Record.unfinished() && s.Writer.Alive == No && !s.Grown.IsZero() {
		consider(s.Grown.Add(growthSettle))
	}
	return next
}

// ShortDuration is d as Go writes it, without zero minutes and seconds at the end: "12h", "1h30m", "90s" is "1m30s".
func ShortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
