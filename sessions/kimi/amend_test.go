package kimi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
	"berth/sessions/kimi/kimitest"
)

// processes is a census that a test makes up. arrive is called at every look.
type processes struct {
	clients []locks.Client
	blind   bool
	looks   atomic.Int32
	arrive  func(look int)
}

func (p *processes) Look() {
	if n := p.looks.Add(1); p.arrive != nil {
		p.arrive(int(n))
	}
}

func (p *processes) Clients() ([]locks.Client, time.Time) {
	if p.blind {
		return p.clients, time.Time{}
	}
	return p.clients, time.Now()
}

func (p *processes) Identify(pid int) (locks.Identity, bool) {
	return locks.Identity{PID: pid, Start: 1}, pid == os.Getpid()
}

// unseen is a pid that no process has, so that its environment cannot be read.
const unseen = 1 << 30

func client(dir string, anywhere bool) locks.Client {
	return locks.Client{Identity: locks.Identity{PID: unseen}, Program: "kimi", Name: "Kimi", Dir: dir, Anywhere: anywhere}
}

// amending is a home with one session, and who runs beside it.
type amending struct {
	*Source
	procs *processes
	home  string
	key   string
	made  kimitest.Session
}

const amendID = "session_0f3b1c52-0d2f-4c35-8a55-4f0d62a1f9aa"

func newAmending(t *testing.T, state map[string]any) *amending {
	t.Helper()
	a := &amending{procs: &processes{}, home: t.TempDir()}
	a.made = kimitest.Session{Bucket: "wd_shop_0123456789ab", ID: amendID, WorkDir: "/home/dev/shop", State: state,
		Wire: kimitest.Header("1.5") + kimitest.Turn(0, 1, "hello")}
	a.key = a.made.Make(t, a.home)
	a.Source = New(Config{Home: a.home, System: locks.NewSystem()})
	a.Source.census = a.procs
	return a
}

func (a *amending) path() string { return filepath.Join(a.made.Dir(a.home), "state.json") }

func (a *amending) request(kind sessions.AmendKind) sessions.Amendment {
	return sessions.Amendment{Kind: kind, Title: "New name", ID: amendID, Now: time.UnixMilli(1795966999000)}
}

// state reads what the file holds.
func (a *amending) state(t *testing.T) map[string]any {
	t.Helper()
	b, err := os.ReadFile(a.path())
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// files are all that is in the home, with what is in them.
func files(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(home, path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAmend: what changes, and that nothing but state.json and a mark do.
func TestAmend(t *testing.T) {
	for _, tt := range []struct {
		kind    sessions.AmendKind
		state   map[string]any
		want    map[string]any // nil: absent
		message string
	}{
		{sessions.AmendArchive, nil, map[string]any{"archived": true, "archivedAt": 1795966999000.0}, "session archived"},
		{sessions.AmendArchive, map[string]any{"version": nil, "updatedAt": "2026-11-29T15:42:28.121Z"},
			map[string]any{"archived": true, "archivedAt": nil, "updatedAt": "2026-11-29T15:43:19.000Z"}, "session archived"},
		{sessions.AmendRestore, map[string]any{"archived": true, "archivedAt": 12, "later": "kept"},
			map[string]any{"archived": false, "archivedAt": nil, "later": "kept"}, "session restored"},
		{sessions.AmendRename, map[string]any{"title": "old"},
			map[string]any{"title": "New name", "titleKind": "custom", "isCustomTitle": true}, "session renamed"},
		{sessions.AmendRename, map[string]any{"version": nil}, map[string]any{"title": "New name", "titleKind": nil, "isCustomTitle": true}, "session renamed"},
	} {
		t.Run(fmt.Sprintf("%s %v", tt.kind, tt.state), func(t *testing.T) {
			a := newAmending(t, tt.state)
			before := files(t, a.home)
			plan, err := a.PlanAmend(t.Context(), a.key, a.request(tt.kind))
			if err != nil {
				t.Fatal(err)
			}
			if after := files(t, a.home); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Fatalf("the plan wrote: %v", after)
			}
			edit, err := a.AmendSession(t.Context(), a.key, a.request(tt.kind))
			if err != nil || !strings.HasPrefix(edit.Message, tt.message) || len(edit.Warnings) > 0 {
				t.Fatalf("%+v, %v", edit, err)
			}
			got := a.state(t)
			for k, want := range tt.want {
				if got[k] != want {
					t.Errorf("%s is %v, want %v", k, got[k], want)
				}
			}
			after := files(t, a.home)
			if after[a.key+"/state.json"] != string(plan.After) {
				t.Errorf("wrote %s, planned %s", after[a.key+"/state.json"], plan.After)
			}
			onlyAmended(t, a, before, after)
			if again, err := a.AmendSession(t.Context(), a.key, a.request(tt.kind)); err != nil || !unchanged(again) {
				t.Errorf("the second time: %+v, %v", again, err)
			}
		})
	}
}

// onlyAmended fails when anything but the metadata changed, and a mark came.
func onlyAmended(t *testing.T, a *amending, before, after map[string]string) {
	t.Helper()
	marks := 0
	for rel, content := range after {
		switch {
		case strings.HasPrefix(rel, "sessions/.index-dirty/"+amendID+"."):
			marks++
		case rel == a.key+"/state.json", before[rel] == content:
		default:
			t.Errorf("%s changed or came", rel)
		}
	}
	if marks != 1 || len(after) != len(before)+1 {
		t.Errorf("%d marks, %d files before, %d after", marks, len(before), len(after))
	}
}

// TestAmendRefused: who and what stands in the way. Nothing is written then, and no lock is left.
func TestAmendRefused(t *testing.T) {
	elsewhere := fmt.Sprintf(`{"version":1,"token":"t","pid":4242,"hostname":"elsewhere","startedAt":%d}`, time.Now().UnixMilli())
	for _, tt := range []struct {
		name  string
		setUp func(*testing.T, *amending)
		want  error
		words string
	}{
		{"a client in its folder", func(_ *testing.T, a *amending) { a.procs.clients = []locks.Client{client("/home/dev/shop", false)} },
			sessions.ErrOccupied, "may be open in Kimi"},
		{"a client that works anywhere", func(_ *testing.T, a *amending) { a.procs.clients = []locks.Client{client("/", true)} },
			sessions.ErrOccupied, "may be open in Kimi"},
		{"a client whose folder is not known", func(_ *testing.T, a *amending) { a.procs.clients = []locks.Client{client("", false)} },
			sessions.ErrOccupied, "may be open in Kimi"},
		{"processes cannot be listed", func(_ *testing.T, a *amending) { a.procs.blind = true }, sessions.ErrRefused, "cannot be listed"},
		{"a client comes while the lock is taken", func(_ *testing.T, a *amending) {
			a.procs.arrive = func(look int) {
				if look > 1 {
					a.procs.clients = []locks.Client{client("/home/dev/shop", false)}
				}
			}
		}, sessions.ErrOccupied, "may be open in Kimi"},
		{"a journal grows while the lock is taken", func(t *testing.T, a *amending) {
			a.procs.arrive = func(look int) {
				if look > 1 {
					kimitest.Append(t, a.made.WirePath(a.home), kimitest.Prompt(1, 9, "again"))
				}
			}
		}, sessions.ErrStale, "just written"},
		{"a lock of another host", func(t *testing.T, a *amending) {
			kimitest.Write(t, filepath.Join(a.home, "locks/sessions", amendID+".lock"), []byte(elsewhere))
		}, sessions.ErrOccupied, "pid 4242"},
		{"a lock that cannot be read", func(t *testing.T, a *amending) {
			kimitest.Write(t, filepath.Join(a.home, "locks/sessions", amendID+".lock"), []byte("{"))
		}, sessions.ErrOccupied, "unknown"},
		{"no metadata", func(_ *testing.T, a *amending) { os.Remove(a.path()) }, sessions.ErrNoState, "no state.json"},
		{"torn metadata", func(t *testing.T, a *amending) { kimitest.Write(t, a.path(), []byte(`{"id":"`)) }, sessions.ErrBadState, "not valid JSON"},
		{"metadata of another session", func(t *testing.T, a *amending) {
			kimitest.Write(t, a.path(), []byte(`{"id":"session_other","version":2}`))
		}, sessions.ErrBadState, "another session"},
		{"metadata of a version to come", func(t *testing.T, a *amending) {
			kimitest.Write(t, a.path(), []byte(`{"version":3}`))
		}, sessions.ErrBadState, "version 3"},
		{"a hard link", func(_ *testing.T, a *amending) { os.Link(a.path(), filepath.Join(a.home, "other")) }, sessions.ErrRefused, "2 names"},
		{"only a reader", func(_ *testing.T, a *amending) { a.Source.census = nil }, sessions.ErrNotCapable, "only read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAmending(t, nil)
			tt.setUp(t, a)
			state, _ := os.ReadFile(a.path())
			marksAndLocks := len(files(t, a.home))
			_, err := a.AmendSession(t.Context(), a.key, a.request(sessions.AmendArchive))
			var e *sessions.Error
			if !errors.Is(err, tt.want) || !errors.As(err, &e) || !strings.Contains(e.Detail, tt.words) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.words)
			}
			if now, _ := os.ReadFile(a.path()); string(now) != string(state) {
				t.Errorf("the metadata is %s", now)
			}
			if n := len(files(t, a.home)); n != marksAndLocks {
				t.Errorf("%d files, and %d before", n, marksAndLocks)
			}
		})
	}
}

// TestAmendBesideOthers: clients that work elsewhere, and those of other programs, are in nobody's way.
func TestAmendBesideOthers(t *testing.T) {
	a := newAmending(t, nil)
	stranger := client("/home/dev/shop", true)
	stranger.Program = "claude"
	a.procs.clients = []locks.Client{client("/home/dev/other", false), stranger}
	if _, err := a.AmendSession(t.Context(), a.key, a.request(sessions.AmendArchive)); err != nil {
		t.Error(err)
	}
}

func TestAmendTitle(t *testing.T) {
	a := newAmending(t, nil)
	for title, want := range map[string]error{
		"": sessions.ErrTitleEmpty, " \t": sessions.ErrTitleEmpty, "two\nlines": sessions.ErrRefused,
		strings.Repeat("字", 201): sessions.ErrRefused, "bad \xff": sessions.ErrRefused, strings.Repeat("字", 200): nil, " <b> & \"x\" ": nil,
	} {
		r := a.request(sessions.AmendRename)
		r.Title = title
		if _, err := a.AmendSession(t.Context(), a.key, r); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", title, err, want)
		}
		if want == nil && a.state(t)["title"] != strings.TrimSpace(title) {
			t.Errorf("%q became %q", title, a.state(t)["title"])
		}
	}
}

// TestAmendManyAtOnce: of many renames at once each is whole, and none takes back what is not its own.
func TestAmendManyAtOnce(t *testing.T) {
	a := newAmending(t, nil)
	done := make(chan error)
	const n = 8
	for i := range n {
		go func() {
			r := a.request(sessions.AmendRename)
			r.Title = "name " + strconv.Itoa(i)
			_, err := a.AmendSession(context.Background(), a.key, r)
			done <- err
		}()
	}
	ok := 0
	for range n {
		switch err := <-done; {
		case err == nil:
			ok++
		case !errors.Is(err, sessions.ErrStale):
			t.Error(err)
		}
	}
	if title := a.state(t)["title"]; ok == 0 || !regexp.MustCompile(`^name \d$`).MatchString(fmt.Sprint(title)) {
		t.Errorf("%d succeeded, and the title is %v", ok, title)
	}
}

// serve starts a server of the home; it answers, and then does what write says.
func (a *amending) serve(t *testing.T, answer string, write func()) (asked *[]string) {
	t.Helper()
	asked = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		*asked = append(*asked, fmt.Sprint(r.Method, " ", r.URL.Path, " ", body, " ", r.Header.Get("Authorization")))
		if r.Method == http.MethodPost && write != nil {
			write()
		}
		w.Write([]byte(answer))
	}))
	t.Cleanup(srv.Close)
	host, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	kimitest.Write(t, filepath.Join(a.home, "server.token"), []byte("secret"))
	kimitest.Write(t, filepath.Join(a.home, serversRel, "01M8KZJ176RZ2B6YS069JTAVE1.json"),
		fmt.Appendf(nil, `{"pid":%d,"host":%q,"port":%s,"started_at":1}`, os.Getpid(), host, port))
	return asked
}

func (a *amending) put(t *testing.T, text string) func() {
	return func() { kimitest.Write(t, a.path(), []byte(text)) }
}

// TestAmendThroughServer: a server of the home makes the change, when it may be asked, and what it wrote is read back.
func TestAmendThroughServer(t *testing.T) {
	const ok = `{"code":0,"msg":"success","data":{}}`
	archived, renamed := `{"id":"`+amendID+`","version":2,"archived":true,"archivedAt":5}`, `{"id":"`+amendID+`","version":2,"title":"New name","titleKind":"custom","isCustomTitle":true}`
	for _, tt := range []struct {
		name, answer, writes string
		kind                 sessions.AmendKind
		use                  bool
		want                 error
		asked                string
	}{
		{"archive", ok, archived, sessions.AmendArchive, true, nil, "POST /api/v1/sessions/" + amendID + ":archive map[] Bearer secret"},
		{"rename", ok, renamed, sessions.AmendRename, true, nil, "POST /api/v1/sessions/" + amendID + "/profile map[title:New name] Bearer secret"},
		{"not allowed", ok, archived, sessions.AmendArchive, false, sessions.ErrAskServer, ""},
		{"it refuses", `{"code":40401,"msg":"session not found"}`, "", sessions.AmendArchive, true, sessions.ErrRefused, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAmending(t, nil)
			write := a.put(t, tt.writes)
			if tt.writes == "" {
				write = nil
			}
			asked := a.serve(t, tt.answer, write)
			a.procs.clients = []locks.Client{{Identity: locks.Identity{PID: os.Getpid()}, Program: "kimi", Name: "Kimi server", Anywhere: true}}
			r := a.request(tt.kind)
			r.UseServer = tt.use
			edit, err := a.AmendSession(t.Context(), a.key, r)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %+v, %v; want %v", edit, err, tt.want)
			}
			if err == nil && (string(edit.After) != tt.writes || !strings.Contains(edit.Message, "Kimi server")) {
				t.Errorf("after %s, message %q", edit.After, edit.Message)
			}
			if last := strings.Join(*asked, "\n"); !strings.HasSuffix(last, tt.asked) || tt.want == sessions.ErrAskServer && strings.Contains(last, "secret") {
				t.Errorf("asked %q, want %q", last, tt.asked)
			}
		})
	}
}

// TestAmendLeftoverServer: the file of a server that was killed names a process that has its pid now and answers nothing.
func TestAmendLeftoverServer(t *testing.T) {
	a := newAmending(t, nil)
	kimitest.Write(t, filepath.Join(a.home, serversRel, "old.json"), fmt.Appendf(nil, `{"pid":%d,"host":"127.0.0.1","port":1}`, os.Getpid()))
	if _, err := a.AmendSession(t.Context(), a.key, a.request(sessions.AmendArchive)); err != nil {
		t.Error(err)
	}
	// A client that is known to run and does not answer is in the way.
	b := newAmending(t, nil)
	kimitest.Write(t, filepath.Join(b.home, serversRel, "old.json"), fmt.Appendf(nil, `{"pid":%d,"host":"127.0.0.1","port":1}`, os.Getpid()))
	kimitest.Write(t, filepath.Join(b.home, "server.token"), []byte("secret"))
	b.procs.clients = []locks.Client{{Identity: locks.Identity{PID: os.Getpid()}, Program: "kimi", Anywhere: true}}
	r := b.request(sessions.AmendArchive)
	r.UseServer = true
	if _, err := b.AmendSession(t.Context(), b.key, r); !errors.Is(err, sessions.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestMayUse(t *testing.T) {
	lookup := environ([]byte("HOME=/home/dev\x00EMPTY=\x00ODD\x00KIMI_CODE_HOME=/h\x00"))
	for name, want := range map[string]string{"HOME": "/home/dev", "EMPTY": "", "KIMI_CODE_HOME": "/h"} {
		if got, ok := lookup(name); !ok || got != want {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if _, ok := lookup("ODD"); ok {
		t.Error("a name without a value has one")
	}
	if !New(Config{Home: t.TempDir()}).mayUse(unseen) {
		t.Error("a process whose environment cannot be read may use any home")
	}
}
