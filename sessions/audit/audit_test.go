package audit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("AUDIT_TEST_APPEND"); path != "" {
		l := &Log{Path: path, MaxBytes: 4096, Keep: 50}
		for i := range 100 {
			if err := l.Append(sessions.Action{Kind: sessions.ActionClosed, Session: fmt.Sprintf("%d-%d", os.Getpid(), i)}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func newLog(t *testing.T) *Log {
	return &Log{Path: filepath.Join(t.TempDir(), "state", "audit.jsonl")}
}

func add(t *testing.T, l *Log, kind sessions.ActionKind, session string) {
	t.Helper()
	if err := l.Append(sessions.Action{Kind: kind, Session: session}); err != nil {
		t.Fatal(err)
	}
}

func names(as []sessions.Action) string {
	var s []string
	for _, a := range as {
		s = append(s, a.Session)
	}
	return strings.Join(s, " ")
}

func TestAppendAndRead(t *testing.T) {
	l := newLog(t)
	if got, _, err := l.Last(10, nil); err != nil || len(got) != 0 {
		t.Fatalf("an absent trail has %v, %v", got, err)
	}
	for i := range 5 {
		add(t, l, sessions.ActionClosed, fmt.Sprint(i))
	}
	add(t, l, sessions.ActionReclaimed, "x")
	got, skipped, err := l.Last(3, nil)
	if err != nil || skipped != 0 || names(got) != "3 4 x" {
		t.Errorf("last three are %q (%d skipped, %v)", names(got), skipped, err)
	}
	got, _, _ = l.Last(9, func(a *sessions.Action) bool { return a.Kind == sessions.ActionReclaimed })
	if names(got) != "x" {
		t.Errorf("the reclaimed are %q", names(got))
	}
	if a := got[0]; a.ID == "" || a.By != os.Getpid() || time.Since(a.At) > time.Minute {
		t.Errorf("not filled in: %+v", a)
	}
	info, err := os.Stat(l.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the trail is not private: %v, %v", info.Mode(), err)
	}
}

func TestTornLineLosesOnlyItself(t *testing.T) {
	l := newLog(t)
	add(t, l, sessions.ActionClosed, "whole")
	f, err := os.OpenFile(l.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"at":"2026-`)
	f.Close()
	add(t, l, sessions.ActionClosed, "next")
	got, skipped, err := l.Last(10, nil)
	if err != nil || skipped != 1 || names(got) != "whole next" {
		t.Errorf("got %q, %d skipped, %v", names(got), skipped, err)
	}
}

func TestTurnOverKeepsABoundedNumber(t *testing.T) {
	l := newLog(t)
	l.MaxBytes, l.Keep = 500, 2
	for i := range 40 {
		add(t, l, sessions.ActionClosed, fmt.Sprint(i))
	}
	files, err := filepath.Glob(l.Path + "*")
	if err != nil || len(files) != 4 { // the trail, two older files, the lock
		t.Errorf("files: %v, %v", files, err)
	}
	got, _, err := l.Last(5, nil)
	if err != nil || names(got) != "35 36 37 38 39" {
		t.Errorf("the newest are %q, %v", names(got), err)
	}
}

// TestManyProcesses: nothing is lost or torn while files turn over under many writers (bug B17).
func TestManyProcesses(t *testing.T) {
	l := newLog(t)
	l.Keep = 50
	var cmds []*exec.Cmd
	for range 4 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "AUDIT_TEST_APPEND="+l.Path)
		cmd.Stderr = t.Output()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	got, skipped, err := l.Last(1000, nil)
	if err != nil || skipped != 0 || len(got) != 400 {
		t.Errorf("%d lines, %d unreadable, %v; want 400", len(got), skipped, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"at":"2026-07-18T20:00:00Z","id":"1","action":"closed","session":"s"}`))
	f.Add([]byte(`{"action":7}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if a, ok := parse(line); ok && a.Kind == "" {
			t.Errorf("%q is an action without a kind", line)
		}
	})
}
