package tray

import (
	"slices"
	"sync"

	"berth/sessions"
	"berth/watcher"
)

// Mirror keeps the present state out of the updates of a service. Its methods may be called from any
// goroutine.
type Mirror struct {
	mu    sync.Mutex
	state Update
	at    map[string]int // path to index in state.Sessions
	lent  bool           // state.Sessions was handed out and must not be changed any more
}

// State returns the present state, which never changes. The first call after a change copies a list of
// pointers.
func (m *Mirror) State() Update {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lent = true
	return m.state
}

// Find returns the Session at path, or nil.
func (m *Mirror) Find(path string) *sessions.Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, ok := m.at[path]; ok {
		return m.state.Sessions[i]
	}
	return nil
}

// Apply takes an update in, and reports whether it is notable; see the function Notable.
func (m *Mirror) Apply(u sessions.Update, c Connection) (notable bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	notable = m.state.Connection != c
	m.state.Connection, m.state.Problem = c, ""
	switch {
	case u.View != nil:
		m.reset(u.View)
		return true
	case u.Event != nil:
		return m.event(u.Event) || notable
	}
	return notable
}

// Lost says why the service does not answer. The last known Sessions stay.
func (m *Mirror) Lost(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Connection, m.state.Problem = Offline, err.Error()
}

func (m *Mirror) reset(v *sessions.View) {
	m.state.Sessions, m.state.Stores, m.state.Revision = slices.Clone(v.Sessions), v.Stores, v.Revision
	m.state.Coverage = coverageNotes(v.Coverage)
	m.lent = false
	m.at = make(map[string]int, len(v.Sessions))
	for i, s := range m.state.Sessions {
		m.at[s.Path] = i
	}
}

func (m *Mirror) event(e *sessions.Event) (notable bool) {
	m.state.Revision = max(m.state.Revision, e.Revision)
	if e.Session == nil || m.at == nil {
		return false
	}
	if m.lent {
		m.state.Sessions, m.lent = slices.Clone(m.state.Sessions), false
	}
	i, known := m.at[e.Session.Path]
	switch {
	case e.Kind == sessions.Removed && known:
		m.remove(i)
		return true
	case e.Kind == sessions.Removed:
		return false
	case known:
		before := m.state.Sessions[i]
		m.state.Sessions[i] = e.Session
		return Notable(before, e.Session)
	}
	m.at[e.Session.Path] = len(m.state.Sessions)
	m.state.Sessions = append(m.state.Sessions, e.Session)
	return true
}

// remove puts the last Session in the place of the one at i: order means nothing here.
func (m *Mirror) remove(i int) {
	all := m.state.Sessions
	last := len(all) - 1
	delete(m.at, all[i].Path)
	if i != last {
		all[i] = all[last]
		m.at[all[i].Path] = i
	}
	m.state.Sessions = all[:last]
}

// coverageNotes says in a few words where the watching is less than complete.
func coverageNotes(roots []watcher.RootStatus) []string {
	var notes []string
	for _, r := range roots {
		if r.Coverage == watcher.Starting || r.Coverage == watcher.Watching && r.Reason == "" {
			continue
		}
		note := string(r.Coverage) + " " + r.Path
		if r.Reason != "" {
			note += ": " + r.Reason
		}
		if r.Remedy != "" {
			note += " (" + r.Remedy + ")"
		}
		notes = append(notes, note)
	}
	return notes
}
