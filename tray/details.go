package tray

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/sessions"
)

// Details is everything about the selected Session, in words and in the order in which it is read. The zero
// Details means that nothing is selected.
type Details struct {
	Target
	Title    string
	Glyph    Glyph
	Tone     Tone
	Status   string
	Actions  []Action
	Folder   string // for ActionOpenFolder
	Project  string // for the question where a note's project is
	Sections []Section
}

// Section is a part of the details: sentences first, then fields, then what speaks for all that.
type Section struct {
	Title    string
	Lines    []string
	Fields   []Field
	Evidence []string
}

// Field is a value with its name. Code marks ids and paths, which are read letter by letter.
type Field struct {
	Name, Value string
	Code        bool
}

// Equal reports whether both would look the same.
func (d Details) Equal(o Details) bool {
	return d.Target == o.Target && d.Title == o.Title && d.Glyph == o.Glyph && d.Tone == o.Tone &&
		d.Status == o.Status && d.Folder == o.Folder && d.Project == o.Project && slices.Equal(d.Actions, o.Actions) &&
		slices.EqualFunc(d.Sections, o.Sections, Section.Equal)
}

// Equal reports whether both would look the same.
func (s Section) Equal(o Section) bool {
	return s.Title == o.Title && slices.Equal(s.Lines, o.Lines) && slices.Equal(s.Fields, o.Fields) &&
		slices.Equal(s.Evidence, o.Evidence)
}

// Same reports whether both are the same Session with the same parts, so that only values differ: what the
// reader has selected or scrolled to can stay.
func (d Details) Same(o Details) bool {
	return d.Target == o.Target && slices.EqualFunc(d.Sections, o.Sections, func(a, b Section) bool {
		return a.Title == b.Title && len(a.Lines) == len(b.Lines) && len(a.Evidence) == len(b.Evidence) &&
			slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool { return x.Name == y.Name && x.Code == y.Code })
	})
}

// describer writes the details of one Session.
type describer struct {
	s   *sessions.Session
	all []*sessions.Session
	now time.Time
	l   Lang
}

func details(s *sessions.Session, in Input) Details {
	if s == nil {
		return Details{}
	}
	d := describer{s, in.Sessions, in.Now, in.Lang}
	return Details{
		Target: Target{s.Path, s.ID}, Title: title(s), Glyph: glyph(s), Tone: toneOf(rankOf(s, in.Now)),
		Status: rowStatus(s, d.l), Actions: actions(s, in.Connection, d.l), Folder: folder(s), Project: Clean(s.Project),
		Sections: d.sections(),
	}
}

func (d describer) sections() []Section {
	all := []Section{
		{Title: d.l.Text(MsgSecWhy), Lines: d.why(), Evidence: d.evidence()},
		{Title: d.l.Text(MsgSecProblems), Lines: cleanAll(d.s.Problems)},
		d.holder(),
		{Title: d.l.Text(MsgSecCandidates), Lines: d.candidates()},
		{Title: d.l.Text(MsgSecWork), Fields: d.work()},
		{Title: d.l.Text(MsgSecSession), Fields: d.session()},
		{Title: d.l.Text(MsgSecFamily), Fields: d.family()},
	}
	return slices.DeleteFunc(all, func(s Section) bool { return len(s.Lines)+len(s.Fields)+len(s.Evidence) == 0 })
}

// why says the reasons and facts as sentences.
func (d describer) why() []string {
	var out []string
	for _, r := range d.s.Reasons {
		out = append(out, wordFor(reasonMsgs, r, d.l))
	}
	for _, f := range d.s.AllFacts {
		out = append(out, wordFor(factMsgs, f, d.l))
	}
	return out
}

// evidence is all evidence that is not the holder's own.
func (d describer) evidence() []string {
	var told, out []string
	if d.s.Holder != nil {
		told = d.s.Holder.Evidence
	}
	for _, e := range d.s.AllEvidence {
		if !slices.Contains(told, e) {
			out = append(out, Clean(e))
		}
	}
	return out
}

func (d describer) holder() Section {
	h := d.s.Holder
	if h == nil {
		return Section{}
	}
	sec := Section{Title: d.l.Text(MsgSecHolder), Evidence: cleanAll(h.Evidence)}
	sec.Fields = d.fields(
		row{MsgFieldClient, Clean(h.Client), false},
		row{MsgFieldProcess, pidText(h.PID), false},
		row{MsgFieldVerdict, wordFor(verdictMsgs, h.Verdict, d.l), false},
		row{MsgFieldVia, wordFor(viaMsgs, h.Via, d.l), false},
		row{MsgFieldHost, Clean(h.Hostname), false},
		row{MsgFieldSince, d.moment(h.StartedAt), false},
	)
	return sec
}

func (d describer) work() []Field {
	w := d.s.Work
	return d.fields(
		row{MsgFieldBusy, triText(w.Busy, d.l), false},
		row{MsgFieldPending, pendingText(w.PendingInteraction, d.l), false},
		row{MsgFieldLastTurn, wordFor(turnMsgs, w.LastTurnReason, d.l), false},
	)
}

func (d describer) session() []Field {
	s := d.s
	return d.fields(
		row{MsgFieldProject, Clean(s.Project), false},
		row{MsgFieldFolder, Clean(s.WorkDir), true},
		row{MsgFieldClient, Clean(s.ClientName), false},
		row{MsgFieldAgent, Clean(s.Agent), false},
		row{MsgFieldAgents, countText(s.AgentCount), false},
		row{MsgFieldActivity, d.moment(s.UpdatedAt), false},
		row{MsgFieldCreated, d.moment(s.CreatedAt), false},
		row{MsgFieldEnded, d.moment(s.EndedAt), false},
		row{MsgFieldArchived, d.moment(s.ArchivedAt), false},
		row{MsgFieldWord, Clean(s.StatusWord), false},
		row{MsgFieldSource, Clean(s.Source), false},
		row{MsgFieldID, Clean(s.ID), true},
		row{MsgFieldPath, Clean(s.Path), true},
	)
}

// row is a Field before it is put into words.
type row struct {
	name  Msg
	value string
	code  bool
}

// fields leaves out what is not known: an absent value is not "none".
func (d describer) fields(rows ...row) []Field {
	var out []Field
	for _, r := range rows {
		if r.value != "" {
			out = append(out, Field{d.l.Text(r.name), r.value, r.code})
		}
	}
	return out
}

func (d describer) moment(t time.Time) string { return moment(t, d.now, d.l) }

func pidText(pid int) string {
	if pid == 0 {
		return ""
	}
	return strconv.Itoa(pid)
}

// countText is empty for a single agent, which is no news.
func countText(n int) string {
	if n < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

func triText(t sessions.Tri, l Lang) string {
	switch t {
	case sessions.Yes:
		return l.Text(MsgYes)
	case sessions.No:
		return l.Text(MsgNo)
	}
	return ""
}

// pendingText is empty for "none", which is no news.
func pendingText(what string, l Lang) string {
	if what == "none" {
		return ""
	}
	return wordFor(pendingMsgs, what, l)
}

func cleanAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = Clean(line)
	}
	return out
}

// familyShown bounds how many children and forks are named.
const familyShown = 12

// family names the Sessions that s comes from and those that come from it, by title where they are known.
func (d describer) family() []Field {
	s := d.s
	out := d.fields(
		row{MsgFieldParent, d.named(s.ParentID), false},
		row{MsgFieldForkedFrom, d.named(s.ForkedFrom), false},
	)
	if s.ID == "" {
		return out
	}
	for _, o := range d.all {
		if len(out) >= familyShown {
			break
		}
		switch {
		case strings.EqualFold(o.ParentID, s.ID):
			out = append(out, Field{Name: d.l.Text(MsgFieldChild), Value: title(o)})
		case strings.EqualFold(o.ForkedFrom, s.ID):
			out = append(out, Field{Name: d.l.Text(MsgFieldFork), Value: title(o)})
		}
	}
	return out
}

// named is the title of the Session with this id, or the id with a remark.
func (d describer) named(id string) string {
	if id == "" {
		return ""
	}
	for _, o := range d.all {
		if strings.EqualFold(o.ID, id) {
			return title(o)
		}
	}
	return d.l.Text(MsgNotInStore, Clean(id))
}

// candidates are the other Sessions that an implicit end of work would match together with s.
func (d describer) candidates() []string {
	if d.s.AmbiguousGroup == "" {
		return nil
	}
	var out []string
	for _, o := range d.all {
		if o.AmbiguousGroup == d.s.AmbiguousGroup && o.Path != d.s.Path {
			line := []string{title(o), clientName(o), ago(o.UpdatedAt, d.now, d.l)}
			out = append(out, strings.Join(nonEmpty(line...), " · "))
		}
	}
	return out
}
