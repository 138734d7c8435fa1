package tray

import (
	"testing"
	"time"

	"berth/sessions"
)

func TestNeedsAttention(t *testing.T) {
	const fresh, old = time.Hour, FreshFor + time.Hour
	for _, tt := range []struct {
		name string
		s    *sessions.Session
		want Msg
	}{
		{"nothing the matter", session("a"), noTag},
		{"occupied is no matter", session("a", heldBy("VS Code", 1)), noTag},
		{"waits for an answer", session("a", facts(sessions.FactWaiting)), MsgTagWaiting},
		{"waits, however long", session("a", facts(sessions.FactWaiting), age(old)), MsgTagWaiting},
		{"waiting comes before the rest", session("a", status(sessions.Stale, sessions.ReasonDeadLock), facts(sessions.FactWaiting)), MsgTagWaiting},
		{"a dead lock blocks clients, however old", session("a", status(sessions.Stale, sessions.ReasonDeadLock), age(old)), MsgTagDeadLock},
		{"interrupted lately", session("a", status(sessions.Stale, sessions.ReasonInterrupted), age(fresh)), MsgTagInterrupted},
		{"interrupted long ago", session("a", status(sessions.Stale, sessions.ReasonInterrupted), age(old)), noTag},
		{"interrupted, nobody knows when", session("a", status(sessions.Stale, sessions.ReasonInterrupted), func(s *sessions.Session) { s.UpdatedAt = time.Time{} }), noTag},
		{"two writers", session("a", facts(sessions.FactTwoWriters)), MsgTagTwoWriters},
		{"two writers long ago", session("a", facts(sessions.FactTwoWriters), age(old)), noTag},
		{"damaged", session("a", facts(sessions.FactDamaged)), MsgTagDamaged},
		{"duplicate id", note("a", facts(sessions.FactDuplicateID)), MsgTagDuplicate},
		{"left open", note("a", status(sessions.Stale, sessions.ReasonAbandoned), age(fresh)), MsgTagAbandoned},
		{"left open and ambiguous: among its like", note("a", status(sessions.Stale, sessions.ReasonAbandoned), facts(sessions.FactAmbiguous)), noTag},
		{"ambiguous alone has its own section", note("a", facts(sessions.FactAmbiguous)), noTag},
		{"archived is silent (bug B136)", session("a", status(sessions.Archived), facts(sessions.FactWaiting, sessions.FactDamaged)), noTag},
		{"closed is silent (bug B136)", note("a", status(sessions.Closed), facts(sessions.FactDamaged)), noTag},
		{"missing folder, orphan, not indexed: only said", session("a", facts(sessions.FactFolderMissing, sessions.FactOrphan, sessions.FactNotIndexed)), noTag},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attentionTag(tt.s, now); got != tt.want {
				t.Errorf("got message %d, want %d", got, tt.want)
			}
			if got := NeedsAttention(tt.s, now); got != (tt.want != noTag) {
				t.Errorf("NeedsAttention is %v", got)
			}
		})
	}
}

func TestAgo(t *testing.T) {
	for _, tt := range []struct {
		d      time.Duration
		en, zh string
	}{
		{0, "just now", "刚刚"},
		{59 * time.Second, "just now", "刚刚"},
		{-30 * time.Second, "just now", "刚刚"},
		{time.Minute, "1 min ago", "1 分钟前"},
		{3*time.Minute + 59*time.Second, "3 min ago", "3 分钟前"},
		{time.Hour, "1 h ago", "1 小时前"},
		{23*time.Hour + 59*time.Minute, "23 h ago", "23 小时前"},
		{24 * time.Hour, "1 day ago", "1 天前"},
		{6*24*time.Hour + 23*time.Hour, "6 days ago", "6 天前"},
		{7 * 24 * time.Hour, "2026-11-22", "2026-11-22"},
		{-2 * time.Hour, "2026-11-29", "2026-11-29"},
	} {
		if got := ago(now.Add(-tt.d), now, English); got != tt.en {
			t.Errorf("%v: got %q, want %q", tt.d, got, tt.en)
		}
		if got := ago(now.Add(-tt.d), now, Chinese); got != tt.zh {
			t.Errorf("%v: got %q, want %q", tt.d, got, tt.zh)
		}
	}
	if got := ago(time.Time{}, now, English); got != "" {
		t.Errorf("an unknown time gives %q", got)
	}
}

func TestMomentsAreLocal(t *testing.T) {
	there := now.In(time.FixedZone("UTC+8", 8*60*60))
	if got, want := moment(now.Add(-time.Hour), there, English), "2026-11-29 19:00:00  (1 h ago)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := moment(now.Add(-240*time.Hour), there, English), "2026-11-19 20:00:00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Colour is never the only sign.
func TestEveryStatusHasItsOwnGlyph(t *testing.T) {
	seen := map[Glyph]sessions.Status{GlyphWaiting: "waiting", GlyphUnknown: "unknown"}
	for _, st := range []sessions.Status{sessions.Occupied, sessions.Stale, sessions.Active, sessions.Closed, sessions.Archived} {
		g := glyph(session("a", status(st)))
		if other, taken := seen[g]; taken {
			t.Errorf("%s and %s are both %s", st, other, g)
		}
		seen[g] = st
	}
	if g := glyph(session("a", status("from-the-future"))); g != GlyphUnknown {
		t.Errorf("an unknown status is %s", g)
	}
	if got := rowStatus(session("a", status("from-the-future")), Chinese); got != "from-the-future" {
		t.Errorf("an unknown status is called %q", got)
	}
}

func TestNames(t *testing.T) {
	nameless := session("a", titled(" \n"), func(s *sessions.Session) { s.ID, s.Path = "", "/vault/sessions/2026-11-29 note.md" })
	for _, tt := range []struct{ name, got, want string }{
		{"title", title(session("a")), "Title of a"},
		{"id for want of a title", title(session("a", titled(""))), "a"},
		{"file name for want of both", title(nameless), "2026-11-29 note"},
		{"holder with pid", holderName(&sessions.Holder{Client: "VS Code", PID: 4121}, English), "VS Code, pid 4121"},
		{"holder, pid only", holderName(&sessions.Holder{PID: 4121}, English), "pid 4121"},
		{"one of several", holderName(&sessions.Holder{Client: "one of A (pid 1), B (pid 2)"}, English), "one of A (pid 1), B (pid 2)"},
		{"holder in Chinese", holderName(&sessions.Holder{Client: "VS Code", PID: 4121}, Chinese), "VS Code，进程 4121"},
		{"no holder", holderName(nil, English), ""},
		{"the holder is the client", clientName(session("a", heldBy("Kimi", 7), func(s *sessions.Session) { s.ClientName = "other" })), "Kimi"},
		{"else the client", clientName(note("a")), "claude-code"},
		{"else the agent", clientName(note("a", func(s *sessions.Session) { s.ClientName = "" })), "claude"},
		{"place: the project", place(note("a")), "demo"},
		{"place: the folder", place(session("a")), "demo"},
		{"place: unknown", place(session("a", func(s *sessions.Session) { s.WorkDir = "" })), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
