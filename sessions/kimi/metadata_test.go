package kimi_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
)

func TestHome(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		set      bool
		value    string
		userHome string
		want     string
	}{
		{"default", false, "", "/home/dev", filepath.Join("/home/dev", ".kimi-code")},
		{"variable", true, filepath.Join(wd, "k"), "/home/dev", filepath.Join(wd, "k")},
		{"relative", true, "k", "/home/dev", filepath.Join(wd, "k")},
		{"set but empty: wherever the client is started", true, "", "/home/dev", ""},
		{"no home at all", false, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := kimi.Home(func(name string) (string, bool) {
				if name != "KIMI_CODE_HOME" {
					t.Errorf("asked for %s", name)
				}
				return c.value, c.set
			}, c.userHome)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTitle is the order in which titles are looked for.
func TestTitle(t *testing.T) {
	long := strings.Repeat("字", 300)
	for _, c := range []struct {
		name  string
		state map[string]any
		wire  string
		want  string
	}{
		{"title", map[string]any{"title": "A title", "customTitle": "old", "lastPrompt": "last"}, kimitest.Turn(0, 0, "first"), "A title"},
		{"custom title of old builds", map[string]any{"customTitle": "Old one"}, kimitest.Turn(0, 0, "first"), "Old one"},
		{"print mode: first prompt", nil, kimitest.Turn(0, 0, "first") + kimitest.Turn(1, 5, "second"), "first"},
		{"blank title", map[string]any{"title": " \t"}, kimitest.Turn(0, 0, "first"), "first"},
		{"the client's placeholder", map[string]any{"title": "New Session"}, kimitest.Turn(0, 0, "first"), "first"},
		{"chosen to be called so", map[string]any{"title": "New Session", "isCustomTitle": true}, kimitest.Turn(0, 0, "first"), "New Session"},
		{"no prompt in the journal", map[string]any{"lastPrompt": "rejected"}, "", "rejected"},
		{"nothing: the folder", nil, "", "my project"},
		{"nothing at all", map[string]any{"cwd": nil}, "", ""},
		{"first line that is not blank", nil, kimitest.Turn(0, 0, "\n  \n  fix   the\tlogin \nplease"), "fix the login"},
		{"control characters", map[string]any{"title": "a\x1b[31mred\x07\u0085b\x00c"}, "", "a [31mred b c"},
		{"length", map[string]any{"title": long}, "", long[:200*len("字")]},
		{"a very long prompt", nil, kimitest.Turn(0, 0, strings.Repeat("x", 50_000)), strings.Repeat("x", 200)},
		{"other scripts", map[string]any{"title": "日本語 한국어 😀 é"}, "", "日本語 한국어 😀 é"},
		{"an image first", nil, kimitest.Record(0, `{"type":"turn.prompt","input":[{"type":"image_url","url":"x"},{"type":"text","text":"what is this?"}],"turnId":0,`), "what is this?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(realTemp(t), "home")
			s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: "/home/dev/my project", State: c.state,
				Wire: kimitest.Header("1.5") + c.wire, Unlisted: true}
			s.Make(t, home)
			if r := mustLoad(t, kimi.New(kimi.Config{Home: home}), s.Key(), time.Now()); r.Title != c.want {
				t.Errorf("title %q, want %q", r.Title, c.want)
			}
		})
	}
}

// TestWorkDir is B31: the two generations keep it in different places.
func TestWorkDir(t *testing.T) {
	for _, c := range []struct {
		name          string
		state         map[string]any
		want, project string
	}{
		{"cwd", map[string]any{"workDir": "/b", "custom": map[string]any{"cwd": "/c"}}, "/home/dev/work/a", "a"},
		{"workDir", map[string]any{"cwd": nil, "workDir": "/home/dev/b", "custom": map[string]any{"cwd": "/c"}}, "/home/dev/b", "b"},
		{"custom.cwd", map[string]any{"cwd": nil, "custom": map[string]any{"cwd": "/home/dev/c/"}}, "/home/dev/c/", "c"},
		{"the index", map[string]any{"cwd": nil}, "/home/dev/work/a", "a"},
		{"Windows", map[string]any{"cwd": `C:\Users\Dev\Code\App`}, `C:\Users\Dev\Code\App`, "App"},
		{"Windows, other slashes (B25)", map[string]any{"cwd": `U:/proj/`}, `U:/proj/`, "proj"},
		{"network share", map[string]any{"cwd": `\\server\share\proj`}, `\\server\share\proj`, "proj"},
		{"a backslash is a letter here", map[string]any{"cwd": `/home/a\b`}, `/home/a\b`, `a\b`},
		{"other letters", map[string]any{"cwd": "/home/dev/work/my project ünïcode 项目"}, "/home/dev/work/my project ünïcode 项目", "my project ünïcode 项目"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(realTemp(t), "home")
			s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: "/home/dev/work/a", State: c.state}
			s.Make(t, home)
			r := mustLoad(t, kimi.New(kimi.Config{Home: home}), s.Key(), time.Now())
			if r.WorkDir != c.want || r.Project != c.project {
				t.Errorf("work folder %q, project %q, want %q, %q", r.WorkDir, r.Project, c.want, c.project)
			}
		})
	}
}

// TestFolderMissing is B32. What cannot be looked at from here is not missing.
func TestFolderMissing(t *testing.T) {
	dir := realTemp(t)
	file := filepath.Join(dir, "file")
	write(t, file, "")
	for _, c := range []struct {
		cwd  string
		want bool
	}{
		{dir, false}, {filepath.Join(dir, "gone"), true}, {file, true}, {filepath.Join(file, "below"), true},
		{"", false}, {"relative", false}, {strings.Repeat("/x", 3000), true},
	} {
		home := filepath.Join(realTemp(t), "home")
		s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: c.cwd}
		s.Make(t, home)
		r := mustLoad(t, kimi.New(kimi.Config{Home: home}), s.Key(), time.Now())
		if got := slices.Contains(r.Facts, sessions.FactFolderMissing); got != c.want {
			t.Errorf("cwd %.40q: missing %v, want %v", c.cwd, got, c.want)
		}
	}
}

// TestFolderComesBack reads the answer again after a few seconds.
func TestFolderComesBack(t *testing.T) {
	home, dir := filepath.Join(realTemp(t), "home"), filepath.Join(realTemp(t), "work")
	s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: dir}
	s.Make(t, home)
	src := kimi.New(kimi.Config{Home: home})
	now := time.Now()
	for _, c := range []struct {
		do   func(string) error
		at   time.Duration
		want bool
	}{
		{nil, 0, true},
		{func(dir string) error { return os.Mkdir(dir, 0o700) }, time.Second, true}, // the answer of a moment ago
		{nil, 6 * time.Second, false},
		{os.Remove, 60 * time.Second, true},
		{nil, -time.Hour, true}, // the clock was set back
	} {
		if c.do != nil {
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
		}
		r := mustLoad(t, src, s.Key(), now.Add(c.at))
		if got := slices.Contains(r.Facts, sessions.FactFolderMissing); got != c.want {
			t.Errorf("after %v: missing %v, want %v", c.at, got, c.want)
		}
	}
}

func TestMetadata(t *testing.T) {
	ms := func(n int) int64 { return sec(n).UnixMilli() }
	for _, c := range []struct {
		name  string
		state map[string]any
		check func(r *sessions.Record) bool
	}{
		{"a child", map[string]any{"custom": map[string]any{"parent_session_id": "session_p", "child_session_kind": "child"}},
			func(r *sessions.Record) bool { return r.ParentID == "session_p" }},
		{"archived without a time, by hand", map[string]any{"archived": true},
			func(r *sessions.Record) bool {
				return r.Archived == sessions.Yes && !r.Open && r.ArchivedAt.IsZero()
			}},
		{"archived, an old client's way", map[string]any{"archived": true, "archivedAt": "2026-11-29T15:42:28.068Z"},
			func(r *sessions.Record) bool { return r.ArchivedAt.Equal(sec(60).Add(68 * time.Millisecond)) }},
		{"only true counts", map[string]any{"archived": "yes"},
			func(r *sessions.Record) bool { return r.Archived == sessions.No && r.Open }},
		{"never archived", map[string]any{"archived": nil},
			func(r *sessions.Record) bool { return r.Archived == sessions.No && r.Open }},
		{"ISO times", map[string]any{"createdAt": "2026-11-29T15:41:30Z", "updatedAt": "2026-11-29T15:41:33Z"},
			func(r *sessions.Record) bool { return r.CreatedAt.Equal(sec(2)) && r.UpdatedAt.Equal(sec(5)) }},
		{"times that are none", map[string]any{"createdAt": "soon", "updatedAt": -1},
			func(r *sessions.Record) bool { return r.CreatedAt.Equal(kimitest.Began) && r.UpdatedAt.Equal(sec(2)) }},
		{"the journal is newer", map[string]any{"updatedAt": ms(1)},
			func(r *sessions.Record) bool { return r.UpdatedAt.Equal(sec(2)) }},
		{"the metadata is newer", map[string]any{"updatedAt": ms(9)},
			func(r *sessions.Record) bool { return r.UpdatedAt.Equal(sec(9)) }},
		{"another id than the folder's name", map[string]any{"id": "session_b"},
			func(r *sessions.Record) bool { return r.ID == "session_b" }},
		{"no id, as in version 1", map[string]any{"id": nil, "version": nil},
			func(r *sessions.Record) bool { return r.ID == "session_a" }},
		{"fork", map[string]any{"forkedFrom": "session_b"},
			func(r *sessions.Record) bool { return r.ForkedFrom == "session_b" }},
		{"members of other shapes", map[string]any{"id": 7, "cwd": []string{"x"}, "title": map[string]any{}, "agents": "none", "custom": 3, "lastTurnReason": nil},
			func(r *sessions.Record) bool {
				return r.ID == "session_a" && r.Title == "first" && len(r.Problems) == 0
			}},
		{"unremarkable", map[string]any{"cwd": os.TempDir()},
			func(r *sessions.Record) bool { return r.Facts == nil && r.Evidence == nil && r.Problems == nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(realTemp(t), "home")
			s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: "/home/dev/work/a", State: c.state,
				Wire: kimitest.Header("1.5") + kimitest.Turn(0, 0, "first")}
			s.Make(t, home)
			if r := mustLoad(t, kimi.New(kimi.Config{Home: home}), s.Key(), time.Now()); !c.check(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestOlderPlace reads the metadata of early builds of the second generation.
func TestOlderPlace(t *testing.T) {
	src, home, s := oneSession(t)
	older := filepath.Join(s.Dir(home), "session-meta")
	if err := os.Mkdir(older, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.Dir(home), "state.json"), filepath.Join(older, "state.json")); err != nil {
		t.Fatal(err)
	}
	r := mustLoad(t, src, s.Key(), time.Now())
	if len(r.Problems) > 0 || !r.CreatedAt.Equal(kimitest.Began) || r.Archived != sessions.No {
		t.Errorf("%+v", r)
	}
	before := r.Stamp
	kimitest.Write(t, filepath.Join(older, "state.json"), []byte(`{"id":"session_a","title":"changed there"}`))
	if r := mustLoad(t, src, s.Key(), time.Now()); r.Title != "changed there" || r.Stamp == before {
		t.Errorf("title %q, stamp %v, was %v", r.Title, r.Stamp, before)
	}
}

// TestMetadataOnly is a session that was made but never used.
func TestMetadataOnly(t *testing.T) {
	src, home, s := oneSession(t)
	if err := os.RemoveAll(filepath.Join(s.Dir(home), "agents")); err != nil {
		t.Fatal(err)
	}
	r := mustLoad(t, src, s.Key(), time.Now())
	if len(r.Problems) > 0 || r.Work.MainTurnActive != sessions.No || r.Work.Busy != sessions.No || r.AgentCount != 1 {
		t.Errorf("%+v", r)
	}
}

func TestNewerProtocol(t *testing.T) {
	r := loadWire(t, kimitest.Header("1.12")+kimitest.Turn(0, 0, "a"), time.Now())
	want := []string{"agents/main/wire.jsonl has protocol 1.12, newer than this program knows"}
	if !slices.Equal(r.Evidence, want) || len(r.Problems) > 0 || r.Work.LastTurnReason != "completed" {
		t.Errorf("evidence %q, problems %q, work %+v", r.Evidence, r.Problems, r.Work)
	}
}
