package tray

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

// lines draws a menu as text: headings with a colon, what a click does behind the label.
func lines(m MenuSpec) []string {
	does := map[IntentKind]string{DoOpen: " → open", DoShow: " → show ", DoClose: " → close ", DoQuit: " → quit"}
	var out []string
	for _, r := range m.Rows {
		switch r.Kind {
		case RowSeparator:
			out = append(out, "-")
		case RowHeading:
			out = append(out, r.Label+":")
		default:
			out = append(out, r.Label+does[r.Intent.Do]+r.Intent.Path)
		}
	}
	return out
}

func menuOf(l Lang, all ...*sessions.Session) []string {
	in := input(all...)
	in.Lang = l
	return lines(Build(in).Menu)
}

func TestMenu(t *testing.T) {
	waiting := session("w", titled("Fix the login form"), heldBy("Kimi", 3988), facts(sessions.FactWaiting))
	stale := session("s", titled("Refactor"), status(sessions.Stale, sessions.ReasonInterrupted), age(time.Hour))
	held := session("h", titled("my_proj & more"), heldBy("VS Code", 4121))
	one := note("n1", titled("Upload"), ambiguous("g"))
	two := note("n2", titled("Upload"), ambiguous("g"), age(time.Hour), func(s *sessions.Session) { s.CreatedAt = now.Add(-26 * time.Hour) })
	free := session("f", titled("Free"), age(2*time.Hour))
	closed := note("c", status(sessions.Closed))

	for _, tt := range []struct {
		name string
		lang Lang
		all  []*sessions.Session
		want []string
	}{
		{"nothing at all", English, nil, []string{"Open berth → open", "Quit → quit"}},
		{"only closed", English, []*sessions.Session{closed}, []string{"Open berth → open", "Quit → quit"}},
		{"one free", English, []*sessions.Session{free}, []string{
			"Recent:", "○ Free — demo → show /kimi/sessions/wd_demo/f", "-", "Open berth → open", "Quit → quit"}},
		{"every section, in order", English, []*sessions.Session{closed, free, two, one, held, stale, waiting}, []string{
			"Needs attention (2):",
			"◆ Fix the login form — waits for you → show /kimi/sessions/wd_demo/w",
			"▲ Refactor — interrupted → show /kimi/sessions/wd_demo/s", "-",
			"Occupied (1):",
			"● my_proj & more — VS Code, pid 4121 → show /kimi/sessions/wd_demo/h", "-",
			"Ambiguous (2):",
			"○ Upload — claude-code · demo → close /vault/sessions/n1.md",
			"○ Upload — claude-code · demo · 11-28 10:00 → close /vault/sessions/n2.md", "-",
			"Recent:", "○ Free — demo → show /kimi/sessions/wd_demo/f", "-",
			"Open berth → open", "Quit → quit"}},
		{"Chinese", Chinese, []*sessions.Session{held, stale}, []string{
			"需要处理（1）:", "▲ Refactor — 中途中断 → show /kimi/sessions/wd_demo/s", "-",
			"占用中（1）:", "● my_proj & more — VS Code，进程 4121 → show /kimi/sessions/wd_demo/h", "-",
			"打开 berth → open", "退出 → quit"}},
		{"a long title and a long holder are cut", English, []*sessions.Session{
			session("l", titled(strings.Repeat("长标题", 20)), heldBy(strings.Repeat("very long client ", 4), 1))}, []string{
			"Occupied (1):",
			"● 长标题长标题长标题长标题长标题长标… — very long client very long client… → show /kimi/sessions/wd_demo/l", "-",
			"Open berth → open", "Quit → quit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := menuOf(tt.lang, tt.all...)
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// With much of everything the menu stays one for a glance, and no section loses its head.
func TestMenuIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := [][]func(*sessions.Session){
		{facts(sessions.FactWaiting)}, {heldBy("Kimi", 1)}, {ambiguous("g")}, {}, {status(sessions.Closed)},
	}
	for range 500 {
		var all []*sessions.Session
		for range rng.IntN(40) {
			all = append(all, note(string(rune('a'+len(all)%26))+strings.Repeat("x", len(all)/26), kinds[rng.IntN(len(kinds))]...))
		}
		m := Build(input(all...)).Menu
		rows, after := 0, RowSeparator
		for _, r := range m.Rows {
			if r.Kind != RowSeparator {
				rows++
			}
			if after == RowHeading && r.Kind != RowSession || after == RowSeparator && r.Kind == RowSession {
				t.Fatalf("a heading without rows, or rows without a heading: %q", lines(m))
			}
			after = r.Kind
		}
		if rows > 12 {
			t.Fatalf("%d rows: %q", rows, lines(m))
		}
	}
}

// Both candidates are in the menu however much else there is: one alone would say nothing.
func TestAmbiguousAreShownTogether(t *testing.T) {
	all := []*sessions.Session{note("n1", ambiguous("g")), note("n2", ambiguous("g"))}
	for _, s := range numbered(9) {
		heldBy("Kimi", 1)(s)
		all = append(all, s)
	}
	for _, id := range []string{"w1", "w2", "w3", "w4"} {
		all = append(all, session(id, facts(sessions.FactWaiting)))
	}
	text := strings.Join(menuOf(English, all...), "\n")
	for _, want := range []string{"→ close /vault/sessions/n1.md", "→ close /vault/sessions/n2.md"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Equal menus are not rebuilt (bug B124), so nothing in one may depend on the time or on the order of input.
func TestMenuIsEqualWhileNothingChanges(t *testing.T) {
	all := append(numbered(30), note("n1", ambiguous("g")), note("n2", ambiguous("g")), session("w", facts(sessions.FactWaiting)))
	in := input(all...)
	first := Build(in).Menu
	in.Now = in.Now.Add(5 * time.Minute)
	in.Revision++
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if again := Build(in).Menu; !again.Equal(first) {
		t.Errorf("got\n%q\nafter\n%q", lines(again), lines(first))
	}
	all[0] = session("new", facts(sessions.FactWaiting))
	if Build(in).Menu.Equal(first) {
		t.Error("a new row makes no difference")
	}
}
