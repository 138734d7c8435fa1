package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

// actor is a running actClient.
type actor struct {
	t   *testing.T
	pid int
	in  io.Writer
	out *bufio.Reader
}

func newActor(t *testing.T, dir string) *actor {
	t.Helper()
	cmd := exec.Command("kimi-code", dir)
	cmd.Dir, cmd.Stderr = filepath.Dir(dir), t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the client ended with %v", err)
		}
	})
	a := &actor{t: t, pid: cmd.Process.Pid, in: in, out: bufio.NewReader(out)}
	a.hear("ready")
	return a
}

func (a *actor) hear(want string) {
	a.t.Helper()
	if line, err := a.out.ReadString('\n'); strings.TrimSpace(line) != want {
		a.t.Fatalf("the client said %q (%v), want %q", line, err, want)
	}
}

// turn does one turn.
func (a *actor) turn() {
	a.t.Helper()
	if _, err := io.WriteString(a.in, "\n"); err != nil {
		a.t.Fatal(err)
	}
	a.hear("done")
}

// writerIs accepts a session that pid was proven to write.
func writerIs(pid int) func(*sessions.Session) bool {
	return func(s *sessions.Session) bool { return s.LastWriter != nil && s.LastWriter.PID == pid }
}

// TestTakeoverIsToldOnce: two clients work in one session, one after the other and turn after turn. Exactly one piece of
// news says that the second took it, and one that the first is out of date.
func TestTakeoverIsToldOnce(t *testing.T) {
	kimi, env := home(t, "kimi-home-2.1.0")
	service(t, env)
	lines := watching(t, env)
	until(t, lines, "a snapshot", func(l watchLine) bool { return l.Event == "snapshot" })
	const id = "session_11111111-2222-4333-8444-555555555555"
	dir := filepath.Join(kimi, "sessions", "wd_alpha_9055c9f99979", id)
	if err := os.MkdirAll(filepath.Join(dir, "agents", "main"), 0o700); err != nil {
		t.Fatal(err)
	}
	first, second := newActor(t, dir), newActor(t, dir)
	var news []sessions.News
	var row *sessions.Session
	see := func(what string, ok func(watchLine) bool) {
		t.Helper()
		until(t, lines, what, func(l watchLine) bool {
			news = append(news, l.News...)
			if l.Session != nil && l.Session.ID == id {
				row = l.Session
			}
			return ok(l)
		})
	}
	work := func(a *actor) {
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			a.turn()
		}
		see("the writer", about(id, writerIs(a.pid)))
	}
	work(first)
	work(second)
	see("the take-over", func(watchLine) bool { return slices.ContainsFunc(news, isTakeover) })
	work(second)
	last := filepath.Join(filepath.Dir(dir), "session_last")
	if err := os.CopyFS(last, os.DirFS(filepath.Join(filepath.Dir(dir), plainID))); err != nil {
		t.Fatal(err)
	}
	see("a session that comes after all that", func(l watchLine) bool { return l.Session != nil && l.Session.Path == last })
	if row.Has(sessions.FactTwoWriters) || row.Has(sessions.FactRewritten) || slices.Contains(row.Reasons, sessions.ReasonUnlockedWrite) {
		t.Errorf("in the end: %s %v %v: %q", row.Status, row.Reasons, row.AllFacts, row.AllEvidence)
	}
	checkTakeover(t, news, first.pid, second.pid)
}

func isTakeover(n sessions.News) bool { return n.Kind == sessions.NewsTakenOver }

func checkTakeover(t *testing.T, news []sessions.News, first, second int) {
	t.Helper()
	var kinds []string
	for _, n := range news {
		kinds = append(kinds, string(n.Kind))
		if n.By == nil || n.From == nil || n.By.PID != second || n.From.PID != first || n.Title != "Fix login" {
			t.Errorf("news = %s, want that of pid %d and pid %d", n.String(), second, first)
		}
	}
	slices.Sort(kinds)
	if want := []string{"external-write", "taken-over"}; !slices.Equal(kinds, want) {
		t.Errorf("news = %q, want %q", kinds, want)
	}
}
