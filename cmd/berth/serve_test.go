package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/cmd/internal/config"
	"berth/sessions"
	"berth/sessions/localapi"
)

// deadline is how long a test waits for what should happen within milliseconds.
const deadline = 20 * time.Second

// started is a verb that runs until the test ends.
type started struct {
	code   chan int
	cancel context.CancelFunc
}

// start runs a verb in the background and ends it with the test.
func start(t *testing.T, env func(string) string, stdout io.Writer, args ...string) *started {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &started{code: make(chan int, 1), cancel: cancel}
	go func() {
		s.code <- run(ctx, args, env, strings.NewReader(""), stdout, t.Output())
		if c, ok := stdout.(io.Closer); ok {
			c.Close()
		}
	}()
	t.Cleanup(func() { s.stop(t) })
	return s
}

// stop ends the verb and returns its exit code.
func (s *started) stop(t *testing.T) int {
	t.Helper()
	s.cancel()
	select {
	case code := <-s.code:
		s.code <- code
		return code
	case <-time.After(deadline):
		t.Fatal("the verb does not end")
		return -1
	}
}

// service starts `berth serve` and waits until it answers.
func service(t *testing.T, env func(string) string) *started {
	t.Helper()
	s := start(t, env, io.Discard, "serve")
	socket := config.DefaultPaths(env).Socket()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := localapi.Dial(t.Context(), socket); err == nil {
			return s
		}
	}
	t.Fatal("the service does not answer")
	return nil
}

// watchLine is one line of `berth watch --json`.
type watchLine struct {
	Event    string              `json:"event"`
	Session  *sessions.Session   `json:"session"`
	Sessions []*sessions.Session `json:"sessions"`
	Revision uint64              `json:"revision"`
	News     []sessions.News     `json:"news"`
}

// watching runs `berth watch --json` and hands out its lines.
func watching(t *testing.T, env func(string) string) <-chan watchLine {
	t.Helper()
	r, w := io.Pipe()
	start(t, env, w, "watch", "--json", "--all")
	lines := make(chan watchLine, 1024)
	go func() {
		defer close(lines)
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			var l watchLine
			if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
				t.Errorf("line %q: %v", sc.Text(), err)
				return
			}
			lines <- l
		}
	}()
	return lines
}

// until returns the first line that ok accepts.
func until(t *testing.T, lines <-chan watchLine, what string, ok func(watchLine) bool) watchLine {
	t.Helper()
	end := time.After(deadline)
	for {
		select {
		case l, open := <-lines:
			if !open {
				t.Fatalf("the stream ended before %s", what)
			}
			if ok(l) {
				return l
			}
		case <-end:
			t.Fatalf("no line with %s", what)
		}
	}
}

const plainID = "session_ac471a93-f85c-4b85-be02-85941f0ef66c"

func about(id string, ok func(*sessions.Session) bool) func(watchLine) bool {
	return func(l watchLine) bool { return l.Session != nil && l.Session.ID == id && ok(l.Session) }
}

func statusIs(want sessions.Status) func(*sessions.Session) bool {
	return func(s *sessions.Session) bool { return s.Status == want }
}

// TestServeAndWatch follows one session from its first write to its end, with and without a service.
func TestServeAndWatch(t *testing.T) {
	for _, withService := range []bool{true, false} {
		t.Run(fmt.Sprintf("service=%v", withService), func(t *testing.T) {
			kimi, env := home(t, "kimi-home-2.1.0")
			place := filepath.Join(kimi, "sessions", "wd_alpha_9055c9f99979", plainID)
			aside := filepath.Join(t.TempDir(), "aside")
			if err := os.Rename(place, aside); err != nil {
				t.Fatal(err)
			}
			if withService {
				service(t, env)
			}
			lines := watching(t, env)
			first := until(t, lines, "a snapshot", func(watchLine) bool { return true })
			if first.Event != "snapshot" || len(first.Sessions) != 13 {
				t.Fatalf("the first line is %q with %d sessions, want the snapshot of 13", first.Event, len(first.Sessions))
			}
			followOne(t, lines, kimi, place, aside)
		})
	}
}

func followOne(t *testing.T, lines <-chan watchLine, kimi, place, aside string) {
	if err := os.CopyFS(place, os.DirFS(aside)); err != nil {
		t.Fatal(err)
	}
	until(t, lines, "the new session", about(plainID, func(s *sessions.Session) bool {
		return s.Status == sessions.Active && s.Title == "hello there" && s.Work.LastTurnReason == "completed"
	}))

	wire := filepath.Join(place, "agents", "main", "wire.jsonl")
	appendTo(t, wire, fmt.Sprintf(`{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"more"}],"turnId":7,"time":%d}`+"\n",
		time.Now().UnixMilli()))
	until(t, lines, "the interrupted turn", about(plainID, func(s *sessions.Session) bool {
		return s.Status == sessions.Stale && s.Reasons[0] == sessions.ReasonInterrupted
	}))

	lock := putLock(t, kimi, plainID, os.Getpid())
	l := until(t, lines, "the lock", about(plainID, statusIs(sessions.Occupied)))
	if h := l.Session.Holder; h == nil || h.PID != os.Getpid() || h.Via != sessions.ViaLock {
		t.Errorf("holder = %+v, want this process by its lock", l.Session.Holder)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	until(t, lines, "the freed session", about(plainID, statusIs(sessions.Stale)))
	if err := os.RemoveAll(place); err != nil {
		t.Fatal(err)
	}
	until(t, lines, "the end", func(l watchLine) bool { return l.Event == "removed" && l.Session.ID == plainID })
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestOneServicePerUser: the second start says who runs, the first goes on; the end leaves nothing that blocks.
func TestOneServicePerUser(t *testing.T) {
	_, env := home(t, "kimi-home-2.1.0")
	first := service(t, env)
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"serve"}, env, strings.NewReader(""), io.Discard, &stderr); code != exitError {
		t.Errorf("the second start ended with %d, want %d", code, exitError)
	}
	if !strings.Contains(stderr.String(), "already running") {
		t.Errorf("the second start said %q", stderr.String())
	}
	if code := first.stop(t); code != exitOK {
		t.Errorf("the service ended with %d", code)
	}
	service(t, env)
}

// TestListAsksTheService: with a service the answer carries its revision and its coverage.
func TestListAsksTheService(t *testing.T) {
	_, env := home(t, "kimi-home-2.1.0")
	service(t, env)
	var stdout bytes.Buffer
	if code := run(t.Context(), []string{"list", "--all", "--json"}, env, strings.NewReader(""), &stdout, t.Output()); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var v sessions.View
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Sessions) != 14 || v.Revision == 0 || len(v.Coverage) == 0 {
		t.Errorf("%d sessions, revision %d, coverage %v", len(v.Sessions), v.Revision, v.Coverage)
	}
	if v.Coverage[0].Coverage != "watching" {
		t.Errorf("coverage = %+v, want watching", v.Coverage[0])
	}
}

// TestDeadLocksGoByThemselves: the service removes the lock of a process that is gone, after looking twice, and writes
// it down; a live one stays.
func TestDeadLocksGoByThemselves(t *testing.T) {
	kimi, env := home(t, "kimi-home-2.1.0")
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := putLock(t, kimi, plainID, gone.Process.Pid)
	live := putLock(t, kimi, "session_e0e01b01-faaf-4c50-bab6-f56ca9396b63", os.Getpid())
	service(t, env)
	for end := time.Now().Add(deadline); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Lstat(dead); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the dead lock is still there")
		}
	}
	if _, err := os.Lstat(live); err != nil {
		t.Errorf("the live lock: %v", err)
	}
	var stdout bytes.Buffer
	for end := time.Now().Add(deadline); !strings.Contains(stdout.String(), "reclaimed by itself") && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		stdout.Reset()
		run(t.Context(), []string{"log"}, env, strings.NewReader(""), &stdout, io.Discard)
	}
	if got := stdout.String(); strings.Count(got, "reclaimed by itself") != 1 {
		t.Errorf("the trail has\n%s\nwant one removal", got)
	}
	left, err := os.ReadDir(filepath.Dir(dead))
	if err != nil || len(left) != 1 {
		t.Errorf("the lock folder has %v, %v; want the live lock alone", left, err)
	}
}

// putLock publishes a lock of the process pid as clients do, and returns its path.
func putLock(t *testing.T, kimi, id string, pid int) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(kimi, "locks", "sessions", id+".lock")
	text := fmt.Sprintf(`{"version":1,"token":"token of %s","pid":%d,"hostname":%q,"startedAt":%d,"clientIdentity":"test 1"}`,
		id, pid, host, time.Now().UnixMilli())
	temp := lock + ".tmp-1-1" // a lock is never seen half written
	err = errors.Join(os.MkdirAll(filepath.Dir(lock), 0o700), os.WriteFile(temp, []byte(text), 0o600), os.Link(temp, lock), os.Remove(temp))
	if err != nil {
		t.Fatal(err)
	}
	return lock
}
