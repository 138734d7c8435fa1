package kimi

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"berth/sessions"
)

// mainOnly are the agents of most sessions, shared by their Records.
var mainOnly = []sessions.Agent{{ID: mainAgent, Type: "main"}}

// Load reads one session: its metadata, both ends of its journals, its lock. The Stamp was taken before
// anything was read, so a change during the reading shows as another Stamp afterwards.
func (s *Source) Load(key string, now time.Time) (*sessions.Record, error) {
	v, err := s.look(key, true)
	if err != nil {
		s.turns.set(key, false)
		return nil, err
	}
	defer v.close()
	buf := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buf)
	r := &reading{survey: v, now: now, record: &sessions.Record{
		Key: key, Stamp: v.stamp(), Source: s.Name(), Root: s.root, Path: v.dir, Trace: &sessions.Trace{},
	}}
	r.readState(*buf)
	r.readJournals(*buf)
	r.identify(s)
	r.timeline()
	r.describeWork()
	r.listAgents()
	var settle time.Time
	if v.lock.exists() {
		r.record.Lock, settle = s.readLock(v, now)
		r.settle(settle)
	}
	r.judge()
	s.turns.set(key, r.record.OpenTurn)
	return r.record, nil
}

// reading is one Load under way.
type reading struct {
	*survey
	now    time.Time
	record *sessions.Record

	meta     *state // never nil; empty when the metadata cannot be read
	metaRead bool
	main     *journal // never nil; empty when there is none
	mainRead bool
	subs     []*journal
}

// settle asks for another reading at t.
func (r *reading) settle(t time.Time) { r.record.Settle = earliest(r.record.Settle, t) }

// problem notes damage.
func (r *reading) problem(format string, args ...any) {
	r.record.Problems = append(r.record.Problems, fmt.Sprintf(format, args...))
	r.fact(sessions.FactDamaged)
}

func (r *reading) fact(f sessions.Fact) {
	if !slices.Contains(r.record.Facts, f) {
		r.record.Facts = append(r.record.Facts, f)
	}
}

func (r *reading) evidence(format string, args ...any) {
	r.record.Evidence = append(r.record.Evidence, fmt.Sprintf(format, args...))
}

// readState reads the metadata. Metadata that is missing, empty or torn may be about to be written: the older
// client overwrites it in place. After the grace it is damage, and what the journal, the index and the folder
// tell has to do (bugs B10, B11).
func (r *reading) readState(buf []byte) {
	r.meta = &state{}
	meta, modified, err := r.loadState(buf)
	if err == nil {
		r.meta, r.metaRead = meta, true
		return
	}
	if end := modified.Add(grace); r.now.Before(end) {
		r.settle(end)
		return
	}
	r.problem("metadata unreadable: %s %v", r.stateRel, err)
}

// loadState returns the metadata, or why there is none, which reads as the end of a sentence that begins with
// the file's name; and when that came to be.
func (r *reading) loadState(buf []byte) (*state, time.Time, error) {
	switch st := r.state; {
	case !st.exists() && r.survey.err != nil:
		return nil, r.folderTime(), fmt.Errorf("cannot be looked at: %w", r.survey.err)
	case !st.exists():
		return nil, r.folderTime(), errors.New("is missing")
	case !st.kind.IsRegular():
		return nil, st.modified(), errors.New("is not a regular file")
	case st.size > maxStateBytes:
		return nil, st.modified(), fmt.Errorf("has %d bytes, more than %d", st.size, maxStateBytes)
	case !st.open:
		return nil, st.modified(), fmt.Errorf("cannot be opened: %w", st.err)
	}
	if r.state.size > int64(len(buf)) {
		buf = make([]byte, r.state.size)
	}
	n, err := r.state.file.ReadAt(buf[:r.state.size], 0)
	if err = ignoreEOF(err); err != nil {
		return nil, r.state.modified(), fmt.Errorf("cannot be read: %w", err)
	}
	if n == 0 {
		return nil, r.state.modified(), errors.New("is empty")
	}
	meta, err := parseState(buf[:n])
	return meta, r.state.modified(), err
}

// folderTime returns when a file in the session's folder last came or went.
func (r *reading) folderTime() time.Time {
	id, err := lstat(r.dir)
	if err != nil || !id.exists() {
		return time.Time{}
	}
	return id.modified()
}

// readJournals reads the main agent's journal and the newest of the others.
func (r *reading) readJournals(buf []byte) {
	r.main = &journal{}
	slices.SortFunc(r.agents, func(a, b agentFile) int {
		switch {
		case a.name == mainAgent:
			return -1
		case b.name == mainAgent:
			return 1
		}
		return int(min(max(b.wire.mtime-a.wire.mtime, -1), 1))
	})
	for i := range r.agents[:min(len(r.agents), sessions.MaxAgents)] {
		a := &r.agents[i]
		j := r.readJournal(a, buf)
		switch {
		case j == nil:
		case a.name == mainAgent:
			r.main, r.mainRead = j, true
		default:
			r.subs = append(r.subs, j)
		}
	}
}

// readJournal returns nil when there is no journal or it cannot be read, which is a problem.
func (r *reading) readJournal(a *agentFile, buf []byte) *journal {
	name := wireRel(a.name)
	if !a.wire.exists() {
		return nil
	}
	if !a.wire.open && a.wire.kind.IsRegular() {
		a.wire = r.see(name, true)
		defer a.wire.close()
	}
	switch w := &a.wire; {
	case !w.exists():
		return nil
	case !w.kind.IsRegular():
		r.problem("%s is not a regular file", name)
		return nil
	case !w.open:
		r.problem("%s cannot be opened: %v", name, w.err)
		return nil
	}
	j, err := readJournal(a.wire.file, name, a.wire.size, a.wire.modified(), r.now, buf)
	if err != nil {
		r.problem("%s cannot be read: %v", name, err)
		return nil
	}
	r.noteJournal(j)
	r.trace(a, j)
	return j
}

// noteJournal takes over what there is to say about the journal itself.
func (r *reading) noteJournal(j *journal) {
	r.settle(j.settle)
	if problems := j.allProblems(); len(problems) > 0 {
		r.record.Problems = append(r.record.Problems, problems...)
		r.fact(sessions.FactDamaged)
	}
	if newerVersion(j.version) {
		r.evidence("%s has protocol %s, newer than this program knows", j.name, j.version)
	}
}

// identify fills in which session this is.
func (r *reading) identify(s *Source) {
	rec, m := r.record, r.meta
	rec.ID = firstOf(m.id, r.id)
	if rec.ID == r.id {
		rec.ID = r.id // part of the key; no second copy
	}
	rec.ParentID, rec.ForkedFrom = m.parent, m.forkedFrom
	if dir := firstOf(m.dir(), r.index.workDir); dir != "" {
		var there sessions.Tri
		rec.WorkDir, there = s.folders.look(dir, r.now)
		rec.Project = baseName(rec.WorkDir)
		if there == sessions.No {
			r.fact(sessions.FactFolderMissing)
		}
	}
	rec.Title = firstOf(m.name(), r.main.prompt, m.prompt, rec.Project)
	if r.metaRead {
		rec.Archived, rec.ArchivedAt = sessions.TriOf(m.archived), m.archivedAt
	}
	rec.Open = rec.Archived != sessions.Yes
	if r.index.state != listed {
		r.fact(sessions.FactNotIndexed)
	}
}

// timeline fills in when it was made and when something last happened in it. Files' times are a fallback only:
// copies have new ones.
func (r *reading) timeline() {
	rec := r.record
	rec.CreatedAt = r.meta.created
	rec.UpdatedAt = r.meta.updated
	for _, j := range append(r.subs, r.main) {
		if j.newest.After(rec.UpdatedAt) {
			rec.UpdatedAt = j.newest
		}
	}
	if rec.UpdatedAt.IsZero() {
		rec.UpdatedAt = r.newestFile()
	}
	if rec.CreatedAt.IsZero() {
		rec.CreatedAt = r.main.created
	}
	if rec.UpdatedAt.Before(rec.CreatedAt) {
		rec.UpdatedAt = rec.CreatedAt // a fork keeps the time of its source
	}
}

// newestFile returns when a file of the session was last written.
func (r *reading) newestFile() time.Time {
	newest := r.state.fileID
	for _, a := range r.agents {
		if a.wire.mtime > newest.mtime {
			newest = a.wire.fileID
		}
	}
	if !newest.exists() {
		return r.folderTime()
	}
	return newest.modified()
}

// describeWork fills in what the journals say about the work that goes on.
func (r *reading) describeWork() {
	rec, w := r.record, &r.record.Work
	open := r.main.running(time.Time{}, r.now)
	w.MainTurnActive = r.mainTurnActive(len(open.turns) > 0)
	rec.OpenTurn, rec.Overtaken = w.MainTurnActive == sessions.Yes, open.overtaken
	r.listTurns(open.turns)
	w.Busy = w.MainTurnActive
	r.takeWork(r.main, open)
	for _, j := range r.subs {
		r.takeWork(j, j.running(r.main.endedBegun, r.now))
	}
	if w.PendingInteraction == "" && (r.tells() || w.MainTurnActive == sessions.No) {
		w.PendingInteraction = "none"
	}
	if !rec.OpenTurn || rec.Overtaken {
		w.LastTurnReason = firstOf(r.main.reason, r.meta.reason)
	}
	if r.main.twoWriters != "" {
		r.fact(sessions.FactTwoWriters)
		r.evidence("%s in %s", r.main.twoWriters, r.main.name)
	}
}

// listTurns fills in when the open turns began.
func (r *reading) listTurns(open []turn) {
	rec := r.record
	for _, t := range open {
		for _, begun := range []time.Time{t.begun, t.again} {
			if begun.IsZero() {
				continue
			}
			rec.OpenTurns = append(rec.OpenTurns, begun)
			if begun.After(rec.TurnSince) {
				rec.TurnSince = begun
			}
		}
	}
}

// takeWork adds what one agent does and asks. An approval comes before a question.
func (r *reading) takeWork(j *journal, open running) {
	r.settle(open.settle)
	w := &r.record.Work
	if len(open.turns) > 0 || len(j.tasks) > 0 || j.compacting {
		w.Busy = sessions.Yes
	}
	if p := j.pending(open.turns); p.kind != "" && w.PendingInteraction != "approval" {
		w.PendingInteraction, r.record.Trace.Asked = p.kind, p.id
	}
}

// mainTurnActive answers from the journal, where that tells of turns. Where the part that was read does not, it
// answers from the metadata: version 2 takes lastTurnReason out while a turn runs. Everything else is Unknown.
func (r *reading) mainTurnActive(open bool) sessions.Tri {
	switch {
	case open || r.tells():
		return sessions.TriOf(open)
	case !r.mainRead && !r.hasMain():
		return sessions.No // nothing was ever asked of it
	case r.meta.reason != "":
		return sessions.No
	case r.meta.version >= 2:
		r.evidence("the end of %s tells of no turn, and %s has no lastTurnReason", r.main.name, r.stateRel)
		return sessions.Yes
	}
	return sessions.Unknown
}

// tells reports whether the part of the main journal that was read tells of turns.
func (r *reading) tells() bool { return r.mainRead && (r.main.saw || !r.main.cut) }

// hasMain reports whether the main agent has a journal, readable or not.
func (r *reading) hasMain() bool {
	return len(r.agents) > 0 && r.agents[0].name == mainAgent && r.agents[0].wire.exists()
}

// listAgents folds the agents under their session: those that the metadata knows, then those that have a folder
// only. Their number is the larger of the two.
func (r *reading) listAgents() {
	rec := r.record
	for _, a := range r.agents {
		rec.WireBytes += a.wire.size
	}
	rec.AgentCount = max(r.meta.agentCount, len(r.agents))
	as := r.meta.agents
	for _, a := range r.agents {
		known := func(b sessions.Agent) bool { return b.ID == a.name }
		if len(as) < sessions.MaxAgents && !slices.ContainsFunc(as, known) {
			as = append(as, sessions.Agent{ID: a.name})
		}
	}
	for i := range as {
		if as[i].Type == "" {
			as[i].Type = agentType(as[i].ID)
		}
	}
	if slices.Equal(as, mainOnly) {
		as = mainOnly
	}
	rec.Agents = as
}

func agentType(id string) string {
	if id == mainAgent {
		return "main"
	}
	return "sub"
}

// judge adds the facts that several readings together give.
func (r *reading) judge() {
	if p := r.record.Work.PendingInteraction; p != "none" && p != "" {
		r.fact(sessions.FactWaiting)
	}
	slices.Sort(r.record.Facts)
}
