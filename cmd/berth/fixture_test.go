package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/sessions"
	"berth/sessions/kimi/kimitest"
)

// home copies a fixture home and returns its folder and an environment that points at it alone.
func home(t *testing.T, fixture string) (string, func(string) string) {
	t.Helper()
	dir := t.TempDir()
	kimi := filepath.Join(dir, "kimi")
	kimitest.Copy(t, filepath.Join("../../sessions/kimi/testdata", fixture), kimi)
	env := map[string]string{"KIMI_CODE_HOME": kimi, "HOME": dir, "XDG_STATE_HOME": filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "XDG_RUNTIME_DIR": filepath.Join(dir, "run")}
	return kimi, func(k string) string { return env[k] }
}

// listAll is `berth list --all --json` by id.
func listAll(t *testing.T, env func(string) string) map[string]*sessions.Session {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"list", "--all", "--json"}, env, strings.NewReader(""), &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var v sessions.View
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	rows := map[string]*sessions.Session{}
	for _, s := range v.Sessions {
		rows[s.ID] = s
	}
	if len(rows) != len(v.Sessions) {
		t.Errorf("%d rows have %d different ids", len(v.Sessions), len(rows))
	}
	return rows
}

// TestFixtureHome is the home that a real client 2.1.0 wrote, with no client alive.
func TestFixtureHome(t *testing.T) {
	kimi, env := home(t, "kimi-home-2.1.0")
	before := hashTree(t, kimi)
	rows := listAll(t, env)
	want := map[string]struct {
		name    string
		status  sessions.Status
		reasons []sessions.Reason
		facts   []sessions.Fact // beside folder-missing, which all have
		last    string
		title   string
		problem string
	}{
		"session_ac471a93-f85c-4b85-be02-85941f0ef66c": {name: "plain", last: "completed", title: "hello there"},
		"session_e0e01b01-faaf-4c50-bab6-f56ca9396b63": {name: "tool", last: "completed", title: "run a tool please [tool]"},
		"session_d2629321-7236-4822-ba57-067fc68dc8d1": {name: "beta", last: "completed", title: "first beta prompt [think]"},
		"session_ff9048ec-fbdb-40c4-aee9-57a4bf93be74": {name: "failed", last: "failed", title: "please [fail 400]"},
		"session_add42f35-40b4-43ec-8283-d0fd8ef91325": {name: "forked", last: "completed", title: "Fork: session_d2629321-7236-4822-ba57-067fc68dc8d1"},
		"session_1a28493e-0011-4d0e-a4cb-766037c3ea36": {name: "interleaved", facts: []sessions.Fact{sessions.FactTwoWriters},
			last: "completed", title: "hold me [slow 20]"},
		"session_33e612fb-b064-4830-927f-8d1b8f56702b": {name: "killed", status: sessions.Stale,
			reasons: []sessions.Reason{sessions.ReasonInterrupted}, title: "killed in the middle [slow 60]"},
		"session_414583dc-f799-4555-b647-29d31161aa90": {name: "term", last: "cancelled", title: "told to stop [slow 60]"},
		"session_59fee8e9-860a-48ce-a9ed-f4dc60aef326": {name: "torn-repaired", last: "completed", title: "torn tail test"},
		"session_1e841a87-ce07-4d7a-9243-bdd3e205df36": {name: "torn", facts: []sessions.Fact{sessions.FactDamaged},
			last: "completed", title: "left torn", problem: "line "},
		"session_f7ecf4ce-6243-44c9-9025-a445ceb2ce40": {name: "middle", facts: []sessions.Fact{sessions.FactDamaged},
			last: "completed", title: "middle one", problem: "line "},
		"session_f49210b2-fd88-4987-b1ed-5f675f423d10": {name: "tui", facts: []sessions.Fact{sessions.FactTwoWriters},
			last: "completed", title: "Tui session renamed"},
		"session_e45763b7-87f1-4eac-9ac8-1511061ed988": {name: "delta", title: "Renamed over REST"},
		"session_58f7d8db-5e3a-41d7-9ba6-9b286993ebdc": {name: "archived fork", status: sessions.Archived, last: "failed", title: "A fork"},
	}
	for id := range rows {
		if _, ok := want[id]; !ok {
			t.Errorf("unexpected row %s", id)
		}
	}
	if len(rows) != 14 {
		t.Errorf("%d rows, want 14", len(rows))
	}
	for id, w := range want {
		s := rows[id]
		if s == nil {
			t.Errorf("%s (%s) is missing", w.name, id)
			continue
		}
		if w.status == "" {
			w.status = sessions.Active
		}
		facts := slices.DeleteFunc(slices.Clone(s.AllFacts), func(f sessions.Fact) bool { return f == sessions.FactFolderMissing })
		if s.Status != w.status || !slices.Equal(s.Reasons, w.reasons) {
			t.Errorf("%s: status %s %v, want %s %v; evidence %q", w.name, s.Status, s.Reasons, w.status, w.reasons, s.AllEvidence)
		}
		if !slices.Equal(facts, w.facts) {
			t.Errorf("%s: facts %v, want %v", w.name, facts, w.facts)
		}
		if w.name != "delta" && s.Work.LastTurnReason != w.last {
			t.Errorf("%s: last turn %q, want %q", w.name, s.Work.LastTurnReason, w.last)
		}
		if s.Title != w.title {
			t.Errorf("%s: title %q, want %q", w.name, s.Title, w.title)
		}
		if got := strings.Join(s.Problems, "; "); (w.problem == "") != (got == "") || !strings.Contains(got, w.problem) {
			t.Errorf("%s: problems %q, want one with %q", w.name, got, w.problem)
		}
	}
	if got, want := rows["session_e0e01b01-faaf-4c50-bab6-f56ca9396b63"].WorkDir, "/home/dev/work/my project ünïcode 项目"; got != want {
		t.Errorf("tool works in %q, want %q", got, want)
	}
	if got, want := rows["session_add42f35-40b4-43ec-8283-d0fd8ef91325"].ForkedFrom, "session_d2629321-7236-4822-ba57-067fc68dc8d1"; got != want {
		t.Errorf("forked comes from %q, want %q", got, want)
	}
	if hashTree(t, kimi) != before {
		t.Error("listing changed the home")
	}
}

// TestFixtureHomeOfTheOldEngine is the home of a client 0.20.0: no end of a turn in the wire, no cwd in the state.
func TestFixtureHomeOfTheOldEngine(t *testing.T) {
	_, env := home(t, "kimi-home-0.20.0")
	rows := listAll(t, env)
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	for id, s := range rows {
		if s.Status != sessions.Active || s.Work.LastTurnReason != "completed" || len(s.Problems) > 0 {
			t.Errorf("%s: status %s, last turn %q, problems %q", id, s.Status, s.Work.LastTurnReason, s.Problems)
		}
		if got, want := s.WorkDir, "/home/dev/work/alpha"; got != want {
			t.Errorf("%s works in %q, want %q", id, got, want)
		}
		if s.Has(sessions.FactNotIndexed) {
			t.Errorf("%s is said not to be in the index", id)
		}
	}
}
