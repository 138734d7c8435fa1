package tray

import (
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

func ids(w Window) string {
	var out []string
	for i := range w.List.Len() {
		out = append(out, strings.TrimSuffix(w.List.Path(i)[strings.LastIndexByte(w.List.Path(i), '/')+1:], ".md"))
	}
	return strings.Join(out, " ")
}

func TestFilterAndOrder(t *testing.T) {
	all := []*sessions.Session{
		session("old", age(30*time.Hour)),
		session("new"),
		session("held", heldBy("VS Code", 4121), age(9*time.Hour)),
		session("wait", facts(sessions.FactWaiting), age(5*time.Hour)),
		session("torn", facts(sessions.FactDamaged), age(time.Hour)),
		session("ancient", status(sessions.Stale, sessions.ReasonInterrupted), age(1000*time.Hour)),
		note("note", ambiguous("g"), titled("支持自定义登录")),
		note("done", status(sessions.Closed), age(time.Hour)),
		session("arch", status(sessions.Archived), age(2*time.Hour)),
	}
	for _, tt := range []struct {
		name string
		f    Filter
		want string
	}{
		{"open: who waits, other attention, occupied, stale, then the newest", Filter{}, "wait torn held ancient new note old"},
		{"everything", Filter{View: Everything}, "wait torn held ancient new note old done arch"},
		{"attention", Filter{View: Attention}, "wait torn"},
		{"occupied", Filter{View: Occupied}, "held"},
		{"ambiguous", Filter{View: Ambiguous}, "note"},
		{"stale", Filter{View: Stale}, "ancient"},
		{"active", Filter{View: Active}, "wait torn new note old"},
		{"closed", Filter{View: Closed}, "done"},
		{"archived", Filter{View: Archived}, "arch"},
		{"source", Filter{Source: "vault", View: Everything}, "note done"},
		{"project", Filter{Project: "demo"}, "note"},
		{"text in the title, whatever its case", Filter{Text: "TITLE OLD"}, "old"},
		{"text in Chinese", Filter{Text: "自定义"}, "note"},
		{"text in the holder", Filter{Text: "vs code"}, "held"},
		{"every word must be found", Filter{Text: "claude code demo"}, "note"},
		{"the file's name", Filter{Text: "note.md"}, "note"},
		{"not the folders, which are the same for all", Filter{Text: "/vault"}, ""},
		{"one word that is nowhere", Filter{Text: "claude nowhere"}, ""},
		{"blanks are no filter", Filter{Text: "  "}, "wait torn held ancient new note old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := input(all...)
			in.Filter = tt.f
			if got := ids(Build(in).Window); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name string
		lang Lang
		s    *sessions.Session
		want Row
	}{
		{"free", English, session("a"),
			Row{Glyph: GlyphActive, Status: "Active", Title: "Title of a", Place: "demo", Age: "1 min ago"}},
		{"waiting", English, session("a", heldBy("Kimi", 1), facts(sessions.FactBusy, sessions.FactWaiting)),
			Row{Glyph: GlyphWaiting, Tone: ToneAttention, Status: "Waiting for you", Title: "Title of a", Place: "demo", Client: "Kimi", Age: "1 min ago"}},
		{"occupied and busy", English, session("a", heldBy("Kimi", 1), facts(sessions.FactBusy)),
			Row{Glyph: GlyphOccupied, Tone: ToneOccupied, Status: "Occupied · busy", Title: "Title of a", Place: "demo", Client: "Kimi", Age: "1 min ago"}},
		{"the matter that asks for attention is named", English, session("a", status(sessions.Stale, sessions.ReasonInterrupted), facts(sessions.FactTwoWriters)),
			Row{Glyph: GlyphStale, Tone: ToneAttention, Status: "Stale · two writers", Title: "Title of a", Place: "demo", Age: "1 min ago"}},
		{"stale for long", English, session("a", status(sessions.Stale, sessions.ReasonInterrupted), age(100*time.Hour)),
			Row{Glyph: GlyphStale, Tone: ToneStale, Status: "Stale · interrupted", Title: "Title of a", Place: "demo", Age: "4 days ago"}},
		{"closed", English, note("a", status(sessions.Closed), age(10*24*time.Hour)),
			Row{Glyph: GlyphClosed, Tone: ToneFaded, Status: "Closed", Title: "Title of a", Place: "demo", Client: "claude-code", Age: "2026-11-19"}},
		{"Chinese", Chinese, note("a", ambiguous("g")),
			Row{Glyph: GlyphActive, Status: "进行中 · 无法区分", Title: "Title of a", Place: "demo", Client: "claude-code", Age: "1 分钟前"}},
		{"a hostile title", English, session("a", titled("x\x1b[31m\n\u202etxt")),
			Row{Glyph: GlyphActive, Status: "Active", Title: "x [31m txt", Place: "demo", Age: "1 min ago"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := input(tt.s)
			in.Lang, in.Filter.View = tt.lang, Everything
			tt.want.Path = tt.s.Path
			if got := Build(in).Window.List.Row(0); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestIndexFollowsTheSession(t *testing.T) {
	list := Build(input(numbered(5)...)).Window.List
	if got := list.Index("/kimi/sessions/wd_demo/session_000003"); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
	if got := list.Index("/nowhere"); got != -1 {
		t.Errorf("got %d, want -1", got)
	}
}
