package sessions

import (
	"fmt"
	"time"
)

// keyChange is a key of a note that another program changed.
type keyChange struct{ key, from, to string }

func (c keyChange) String() string {
	switch {
	case c.from == "":
		return fmt.Sprintf("%s became %q", c.key, c.to)
	case c.to == "":
		return fmt.Sprintf("%s %q was taken out", c.key, c.from)
	}
	return fmt.Sprintf("%s changed from %q to %q", c.key, c.from, c.to)
}

// keyChanges compares two readings of a note. A trace may be nil: then nothing is known of what it holds.
func keyChanges(was *Record, wasTrace *Trace, is *Record, isTrace *Trace) []keyChange {
	pairs := []keyChange{
		{"status", was.StatusWord, is.StatusWord},
		{"session_id", was.ID, is.ID},
		{"client_name", was.ClientName, is.ClientName},
		{"agent", was.Agent, is.Agent},
		{"project", was.Project, is.Project},
		{"parent_session_id", was.ParentID, is.ParentID},
	}
	if wasTrace != nil && isTrace != nil {
		pairs = append(pairs,
			keyChange{"ended_at", moment(wasTrace.Ended), moment(isTrace.Ended)},
			keyChange{"the resume marker", moment(wasTrace.Resumed), moment(isTrace.Resumed)})
	}
	var changed []keyChange
	for _, c := range pairs {
		if c.from != c.to {
			changed = append(changed, c)
		}
	}
	return changed
}

// moment is a time as a value, "" when there is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return clock(t)
}

// noteChanges remembers which keys of the note e another program changed between two readings.
func (x *Index) noteChanges(e *entry, was *Record, wasTrace *Trace, is *Record, isTrace *Trace, now time.Time) {
	if was.StatusWord == "" || is.StatusWord == "" || x.own[e] != nil {
		return
	}
	for _, c := range keyChanges(was, wasTrace, is, isTrace) {
		m := memory{}
		if e.memory != nil {
			m = *e.memory
		}
		m.past.remark(fmt.Sprintf("%s, seen at %s and not by berth", c, clock(now)))
		m.noted = now
		if c.key == "client_name" && c.from != "" && c.to != "" && is.Open {
			m.handed = &takeover{from: Party{Name: c.from}, by: Party{Name: c.to}, at: now}
		}
		e.memory = &m
		x.dirty[e] = true
	}
}
