package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the clients, too.
func TestMain(m *testing.M) {
	if isClient(os.Args[0]) {
		exit(serveOrders(os.Stdin, os.Stdout))
	}
	// Without this every client of a race-detector run needs a second to end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func newStage(t *testing.T) *stage {
	t.Helper()
	st, err := build(filepath.Join(t.TempDir(), "demo"), io.Discard, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.dismiss)
	return st
}

// at returns the session of a role.
func (st *stage) at(name string) session {
	return session{home: st.home(), id: st.ids[roles[name].session], workDir: st.workDir(roles[name].folder)}
}

func TestStoryIsPlayable(t *testing.T) {
	for i, s := range round {
		if _, ok := roles[s.role]; !ok {
			t.Errorf("step %d: unknown role %q", i, s.role)
		}
		known := deeds[s.does] != nil || s.does == "enter" || s.does == "leave" || s.does == "die"
		if !known || strings.HasSuffix(caption(s, 1), ") ") {
			t.Errorf("step %d: %q cannot be played or told", i, s.does)
		}
	}
}

func TestStoryShowsEveryStatusWithinAMinute(t *testing.T) {
	var total time.Duration
	for _, s := range round {
		total += s.after
	}
	if total > time.Minute {
		t.Errorf("a round takes %v", total)
	}
}

func TestRoundLeavesWhatItPromises(t *testing.T) {
	st := newStage(t)
	for _, s := range round {
		if err := st.play(s); err != nil {
			t.Fatal(err)
		}
	}
	if len(st.clients) != 0 {
		t.Errorf("clients still on stage: %v", st.clients)
	}
	tests := []struct {
		role        string
		turns, ends int
		locked      bool
	}{
		{"second", 2, 2, false},
		{"killed", 1, 0, false},
		{"locked", 1, 0, true},
		{"asking", 1, 1, false},
	}
	for _, tt := range tests {
		s := st.at(tt.role)
		wire, err := os.ReadFile(s.wire())
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := strings.Count(string(wire), `"turn.prompt"`), strings.Count(string(wire), `"turn.ended"`)
		_, lockErr := os.Stat(s.lock())
		if begun != tt.turns || ended != tt.ends || (lockErr == nil) != tt.locked {
			t.Errorf("%s: %d turns begun, %d ended, lock: %v", tt.role, begun, ended, lockErr)
		}
	}
	checkReset(t, st)
}

// checkReset ends the round and looks that nothing broken stays.
func checkReset(t *testing.T, st *stage) {
	t.Helper()
	broken := []session{st.at("killed"), st.at("locked")}
	if err := st.reset(time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, s := range broken {
		for _, path := range []string{s.dir(), s.lock()} {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s after the reset: %v", path, err)
			}
		}
	}
}

func TestClientsAreSeenAsClients(t *testing.T) {
	st := newStage(t)
	c, err := hire(st.program, st.home(), st.workDir("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.quit()
	if err := c.do("begin", "session_x", "hello"); err != nil {
		t.Fatal(err)
	}
	if name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.pid()), "comm")); err == nil && strings.TrimSpace(string(name)) != clientName {
		t.Errorf("the client's process is called %q", name)
	}
	s := session{home: st.home(), id: "session_x", workDir: st.workDir("x")}
	if state, err := s.read(); err != nil || state["cwd"] != st.workDir("x") {
		t.Errorf("state = %v, %v", state, err)
	}
	if err := c.do("fly", "session_x", ""); err == nil || !strings.Contains(err.Error(), "unknown order") {
		t.Errorf("an unknown order gives %v", err)
	}
}

func TestPlayGoesOnWithoutAClientThatWasKilled(t *testing.T) {
	st := newStage(t)
	if err := st.play(step{role: "first", does: "enter"}); err != nil {
		t.Fatal(err)
	}
	c := st.clients["first"]
	if err := c.kill(); err != nil {
		t.Fatal(err)
	}
	if err := st.play(step{role: "first", does: "take"}); err == nil {
		t.Error("a dead client took a lock")
	}
	if err := st.play(step{role: "first", does: "begin"}); err != nil {
		t.Errorf("a step of a client that is gone: %v", err)
	}
}

func TestPairIsCompletedAfterAClose(t *testing.T) {
	st := newStage(t)
	first := st.pair[0]
	content, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	closed := strings.Replace(string(content), "status: active", "status: done", 1)
	if err := os.WriteFile(first, []byte(closed), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := st.completePair(time.Now()); err != nil {
		t.Fatal(err)
	}
	if len(st.pair) != 2 || st.pair[0] == first || st.pair[1] == first {
		t.Errorf("pair = %v", st.pair)
	}
}

func TestBuildRefusesAFolderThatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := build(dir, io.Discard, time.Now()); err == nil {
		t.Error("build emptied a folder with somebody's file")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsCommand(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	command := []string{shell, "-c", `test -d "$KIMI_CODE_HOME/sessions" && test -d "$KIOKU_VAULT_PATH/Projects" && exit 7`}
	var exit *exec.ExitError
	if err := run(t.Context(), dir, command, io.Discard); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("run = %v, want the command's exit status 7", err)
	}
}
