package vault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"berth/sessions"
)

// randomNote is a note whose closed form is known without the code under test: it is put together from lines.
type randomNote struct {
	mark, eol string
	front     []string // lines; statusAt is the one with the status
	statusAt  int
	status    string // as it stands there, with %s for the word
	quote     string // of started_at
	body      string // without the blank space at its end
	blank     string // which every append takes away
}

// foreign are lines that are nobody's business, each good YAML of its own.
var foreign = []string{
	"# status: active", "title: \"a: b # no comment\"  # but this", "aliases: [a, 'b c',  \"d\"]", "nested:\n  status: active\n  deep: {type: session, k: [1, 2]}",
	"ключ: значение", "emoji: 🚢", "text: |\n  status: active\n  ---x\n\n  end", "folded: >-\n  one\n  two", "empty:", "nul: ~", "number: 007", "date: 2026-07-18",
	"\"quoted key\": 'it''s'", "anchor: &a x", "alias_like: '*a'", "list:\n- a\n-   b", "wide:      x   ", "project: demo", "agent: 'claude'", "url: http://x/#y",
}

var bodies = []string{"# Title", "", "text", "status: active", "---", "```\n## Session ended — x\n```", "- [ ] task", "日本語", "## Log", "   indented", "### deep", "a\tb"}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func newRandomNote(r *rand.Rand) *randomNote {
	n := &randomNote{
		mark: pick(r, []string{"", "", "\ufeff"}), eol: pick(r, []string{"\n", "\r\n"}), quote: pick(r, []string{`"`, "'", ""}),
		status: pick(r, []string{"status: %s", "status:   %s", `status: "%s"`, "Status: '%s' # why", `"status" : %s`}),
		blank:  pick(r, []string{"", "\n", " \t\n\n", "\n\n\n"}),
	}
	const place = "status goes here"
	n.front = []string{"session_id: s-1", "started_at: " + n.quote + "2026-07-18T20:00:00.0000000Z" + n.quote, "type: session", place}
	for _, i := range r.Perm(len(foreign))[:r.IntN(8)] {
		n.front = append(n.front, foreign[i])
	}
	r.Shuffle(len(n.front), func(i, j int) { n.front[i], n.front[j] = n.front[j], n.front[i] })
	n.statusAt = slices.Index(n.front, place)
	lines := []string{"x"}
	for range r.IntN(10) {
		lines = append(lines, pick(r, bodies))
	}
	n.body = strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
	return n
}

// text is the note with that status, further lines at the end of its frontmatter, and that end.
func (n *randomNote) text(status, more, end string) string {
	front := slices.Clone(n.front)
	front[n.statusAt] = fmt.Sprintf(n.status, status)
	text := "---\n" + strings.Join(front, "\n") + "\n" + more + "---\n" + n.body + end
	return n.mark + strings.ReplaceAll(text, "\n", n.eol)
}

// For random notes every verb changes its own bytes and no other, a second close changes nothing, and undoing it all
// leads back to the first byte.
func TestVerbsChangeTheirOwnBytes(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	s := vaultWith(t, configKey, "")
	path := s.path("x.md")
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	for round := range rounds {
		n := newRandomNote(r)
		first := n.text("active", "", n.blank)
		put(t, path, first)
		resumed := "\n\n---\n\n## Session resumed — " + closedText + "\n"
		marked := n.text("active", "", resumed)
		m, err := s.MarkResumed(t.Context(), "x.md", sessions.MarkRequest{Now: closedAt, ID: "s-1"})
		if err != nil || content(t, path) != marked {
			t.Fatalf("seed %d, round %d: mark: %v\n%q\nwant\n%q", seed, round, err, content(t, path), marked)
		}
		closed := n.text("done", "ended_at: "+n.quote+closedText+n.quote+"\n", strings.TrimRight(resumed, "\n")+endBlock(""))
		c, err := closeX(s)
		if err != nil || content(t, path) != closed {
			t.Fatalf("seed %d, round %d: close: %v\n%q\nwant\n%q", seed, round, err, content(t, path), closed)
		}
		if _, err := closeX(s); !errors.Is(err, sessions.ErrClosed) || content(t, path) != closed {
			t.Fatalf("seed %d, round %d: a second close: %v\n%q", seed, round, err, content(t, path))
		}
		undo(t, s, c, marked)
		undo(t, s, m, first)
	}
}

func undo(t *testing.T, s *Source, e *sessions.Edit, want string) {
	t.Helper()
	if _, err := s.Restore(t.Context(), "x.md", restoreOf(e)); err != nil || content(t, e.Path) != want {
		t.Fatalf("undo: %v\n%q\nwant\n%q", err, content(t, e.Path), want)
	}
}
