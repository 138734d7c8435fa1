package sessions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/locks"
)

// NewsKind says what a piece of [News] is about.
type NewsKind string

const (
	NewsTakenOver     NewsKind = "taken-over"       // another client has the Session now
	NewsExternalWrite NewsKind = "external-write"   // it changed under a live client, which is out of date
	NewsDeadLock      NewsKind = "dead-lock-found"  // the holder of its lock is dead
	NewsReclaimed     NewsKind = "reclaimed"        // that lock is gone
	NewsWaits         NewsKind = "waits-for-you"    // an approval or an answer is asked for
	NewsInterrupted   NewsKind = "interrupted"      // nobody is left to go on with its turn
	NewsAbandoned     NewsKind = "abandoned"        // nobody worked in an open note for long
	NewsClosed        NewsKind = "closed-elsewhere" // a note was closed, and not by berth
)

// News is what a person should be told about a Session, once. It is decided here, so that tray, command line and log
// agree.
type News struct {
	Kind NewsKind `json:"kind"`
	// Key is the same for the same fact, also after a restart: session, kind and value. What was told once under
	// a Key is not told again (bug B134).
	Key string `json:"key"`
	// Episode is shared by news of which the later makes the earlier out of date: a notification of the one
	// replaces that of the other (bug B140).
	Episode string `json:"episode"`
	Title   string `json:"title"` // what to call the Session; untrusted text
	// By is who did it, From whom it happened to: who lost the Session, whose view is out of date, whose lock is
	// dead. Each is nil where nobody is known, and for what needs nobody.
	By   *Party `json:"by,omitempty"`
	From *Party `json:"from,omitempty"`
	// Value is the word that goes with the Kind: "approval" or "question", or the status of a closed note.
	Value string    `json:"value,omitempty"`
	At    time.Time `json:"at"` // when it was noticed

	since time.Time // when it came to be, as far as the disk tells
}

// String is the news in one English sentence.
func (n *News) String() string {
	switch n.Kind {
	case NewsTakenOver:
		return fmt.Sprintf("%s took %s from %s", nameOf(n.By), n.Title, nameOf(n.From))
	case NewsExternalWrite:
		return fmt.Sprintf("%s wrote in %s; %s has it open and is out of date", nameOf(n.By), n.Title, nameOf(n.From))
	case NewsDeadLock:
		return fmt.Sprintf("%s is dead and left the lock of %s behind", nameOf(n.From), n.Title)
	case NewsReclaimed:
		return fmt.Sprintf("the dead lock of %s is gone (it was that of %s)", n.Title, nameOf(n.From))
	case NewsWaits:
		return fmt.Sprintf("%s waits for your %s", n.Title, answerTo(n.Value))
	case NewsInterrupted:
		return n.Title + " was interrupted inside a turn"
	case NewsAbandoned:
		return n.Title + " is still open, and nobody has worked in it for long"
	case NewsClosed:
		return fmt.Sprintf("%s was closed elsewhere: its status is %s", n.Title, n.Value)
	}
	return n.Title
}

// answerTo is what a person gives to a pending interaction.
func answerTo(interaction string) string {
	if interaction == "approval" {
		return "approval"
	}
	return "answer"
}

// The parts of a Session's life, for [News.Episode].
const (
	episodeHolder = "holder"
	episodeWait   = "wait"
	episodeEnd    = "end"
)

// step is what changed about one Session from one row to the next.
type step struct {
	old, row *Session // old is nil for one that was not there before
	was, is  []view   // who had, and has, an outdated view
	taken    *takeover
	ours     bool // berth wrote it
	now      time.Time
	policy   Policy
	back     time.Time // when the Session came back from being archived or closed, as far as that is remembered
}

// afterReturn is how long what follows from a Session's coming back is still no news: a turn that was left open in it
// counts as interrupted only after a while.
const afterReturn = 2 * growthSettle

// newsOf decides what of s is news.
func newsOf(s step) []News {
	var all []News
	for _, find := range [...]func(*step) []News{
		(*step).takenOver, (*step).outdated, (*step).lock, (*step).waits, (*step).left, (*step).closed,
	} {
		all = append(all, find(&s)...)
	}
	return all
}

// silent reports that nobody is told about s: it is over, or comes back from where it was over (bug B136). The one
// news of something that is over is that it is.
func (s *step) silent(kind NewsKind) bool {
	return kind != NewsClosed && (over(s.row) || s.old != nil && over(s.old) || s.now.Sub(s.back) < afterReturn)
}

func over(row *Session) bool { return row.Status == Archived || row.Status == Closed }

// stale reports that n came to be before since, when nobody looked. What a living client has left behind just now is
// news, however old it is on disk.
func (s *step) stale(n *News, since time.Time) bool {
	switch n.Kind {
	case NewsDeadLock, NewsInterrupted:
		return !n.since.After(since) && (s.old == nil || s.old.Status != Occupied)
	case NewsWaits, NewsAbandoned:
		return !n.since.After(since)
	}
	return false
}

// news makes a piece of news; value makes its Key this one's.
func (s *step) news(kind NewsKind, episode, value string) News {
	name := s.row.Source + ":" + s.row.ID
	if s.row.ID == "" || s.row.Has(FactDuplicateID) {
		name = s.row.Source + ":" + s.row.Path
	}
	return News{
		Kind: kind, Key: strings.Join([]string{name, string(kind), value}, "|"), Episode: name + "|" + episode,
		Title: s.row.Name(), At: s.now.UTC(), since: s.row.UpdatedAt,
	}
}

// began reports whether the row has a reason that it did not have before.
func (s *step) began(r Reason) bool {
	return slices.Contains(s.row.Reasons, r) && (s.old == nil || !slices.Contains(s.old.Reasons, r))
}

func (s *step) takenOver() []News {
	if s.taken == nil {
		return nil
	}
	n := s.news(NewsTakenOver, episodeHolder, fmt.Sprintf("%s<%s@%d", processKey(s.taken.by), processKey(s.taken.from), s.taken.at.UnixMilli()))
	n.By, n.From, n.since = &s.taken.by, &s.taken.from, s.taken.at
	return []News{n}
}

// processKey names a process for good.
func processKey(p Party) string {
	if p.PID == 0 {
		return p.Name
	}
	return fmt.Sprintf("%s/%d/%d", p.BootID, p.PID, p.Start)
}

func (s *step) outdated() []News {
	var all []News
	for _, v := range s.is {
		if slices.ContainsFunc(s.was, func(w view) bool { return w.who.Same(&v.who) && w.since.Equal(v.since) }) {
			continue
		}
		n := s.news(NewsExternalWrite, episodeHolder, fmt.Sprintf("%s@%d", processKey(v.who), v.since.UnixMilli()))
		n.By, n.From, n.since = v.by, &v.who, v.since
		all = append(all, n)
	}
	return all
}

// lock tells of a dead lock, and of its end.
func (s *step) lock() []News {
	var all []News
	if s.began(ReasonDeadLock) {
		all = append(all, s.lockNews(NewsDeadLock, s.row.Lock))
	}
	if s.old != nil && slices.Contains(s.old.Reasons, ReasonDeadLock) && (s.row.Lock == nil || tokenOf(s.row.Lock) != tokenOf(s.old.Lock)) {
		all = append(all, s.lockNews(NewsReclaimed, s.old.Lock))
	}
	return all
}

func (s *step) lockNews(kind NewsKind, f *locks.File) News {
	n := s.news(kind, episodeEnd, tokenOf(f))
	h := Holder{PID: f.Record.PID, Client: f.Record.Client}
	n.From, n.since = &Party{Identity: locks.Identity{PID: h.PID}, Name: HolderName(&h), Certainty: Proven}, tidyTime(f.Record.StartedAt)
	return n
}

// waits tells of a question. Another one in the place of the first is news too.
func (s *step) waits() []News {
	if !s.row.Has(FactWaiting) {
		return nil
	}
	asked := asks(s.row)
	if s.old != nil && s.old.Has(FactWaiting) && asks(s.old) == asked {
		return nil
	}
	n := s.news(NewsWaits, episodeWait, asked)
	n.Value = s.row.Work.PendingInteraction
	return []News{n}
}

// asks names the question that a Session waits with.
func asks(row *Session) string {
	if row.Trace != nil && row.Trace.Asked != "" {
		return row.Trace.Asked
	}
	return row.Work.PendingInteraction + "@" + clock(row.TurnSince)
}

// left tells of what nobody will go on with.
func (s *step) left() []News {
	var all []News
	if s.began(ReasonInterrupted) {
		all = append(all, s.news(NewsInterrupted, episodeEnd, clock(s.row.TurnSince)))
	}
	if s.began(ReasonAbandoned) {
		n := s.news(NewsAbandoned, episodeEnd, clock(s.row.UpdatedAt))
		n.since = abandonedAt(s.row.Record, s.policy)
		all = append(all, n)
	}
	return all
}

func (s *step) closed() []News {
	if s.ours || s.row.Status != Closed || s.old == nil || over(s.old) {
		return nil
	}
	n := s.news(NewsClosed, episodeEnd, s.row.StatusWord+"@"+clock(s.row.EndedAt))
	n.Value = s.row.StatusWord
	return []News{n}
}

// Told remembers what was told, also across restarts. It is asked from one goroutine.
type Told interface {
	// LastRun is when an earlier run was last there, zero when there was none.
	LastRun() time.Time
	// First reports whether key is new, and remembers it.
	First(key string) bool
}

// untold is a Told that knows nothing of earlier runs.
type untold map[string]bool

func (u untold) LastRun() time.Time { return time.Time{} }

func (u untold) First(key string) bool {
	if u[key] {
		return false
	}
	if len(u) >= maxUntold {
		clear(u)
	}
	u[key] = true
	return true
}

// maxUntold bounds what a run without a lasting memory remembers.
const maxUntold = 4096

// tell returns the news of s that nobody has been told, and remembers that they were. What is silent, and what is too
// old, is remembered without being told.
func (x *Index) tell(s step) []News {
	var fresh []News
	for _, n := range newsOf(s) {
		if first := x.cfg.Told.First(n.Key); first && !s.silent(n.Kind) && !s.stale(&n, x.since) {
			fresh = append(fresh, n)
		}
	}
	return fresh
}
