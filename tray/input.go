package tray

import (
	"path/filepath"
	"strings"
	"time"

	"berth/sessions"
)

// Connection says where the Sessions come from.
type Connection uint8

// The zero Connection means that nothing has been heard yet.
const (
	Connecting    Connection = iota
	OwnService               // the service runs in this process
	RemoteService            // another process of this user runs it
	Offline                  // it does not answer; the Sessions are the last ones known
)

// Update is the state of the service at one moment. It is never changed after it was handed over.
type Update struct {
	Sessions   []*sessions.Session // all of them, in any order
	Stores     []sessions.Store
	Revision   uint64
	Connection Connection
	// Problem says in words why the Connection is Offline.
	Problem string
	// Coverage are short notes on how complete the watching is ("polling /mnt/nas every 30 s"); empty
	// when everything is watched.
	Coverage []string
}

// Notable reports whether the step from before to after is news that a person waits for: another Status,
// another holder, or a question. Either may be nil, for a Session that appeared or went away.
func Notable(before, after *sessions.Session) bool {
	if before == nil || after == nil {
		return true
	}
	return before.Status != after.Status || holderPID(before) != holderPID(after) ||
		before.Has(sessions.FactWaiting) != after.Has(sessions.FactWaiting)
}

func holderPID(s *sessions.Session) int {
	if s.Holder == nil {
		return 0
	}
	return s.Holder.PID
}

// Input is everything that decides what is shown.
type Input struct {
	Update
	Now      time.Time // its location is used for the times shown
	Filter   Filter
	Selected string // the Path of the Session in the details, or ""
	Lang     Lang
}

// Filter says which Sessions the list shows. The zero value shows all that are open.
type Filter struct {
	Text    string // every word must be found somewhere, whatever its case
	View    Subset
	Source  string // sessions.Record.Source, or "" for all
	Project string // exact, or "" for all
}

// Subset is a choice of Sessions by their Status or by what they need.
type Subset uint8

// The Subsets, in the order in which they are offered.
const (
	Open Subset = iota // neither closed nor archived
	Attention
	Occupied
	Ambiguous
	Stale
	Active
	Closed
	Archived
	Everything
	subsetCount
)

// Subsets returns all of them in the order in which they are offered.
func Subsets() []Subset {
	all := make([]Subset, subsetCount)
	for i := range all {
		all[i] = Subset(i)
	}
	return all
}

// Label names the Subset to people, without a number.
func (v Subset) Label(l Lang) string {
	switch v {
	case Open:
		return l.Text(MsgViewOpen)
	case Attention:
		return l.Text(MsgViewAttention)
	case Ambiguous:
		return l.Text(MsgViewAmbiguous)
	case Everything:
		return l.Text(MsgViewAll)
	}
	return statusLabel(subsetStatus[v], l)
}

var subsetStatus = map[Subset]sessions.Status{
	Occupied: sessions.Occupied, Stale: sessions.Stale, Active: sessions.Active,
	Closed: sessions.Closed, Archived: sessions.Archived,
}

func (v Subset) has(s *sessions.Session, now time.Time) bool {
	switch v {
	case Open:
		return isOpen(s)
	case Attention:
		return NeedsAttention(s, now)
	case Ambiguous:
		return s.Has(sessions.FactAmbiguous)
	case Everything:
		return true
	}
	return s.Status == subsetStatus[v]
}

func isOpen(s *sessions.Session) bool {
	return s.Status != sessions.Closed && s.Status != sessions.Archived
}

// matcher is a Filter prepared for many Sessions.
type matcher struct {
	Filter
	words []string
	now   time.Time
}

func (f Filter) matcher(now time.Time) matcher {
	return matcher{f, strings.Fields(strings.ToLower(f.Text)), now}
}

func (m *matcher) match(s *sessions.Session) bool {
	if m.Source != "" && s.Source != m.Source || m.Project != "" && s.Project != m.Project {
		return false
	}
	if !m.View.has(s, m.now) {
		return false
	}
	for _, w := range m.words {
		if !mentions(s, w) {
			return false
		}
	}
	return true
}

// mentions reports whether the lower-case word occurs in anything that a person would search by. Of the path
// only the last part counts: the rest is the same for all of a store.
func mentions(s *sessions.Session, word string) bool {
	for _, field := range [...]string{s.Title, s.ID, s.Project, s.WorkDir, filepath.Base(s.Path), s.ClientName, s.Agent} {
		if strings.Contains(strings.ToLower(field), word) {
			return true
		}
	}
	return s.Holder != nil && strings.Contains(strings.ToLower(s.Holder.Client), word)
}
