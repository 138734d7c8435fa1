package vault

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/sessiontest"
	"berth/sessions/vault/vaulttest"
	"berth/watcher"
)

// open returns a Source for the vault at dir that may write.
func openVault(t testing.TB, dir string) *Source {
	t.Helper()
	s, err := New(Config{Path: dir, LockDir: filepath.Join(t.TempDir(), "locks")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// vaultWith makes a vault with some files in it: keys and contents by turns.
func vaultWith(t testing.TB, files ...string) *Source {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		put(t, filepath.Join(dir, filepath.FromSlash(files[i])), files[i+1])
	}
	return openVault(t, dir)
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// age sets a file's modification time.
func age(t testing.TB, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func listKeys(t testing.TB, s *Source) []string {
	t.Helper()
	var keys []string
	if err := s.List(context.Background(), func(k string) { keys = append(keys, k) }); err != nil {
		t.Fatal(err)
	}
	return keys
}

func mustLoad(t testing.TB, s *Source, key string) *sessions.Record {
	t.Helper()
	r, err := s.Load(key, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatalf("Load(%q): %v", key, err)
	}
	return r
}

func TestContract(t *testing.T) {
	n := 0
	sessiontest.Run(t, sessiontest.Store{
		Open: func(t testing.TB, root string) sessions.Source { return openVault(t, root) },
		Fill: func(t testing.TB, root string) []string {
			for _, k := range []string{"a.md", "Projects/p/sessions/b.md", "c d/ü.md"} {
				put(t, filepath.Join(root, filepath.FromSlash(k)), "---\ntype: session\nsession_id: "+k+"\nstatus: active\n---\n")
			}
			put(t, filepath.Join(root, "plain.md"), "# plain\n")
			put(t, filepath.Join(root, ".obsidian/x.md"), "---\ntype: session\n---\n")
			put(t, filepath.Join(root, "image.png"), "png")
			return []string{"a.md", "Projects/p/sessions/b.md", "c d/ü.md"}
		},
		Change: func(t testing.TB, root, key string) string {
			n++
			path := filepath.Join(root, filepath.FromSlash(key))
			put(t, path, "---\ntype: session\nsession_id: "+key+"\nstatus: active\n---\n"+strings.Repeat("x", n))
			return path
		},
		Break: func(t testing.TB, root, key string) {
			put(t, filepath.Join(root, filepath.FromSlash(key)), "---\ntype: session\nstatus: \"active\n---\n")
		},
		Remove: func(t testing.TB, root, key string) {
			if err := os.Remove(filepath.Join(root, filepath.FromSlash(key))); err != nil {
				t.Fatal(err)
			}
		},
	})
}

// TestSample reads the sample vault: what is a session, its status word, its facts and its title.
func TestSample(t *testing.T) {
	want := map[string]string{
		"started":       "active open",
		"resumed":       "active open",
		"closed":        "done",
		"grandchild":    "active open",
		"orphan":        "active open",
		"global":        "active open",
		"abandoned":     "active open",
		"bom":           "active open",
		"crlf":          "active open",
		"mixed":         "active open",
		"comments":      "active open",
		"code":          "active open",
		"no-newline":    "active open",
		"no-body":       "active open",
		"capitals":      "Active open",
		"unicode":       "active open",
		"number":        "active open",
		"legacy":        "active open",
		"legacy-closed": "done",
		"shop-a":        "active open",
		"shop-b":        "active open",
		"group-a":       "active open",
		"group-b":       "active open",
		"paused":        "paused",
		"status-list":   "[active]",
		"status-blank":  "Active ",
		"no-status":     "unknown",
		"bare":          "unknown",
		"twice":         "active open",
		"twice-copy":    "done",
		"linked":        "active open linked",
		"partly-linked": "active open linked",
		"malformed":     "active open damaged",
		"unterminated":  "active open damaged",
		"key-twice":     "done damaged",
		"conflict":      "active open damaged",
		"two-documents": "active open damaged",
		"hard-linked":   "active open",
		"hard-link":     "active open",
	}
	sample := vaulttest.Write(t, t.TempDir())
	s := openVault(t, sample.Dir)
	listed := listKeys(t, s)
	for name, n := range sample.Notes {
		t.Run(name, func(t *testing.T) {
			r, err := s.Load(n.Key, time.Now().Add(time.Hour))
			if want[name] == "" {
				if err == nil {
					t.Errorf("%s is a session: %+v", n.Key, r)
				}
				return
			}
			if err != nil || !slices.Contains(listed, n.Key) {
				t.Fatalf("err %v, listed %v", err, slices.Contains(listed, n.Key))
			}
			got := r.StatusWord
			if r.Open {
				got += " open"
			}
			for _, f := range r.Facts {
				got += " " + string(f)
			}
			if got != want[name] || r.ID != n.ID || r.Key != n.Key {
				t.Errorf("got %q id %q, want %q id %q; problems %q", got, r.ID, want[name], n.ID, r.Problems)
			}
			if slices.Contains(r.Facts, sessions.FactDamaged) != (len(r.Problems) > 0) {
				t.Errorf("facts %q, problems %q", r.Facts, r.Problems)
			}
		})
	}
}

func TestSampleDetails(t *testing.T) {
	sample := vaulttest.Write(t, t.TempDir())
	s := openVault(t, sample.Dir)
	load := func(name string) *sessions.Record { return mustLoad(t, s, sample.Notes[name].Key) }
	at := func(text string) time.Time {
		tm, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return tm
	}
	started, closed, caps, legacy, resumed := load("started"), load("closed"), load("capitals"), load("legacy"), load("resumed")
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"started: title", started.Title, "Add retry to the uploader"},
		{"started: project", started.Project, "demo"},
		{"started: agent", started.Agent + "/" + started.ClientName, "claude/claude-code"},
		{"started: created", started.CreatedAt, at("2026-07-18T20:00:00Z")},
		{"started: not ended", started.EndedAt, time.Time{}},
		{"closed: parent", closed.ParentID, vaulttest.IDStarted},
		{"closed: ended", closed.EndedAt, at("2026-07-18T21:34:12Z")},
		{"closed: no groups", len(closed.Groups), 0},
		{"capitals: keys without case", caps.Project, "caps"},
		{"capitals: time with a blank, no offset", caps.CreatedAt, at("2026-07-18T20:00:00Z")},
		{"capitals: title without prefix", caps.Title, "Capital letters"},
		{"legacy: no id", legacy.ID, ""},
		{"legacy: title", legacy.Title, "tidy up"},
		{"legacy: created is the time of the file", legacy.CreatedAt, legacy.UpdatedAt},
		{"resumed: evidence", resumed.Evidence[0], "last resumed at 2026-07-18T20:05:00Z"},
		{"number: as written", load("number").Project, "007"},
		{"legacy-closed: title is the file", load("legacy-closed").Title, "2024-03-02"},
		{"unicode: path", load("unicode").Path, filepath.Join(sample.Dir, "Projects/项目/sessions/Café 🚀.md")},
		{"source", started.Source + " " + started.Root, "vault " + sample.Dir},
		{"linked: evidence", load("linked").Evidence[0], "linked to a work item by run_id: run-01, work_item_id: work-01, attempt_id: attempt-01"},
		{"malformed: no groups", len(load("malformed").Groups), 0},
		{"malformed: salvaged project", load("malformed").Project, "bad"},
		{"unterminated: problem", load("unterminated").Problems[0], "the frontmatter has no closing --- line"},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Two pairs share a selector; nothing else of the sample is ambiguous by accident.
func TestSampleGroups(t *testing.T) {
	sample := vaulttest.Write(t, t.TempDir())
	s := openVault(t, sample.Dir)
	members := map[string][]string{}
	for name, n := range sample.Notes {
		if r, err := s.Load(n.Key, time.Now()); err == nil {
			for _, g := range r.Groups {
				members[g] = append(members[g], name)
			}
		}
	}
	var got []string
	for g, names := range members {
		if slices.Sort(names); len(names) > 1 && !strings.HasPrefix(g, "bad|") {
			got = append(got, g+": "+strings.Join(names, " "))
		}
	}
	slices.Sort(got)
	want := []string{
		"group/projecta|agent=claude: group-a group-b",
		"shop|agent=codex: shop-a shop-b",
		"shop|client=codex-cli: shop-a shop-b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("ambiguous groups:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGroups(t *testing.T) {
	set := defaultSettings()
	for _, tt := range []struct {
		name, key string
		m         meta
		want      string
	}{
		{"client and agent", "x.md", meta{project: "Demo", client: "Claude-Code", agent: "claude"}, "demo|client=claude-code demo|agent=claude"},
		{"no identity", "x.md", meta{project: "demo"}, "demo|"},
		{"only an agent", "x.md", meta{project: "demo", agent: "a"}, "demo|agent=a"},
		{"no project", "x.md", meta{client: "c"}, "|client=c"},
		{"project by place", "Projects/demo/sessions/x.md", meta{client: "c"}, "demo|client=c"},
		{"project by field and place", "projects/Demo/Sessions/x.md", meta{project: "other", client: "c"}, "other|client=c demo|client=c"},
		{"the same twice", "Projects/demo/sessions/x.md", meta{project: "DEMO", client: "c"}, "demo|client=c"},
		{"grouped project", "Projects/Group/A/sessions/x.md", meta{client: "c"}, "group/a|client=c"},
		{"two sessions folders", "Projects/a/sessions/b/sessions/x.md", meta{client: "c"}, "a|client=c a/sessions/b|client=c"},
		{"not in a sessions folder", "Projects/demo/notes/x.md", meta{client: "c"}, "|client=c"},
		{"sessions folder without a project", "Projects/sessions/x.md", meta{client: "c"}, "|client=c"},
	} {
		if got := strings.Join(groups(set, tt.key, &tt.m), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSettings(t *testing.T) {
	s, err := parseSettings([]byte("folders: {projects: '1_Work\\Active/'}\nengineering:\n  subfolders:\n    sessions: log\n" +
		"frontmatter: {maintain_updated: true}\nexclude: [Archive/, 'x/Y', 3]\nunknown: {a: [1]}\n"))
	if err != nil || s.projects != "1_Work/Active" || s.sessions != "log" || !s.updated {
		t.Errorf("got %+v, %v", s, err)
	}
	for rel, want := range map[string]bool{
		"archive": true, "Archive/a.md": true, "Archived/a.md": false, "X/y/z.md": true, "x/yy.md": false,
		".git/a.md": true, "a/.b/c.md": true, "a.b/c.md": false, "3/a.md": true, ".": false,
	} {
		if got := s.hides(rel); got != want {
			t.Errorf("hides(%q) = %v, want %v", rel, got, want)
		}
	}
	for name, text := range map[string]string{
		"broken": "folders: [", "wrong type": "folders: 3\nfrontmatter: [1]", "not a mapping": "- a", "a single folder": "exclude: {a: b}",
	} {
		if s, _ := parseSettings([]byte(text)); s == nil || s.projects != "Projects" || s.updated {
			t.Errorf("%s: %+v, want the defaults", name, s)
		}
	}
	if s, err := parseSettings([]byte("folders: 3\nexclude: Old\n")); err == nil || !s.excludes("old") {
		t.Errorf("a key of a wrong type: %+v, %v; want the others, and an error to log", s, err)
	}
}

// A plain note is read once; after a change it is offered again, and forgotten when it goes.
func TestListRemembersPlainNotes(t *testing.T) {
	s := vaultWith(t, "plain.md", "# plain\n", "session.md", "---\ntype: session\n---\n")
	hourAgo := time.Now().Add(-time.Hour)
	age(t, s.path("plain.md"), hourAgo)
	if got := listKeys(t, s); len(got) != 2 {
		t.Fatalf("first list = %q, want both", got)
	}
	if _, err := s.Load("plain.md", time.Now()); err == nil {
		t.Fatal("plain.md is a session")
	}
	if got := listKeys(t, s); !slices.Equal(got, []string{"session.md"}) {
		t.Errorf("second list = %q, want the session alone", got)
	}
	put(t, s.path("plain.md"), "---\ntype: session\n---\n")
	if got := listKeys(t, s); len(got) != 2 {
		t.Errorf("after a change list = %q, want both", got)
	}
	if n := len(s.plain.seen); n != 0 {
		t.Errorf("%d plain notes are remembered, want none", n)
	}
}

// A note that may still be in the making is not put aside: its next version may have the same stamp.
func TestListDoubtsFreshPlainNotes(t *testing.T) {
	s := vaultWith(t, "plain.md", "type: sessioN\n")
	if _, err := s.Load("plain.md", time.Now()); err == nil {
		t.Fatal("plain.md is a session")
	}
	if got := listKeys(t, s); len(got) != 1 {
		t.Errorf("list = %q, want the fresh note again", got)
	}
}

func TestConfigChange(t *testing.T) {
	s := vaultWith(t, "A/x.md", "---\ntype: session\nclient_name: c\nstatus: active\n---\n")
	before, _ := s.Stamp("A/x.md")
	put(t, s.path(configKey), "folders: {projects: Work}\n")
	event := watcher.Event{Root: s.root, Path: s.path(configKey), Op: watcher.Create}
	if c := s.Changed(event); !c.All {
		t.Errorf("Changed = %+v, want All", c)
	}
	if c := s.Changed(event); c.All {
		t.Errorf("Changed without a change = %+v, want nothing", c)
	}
	if after, _ := s.Stamp("A/x.md"); after == before {
		t.Error("the stamp does not show the new settings")
	}
	put(t, s.path(configKey), "exclude: [A]\n#longer\n")
	if got := listKeys(t, s); len(got) != 0 {
		t.Errorf("list = %q, want nothing: a sweep sees a new configuration without an event", got)
	}
	if _, err := s.Load("A/x.md", time.Now()); err != sessions.ErrNotFound {
		t.Errorf("Load of an excluded note: %v", err)
	}
}

func TestWatch(t *testing.T) {
	s := vaultWith(t, configKey, "exclude: [Archive]\n")
	w := s.Watch()
	for rel, want := range map[string]watcher.Mode{
		".": watcher.Pinned, "a": watcher.Pinned, "a/b c": watcher.Pinned, ".kioku": watcher.Pinned,
		".kioku/coordination": watcher.Skip, ".obsidian": watcher.Skip, ".git": watcher.Skip, "a/.git": watcher.Skip,
		".trash": watcher.Skip, "Archive": watcher.Skip, "archive/x": watcher.Skip, "web/node_modules": watcher.Skip,
	} {
		if got := w.Dir(rel); got != want {
			t.Errorf("Dir(%q) = %v, want %v", rel, got, want)
		}
	}
	for rel, want := range map[string]bool{
		"a.md": false, "a/b.md": false, configKey: false, ".kioku/other.yml": true, "a.png": true,
		".a.md.00.tmp": true, "a.md.tmp": true, "a/.hidden.md": true, "Archive/a.md": true,
	} {
		if got := w.Ignore(rel); got != want {
			t.Errorf("Ignore(%q) = %v, want %v", rel, got, want)
		}
	}
}

func TestChanged(t *testing.T) {
	s := vaultWith(t, configKey, "exclude: [Archive]\n")
	for _, tt := range []struct {
		rel  string
		op   watcher.Op
		want string
	}{
		{"a/b.md", watcher.Write, "[a/b.md] false"},
		{"a/b.md", watcher.Remove, "[a/b.md] false"},
		{"Archive/b.md", watcher.Write, "[] false"},
		{"a/My.Folder", watcher.Remove, "[] true"},
		{"a/folder", watcher.Create, "[] false"},
		{".obsidian", watcher.Remove, "[] false"},
		{"", watcher.Remove, "[] true"},
	} {
		s.refresh()
		c := s.Changed(watcher.Event{Root: s.root, Path: filepath.Join(s.root, tt.rel), Op: tt.op})
		if got := fmt.Sprint(c.Keys, c.All); got != tt.want {
			t.Errorf("Changed(%q, %v) = %s, want %s", tt.rel, tt.op, got, tt.want)
		}
	}
}

// Links are not followed: neither notes nor folders, as in a full scan of Kioku.
func TestLinksAreSkipped(t *testing.T) {
	outside := vaultWith(t, "secret/x.md", "---\ntype: session\n---\n")
	s := vaultWith(t, "real.md", "---\ntype: session\n---\n")
	for link, to := range map[string]string{
		"link.md": "real.md", "loop.md": "loop.md", "dangling.md": "none.md", "out": outside.path("secret"), "up": ".",
	} {
		if err := os.Symlink(to, s.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	if got := listKeys(t, s); !slices.Equal(got, []string{"real.md"}) {
		t.Errorf("list = %q, want real.md alone", got)
	}
	for _, key := range []string{"link.md", "loop.md", "dangling.md"} {
		if _, err := s.Load(key, time.Now()); err != sessions.ErrNotFound {
			t.Errorf("Load(%q): %v, want not found", key, err)
		}
	}
}

// Bug B115: frontmatter longer than any buffer is read to its end, up to 1 MiB.
func TestLongFrontmatter(t *testing.T) {
	front := func(n int) string {
		return "---\ntype: session\n" + long(n) + "session_id: far\nstatus: active\n---\n# Far\n"
	}
	s := vaultWith(t, "long.md", front(300<<10), "longer.md", front(2<<20))
	if r := mustLoad(t, s, "long.md"); r.ID != "far" || r.Title != "Far" || !r.Open || len(r.Problems) > 0 {
		t.Errorf("300 KiB: %+v", r)
	}
	r := mustLoad(t, s, "longer.md")
	if want := "the frontmatter does not end within 1 MiB"; len(r.Problems) != 1 || r.Problems[0] != want {
		t.Errorf("2 MiB: problems %q, want %q", r.Problems, want)
	}
}

// long returns about n bytes of YAML with unique keys.
func long(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "key_%d: some text that fills the line up to a fair length\n", i)
	}
	return b.String()
}

// Bug B28: the same name in both Unicode forms is two notes with the same title on Linux, and none is lost.
func TestUnicodeForms(t *testing.T) {
	nfc, nfd := "Caf\u00e9.md", "Cafe\u0301.md"
	s := vaultWith(t, nfc, "---\ntype: session\nsession_id: one\n---\n")
	put(t, s.path(nfd), "---\ntype: session\nsession_id: one\n---\n")
	keys := listKeys(t, s)
	for _, k := range keys {
		if r := mustLoad(t, s, k); r.Title != "Caf\u00e9" || r.ID != "one" {
			t.Errorf("%+q: title %+q, id %q", k, r.Title, r.ID)
		}
	}
	// A file system that takes the two names for one has one note; no note is ever lost.
	if files, err := os.ReadDir(s.root); err != nil || len(keys) != len(files) {
		t.Errorf("list = %q, but the folder holds %d files", keys, len(files))
	}
}

// A note that is broken and young is read again once it must have settled.
func TestSettle(t *testing.T) {
	s := vaultWith(t, "x.md", "---\ntype: session\nstatus: \"act")
	mtime := time.Now().Add(-time.Minute).Truncate(time.Second)
	age(t, s.path("x.md"), mtime)
	for after, want := range map[time.Duration]time.Time{
		time.Second:     mtime.Add(freshness),
		3 * time.Second: {},
		-time.Hour:      {},
	} {
		if r, err := s.Load("x.md", mtime.Add(after)); err != nil || !r.Settle.Equal(want) {
			t.Errorf("%v after the write: settle %v, %v; want %v", after, r.Settle, err, want)
		}
	}
}

func TestUpdatedAt(t *testing.T) {
	mtime := time.Date(2026, 7, 18, 12, 0, 0, 0, time.UTC)
	now := mtime.Add(24 * time.Hour)
	at := func(h int) string { return formatTime(mtime.Add(time.Duration(h) * time.Hour)) }
	for _, tt := range []struct {
		name, started, mark string
		want                int // hours after mtime
	}{
		{"the file", at(-5), "", 0},
		{"the start", at(3), "", 3},
		{"a resume mark", at(-5), at(7), 7},
		{"a start in the future counts for nothing", at(48), "", 0},
		{"a mark in the future counts for nothing", at(-5), at(48), 0},
	} {
		text := "---\ntype: session\nstatus: active\nstarted_at: " + tt.started + "\n---\n"
		if tt.mark != "" {
			text += "\n---\n\n" + resumedHeading + tt.mark + "\n"
		}
		s := vaultWith(t, "x.md", text)
		age(t, s.path("x.md"), mtime)
		r, err := s.Load("x.md", now)
		if want := mtime.Add(time.Duration(tt.want) * time.Hour); err != nil || !r.UpdatedAt.Equal(want) {
			t.Errorf("%s: updated %v, %v; want %v", tt.name, r.UpdatedAt, err, want)
		}
	}
}

// Hazard 41: the word ended in the body is no status. The row says that the two disagree.
func TestEndBlockIsNoStatus(t *testing.T) {
	s := vaultWith(t, "x.md", "---\ntype: session\nstatus: active\n---\ntext\n\n---\n\n## Session ended — 2026-07-18T21:30:00.0000000Z\n")
	r := mustLoad(t, s, "x.md")
	if want := "the body says ended at 2026-07-18T21:30:00Z, the status says active"; !r.Open || !slices.Contains(r.Evidence, want) {
		t.Errorf("open %v, evidence %q", r.Open, r.Evidence)
	}
}

// The marks are found in the last 64 KiB, however long the note is.
func TestMarksOfLongNotes(t *testing.T) {
	text := "---\ntype: session\nstatus: active\n---\n# Long\n" + strings.Repeat("a line of the log\n", 20000)
	s := vaultWith(t, "x.md", text+"\n---\n\n"+resumedHeading+"2026-07-18T20:05:00.0000000Z\n")
	r := mustLoad(t, s, "x.md")
	if r.Title != "Long" || !slices.Contains(r.Evidence, "last resumed at 2026-07-18T20:05:00Z") {
		t.Errorf("title %q, evidence %q", r.Title, r.Evidence)
	}
}

func TestTitle(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"\n# Work Session — Fix login\n", "Fix login"},
		{"# Plain heading\r\ntext", "Plain heading"},
		{"\n\n   # indented\n", "indented"},
		{"text first\n# Heading\n", ""},
		{"## Second level\n", ""},
		{"#tag\n", ""},
		{"# " + strings.Repeat("long ", 40), ""},
		{"# a\x1b[31mb\tc\n", "a[31mbc"},
		{"# bad \xff utf\n", "bad \uFFFD utf"},
		{"# 项目 🚀\n", "项目 🚀"},
		{"# Work Session — 2026-07-18 20:00:00 (claude)\n\n> [!info] Session\n\n**Goal:** Add retry\r\n\n## Summary\n", "Add retry"},
		{"# Work Session — 2026-07-18 20:00:00 (claude)\n\n**Goal:** _(not specified)_\n", "2026-07-18 20:00:00 (claude)"},
		{"# Work Session — 2026-07-18 20:00:00 (claude)\n\n## Log\n**Goal:** of the log\n", "2026-07-18 20:00:00 (claude)"},
		{"# Work Session — 2026-07-18 20:00:00 (claude)\n**Goal:** " + strings.Repeat("长", 200), strings.Repeat("长", maxTitle-1) + "…"},
		{"# Work Session — Named\n\n**Goal:** Add retry\n", "Named"},
		{"", ""},
	} {
		if got := title([]byte(tt.body)); got != tt.want {
			t.Errorf("title(%.30q) = %q, want %q", tt.body, got, tt.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2026, 7, 18, 20, 5, 0, 0, time.UTC)
	for _, text := range []string{
		"2026-07-18T20:05:00.0000000Z", "2026-07-18T20:05:00Z", "2026-07-18T20:05:00", "2026-07-18 20:05:00", "2026-07-18 20:05",
		"2026-07-18T20:05Z", "2026-07-18t20:05:00z", "2026-07-18T22:05:00+02:00", "2026-07-18 22:05 +02:00", "2026-07-18 22:05:00 +0200",
		"07/18/2026 20:05:00", "7/18/2026 8:05 PM", "7/18/2026 8:05:00 pm", "2026/7/18 20:05", "Sat, 18 Jul 2026 20:05:00 GMT",
		"18 Jul 2026 20:05", "July 18, 2026 8:05 PM", " 2026-07-18T20:05:00.000Z ",
	} {
		if got, ok := parseTime(text); !ok || !got.Equal(want) {
			t.Errorf("parseTime(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
	if got, ok := parseTime("2026-07-18"); !ok || !got.Equal(time.Date(2026, 7, 18, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a date alone: %v, %v", got, ok)
	}
	for _, text := range []string{"", "soon", "20:05", "2026-13-01", "2026-07-18T25:00:00Z", "18 Jul 2026 20:05 XYZ", strings.Repeat("2026", 50)} {
		if got, ok := parseTime(text); ok {
			t.Errorf("parseTime(%.20q) = %v, want none", text, got)
		}
	}
	if got := formatTime(want); got != "2026-07-18T20:05:00.0000000Z" {
		t.Errorf("formatTime = %q", got)
	}
}

func TestNewWantsAbsolutePath(t *testing.T) {
	for _, path := range []string{"", "vault", "./vault"} {
		if _, err := New(Config{Path: path}); err == nil {
			t.Errorf("New(%q) was accepted", path)
		}
	}
}

// An unreadable note among sessions is a row with its problem; elsewhere nobody knows what it is.
func TestUnreadable(t *testing.T) {
	s := vaultWith(t, "Projects/p/sessions/x.md", "---\ntype: session\n---\n")
	r, err := s.unreadable(s.current(), "Projects/p/sessions/x.md", os.ErrPermission)
	if err != nil || r.Title != "x" || !slices.Contains(r.Facts, sessions.FactDamaged) || r.Stamp == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.unreadable(s.current(), "Projects/p/sessions/none.md", os.ErrPermission); err != sessions.ErrNotFound {
		t.Errorf("a note that went away: %v", err)
	}
}
