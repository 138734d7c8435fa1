package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"berth/sessions"

	"github.com/mattn/go-runewidth"
)

func row(id, title string, status sessions.Status) *sessions.Session {
	return &sessions.Session{Record: &sessions.Record{ID: id, Title: title, Source: "kimi", Root: "/h", Path: "/h/" + id}, Status: status}
}

func TestNames(t *testing.T) {
	n := nameSessions([]*sessions.Session{row("session_33e612fb-b064", "", ""), row("01a228d3-0911", "", ""), row("01a228d3-0914", "", ""),
		row("short", "", ""), row("twice", "", ""), row("twice", "", "")})
	n.add(row("session_33e612fb-c000", "", ""))
	for id, want := range map[string]string{
		"session_33e612fb-b064": "33e612fb", "01a228d3-0911": "01a228d3-0911", "01a228d3-0914": "01a228d3-0914",
		"short": "short", "twice": "twice", "session_33e612fb-c000": "33e612fb-c", "session_unnamed-and-long": "unnamed-and-long",
	} {
		if got := n.of(row(id, "", "")); got != want {
			t.Errorf("%s is called %q, want %q", id, got, want)
		}
	}
	if got := n.of(&sessions.Session{Record: &sessions.Record{Root: "/v", Path: "/v/a/b.md"}}); got != "a/b.md" {
		t.Errorf("a note without an id is called %q", got)
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "now", -10 * time.Second: "now", 9 * time.Second: "now", 30 * time.Second: "30 s ago", 5 * time.Minute: "5 min ago",
		3 * time.Hour: "3 h ago", 72 * time.Hour: "3 days ago",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := ago(time.Time{}, now); got != "" {
		t.Errorf("an unknown time is %q", got)
	}
}

// TestTableAligns: wide characters take two cells, control characters cannot break out, and a narrow terminal cuts
// the flexible column.
func TestTableAligns(t *testing.T) {
	tb := &table{head: []string{"A", "TITLE", "B"}, flex: 1, width: 30, colour: true}
	tb.add(cell{text: "1"}, cell{text: "项目 ünïcode \x1b[31m a very long title that must give way"}, cell{"x", green})
	tb.add(cell{text: "22"}, cell{text: "short"}, cell{"y", green})
	var out bytes.Buffer
	if err := tb.print(&out); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(line)
		if strings.Contains(plain, "\x1b") {
			t.Errorf("line %d has an escape sequence of the title: %q", i, line)
		}
		if w := runewidth.StringWidth(plain); w > 30 {
			t.Errorf("line %d is %d cells wide: %q", i, w, plain)
		}
		if at := runewidth.StringWidth(plain[:strings.LastIndexAny(plain, "Bxy")]); at != 29 {
			t.Errorf("the last column of line %d begins at %d: %q", i, at, plain)
		}
	}
}

// TestWatchTextTellsWhatCanBeSeen: a reading that changes nothing in the line is not printed again.
func TestWatchTextTellsWhatCanBeSeen(t *testing.T) {
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out, now: func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.Local) }}
	print := a.watchText(&filter{})
	old, busy := row("session_1-aaaaaaaaaaaa", "Fix login", sessions.Active), row("session_1-aaaaaaaaaaaa", "Fix login", sessions.Occupied)
	for _, u := range []sessions.Update{
		{View: &sessions.View{}},
		{Event: &sessions.Event{Kind: sessions.Added, Session: old}},
		{Event: &sessions.Event{Kind: sessions.Changed, Session: old, Previous: old}},
		{Event: &sessions.Event{Kind: sessions.Changed, Session: busy, Previous: old}},
		{Event: &sessions.Event{Kind: sessions.Changed, Session: busy, Previous: busy}},
		{Event: &sessions.Event{Kind: sessions.Changed, Session: busy, Previous: busy, News: []sessions.News{{
			Kind: sessions.NewsTakenOver, Title: "Fix\x1b login", By: &sessions.Party{Name: "VS Code (pid 2)"}, From: &sessions.Party{Name: "Kimi (pid 1)"},
		}}}},
		{Event: &sessions.Event{Kind: sessions.Removed, Session: busy}},
	} {
		if err := print(u); err != nil {
			t.Fatal(err)
		}
	}
	want := "12:00:00  0 sessions\n12:00:00  1-aaaaaa  new: active  Fix login\n" +
		"12:00:00  1-aaaaaa  active -> occupied  Fix login\n" +
		"12:00:00  taken-over: VS Code (pid 2) took Fix? login from Kimi (pid 1)\n12:00:00  1-aaaaaa  removed  Fix login\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}
