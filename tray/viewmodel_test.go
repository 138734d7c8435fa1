package tray

import (
	"errors"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

func TestIconAndTooltip(t *testing.T) {
	held, waits := session("h", heldBy("Kimi", 1)), session("w", facts(sessions.FactWaiting))
	amb := []*sessions.Session{note("n1", ambiguous("g")), note("n2", ambiguous("g"))}
	for _, tt := range []struct {
		name   string
		all    []*sessions.Session
		c      Connection
		icon   IconState
		en, zh string
	}{
		{"nothing", nil, OwnService, IconQuiet, "berth: nothing needs you, 0 sessions", "berth: 没有需要处理的会话, 0 个会话"},
		{"one free", []*sessions.Session{session("a")}, RemoteService, IconQuiet, "berth: nothing needs you, 1 session", "berth: 没有需要处理的会话, 1 个会话"},
		{"occupied", []*sessions.Session{held}, OwnService, IconOccupied, "berth: 1 occupied", "berth: 1 个占用中"},
		{"ambiguous alone is quiet", amb, OwnService, IconQuiet, "berth: 2 ambiguous", "berth: 2 个无法区分"},
		{"the worst counts", append([]*sessions.Session{held, waits}, amb...), OwnService, IconAttention,
			"berth: 1 needs attention, 1 occupied, 2 ambiguous", "berth: 1 个需要处理, 1 个占用中, 2 个无法区分"},
		{"offline is worse than all", []*sessions.Session{held, waits}, Offline, IconOffline, "berth: offline, no socket", "berth: 离线, no socket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := input(tt.all...)
			in.Connection, in.Problem = tt.c, "no socket"
			vm := Build(in)
			in.Lang = Chinese
			zh := Build(in)
			if vm.Icon != tt.icon || vm.Tooltip != tt.en || zh.Tooltip != tt.zh {
				t.Errorf("got %v %q %q", vm.Icon, vm.Tooltip, zh.Tooltip)
			}
		})
	}
}

func TestStatusLine(t *testing.T) {
	in := input(session("a"), note("done", status(sessions.Closed)))
	for _, tt := range []struct {
		name   string
		change func(*Input)
		want   string
	}{
		{"watching", func(*Input) {}, "1 of 2 sessions  ·  watching  ·  revision 7"},
		{"the running service", func(in *Input) { in.Connection = RemoteService }, "1 of 2 sessions  ·  connected to the running service  ·  revision 7"},
		{"less than complete", func(in *Input) { in.Coverage = []string{"polling /mnt/nas: network file system"} },
			"1 of 2 sessions  ·  watching  ·  polling /mnt/nas: network file system  ·  revision 7"},
		{"a store that cannot be read", func(in *Input) {
			in.Stores = []sessions.Store{{Root: "/kimi"}, {Root: "/vault", Problem: "permission denied"}}
		}, "1 of 2 sessions  ·  watching  ·  /vault: permission denied  ·  revision 7"},
		{"offline", func(in *Input) { in.Connection, in.Problem = Offline, "connection refused" },
			"1 of 2 sessions  ·  offline: connection refused  ·  revision 7"},
		{"Chinese", func(in *Input) { in.Lang = Chinese }, "显示 1 / 2 个会话  ·  监视中  ·  修订 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := in
			tt.change(&in)
			if got := Build(in).Window.Status; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// An empty list says why it is empty and what to do.
func TestEmptyStates(t *testing.T) {
	store := []sessions.Store{{Source: "kimi", Root: "/home/dev/.kimi-code"}}
	for _, tt := range []struct {
		name  string
		in    Input
		title string
		hint  string // a part of it
	}{
		{"before the first answer", Input{}, "Looking for sessions…", "first time"},
		{"no store", Input{Update: Update{Connection: OwnService}}, "No store was found", "KIOKU_VAULT_PATH"},
		{"a store without sessions", Input{Update: Update{Connection: OwnService, Stores: store}}, "No sessions yet", "/home/dev/.kimi-code"},
		{"offline", Input{Update: Update{Connection: Offline, Problem: "no socket"}}, "The service does not answer", "no socket"},
		{"all closed", Input{Update: Update{Connection: OwnService, Sessions: []*sessions.Session{note("a", status(sessions.Closed))}}},
			"No session is open", "All 1 are closed or archived; choose “Everything”"},
		{"filtered away", Input{Update: Update{Connection: OwnService, Sessions: []*sessions.Session{session("a")}}, Filter: Filter{Text: "zzz"}},
			"Nothing matches", "Escape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Now = now
			got := Build(tt.in).Window.Empty
			if got.Title != tt.title || !strings.Contains(got.Hint, tt.hint) {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := Build(input(session("a"))).Window.Empty; got != (Empty{}) {
		t.Errorf("a list with rows is called empty: %+v", got)
	}
}

func TestChoicesAndSelection(t *testing.T) {
	in := input(session("a"), note("n", func(s *sessions.Session) { s.Project = "zeta" }), note("m"))
	in.Selected = "/vault/sessions/m.md"
	w := Build(in).Window
	if got := strings.Join(w.Sources, ",") + " " + strings.Join(w.Projects, ","); got != "kimi,vault demo,zeta" {
		t.Errorf("choices: %q", got)
	}
	if w.Selected != in.Selected || w.Details.ID != "m" {
		t.Errorf("selected %q, details of %q", w.Selected, w.Details.ID)
	}
	in.Filter.Source = "kimi"
	if w := Build(in).Window; w.List.Len() != 1 || w.Details.ID != "m" {
		t.Error("a filter must not take the details away")
	}
	in.Sessions = in.Sessions[:1]
	if w := Build(in).Window; w.Selected != "" || w.Details.Path != "" {
		t.Error("a session that is gone is still selected")
	}
}

func TestNotable(t *testing.T) {
	free, held := session("a"), session("a", heldBy("Kimi", 1))
	for _, tt := range []struct {
		name          string
		before, after *sessions.Session
		want          bool
	}{
		{"appeared", nil, free, true},
		{"went away", free, nil, true},
		{"taken", free, held, true},
		{"changed hands", held, session("a", heldBy("VS Code", 2)), true},
		{"asks something", held, session("a", heldBy("Kimi", 1), facts(sessions.FactWaiting)), true},
		{"grew", free, session("a", age(0)), false},
		{"was renamed", free, session("a", titled("other")), false},
	} {
		if got := Notable(tt.before, tt.after); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestMirror(t *testing.T) {
	var m Mirror
	a, b, c := session("a"), session("b"), session("c")
	event := func(kind sessions.EventKind, s *sessions.Session, revision uint64) bool {
		return m.Apply(sessions.Update{Event: &sessions.Event{Kind: kind, Session: s, Revision: revision}}, OwnService)
	}
	if event(sessions.Added, a, 1) && len(m.State().Sessions) > 0 {
		t.Error("an event before the first view was taken in")
	}
	if !m.Apply(sessions.Update{View: &sessions.View{Revision: 4, Sessions: []*sessions.Session{a, b}}}, OwnService) {
		t.Error("the first view is no news")
	}
	before := m.State()
	if event(sessions.Changed, session("a", titled("renamed")), 5) {
		t.Error("a new title is notable")
	}
	if !event(sessions.Added, c, 6) || !event(sessions.Removed, a, 7) || event(sessions.Removed, a, 8) {
		t.Error("appearing and going away are notable, once")
	}
	if got := before.Sessions; len(got) != 2 || got[0].Title != "Title of a" {
		t.Error("a state that was handed out changed")
	}
	after := m.State()
	if names := titles(after.Sessions); names != "Title of b,Title of c" || after.Revision != 8 {
		t.Errorf("got %s, revision %d", names, after.Revision)
	}
	if m.Find(c.Path) != c || m.Find(a.Path) != nil {
		t.Error("Find does not agree")
	}
	m.Lost(errors.New("connection refused"))
	if s := m.State(); s.Connection != Offline || s.Problem != "connection refused" || len(s.Sessions) != 2 {
		t.Errorf("offline: %+v", s)
	}
	if !event(sessions.Changed, b, 9) || m.State().Problem != "" {
		t.Error("being back is notable, and no problem")
	}
}

func titles(all []*sessions.Session) string {
	names := map[string]bool{}
	for _, s := range all {
		names[s.Title] = true
	}
	var out []string
	for _, want := range []string{"Title of a", "Title of b", "Title of c", "renamed"} {
		if names[want] {
			out = append(out, want)
		}
	}
	return strings.Join(out, ",")
}

func TestAgesAreWorkedOutFromNow(t *testing.T) {
	in := input(session("a"))
	in.Now = now.Add(2 * time.Minute)
	if got := Build(in).Window.List.Row(0).Age; got != "3 min ago" {
		t.Errorf("got %q", got)
	}
}
