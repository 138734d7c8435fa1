package vault

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"berth/sessions"
	"berth/sessions/vault/vaulttest"
)

// FuzzFrontmatter reads anything as a note: no panic; a prefix with more to come never closes a
// frontmatter that the whole file does not; and what is a session by the cheap look is one by the YAML.
func FuzzFrontmatter(f *testing.F) {
	for _, n := range vaulttest.Notes() {
		f.Add([]byte(n.Text), 40)
	}
	for _, text := range []string{"---\n---\n", "---\r\ntype: session\r\n---", "---\ntype: &a [*a]\n---\n", "---\n? {a: b}\n: c\n---\n", "---\n%YAML 1.1\n---\n", "---\na: \u2028b\n---\n",
		"---\na:\n  - b\n  - 'c d'\ne: \"f\"\n---\n", "---\na: b:c # d\ne: 1,5\n---\n", "---\na: y\r\n  - b\n---\n", "---\na: 'b\n---\n"} {
		f.Add([]byte(text), 7)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		p := split(text, true)
		if cut = min(max(cut, 0), len(text)); true {
			if q := split(text[:cut], false); q.shape == fenced && q != p {
				t.Errorf("the first %d bytes split to %+v, all of it to %+v", cut, q, p)
			}
		}
		h := head{front: p, bytes: text}
		m, problem := h.meta()
		if p.shape != fenced {
			return
		}
		front := text[p.yaml:p.closing]
		fm, err := parseFrontmatter(front)
		if (err != nil) != (problem != "") && mentionsSession(front) {
			t.Errorf("problem %q, but the parser says %v", problem, err)
		}
		if err == nil && !bytes.ContainsRune(front, '\\') && readMeta(fm).session != m.session {
			t.Errorf("session = %v, but the YAML says %v", m.session, readMeta(fm).session)
		}
		checkQuick(t, front, fm, err)
		title(text[p.body:])
		groups(defaultSettings(), "Projects/a/sessions/x.md", &m)
	})
}

// checkQuick compares the quick reading with the parser's: it reads nothing that the parser rejects, and
// what it reads is the same.
func checkQuick(t *testing.T, front []byte, want *frontmatter, err error) {
	t.Helper()
	got, ok := quickFrontmatter(front)
	if !ok {
		return
	}
	if err != nil {
		t.Fatalf("read quickly, but the parser says %v", err)
	}
	same := slices.EqualFunc(got.fields, want.fields, func(a, b field) bool {
		x, okX := scalar(a.value)
		y, okY := scalar(b.value)
		return a.key.Value == b.key.Value && x == y && okX == okY && asWritten(a.value, 3) == asWritten(b.value, 3)
	})
	if !same {
		t.Errorf("read quickly: %s\nread by the parser: %s", fieldsText(got), fieldsText(want))
	}
}

func fieldsText(f *frontmatter) string {
	var all []string
	for _, fd := range f.fields {
		all = append(all, fd.key.Value+"="+asWritten(fd.value, 3))
	}
	return strings.Join(all, "; ")
}

// FuzzClose closes anything that is an active session: all foreign keys parse to the same, the body stays
// but for its end and the summary's place, a second close finds it closed, and line by line nothing in the
// summary becomes structure.
func FuzzClose(f *testing.F) {
	for _, n := range vaulttest.Notes() {
		f.Add([]byte(n.Text), "Done.")
	}
	f.Add([]byte(noteText("x: |+\n  a\n\n", "## Summary\n```\n")), "# a\n---\n```\n<%{{{")
	f.Add([]byte("---\ntype: session\n\"status\": 'active' #\n...\n---"), "\r\n")
	f.Add([]byte("---\n{type: session, status: active}\n---"), "x")
	f.Fuzz(func(t *testing.T, text []byte, summary string) {
		n, err := noteOf(text)
		if err != nil || !n.meta.active() || len(n.meta.link) > 0 {
			return
		}
		end := ending{started: closedAt.Add(-time.Hour), ended: closedAt, summary: cleanSummary(summary)}
		for _, line := range end.summary {
			if structural.MatchString(line) || strings.Contains(line, "<%") || strings.Contains(line, "{{") {
				t.Errorf("line %q of the summary has a meaning", line)
			}
		}
		after, err := closeBytes(defaultSettings(), n, &end)
		if err != nil {
			if !errors.Is(err, sessions.ErrRefused) {
				t.Errorf("close: %v", err)
			}
			return
		}
		got, err := noteOf(after)
		if err != nil || got.meta.active() || !got.meta.ended.Equal(closedAt) || got.meta.status != "done" {
			t.Fatalf("afterwards: %v, status %q, ended %v\n%q", err, got.meta.status, got.meta.ended, after)
		}
		checkForeignKeys(t, n, got)
		checkBody(t, n, got, end.summary)
	})
}

// noteOf takes bytes apart as readNote does with a file's.
func noteOf(text []byte) (*note, error) {
	n := &note{target: target{key: "x.md"}, raw: text, parts: split(text, true)}
	return n, n.parse()
}

// checkForeignKeys decodes both frontmatters afresh and compares all keys but ours.
func checkForeignKeys(t *testing.T, before, after *note) {
	t.Helper()
	ours := func(fd field) bool {
		return strings.EqualFold(fd.key.Value, "status") || strings.EqualFold(fd.key.Value, "ended_at")
	}
	a := slices.DeleteFunc(slices.Clone(before.front.fields), ours)
	b := slices.DeleteFunc(slices.Clone(after.front.fields), ours)
	same := slices.EqualFunc(a, b, func(x, y field) bool { return sameNode(x.key, y.key) && sameNode(x.value, y.value) })
	if !same {
		t.Errorf("foreign keys changed:\n%s\nbecame\n%s", before.raw[before.yaml:before.closing], after.raw[after.yaml:after.closing])
	}
	var comments []string
	for _, n := range []*note{before, after} {
		comments = append(comments, strings.Join(commentsOf(n.front.root), "|"))
	}
	if comments[0] != comments[1] {
		t.Errorf("comments %q became %q", comments[0], comments[1])
	}
}

func commentsOf(n *yaml.Node) (all []string) {
	for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if c != "" {
			all = append(all, c)
		}
	}
	for _, c := range n.Content {
		all = append(all, commentsOf(c)...)
	}
	slices.Sort(all)
	return all
}

// checkBody takes what was added out again: the rest is the old body, but for blank space and a
// placeholder line.
func checkBody(t *testing.T, before, after *note, summary []string) {
	t.Helper()
	old, now := before.raw[before.body:], after.raw[after.body:]
	cut := bytes.LastIndex(now, []byte("---"+mainLineEnd(before.raw)+mainLineEnd(before.raw)+endedHeading+closedText))
	if cut < 0 {
		t.Fatalf("no end block in %q", now)
	}
	now = now[:cut]
	oldWords, nowWords := bytes.Fields(old), bytes.Fields(now)
	if at, _, ok := before.findSummary(); ok && len(summary) > 0 {
		head := len(bytes.Fields(before.raw[before.body:at]))
		words := len(strings.Fields(strings.Join(summary, " ")))
		if len(nowWords) < head+words {
			t.Fatalf("the body became %q", now)
		}
		nowWords = slices.Concat(nowWords[:head], nowWords[head+words:])
		if gone := len(oldWords) - len(nowWords); gone > 0 && isPlaceholder(bytes.Join(oldWords[head:head+gone], []byte(" "))) {
			oldWords = slices.Concat(oldWords[:head], oldWords[head+gone:])
		}
	}
	if !slices.EqualFunc(oldWords, nowWords, bytes.Equal) {
		t.Errorf("the body\n%q\nbecame\n%q", old, now)
	}
}

// FuzzParseTime never panics, and what we write is read back.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-07-18T20:05:00.0000000Z", "7/18/2026 8:05 PM", "t", "0T0", "Sat, 18 Jul 2026 20:05:00 GMT"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := parseTime(s)
		if !ok || at.Year() < 1 || at.Year() > 9999 {
			return
		}
		if again, ok := parseTime(formatTime(at)); !ok || !again.Equal(at.Truncate(tick)) {
			t.Errorf("%q is %v, written %q, read %v", s, at, formatTime(at), again)
		}
	})
}

// FuzzSettings never panics and always gives usable folders.
func FuzzSettings(f *testing.F) {
	f.Add([]byte("folders: {projects: a}\nexclude: [b, {c: d}]\n"))
	f.Add([]byte("engineering: {subfolders: {sessions: [x]}}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, _ := parseSettings(b)
		if s == nil || s.projects == "" || s.sessions == "" || s.hides("a") && len(s.exclude) == 0 {
			t.Errorf("settings %+v", s)
		}
	})
}
