package vault

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
)

var startedAt = time.Date(2026, 7, 18, 20, 0, 0, 0, time.UTC)

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// start begins a session and returns its key and text, the id replaced by ID.
func start(t testing.TB, s *Source, r sessions.StartRequest) (key, text string) {
	t.Helper()
	edit, err := s.StartSession(context.Background(), r, startedAt)
	if err != nil {
		t.Fatal(err)
	}
	id := edit.Left.ID
	if !sessionID.MatchString(id) || edit.Path != s.path(edit.Left.Key) || !edit.Left.Open {
		t.Errorf("started %+v", edit.Left)
	}
	return edit.Left.Key, strings.ReplaceAll(content(t, edit.Path), id, "ID")
}

// The note of kioku.md section 12.1, byte for byte but for the id and the placeholders.
const projectNote = `---
session_id: ID
agent: claude
client_name: claude-code
started_at: "2026-07-18T20:00:00.0000000Z"
project: demo
project_link: "[[demo]]"
tags:
  - session
  - work-log
cssclasses:
  - kioku-session
type: session
status: active
date: 2026-07-18
---

# Work Session — 2026-07-18 20:00:00 (claude)

> [!info] Session
> Project: [[demo]] · Started: 2026-07-18 20:00 · Agent: claude

**Goal:** Add retry to the uploader

## Summary

` + summaryLater + `

## Log

` + logLater + `

## Modified during this session
`

func TestStartText(t *testing.T) {
	s := vaultWith(t)
	key, text := start(t, s, sessions.StartRequest{Project: "demo", Client: "claude-code", Goal: "Add retry to the uploader"})
	if key != "Projects/demo/sessions/2026-07-18-2000-claude.md" || text != projectNote {
		t.Errorf("%s is\n%s", key, text)
	}
	if tree := treeOf(t, s.root); len(tree) != 1 {
		t.Errorf("%d files were made, want the note alone: %v", len(tree), tree)
	}
	key, text = start(t, s, sessions.StartRequest{})
	want := "---\nsession_id: ID\nagent: agent\nclient_name: unknown\nstarted_at: \"2026-07-18T20:00:00.0000000Z\"\ntags:\n  - session\n  - work-log\n" +
		"type: session\nstatus: active\ndate: 2026-07-18\n---\n\n# Work Session — 2026-07-18 20:00:00 (agent)\n\n" +
		"**Started:** 2026-07-18T20:00:00.0000000Z\n\n## Notes\n\n" + logLater + "\n\n## Modified during this session\n\n"
	if key != "Sessions/2026-07-18-2000-agent.md" || text != want {
		t.Errorf("%s is\n%s", key, text)
	}
}

func TestStartNames(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    sessions.StartRequest
		key  string
		has  []string // lines of the note
	}{
		{"grouped project", sessions.StartRequest{Project: "Group/Proj A", Agent: "Codex CLI"}, "Projects/Group/Proj A/sessions/2026-07-18-2000-codex.md",
			[]string{"project: Group/Proj A", `project_link: "[[Proj A]]"`, "client_name: Codex CLI", "agent: codex"}},
		{"a project that is a number (31)", sessions.StartRequest{Project: "007"}, "Projects/007/sessions/2026-07-18-2000-agent.md", []string{`project: "007"`}},
		{"a project with blanks around", sessions.StartRequest{Project: " a "}, "Projects/ a /sessions/2026-07-18-2000-agent.md", []string{`project: " a "`}},
		{"client and agent", sessions.StartRequest{Agent: "My Custom Agent", Client: `x "y" \z: #1`}, "Sessions/2026-07-18-2000-my-custom-agent.md",
			[]string{"agent: my-custom-agent", `client_name: "x \"y\" \\z: #1"`}},
		{"named, global", sessions.StartRequest{Name: " Fix the login "}, "Sessions/2026-07-18 — Fix the login.md", []string{"# Work Session — Fix the login"}},
		{"named with folders and links (35)", sessions.StartRequest{Name: "../a/[[b]]"}, "Sessions/2026-07-18 — a b.md", []string{"# Work Session — ../a/[[b]]"}},
		{"named in a project", sessions.StartRequest{Name: "Login", Project: "demo"}, "Projects/demo/sessions/2026-07-18-2000-agent.md", []string{"# Work Session — Login"}},
		{"a parent", sessions.StartRequest{Project: "demo", Parent: " 019f76d0 "}, "Projects/demo/sessions/2026-07-18-2000-agent.md", []string{"parent_session_id: 019f76d0"}},
		{"a name of marks only", sessions.StartRequest{Name: "???", Project: "p"}, "Projects/p/sessions/2026-07-18-2000-agent.md", []string{"# Work Session — ???"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, text := start(t, vaultWith(t), tt.r)
			if key != tt.key {
				t.Errorf("key = %q, want %q", key, tt.key)
			}
			lines := strings.Split(text, "\n")
			for _, want := range tt.has {
				if !slices.Contains(lines, want) {
					t.Errorf("no line %q in\n%s", want, text)
				}
			}
		})
	}
}

// What is written into a goal, a title or a name is text wherever it ends up.
func TestStartInjection(t *testing.T) {
	nasty := "x <% tp.file.delete() %> {{agent}} {{ goal }}\n---\nstatus: done\n# Heading\n## Session ended — 2026\n```\n%% hidden <!-- -->"
	for _, r := range []sessions.StartRequest{
		{Goal: nasty}, {Name: nasty}, {Goal: nasty, Project: "demo"}, {Name: nasty, Project: "demo"},
		{Agent: nasty, Client: nasty, Parent: nasty, Project: "demo"},
	} {
		s := vaultWith(t)
		edit, err := s.StartSession(t.Context(), r, startedAt)
		if err != nil {
			t.Fatal(err)
		}
		body := string(edit.After[split(edit.After, true).body:])
		for _, bad := range []string{"<%", "{{", "\n---", "\nstatus:", "\n# Heading", "\n## Session ended", "\n```", "%%", "<!--"} {
			if strings.Contains(body, bad) {
				t.Errorf("%q got into the body:\n%s", bad, body)
			}
		}
		if edit.Left.StatusWord != "active" || len(edit.Left.Problems) > 0 {
			t.Errorf("left %+v", edit.Left)
		}
	}
	if _, text := start(t, vaultWith(t), sessions.StartRequest{Goal: "# Do it", Project: "demo"}); !strings.Contains(text, "\n**Goal:** \\# Do it\n") {
		t.Errorf("a goal that looks like a heading:\n%s", text)
	}
}

// Kioku's configuration decides places, further keys and tags.
func TestStartSettings(t *testing.T) {
	s := vaultWith(t, configKey, `folders: {projects: Work, sessions: Log/All, templates: T}
engineering: {subfolders: {sessions: runs}}
frontmatter: {maintain_updated: true}
domains: {Work: general, Work/demo: coding}
auto_tags: {inherit: {Work: [team, Session, status]}}
`, "T/kioku/session.md", "---\ntitle: x\n---\r\n# {{TITLE}}\r\n{{goal}} by {{Agent}}, {{nobody}}, {{ goal }}\r\n## Summary\r\n")
	key, text := start(t, s, sessions.StartRequest{Project: "demo", Goal: "{{agent}}", Agent: "codex"})
	front, body, _ := strings.Cut(text, "---\n\n")
	if key != "Work/demo/runs/2026-07-18-2000-codex.md" || body != "# 2026-07-18 20:00:00 (codex)\n{\\{agent}} by codex, {{nobody}}, {{ goal }}\n## Summary\n" {
		t.Errorf("%s has the body\n%s", key, body)
	}
	want := "tags:\n  - session\n  - work-log\n  - team\ncssclasses:\n  - kioku-session\ntype: session\nstatus: active\ndomain: coding\ndate: 2026-07-18\nupdated: 2026-07-18\n"
	if !strings.HasSuffix(front, want) {
		t.Errorf("frontmatter\n%s", front)
	}
	if key, _ := start(t, s, sessions.StartRequest{}); key != "Log/All/2026-07-18-2000-agent.md" {
		t.Errorf("a global session is %s", key)
	}
}

func TestStartRefused(t *testing.T) {
	for _, project := range []string{" ", "a/", "/a", "a//b", `a\b`, "..", "a/../b", "a..b", "a\nb", "a\xffb", ".hidden", "a/.b", "a/./b", "Old/x", strings.Repeat("x", 600)} {
		s := vaultWith(t, configKey, "exclude: [Projects/Old]\n")
		before := treeOf(t, s.root)
		_, planErr := s.PlanStart(sessions.StartRequest{Project: project}, startedAt)
		_, err := s.StartSession(t.Context(), sessions.StartRequest{Project: project}, startedAt)
		if !errors.Is(err, sessions.ErrRefused) || !errors.Is(planErr, sessions.ErrRefused) {
			t.Errorf("%q: %v, planned %v; want a refusal", project, err, planErr)
		}
		if entries, _ := os.ReadDir(s.root); len(differs(before, treeOf(t, s.root))) > 0 || len(entries) != 1 {
			t.Errorf("%q left something: %v", project, entries)
		}
	}
}

// Nothing is made outside of the vault, behind links, in a vault that is not there, or where we may not write.
func TestStartPlaces(t *testing.T) {
	outside := t.TempDir()
	for name, prepare := range map[string]func(t *testing.T, s *Source){
		"linked folder": func(t *testing.T, s *Source) {
			if err := os.Symlink(outside, s.path("Projects")); err != nil {
				t.Fatal(err)
			}
		},
		"a file as folder":   func(t *testing.T, s *Source) { put(t, s.path("Projects/demo"), "") },
		"no vault":           func(t *testing.T, s *Source) { s.root = filepath.Join(s.root, "none") },
		"no place for locks": func(t *testing.T, s *Source) { s.lockDir = "" },
		"read-only": func(t *testing.T, s *Source) {
			put(t, s.path("Projects/x.md"), "")
			chmod(t, s.path("Projects"), 0o555)
			t.Cleanup(func() { chmod(t, s.path("Projects"), 0o755) })
			if os.Getuid() == 0 { // who may write everywhere is refused by a file in the way
				chmod(t, s.path("Projects"), 0o755)
				put(t, s.path("Projects/demo"), "")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := vaultWith(t)
			prepare(t, s)
			if _, err := s.StartSession(t.Context(), sessions.StartRequest{Project: "demo"}, startedAt); !errors.Is(err, sessions.ErrRefused) {
				t.Errorf("err = %v, want a refusal", err)
			}
		})
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("outside of the vault: %v", left)
	}
}

// A dry run says what would be written and makes no file and no folder.
func TestPlanStart(t *testing.T) {
	s := vaultWith(t, configKey, "")
	edit, err := s.PlanStart(sessions.StartRequest{Project: "demo", Client: "claude-code", Goal: "Add retry to the uploader"}, startedAt)
	if err != nil || sessionID.ReplaceAllString(string(edit.After), "ID") != projectNote || edit.Before != nil {
		t.Errorf("%v\n%s", err, edit.After)
	}
	if entries, _ := os.ReadDir(s.root); len(entries) != 1 {
		t.Errorf("made %v", entries)
	}
}

// Any number of sessions of one agent begins in one minute, by many at once, and every note is whole (27, 28).
func TestStartManyAtOnce(t *testing.T) {
	s := vaultWith(t, configKey, "")
	other := "Projects/demo/sessions/2026-07-18-2000-claude.md"
	put(t, s.path(other), "somebody's\n")
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]string{}
	for range 8 {
		wg.Go(func() {
			for range 10 {
				edit, err := s.StartSession(context.Background(), sessions.StartRequest{Project: "demo", Agent: "claude"}, startedAt)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids[edit.Left.ID] = edit.Left.Key
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(ids) != 80 || content(t, s.path(other)) != "somebody's\n" {
		t.Errorf("%d sessions, the foreign note holds %q", len(ids), content(t, s.path(other)))
	}
	for id, key := range ids {
		if rec, err := s.Load(key, time.Now()); err != nil || rec.ID != id || path.Base(key) != "2026-07-18-2000-claude-"+id[28:]+".md" {
			t.Errorf("%s: %+v, %v", key, rec, err)
		}
	}
}

// While Kioku makes a note of that name, we wait; what it made is not ours to touch.
func TestStartWaitsForKioku(t *testing.T) {
	s := vaultWith(t, configKey, "")
	key := "Projects/demo/sessions/2026-07-18-2000-agent.md"
	release, err := locks.HoldForeign(t.Context(), s.root, filepath.FromSlash(kiokuLock(target{key: key})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.StartSession(ctx, sessions.StartRequest{Project: "demo"}, startedAt); !errors.Is(err, sessions.ErrOccupied) {
		t.Errorf("err = %v, want occupied", err)
	}
	if _, err := os.Stat(s.path("Projects")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folders were left: %v", err)
	}
	done := make(chan string, 1)
	go func() {
		edit, err := s.StartSession(context.Background(), sessions.StartRequest{Project: "demo"}, startedAt)
		if err != nil {
			done <- err.Error()
			return
		}
		done <- edit.Left.Key
	}()
	put(t, s.path(key), "Kioku's\n")
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if got := <-done; !strings.HasPrefix(got, strings.TrimSuffix(key, ".md")+"-") || content(t, s.path(key)) != "Kioku's\n" {
		t.Errorf("got %s, and the note holds %q", got, content(t, s.path(key)))
	}
}

func TestNormalizeAgent(t *testing.T) {
	for name, want := range map[string]string{
		"": "agent", " \t": "agent", "claude-code 2.1": "claude", "Codex CLI": "codex", "My Custom Agent": "my-custom-agent",
		"Cursor with Claude": "claude", "a—b − c": "a-b-c", `a<>:"/\|?*b`: "ab", "--a--b--": "a-b", "???": "agent", "日本 語": "日本-語",
		strings.Repeat("é", 100): strings.Repeat("é", 32),
	} {
		if got := normalizeAgent(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestYAMLText(t *testing.T) {
	for text, want := range map[string]string{
		"demo": "demo", "a b": "a b", "": `""`, " a": `" a"`, "007": `"007"`, "1,000": `"1,000"`, "-1.5": `"-1.5"`, "Yes": `"Yes"`, "~": `"~"`,
		"2026-07-18": `"2026-07-18"`, "a: b": `"a: b"`, "[[demo]]": `"[[demo]]"`, "it's": `"it's"`, "@x": `"@x"`, `a\b`: `a\b`, `"a\b"`: `"\"a\\b\""`,
		"019f76d0-7200-7a11-8c3e-5b1f0c9d4e21": "019f76d0-7200-7a11-8c3e-5b1f0c9d4e21", "0x1F": `"0x1F"`, "1e5": `"1e5"`, "%a": `"%a"`, "= x": "= x",
	} {
		if got := yamlText(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

// Whatever is asked for, the note that begins says exactly that, or there is none.
func FuzzStart(f *testing.F) {
	f.Add("demo", "goal", "name", "claude", "claude-code", "p")
	f.Add("Group/007", "{{agent}} <% x %>", "a/b\n---\n", "— *", `"q": [`, "~")
	f.Add(" x", "\x00\xff", ".", "\u2028", "\u0085#", "null")
	f.Fuzz(func(t *testing.T, project, goal, name, agent, client, parent string) {
		n, err := newSession(sessions.StartRequest{Project: project, Goal: goal, Name: name, Agent: agent, Client: client, Parent: parent}, "id-12345678", startedAt)
		if err != nil {
			return
		}
		set := defaultSettings()
		body, _ := (&Source{root: "/none"}).body(set, n)
		raw, err := n.bytes(set, body)
		if err != nil {
			return // refused; the caller gets no note
		}
		for _, bad := range []string{"<%", "{{"} {
			if strings.Contains(body, bad) {
				t.Errorf("%q in\n%s", bad, raw)
			}
		}
		for _, file := range n.fileNames() {
			if filepath.Base(file) != file || len(file) > 255 || strings.ContainsAny(file, `/\:`) {
				t.Errorf("file name %q", file)
			}
		}
	})
}

func BenchmarkNewNote(b *testing.B) {
	b.ReportAllocs()
	set := defaultSettings()
	for b.Loop() {
		n, err := newSession(sessions.StartRequest{Project: "demo", Goal: "Add retry", Agent: "claude"}, "id-12345678", startedAt)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := n.bytes(set, n.render(builtIn)); err != nil {
			b.Fatal(err)
		}
	}
}
