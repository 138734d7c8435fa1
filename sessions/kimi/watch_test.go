package kimi_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
	"berth/watcher"
)

// TestWatch is the table of what is watched, and of what is noise (bug B104).
func TestWatch(t *testing.T) {
	root := kimi.New(kimi.Config{Home: "/home/dev/.kimi-code"}).Watch()
	const s = "sessions/wd_a_0123456789ab/session_a"
	for mode, rels := range map[watcher.Mode][]string{
		watcher.Pinned: {
			".", "sessions", "sessions/wd_a_0123456789ab", "sessions/.index-dirty", "locks", "locks/sessions",
			"server", "server/instances",
		},
		watcher.Budgeted: {s, s + "/agents", s + "/agents/main", s + "/agents/agent-1", s + "/session-meta"},
		watcher.Skip: {
			"logs", "cache", "cache/query-store", "search-index", "blobs", "store", "credentials", "user-history",
			"file-history", "server/events", "sessions/.index-cache", "sessions/.hidden", "sessions/wd_a.bak",
			s + ".bak", s + "/logs", s + "/notify", s + "/tasks", s + "/agents/main/tasks", s + "/agents/main/file-history",
			s + "/agents/main/tasks/t1", "locks/other", "sessions/wd_a_0123456789ab/.hidden",
		},
	} {
		for _, rel := range rels {
			if got := root.Dir(rel); got != mode {
				t.Errorf("folder %s: mode %d, want %d", rel, got, mode)
			}
		}
	}
	for ignored, rels := range map[bool][]string{
		false: {
			"session_index.jsonl", "sessions", "sessions/index.jsonl", "sessions/wd_a_0123456789ab", s, s + "/state.json",
			s + "/state.json.tmp.12729.4fb86cef", s + "/session-meta/state.json", s + "/agents/main/wire.jsonl",
			s + "/lease.json", s + "/agents/agent-1/wire.jsonl", "sessions/.index-dirty/session_a.1795966976494", "locks",
			"locks/sessions/session_a.lock", "server/instances/01M8KZJ176RZ2B6YS069JTAVE1.json",
			"workspaces.json.tmp.12729.6a2ba970",
		},
		true: {
			"workspaces.json", "workspaces.json.tmp.garbage", "x/workspaces.json.tmp.12729.6a2ba970", "config.toml", "server.token", "device_id", "tui.toml",
			"logs/kimi-code.log", "cache/query-store/shard-00/db.wal", "search-index/db.lock", "server/lock",
			"server/events/__global__.jsonl", "sessions/.DS_Store", "sessions/.index-cache/scan.json",
			"sessions/.index-cache/scan.json.tmp.12729.8d4052ad", "sessions/.index-dirty/garbage",
			"sessions/.index-dirty/session_a.1795966976494/x", "sessions/wd_a_0123456789ab/.DS_Store",
			s + "/upcoming-goals.json", s + "/logs/kimi-code.log", s + "/notify/state.json",
			s + "/agents/main/wire.jsonl.bak", s + "/agents/main/tasks/t1/output.log", s + "/state.json.tmp.garbage",
			s + "/state.json.tmp.-5.4fb86cef", "locks/sessions/session_a.lock.tmp-4242-1",
			"locks/sessions/session_a.lock.reclaim", "locks/sessions/.lock", "server/instances/x.tmp",
		},
	} {
		for _, rel := range rels {
			if got := root.Ignore(rel); got != ignored {
				t.Errorf("file %s: ignored %v, want %v", rel, got, ignored)
			}
		}
	}
}

// TestChanged is the table of what events mean.
func TestChanged(t *testing.T) {
	const create, write, remove = watcher.Create, watcher.Write, watcher.Remove
	const key = "sessions/wd_a_0123456789ab/session_a"
	a := sessions.Change{Keys: []string{key}}
	id := sessions.Change{IDs: []string{"session_a"}}
	all, none := sessions.Change{All: true}, sessions.Change{}
	src, home, _ := oneSession(t)
	for _, c := range []struct {
		rel  string
		op   watcher.Op
		want sessions.Change
	}{
		{key + "/state.json", create | write, a},
		{key + "/state.json", remove, a},
		{key + "/state.json.tmp.12729.4fb86cef", create, sessions.Change{Keys: []string{key}, Writer: 12729}},
		{key + "/state.json.tmp.12729.4fb86cef", create | remove, sessions.Change{Keys: []string{key}, Writer: 12729}},
		{key + "/state.json.tmp.12729.4fb86cef", write | remove, sessions.Change{Keys: []string{key}, Writer: 12729, Late: true}},
		{key + "/agents/main/wire.jsonl", write, a},
		{key + "/agents/agent-1/wire.jsonl", create, a},
		{key + "/agents/agent-1", create, a},
		{key + "/agents", create, a},
		{key + "/session-meta/state.json", write, a},
		{key, create, a},
		{key, remove, a},
		{key + "/logs/kimi-code.log", write, none},
		{"sessions/.index-dirty/session_a.1795966976494", create, id},
		{"sessions/.index-dirty/session.with.dots.17", create, sessions.Change{IDs: []string{"session.with.dots"}}},
		{"sessions/.index-dirty/session_a.1795966976494", remove, none},
		{"locks/sessions/session_a.lock", create, id},
		{"locks/sessions/session_a.lock", remove, id},
		{"locks/sessions/session_a.lock.reclaim", create, none},
		{"locks/sessions", remove, all},
		{"locks/sessions", create, all},
		{"sessions/wd_a_0123456789ab", create, a},
		{"sessions/wd_a_0123456789ab", write, none},
		{"sessions/wd_a_0123456789ab", remove, all},
		{"sessions/wd_none", create, none},
		{"sessions", remove, all},
		{"sessions", write, none},
		{".", remove, all},
		{"workspaces.json", write, none},
		{"workspaces.json.tmp.12729.6a2ba970", create, sessions.Change{Writer: 12729}},
		{"config.toml", write, none},
	} {
		got := src.Changed(watcher.Event{Root: home, Path: filepath.Join(home, filepath.FromSlash(c.rel)), Op: c.op})
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %b: %+v, want %+v", c.rel, c.op, got, c.want)
		}
	}
}

// TestServerComesAndGoes names the sessions that a server may be working in: those with an open turn.
func TestServerComesAndGoes(t *testing.T) {
	src, home, s := oneSession(t)
	open := s
	open.ID, open.Wire = "session_open", kimitest.Header("1.5")+kimitest.Prompt(0, 0, "still at it")
	open.Make(t, home)
	all(t, src, time.Now())
	file := filepath.Join(home, "server", "instances", "01M8.json")
	event := watcher.Event{Root: home, Path: file, Op: watcher.Create | watcher.Write}
	const text = `{"server_id":"01M8","pid":4711,"host":"127.0.0.1","port":58627,"started_at":1795966960870,"heartbeat_at":%}`
	for _, c := range []struct {
		name string
		do   func()
		want []string
		pids int
	}{
		{"comes", func() { kimitest.Write(t, file, []byte(strings.Replace(text, "%", "1795966960870", 1))) }, []string{open.Key()}, 1},
		{"beats", func() { kimitest.Write(t, file, []byte(strings.Replace(text, "%", "1795966975870", 1))) }, nil, 1},
		{"another pid", func() {
			kimitest.Write(t, file, []byte(strings.Replace(strings.Replace(text, "%", "1", 1), "4711", "4712", 1)))
		}, []string{open.Key()}, 1},
		{"torn", func() { kimitest.Write(t, file, []byte(text[:30])) }, []string{open.Key()}, 0},
		{"goes", func() { os.Remove(file) }, nil, 0},
	} {
		c.do()
		if got := src.Changed(event); !slices.Equal(got.Keys, c.want) || got.All || got.IDs != nil {
			t.Errorf("%s: %+v, want the keys %q", c.name, got, c.want)
		}
		if got := src.Servers(); len(got) != c.pids {
			t.Errorf("%s: servers %+v, want %d", c.name, got, c.pids)
		}
	}
	kimitest.Append(t, open.WirePath(home), kimitest.End(0, 5, "completed"))
	all(t, src, time.Now())
	kimitest.Write(t, file, []byte(strings.Replace(text, "%", "1", 1)))
	if got := src.Changed(event); len(got.Keys) > 0 {
		t.Errorf("no turn is open, but %+v", got)
	}
}

// TestList skips strays without a word (bugs B21 of the client, and our own).
func TestList(t *testing.T) {
	src, home, s := oneSession(t)
	bucket := filepath.Dir(s.Dir(home))
	for _, rel := range []string{
		"../.DS_Store", ".DS_Store", "notes.txt", "session_x.bak/state.json", ".trash/session_y/state.json", "x.tmp/state.json",
		"../.index-cache/scan.json", "../.index-dirty/session_a.17", "../loose-file", "not-a-session/.keep-empty", "empty/logs/x.log",
	} {
		kimitest.Write(t, filepath.Join(bucket, rel), nil)
	}
	var keys, found []string
	if err := src.List(t.Context(), func(key string) { keys = append(keys, strings.TrimPrefix(key, "sessions/wd_a_0123456789ab/")) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	if want := []string{"empty", "not-a-session", "session_a"}; !slices.Equal(keys, want) {
		t.Errorf("listed %q, want %q", keys, want)
	}
	for _, key := range keys {
		if _, err := src.Load("sessions/wd_a_0123456789ab/"+key, time.Now()); err == nil {
			found = append(found, key)
		}
	}
	if want := []string{"session_a"}; !slices.Equal(found, want) {
		t.Errorf("sessions %q, want %q", found, want)
	}
}

// B88: a lease in the session's folder stands for a lock of a kind that is not fully known.
func TestLease(t *testing.T) {
	src, home, s := oneSession(t)
	path := filepath.Join(home, filepath.FromSlash(s.Key()), "lease.json")
	free := mustLoad(t, src, s.Key(), time.Now())
	kimitest.Write(t, path, []byte(`{"pid":4242}`))
	held := mustLoad(t, src, s.Key(), time.Now())
	if held.Lock == nil || held.Lock.SessionID != s.ID || held.Lock.Problem == "" || held.Stamp == free.Stamp || !held.Settle.IsZero() {
		t.Errorf("lock %+v, stamp %v, was %v, settles at %v", held.Lock, held.Stamp, free.Stamp, held.Settle)
	}
	kimitest.Write(t, filepath.Join(home, "locks", "sessions", s.ID+".lock"), []byte(`{"version":1,"token":"t","pid":4242}`))
	if both := mustLoad(t, src, s.Key(), time.Now()); both.Lock == nil || both.Lock.Record.Token != "t" {
		t.Errorf("beside a lock: %+v", both.Lock)
	}
}

// TestListUnreadable tells a store that cannot be listed from one that is empty.
func TestListUnreadable(t *testing.T) {
	home := filepath.Join(realTemp(t), "home")
	kimitest.Write(t, filepath.Join(home, "sessions"), []byte("a file"))
	src := kimi.New(kimi.Config{Home: home})
	if err := src.List(t.Context(), func(key string) { t.Errorf("listed %q", key) }); err == nil {
		t.Error("a home whose sessions are a file was listed without an error")
	}
}

func TestLock(t *testing.T) {
	src, home, s := oneSession(t)
	path := filepath.Join(home, "locks", "sessions", s.ID+".lock")
	if src.LockDir() != filepath.Dir(path) {
		t.Errorf("lock folder %q", src.LockDir())
	}
	free := mustLoad(t, src, s.Key(), time.Now())
	kimitest.Write(t, path, []byte(`{"version":1,"token":"t","pid":4242,"hostname":"h","startedAt":1795966888104}`))
	held := mustLoad(t, src, s.Key(), time.Now())
	if held.Lock == nil || held.Lock.Record.PID != 4242 || held.Lock.Problem != "" || held.Stamp == free.Stamp || !held.Settle.IsZero() {
		t.Errorf("lock %+v, stamp %v, was %v, settles at %v", held.Lock, held.Stamp, free.Stamp, held.Settle)
	}
	write(t, path, "")
	now := time.Now()
	torn := mustLoad(t, src, s.Key(), now)
	if torn.Lock == nil || torn.Lock.Problem == "" || !torn.Settle.After(now) {
		t.Errorf("an empty lock: %+v, settles at %v", torn.Lock, torn.Settle)
	}
	if later := mustLoad(t, src, s.Key(), torn.Settle); later.Lock == nil || !later.Settle.IsZero() {
		t.Errorf("after that: %+v, settles at %v", later.Lock, later.Settle)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	kimitest.Write(t, path+".reclaim", []byte(`{}`))
	kimitest.Write(t, path+".tmp-4242-1", []byte(`{}`))
	if r := mustLoad(t, src, s.Key(), time.Now()); r.Lock != nil || r.Stamp != free.Stamp {
		t.Errorf("B83: leftovers are taken for a lock: %+v", r.Lock)
	}
}
