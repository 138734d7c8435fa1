package tray

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"berth/sessions"
)

// menuSessions is how many Sessions of one section are kept for the menu; it shows fewer.
const menuSessions = 8

// survey is what one walk over all Sessions finds.
type survey struct {
	total    int
	found    []ranked // those that the filter lets through
	selected *sessions.Session

	attention, occupied, ambiguous, recent section

	sources, projects map[string]bool
}

// section is one part of the menu: how many belong there, and the first few.
type section struct {
	count int
	first []ranked
}

// ranked is a Session with what it is sorted by, worked out once.
type ranked struct {
	*sessions.Session
	rank int   // smaller comes first
	when int64 // later comes first
	tag  Msg   // what in it needs attention, or noTag
}

func compareRanked(a, b ranked) int {
	if c := cmp.Compare(a.rank, b.rank); c != 0 {
		return c
	}
	if c := cmp.Compare(b.when, a.when); c != 0 {
		return c
	}
	return strings.Compare(a.Path, b.Path)
}

// The order of the list.
const (
	rankWaiting = iota // for a person
	rankAttention
	rankOccupied
	rankStale
	rankActive
	rankOther
)

func rankOf(s *sessions.Session, now time.Time) ranked {
	r := ranked{Session: s, rank: rankOther, tag: attentionTag(s, now)}
	if !s.UpdatedAt.IsZero() {
		r.when = s.UpdatedAt.UnixNano()
	}
	switch {
	case r.tag == MsgTagWaiting:
		r.rank = rankWaiting
	case r.tag != noTag:
		r.rank = rankAttention
	case s.Status == sessions.Occupied:
		r.rank = rankOccupied
	case s.Status == sessions.Stale:
		r.rank = rankStale
	case s.Status == sessions.Active:
		r.rank = rankActive
	}
	return r
}

func look(in Input) *survey {
	v := &survey{total: len(in.Sessions), sources: map[string]bool{}, projects: map[string]bool{}}
	m := in.Filter.matcher(in.Now)
	for _, s := range in.Sessions {
		r := rankOf(s, in.Now)
		v.add(r)
		if s.Path == in.Selected {
			v.selected = s
		}
		if m.match(s) {
			v.found = append(v.found, r)
		}
	}
	slices.SortFunc(v.found, compareRanked)
	return v
}

// add puts r into the one section of the menu where it belongs, and its names into the choices.
func (v *survey) add(r ranked) {
	v.sources[r.Source] = true
	if r.Project != "" {
		v.projects[r.Project] = true
	}
	switch {
	case r.tag != noTag:
		v.attention.add(r)
	case r.rank == rankOccupied:
		v.occupied.add(r)
	case isOpen(r.Session) && r.Has(sessions.FactAmbiguous):
		v.ambiguous.add(r)
	case r.rank == rankActive:
		v.recent.add(r)
	}
}

// add counts r and keeps it when it is among the first.
func (c *section) add(r ranked) {
	c.count++
	if len(c.first) == menuSessions && compareRanked(r, c.first[menuSessions-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(c.first, r, compareRanked)
	c.first = slices.Insert(c.first, at, r)
	if len(c.first) > menuSessions {
		c.first = c.first[:menuSessions]
	}
}
