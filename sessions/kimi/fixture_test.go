package kimi_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
)

// copyOf returns a reader for a copy of one of the real homes in testdata.
func copyOf(t testing.TB, name string) (*kimi.Source, string) {
	t.Helper()
	home := filepath.Join(realTemp(t), "home")
	kimitest.Copy(t, filepath.Join("testdata", name), home)
	return kimi.New(kimi.Config{Home: home}), home
}

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// all returns every session of src by the first eight letters of its id after "session_".
func all(t testing.TB, src sessions.Source, now time.Time) map[string]*sessions.Record {
	t.Helper()
	got := map[string]*sessions.Record{}
	for _, r := range loadAll(t, src, now) {
		id := strings.TrimPrefix(r.ID, "session_")
		got[id[:min(8, len(id))]] = r
	}
	return got
}

func loadAll(t testing.TB, src sessions.Source, now time.Time) []*sessions.Record {
	t.Helper()
	var rs []*sessions.Record
	err := src.List(t.Context(), func(key string) {
		r, err := src.Load(key, now)
		if err == nil {
			rs = append(rs, r)
		} else if !strings.HasSuffix(key, "not-a-session") {
			t.Errorf("Load(%q): %v", key, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// row is what the proof says about one session of the real home.
type row struct {
	title, dir string
	open       bool // the journal ends inside a turn
	last       string
	facts      string // besides folder-missing, which they all have here
	problem    string
	archived   sessions.Tri
	fork       string
}

func rowOf(r *sessions.Record) row {
	var facts []string
	for _, f := range r.Facts {
		if f != sessions.FactFolderMissing {
			facts = append(facts, string(f))
		}
	}
	return row{
		title: r.Title, dir: r.WorkDir, open: r.OpenTurn, last: r.Work.LastTurnReason, facts: strings.Join(facts, " "),
		problem: strings.Join(r.Problems, "; "), archived: r.Archived, fork: r.ForkedFrom,
	}
}

func TestRealHome2(t *testing.T) {
	src, _ := copyOf(t, "kimi-home-2.1.0")
	const w = "/home/dev/work/"
	want := map[string]row{
		"ac471a93": {title: "hello there", dir: w + "alpha", last: "completed"},
		"e0e01b01": {title: "run a tool please [tool]", dir: w + "my project ünïcode 项目", last: "completed"},
		"d2629321": {title: "first beta prompt [think]", dir: w + "beta", last: "completed"},
		"ff9048ec": {title: "please [fail 400]", dir: w + "gamma", last: "failed"},
		"add42f35": {title: "Fork: session_d2629321-7236-4822-ba57-067fc68dc8d1", dir: w + "beta", last: "completed",
			fork: "session_d2629321-7236-4822-ba57-067fc68dc8d1"},
		"1a28493e": {title: "hold me [slow 20]", dir: w + "shared", last: "completed", facts: "two-writers"},
		"33e612fb": {title: "killed in the middle [slow 60]", dir: w + "killed", open: true},
		"414583dc": {title: "told to stop [slow 60]", dir: w + "term", last: "cancelled"},
		"59fee8e9": {title: "torn tail test", dir: w + "torn", last: "completed"},
		"1e841a87": {title: "left torn", dir: w + "torn", last: "completed", facts: "damaged",
			problem: "agents/main/wire.jsonl line 24 is cut off at the end of the file (59 bytes)"},
		"f7ecf4ce": {title: "middle one", dir: w + "middle", last: "completed", facts: "damaged",
			problem: "agents/main/wire.jsonl line 33 cannot be read (20 bytes)"},
		"f49210b2": {title: "Tui session renamed", dir: w + "tui", last: "completed", facts: "two-writers"},
		"e45763b7": {title: "Renamed over REST", dir: w + "delta"},
		"58f7d8db": {title: "A fork", dir: w + "delta", last: "failed", archived: sessions.Yes,
			fork: "session_e45763b7-87f1-4eac-9ac8-1511061ed988"},
	}
	got := all(t, src, time.Now())
	for id, r := range got {
		w := want[id]
		if w.archived == sessions.Unknown {
			w.archived = sessions.No
		}
		if g := rowOf(r); g != w {
			t.Errorf("%s:\ngot  %+v\nwant %+v", id, g, w)
		}
		delete(want, id)
		if wait := r.Work.PendingInteraction; wait != "none" || !r.Settle.IsZero() || r.Lock != nil || r.AgentCount != 1 {
			t.Errorf("%s: waits for %q, settles at %v, lock %v, %d agents", id, wait, r.Settle, r.Lock, r.AgentCount)
		}
		if !slices.Contains(r.Facts, sessions.FactFolderMissing) {
			t.Errorf("%s: its folder %s is not there, but its facts are %q", id, r.WorkDir, r.Facts)
		}
	}
	for id := range want {
		t.Errorf("%s is missing", id)
	}
}

func TestRealHome2Times(t *testing.T) {
	src, _ := copyOf(t, "kimi-home-2.1.0")
	got := all(t, src, time.Now())
	ms := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	for id, want := range map[string][2]time.Time{
		"ac471a93": {ms(1795966888104), ms(1795966888431)}, // as in state.json
		"33e612fb": {ms(1795966923369), ms(1795966923582)}, // the wire is newer
		"add42f35": {ms(1795966900225), ms(1795966900225)}, // a fork is not older than its making
	} {
		if r := got[id]; !r.CreatedAt.Equal(want[0]) || !r.UpdatedAt.Equal(want[1]) {
			t.Errorf("%s: created %v, updated %v, want %v", id, r.CreatedAt.UnixMilli(), r.UpdatedAt.UnixMilli(), want)
		}
	}
	if since := got["33e612fb"].TurnSince; !since.Equal(ms(1795966923559)) {
		t.Errorf("the open turn began at %v", since.UnixMilli())
	}
	if at := got["58f7d8db"].ArchivedAt; !at.Equal(ms(1795966957896)) {
		t.Errorf("archived at %v", at.UnixMilli())
	}
}

func TestRealHome2Servers(t *testing.T) {
	src, _ := copyOf(t, "kimi-home-2.1.0")
	want := []sessions.Server{{PID: 26112, Name: "Kimi server", Where: "port 58713", StartedAt: time.UnixMilli(1795966960870).UTC(), Address: "127.0.0.1:58713"}}
	if got := src.Servers(); !reflect.DeepEqual(got, want) {
		t.Errorf("Servers = %+v, want %+v", got, want)
	}
}

func TestRealHome1(t *testing.T) {
	src, _ := copyOf(t, "kimi-home-0.20.0")
	want := map[string]row{
		"8d0bb699": {title: "hello from an old client [tool]", dir: "/home/dev/work/alpha", last: "completed", archived: sessions.No},
		"c01473aa": {title: "second old session", dir: "/home/dev/work/alpha", last: "completed", archived: sessions.No},
	}
	got := all(t, src, time.Now())
	if len(got) != len(want) {
		t.Errorf("%d sessions, want %d", len(got), len(want))
	}
	for id, w := range want {
		if g := rowOf(got[id]); g != w {
			t.Errorf("%s:\ngot  %+v\nwant %+v", id, g, w)
		}
		if r := got[id]; r.CreatedAt.IsZero() || r.Work.Busy != sessions.No || !strings.HasPrefix(r.ID, "session_") {
			t.Errorf("%s: created %v, work %+v, id %q", id, r.CreatedAt, r.Work, r.ID)
		}
	}
}
