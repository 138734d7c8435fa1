package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
)

// notes is a disk whose Sessions can be closed and marked.
type notes struct {
	*disk
	fail   error // of every write
	stale  error // of every restore
	closes []CloseRequest
	marks  []MarkRequest
}

func (n *notes) PlanClose(key string, r CloseRequest) (*Edit, error) {
	n.closes = append(n.closes, r)
	return &Edit{Path: n.root + "/" + key, Message: "would close"}, n.fail
}

func (n *notes) CloseSession(_ context.Context, key string, r CloseRequest) (*Edit, error) {
	e, err := n.PlanClose(key, r)
	if err != nil {
		return nil, err
	}
	n.put(session(key, withID(r.ID), func(r *Record) { r.StatusWord, r.Open = "done", false }))
	e.Message = "closed"
	return e, nil
}

func (n *notes) PlanMark(key string, r MarkRequest) (*Edit, error) {
	n.marks = append(n.marks, r)
	return &Edit{Path: n.root + "/" + key, Message: "would mark"}, n.fail
}

func (n *notes) MarkResumed(_ context.Context, key string, r MarkRequest) (*Edit, error) {
	e, err := n.PlanMark(key, r)
	if err == nil {
		e.Message = "marked"
	}
	return e, err
}

// desk is a Service over a listed vault and a listed home.
type desk struct {
	*rig
	*Service
	notes *notes
	dir   string // a folder that exists
}

func newDesk(t *testing.T, vault, kimi []*Record) *desk {
	n := &notes{disk: newDisk("vault", "/vault", vault...)}
	d := &desk{notes: n, dir: t.TempDir()}
	k := newDisk("kimi", "/home", kimi...)
	d.rig = newRig(t, k, func(cfg *IndexConfig) { cfg.Sources, cfg.Batches = []Source{n, k}, nil })
	d.Service = &Service{
		Index: d.index, Prober: d.procs, Clients: DefaultClients(),
		ProjectDir: func(project string) string { return map[string]string{"demo": d.dir}[project] },
	}
	<-d.index.Ready()
	return d
}

// note is an active note of a known project and agent.
func note(key string, change ...func(*Record)) *Record {
	known := func(r *Record) {
		r.StatusWord, r.Project, r.Agent, r.ClientName = "active", "demo", "claude", "Claude-Code"
	}
	return session(key, append([]func(*Record){known}, change...)...)
}

func done(r *Record) { r.StatusWord, r.Open = "done", false }

// refusal checks err and returns its parts.
func refusal(t *testing.T, err, want error) *Error {
	t.Helper()
	var e *Error
	if !errors.Is(err, want) || !errors.As(err, &e) {
		t.Fatalf("error = %v, want an *Error with %v", err, want)
	}
	if e.Detail == "" {
		t.Errorf("B148: %v does not say what blocks", err)
	}
	return e
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a"), note("b")}, nil)
		edit, err := d.Close(t.Context(), "a", "all tests pass", true)
		if err != nil || edit.Message != "would close" {
			t.Fatalf("dry run: %+v, %v", edit, err)
		}
		d.want("after a dry run", "a active", "b active")
		edit, err = d.Close(t.Context(), "a", "all tests pass", false)
		if err != nil || edit.Message != "closed" || len(edit.Warnings) != 0 {
			t.Fatalf("close: %+v, %v", edit, err)
		}
		d.want("at once after it", "a closed", "b active")
		want := CloseRequest{Summary: "all tests pass", Now: time.Now(), ID: "a"}
		if got := d.notes.closes; len(got) != 2 || got[0] != want || got[1] != want {
			t.Errorf("requests = %+v, want twice %+v", got, want)
		}
	})
}

func TestCloseRefusals(t *testing.T) {
	tests := []struct {
		name, ref  string
		want       error
		candidates string
	}{
		{"of a client that ends its sessions itself", "session_k", ErrNotCapable, ""},
		{"an id that nobody has", "nope", ErrNotFound, ""},
		{"a prefix of two", "am", ErrAmbiguous, "/vault/am1 /vault/am2"},
		{"an id that two notes carry", "twin", ErrAmbiguous, "/vault/t1 /vault/t2"},
		{"one of the two by its path: still a guess for every other reader", "/vault/t1", ErrAmbiguous, "/vault/t1 /vault/t2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t,
					[]*Record{note("am1"), note("am2"), note("t1", withID("twin")), note("t2", withID("Twin"))},
					[]*Record{session("session_k")})
				_, err := d.Close(t.Context(), tt.ref, "", false)
				if got := paths(refusal(t, err, tt.want).Candidates); got != tt.candidates {
					t.Errorf("candidates = %q, want %q", got, tt.candidates)
				}
				if len(d.notes.closes) != 0 {
					t.Errorf("the Source was asked: %+v", d.notes.closes)
				}
			})
		})
	}
}

// TestCloseFails: the Source's own refusal comes through, and the Index looks again all the same.
func TestCloseFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a")}, nil)
		d.notes.fail = &Error{Err: ErrClosed, Session: "a", Detail: "its status is done"}
		if _, err := d.Close(t.Context(), "a", "", true); Code(err) != "SESSION_ALREADY_CLOSED" {
			t.Errorf("dry run: %v", err)
		}
		if _, err := d.Close(t.Context(), "a", "", false); Code(err) != "SESSION_ALREADY_CLOSED" {
			t.Errorf("close: %v", err)
		}
	})
}

// TestFindReadsAgain: verbs act on what the disk says now, and never on another session that took the place (B40).
func TestFindReadsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a"), note("b"), note("c")}, nil)
		d.notes.put(note("a", done))
		if row, err := d.Find(t.Context(), "a"); err != nil || row.Status != Closed {
			t.Errorf("changed: %+v, %v", row, err)
		}
		d.notes.remove("b")
		_, err := d.Find(t.Context(), "b")
		refusal(t, err, ErrNotFound)
		d.notes.put(note("c", withID("x")))
		_, err = d.Close(t.Context(), "c", "", false)
		if e := refusal(t, err, ErrStale); !strings.Contains(e.Detail, `its id is "x", and was "c"`) {
			t.Errorf("detail = %s", e.Detail)
		}
		if len(d.notes.closes) != 0 {
			t.Error("another session was closed")
		}
	})
}

func TestMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a"), note("t1", withID("twin")), note("t2", withID("twin"))}, []*Record{session("session_k")})
		if edit, err := d.Mark(t.Context(), "a", true); err != nil || edit.Message != "would mark" {
			t.Errorf("dry run: %+v, %v", edit, err)
		}
		if edit, err := d.Mark(t.Context(), "a", false); err != nil || edit.Message != "marked" {
			t.Errorf("mark: %+v, %v", edit, err)
		}
		if want := (MarkRequest{Now: time.Now(), ID: "a"}); len(d.notes.marks) != 2 || d.notes.marks[1] != want {
			t.Errorf("requests = %+v, want %+v", d.notes.marks, want)
		}
		_, err := d.Mark(t.Context(), "session_k", false)
		refusal(t, err, ErrNotCapable)
		_, err = d.Mark(t.Context(), "/vault/t1", false)
		refusal(t, err, ErrAmbiguous)
	})
}

// TestPlanResumeNote: the command of the client, in the folder of the project, with a prompt that names the id.
func TestPlanResumeNote(t *testing.T) {
	byName := func(client, agent string) func(*Record) {
		return func(r *Record) { r.ClientName, r.Agent = client, agent }
	}
	tests := []struct {
		name string
		note *Record
		argv []string
	}{
		{"by its agent", note("a"), []string{"claude", "PROMPT"}},
		{"by its client, which comes first", note("a", byName("Gemini", "claude")), []string{"gemini", "-i", "PROMPT"}},
		{"a client whose command takes the id", note("a", byName("own", "")), []string{"own-client", "--resume=a", "now"}},
		{"a client without a prompt", note("a", byName("", "kimi")), []string{"kimi"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, []*Record{tt.note}, nil)
				d.Clients["own"] = ClientCommand{Argv: []string{"own-client", "--resume={id}", "now"}}
				l, err := d.PlanResume(t.Context(), "a", "")
				if err != nil {
					t.Fatal(err)
				}
				for i, a := range l.Argv {
					if strings.Contains(a, `session_id "a"`) {
						l.Argv[i] = "PROMPT"
					}
				}
				if !slices.Equal(l.Argv, tt.argv) || l.Dir != d.dir || l.SessionID != "a" || l.Title != "a" || l.Env != nil || l.Warnings != nil {
					t.Errorf("launch = %+v, want %q in %s", l, tt.argv, d.dir)
				}
			})
		})
	}
}

func TestPlanResumeInAnotherFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a", func(r *Record) { r.Project = "unheard of" })}, nil)
		other := t.TempDir()
		if l, err := d.PlanResume(t.Context(), "a", other); err != nil || l.Dir != other {
			t.Errorf("launch = %+v, %v; want it in %s", l, err, other)
		}
	})
}

func TestPlanResumeKimi(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		d := newDesk(t, nil, []*Record{session("session_k", titled("Fix login"), func(r *Record) { r.WorkDir = dir })})
		got, err := d.PlanResume(t.Context(), "k", "")
		want := &Launch{
			SessionID: "session_k", Title: "Fix login", Dir: dir,
			Argv: []string{"kimi", "-S", "session_k"}, Env: []string{"KIMI_CODE_HOME=/home"},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("launch = %+v, %v; want %+v", got, err, want)
		}
	})
}

// TestPlanResumeRefusals: what blocks is said, and nothing else is started instead.
func TestPlanResumeRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	dangling := filepath.Join(dir, "dangling")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(filepath.Join(dir, "gone"), dangling)); err != nil {
		t.Fatal(err)
	}
	in := func(dir string) func(*Record) { return func(r *Record) { r.WorkDir = dir } }
	tests := []struct {
		name   string
		note   *Record
		kimi   *Record
		want   error
		detail string
	}{
		{name: "B37: it is occupied", kimi: session("a", in(dir), lockedBy(40)), want: ErrOccupied, detail: "occupied by a process (pid 40)"},
		{name: "B37: it is occupied, and archived", kimi: session("a", in(dir), lockedBy(40), archived), want: ErrOccupied, detail: "(pid 40)"},
		{name: "B37: a client works on it", kimi: session("a", openTurn, in("/p")), want: ErrOccupied, detail: "occupied by Kimi (pid 50)"},
		{name: "its holder is on another host", want: ErrOccupied, detail: "occupied by kimi 2.2 (pid 40) on far",
			kimi: session("a", in(dir), func(r *Record) {
				r.Lock = &locks.File{Record: locks.Record{PID: 40, Hostname: "far", Client: "kimi 2.2"}}
			})},
		{name: "it is closed", note: note("a", done), want: ErrClosed, detail: "its status is done"},
		{name: "B143: its status is a word that we do not know", note: note("a", func(r *Record) { r.StatusWord, r.Open = "paused", false }), want: ErrClosed, detail: "its status is paused"},
		{name: "a legacy note without an id", note: note("a", withID("")), want: ErrRefused, detail: "no session_id"},
		{name: "nobody knows its client", note: note("a", func(r *Record) { r.ClientName, r.Agent = "x", "y" }), want: ErrRefused, detail: `client "x", agent "y"`},
		{name: "its client has an empty command", note: note("a", func(r *Record) { r.ClientName, r.Agent = "empty", "" }), want: ErrRefused, detail: `client "empty"`},
		{name: "nobody knows the folder of its project", note: note("a", func(r *Record) { r.Project = "other" }), want: ErrNoFolder, detail: `folder of project "other"`},
		{name: "its folder is not known", kimi: session("a", in("")), want: ErrRefused, detail: "not known"},
		{name: "B32, B155: its folder is gone", kimi: session("a", in(filepath.Join(dir, "gone"))), want: ErrRefused, detail: "not there: " + filepath.Join(dir, "gone")},
		{name: "B32: its folder is a file now", kimi: session("a", in(file)), want: ErrRefused, detail: "not there: " + file},
		{name: "B32: its folder is a dangling link", kimi: session("a", in(dangling)), want: ErrRefused, detail: "not there: " + dangling},
		{name: "its folder depends on where we are", kimi: session("a", in(".")), want: ErrRefused, detail: "not an absolute path"},
		{name: "its id looks like an option", note: note("a", withID("--yolo")), want: ErrRefused, detail: "option"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, slices.DeleteFunc([]*Record{tt.note}, isNil), slices.DeleteFunc([]*Record{tt.kimi}, isNil))
				d.Clients["empty"] = ClientCommand{}
				d.procs.start(40, "/elsewhere")
				d.procs.start(50, "/p")
				l, err := d.PlanResume(t.Context(), d.only().Path, "")
				if e := refusal(t, err, tt.want); l != nil || !strings.Contains(e.Detail, tt.detail) {
					t.Errorf("launch %+v, detail %q; want %q in it", l, e.Detail, tt.detail)
				}
			})
		})
	}
}

func TestCheckClient(t *testing.T) {
	l := &Launch{Title: "Fix login", Argv: []string{"codex", "go on"}}
	if err := l.CheckClient(func(name string) (string, error) { return "/usr/bin/" + name, nil }); err != nil {
		t.Error(err)
	}
	err := l.CheckClient(func(string) (string, error) { return "", exec.ErrNotFound })
	if e := refusal(t, err, ErrRefused); !strings.Contains(e.Detail, `"codex" is not found on PATH`) {
		t.Errorf("detail %q", e.Detail)
	}
}

func isNil(r *Record) bool { return r == nil }

// only returns the one row there is.
func (d *desk) only() *Session { return d.index.Snapshot().Sorted(nil)[0] }

// TestPlanResumeWarnings: what may be resumed, but not without a word.
func TestPlanResumeWarnings(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Record)
		blind  bool
		want   string
	}{
		{"nothing to say", func(*Record) {}, false, ""},
		{"archived", archived, false, "is archived"},
		{"two writers", func(r *Record) { r.Facts = []Fact{FactTwoWriters} }, false, "two writers"},
		{"damaged", func(r *Record) { r.Facts, r.Problems = []Fact{FactDamaged}, []string{"line 7 is torn"} }, false, "line 7 is torn"},
		{"a dead lock", lockedBy(99), false, "dead holder"},
		{"an interrupted turn", busyTurn, false, ""},
		{"B58: a turn whose writer cannot be seen", busyTurn, true, "cannot be seen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, nil, []*Record{session("a", func(r *Record) { r.WorkDir = t.TempDir() }, tt.change)})
				if tt.blind {
					d.procs.start(50, "") // a client whose folder cannot be seen
				}
				l, err := d.PlanResume(t.Context(), "a", "")
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(l.Warnings, "\n"); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
					t.Errorf("warnings = %q, want %q", l.Warnings, tt.want)
				}
			})
		})
	}
}

func busyTurn(r *Record) {
	openTurn(r)
	r.Work.Busy = Yes
}

// TestLaunchJSON: the object that the local API sends.
func TestLaunchJSON(t *testing.T) {
	b, err := json.Marshal(Launch{SessionID: "a", Title: "t", Dir: "/p", Argv: []string{"kimi"}})
	if want := `{"session_id":"a","title":"t","dir":"/p","argv":["kimi"]}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
