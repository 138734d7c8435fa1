package kimi

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
	"berth/sessions/kimi/kimitest"
)

func (a *amending) forking() sessions.Forking {
	return sessions.Forking{ID: amendID, Now: time.UnixMilli(1795966999000)}
}

// TestFork: what is copied, what is changed, and that nothing else in the home is.
func TestFork(t *testing.T) {
	a := newAmending(t, map[string]any{"title": "A <b>", "titleKind": "custom", "isCustomTitle": true, "archived": true, "archivedAt": 12,
		"later": "kept", "lastPrompt": "hello", "custom": map[string]any{"goal": "x", "tag": "demo"},
		"agents": map[string]any{"main": map[string]any{"homedir": "/old/agents/main", "type": "main"}, "agent-1": map[string]any{"homedir": "/old/x", "type": "sub"}}})
	dir := a.made.Dir(a.home)
	sub := kimitest.Header("1.5")
	for rel, content := range map[string]string{
		"agents/agent-1/wire.jsonl": sub, "agents/main/wire.jsonl.bak": "{", "agents/main/tasks/t1.json": "{}", "notify/state.json": `{"enabled":true}`,
		"logs/kimi-code.log": "no", "upcoming-goals.json": "no", "state.json.tmp.1.abcdef01": "no",
	} {
		kimitest.Write(t, filepath.Join(dir, rel), []byte(content))
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before := files(t, a.home)
	fork, err := a.ForkSession(t.Context(), a.key, a.forking())
	if err != nil || len(fork.Warnings) > 0 {
		t.Fatal(err, fork)
	}
	after := files(t, a.home)
	rel := strings.TrimSuffix(a.key, amendID) + fork.SessionID + "/"
	const forked = `{"type":"forked","agentId":%q,"time":1795966999000}` + "\n"
	for name, want := range map[string]string{
		"agents/main/wire.jsonl": a.made.Wire + fmt.Sprintf(forked, "main"), "agents/agent-1/wire.jsonl": sub + fmt.Sprintf(forked, "agent-1"),
		"agents/main/wire.jsonl.bak": "{", "agents/main/tasks/t1.json": "{}", "notify/state.json": `{"enabled":true}`,
	} {
		if after[rel+name] != want {
			t.Errorf("%s is %q, want %q", name, after[rel+name], want)
		}
		delete(after, rel+name)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(after[rel+"state.json"]), &got); err != nil {
		t.Fatal(err)
	}
	agents := got["agents"].(map[string]any)
	for what, pair := range map[string][2]any{
		"id": {got["id"], fork.SessionID}, "title": {got["title"], "Fork: A <b>"}, "titleKind": {got["titleKind"], "replaceable"},
		"isCustomTitle": {got["isCustomTitle"], false}, "archived": {got["archived"], false}, "archivedAt": {got["archivedAt"], nil},
		"forkedFrom": {got["forkedFrom"], amendID}, "createdAt": {got["createdAt"], 1795966999000.0}, "later": {got["later"], "kept"},
		"updatedAt": {got["updatedAt"], float64(kimitest.Began.UnixMilli())}, "lastPrompt": {got["lastPrompt"], "hello"},
		"custom": {fmt.Sprint(got["custom"]), "map[tag:demo]"}, "main": {agents["main"].(map[string]any)["homedir"], fork.Path + "/agents/main"},
		"agent-1": {agents["agent-1"].(map[string]any)["homedir"], fork.Path + "/agents/agent-1"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %v, want %v", what, pair[0], pair[1])
		}
	}
	delete(after, rel+"state.json")
	line := fmt.Sprintf(`{"sessionId":%q,"sessionDir":%q,"workDir":"/home/dev/shop"}`, fork.SessionID, fork.Path) + "\n"
	if after[indexName] != before[indexName]+line {
		t.Errorf("the index is %q", after[indexName])
	}
	after[indexName] = before[indexName]
	mark := "sessions/.index-dirty/" + fork.SessionID + ".1795966999000"
	if _, there := after[mark]; !there {
		t.Error("there is no mark")
	}
	delete(after, mark)
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("something else changed or came: %v", after)
	}
}

// TestForkRefused: what would not become a whole session is not forked, and leaves nothing behind.
func TestForkRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setUp func(*testing.T, *amending)
		want  error
		words string
	}{
		{"a torn journal", func(t *testing.T, a *amending) {
			kimitest.Write(t, a.made.WirePath(a.home), []byte(a.made.Wire+`{"type":"tur`))
		}, sessions.ErrRefused, "damaged"},
		{"a journal that is being written", func(t *testing.T, a *amending) { kimitest.Append(t, a.made.WirePath(a.home), `{"type":"tur`) },
			sessions.ErrRefused, "being written"},
		{"an older client's", func(t *testing.T, a *amending) { kimitest.Write(t, a.path(), []byte(`{"workDir":"/w"}`)) }, sessions.ErrRefused, "older client"},
		{"an agent that is no folder", func(t *testing.T, a *amending) {
			kimitest.Write(t, a.path(), []byte(`{"version":2,"cwd":"/w","agents":{"../x":{"homedir":"/"}}}`))
		}, sessions.ErrBadState, "carried over"},
		{"a lock", func(t *testing.T, a *amending) {
			kimitest.Write(t, filepath.Join(a.home, "locks/sessions", amendID+".lock"), []byte(`{"version":1,"token":"t","pid":4,"hostname":"elsewhere","startedAt":1}`))
		}, sessions.ErrOccupied, "held"},
		{"processes cannot be listed", func(_ *testing.T, a *amending) { a.procs.blind = true }, sessions.ErrRefused, "cannot be listed"},
		{"only a reader", func(_ *testing.T, a *amending) { a.Source.census = nil }, sessions.ErrNotCapable, "only read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAmending(t, nil)
			tt.setUp(t, a)
			before := files(t, a.home)
			_, err := a.ForkSession(t.Context(), a.key, a.forking())
			var e *sessions.Error
			if !errors.Is(err, tt.want) || !errors.As(err, &e) || !strings.Contains(e.Detail, tt.words) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.words)
			}
			if fmt.Sprint(files(t, a.home)) != fmt.Sprint(before) {
				t.Error("the home changed")
			}
			if left, _ := filepath.Glob(filepath.Join(a.home, "sessions", ".fork-*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestForkBesideClient: a client that has the origin open is in nobody's way, since it is only read.
func TestForkBesideClient(t *testing.T) {
	a := newAmending(t, nil)
	a.procs.clients = []locks.Client{client("/home/dev/shop", false)}
	f := a.forking()
	f.Title = "Another way"
	plan, err := a.PlanFork(t.Context(), a.key, f)
	if err != nil || plan.Title != f.Title || plan.Files != 1 {
		t.Fatalf("planned %+v, %v", plan, err)
	}
	fork, err := a.ForkSession(t.Context(), a.key, f)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := a.Load(strings.TrimSuffix(a.key, amendID)+fork.SessionID, time.Now()); err != nil || rec.Title != f.Title || rec.ForkedFrom != amendID || len(rec.Problems) > 0 {
		t.Errorf("read back %+v, %v", rec, err)
	}
}

// TestForkThroughServer: a server of the home makes it, when it may be asked.
func TestForkThroughServer(t *testing.T) {
	a := newAmending(t, nil)
	asked := a.serve(t, `{"code":0,"msg":"success","data":{"id":"session_new","title":"Fork: x"}}`, nil)
	a.procs.clients = []locks.Client{{Identity: locks.Identity{PID: os.Getpid()}, Program: "kimi", Anywhere: true}}
	f := a.forking()
	if _, err := a.ForkSession(t.Context(), a.key, f); !errors.Is(err, sessions.ErrAskServer) {
		t.Errorf("not asked: %v", err)
	}
	f.UseServer = true
	fork, err := a.ForkSession(t.Context(), a.key, f)
	if err != nil || fork.SessionID != "session_new" || fork.Title != "Fork: x" || fork.By == "" || filepath.Base(fork.Path) != "session_new" {
		t.Errorf("%+v, %v", fork, err)
	}
	if want := "POST /api/v1/sessions/" + amendID + ":fork map[] Bearer secret"; len(*asked) != 1 || (*asked)[0] != want {
		t.Errorf("asked %q, want %q", *asked, want)
	}
}
