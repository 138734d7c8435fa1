package tray

import (
	"fmt"
	"time"

	"berth/locks"
	"berth/sessions"
)

// now is the moment at which everything in these tests is shown.
var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// session makes a Kimi session that was active a minute ago; change makes it what a test needs.
func session(id string, change ...func(*sessions.Session)) *sessions.Session {
	s := &sessions.Session{
		Record: &sessions.Record{
			ID: id, Source: "kimi", Root: "/kimi", Path: "/kimi/sessions/wd_demo/" + id, Title: "Title of " + id,
			WorkDir: "/work/demo", Open: true, UpdatedAt: now.Add(-time.Minute),
		},
		Status: sessions.Active,
	}
	for _, f := range change {
		f(s)
	}
	return s
}

// note makes an open note of a vault.
func note(id string, change ...func(*sessions.Session)) *sessions.Session {
	toNote := func(s *sessions.Session) {
		s.Source, s.Root, s.Path, s.WorkDir = "vault", "/vault", "/vault/sessions/"+id+".md", ""
		s.Project, s.Agent, s.ClientName, s.StatusWord = "demo", "claude", "claude-code", "active"
	}
	return session(id, append([]func(*sessions.Session){toNote}, change...)...)
}

func titled(t string) func(*sessions.Session) { return func(s *sessions.Session) { s.Title = t } }

func age(d time.Duration) func(*sessions.Session) {
	return func(s *sessions.Session) { s.UpdatedAt = now.Add(-d) }
}

func facts(fs ...sessions.Fact) func(*sessions.Session) {
	return func(s *sessions.Session) { s.AllFacts = append(s.AllFacts, fs...) }
}

func status(st sessions.Status, why ...sessions.Reason) func(*sessions.Session) {
	return func(s *sessions.Session) { s.Status, s.Reasons = st, why }
}

func heldBy(client string, pid int) func(*sessions.Session) {
	return func(s *sessions.Session) {
		s.Status, s.Reasons = sessions.Occupied, []sessions.Reason{sessions.ReasonLock}
		s.Holder = &sessions.Holder{PID: pid, Client: client, Verdict: locks.Live, Via: sessions.ViaLock,
			Evidence: []string{fmt.Sprintf("pid %d lives", pid)}}
	}
}

func ambiguous(group string) func(*sessions.Session) {
	return func(s *sessions.Session) {
		s.AmbiguousGroup = group
		s.AllFacts = append(s.AllFacts, sessions.FactAmbiguous)
	}
}

// input is what is shown of these Sessions while the service runs in this process.
func input(all ...*sessions.Session) Input {
	return Input{Update: Update{Sessions: all, Revision: 7, Connection: OwnService}, Now: now}
}

// numbered makes n Kimi sessions, each a minute older than the one before.
func numbered(n int) []*sessions.Session {
	all := make([]*sessions.Session, n)
	for i := range all {
		all[i] = session(fmt.Sprintf("session_%06d", i), age(time.Duration(i)*time.Minute))
	}
	return all
}
