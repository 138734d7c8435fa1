package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The first seven pairs were computed by the client's own function.
func TestBucket(t *testing.T) {
	tests := []struct{ workDir, want string }{
		{"/home/dev/work/alpha", "wd_alpha_9055c9f99979"},
		{"/home/dev/work/alpha/", "wd_alpha_9055c9f99979"},
		{"/home/dev/work/my project ünïcode 项目", "wd_my-project-n-code_4fc2b7bcc91f"},
		{`C:\Users\Dev\Code\App`, "wd_app_eb3a3c7f0ad3"},
		{"/home/dev/work/---", "wd_workspace_64355108cec8"},
		{"/", "wd_workspace_e3b0c44298fc"},
		{"/home/dev/work/aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee",
			"wd_aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd_198cd24436a5"},
	}
	for _, tt := range tests {
		if got := bucket(tt.workDir); got != tt.want {
			t.Errorf("bucket(%q) = %q, want %q", tt.workDir, got, tt.want)
		}
	}
}

var noon = time.Date(2026, 7, 18, 12, 0, 0, 0, time.UTC)

func newSession(t *testing.T) session {
	t.Helper()
	return session{home: t.TempDir(), id: "session_1", workDir: "/work/shop", pid: 42}
}

// types lists the record types of the journal in order.
func types(t *testing.T, s session) string {
	t.Helper()
	content, err := os.ReadFile(s.wire())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(content)) {
		_, rest, _ := strings.Cut(line, `"type":"`)
		if strings.Contains(line, `"kind":"user"`) { // the input's own type comes first
			rest = "turn.prompt\""
		}
		name, _, _ := strings.Cut(rest, `"`)
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

func TestTurn(t *testing.T) {
	s := newSession(t)
	if err := s.begin("Fix login", noon); err != nil {
		t.Fatal(err)
	}
	state, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	if _, ended := state["lastTurnReason"]; ended || state["title"] != "Fix login" || state["cwd"] != "/work/shop" {
		t.Errorf("state in the turn = %v", state)
	}
	if err := s.end(noon.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if state, _ = s.read(); state["lastTurnReason"] != "completed" {
		t.Errorf("state after the turn = %v", state)
	}
	want := "metadata turn.prompt agent.turn.started agent.turn.ended turn.ended"
	if got := types(t, s); got != want {
		t.Errorf("journal = %q, want %q", got, want)
	}
	if n, err := s.turns(); n != 1 || err != nil {
		t.Errorf("turns = %d, %v", n, err)
	}
}

func TestOnlyOneTakesTheLock(t *testing.T) {
	s := newSession(t)
	if err := s.take(noon); err != nil {
		t.Fatal(err)
	}
	other := s
	other.pid = 43
	if err := other.take(noon); !os.IsExist(unwrapFirst(err)) {
		t.Errorf("second take = %v, want that the lock exists", err)
	}
	names, err := os.ReadDir(filepath.Dir(s.lock()))
	if err != nil || len(names) != 1 {
		t.Errorf("lock folder holds %v, %v, want the lock alone", names, err)
	}
	if err := s.release(); err != nil {
		t.Fatal(err)
	}
	if err := other.take(noon); err != nil {
		t.Errorf("take after release: %v", err)
	}
}

// unwrapFirst gets the first of joined errors.
func unwrapFirst(err error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()[0]
	}
	return err
}

func TestRemoveLeavesATombstoneOnly(t *testing.T) {
	s := newSession(t)
	for _, err := range []error{s.take(noon), s.begin("x", noon), s.remove()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(s.dir()); !os.IsNotExist(err) {
		t.Errorf("session folder: %v", err)
	}
	index, err := os.ReadFile(filepath.Join(s.home, "session_index.jsonl"))
	if err != nil || !strings.HasSuffix(string(index), `{"deleted":true,"sessionId":"session_1"}`+"\n") {
		t.Errorf("index = %q, %v", index, err)
	}
}
