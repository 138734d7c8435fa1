package vault

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

// The test binary runs itself as another process of ours: it says ready, waits for a line on standard
// input, and closes x.md once, or every note of the vault by turns, or begins sessions, until it is killed.
const (
	roleEnv  = "VAULT_TEST_ROLE" // "once", "all", "race" or "start"
	vaultEnv = "VAULT_TEST_DIR"
	locksEnv = "VAULT_TEST_LOCKS"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		runRole(role)
		return
	}
	os.Exit(m.Run())
}

func runRole(role string) {
	s, err := New(Config{Path: os.Getenv(vaultEnv), LockDir: os.Getenv(locksEnv)})
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return // the parent is gone
	}
	for n := 0; role == "start"; n++ {
		if _, err := s.StartSession(context.Background(), sessions.StartRequest{Project: fmt.Sprint("p", n%20)}, closedAt); err != nil {
			panic(err)
		}
	}
	if role == "race" {
		fmt.Println(closeRandomly(s))
		return
	}
	if role == "once" {
		_, err := closeX(s)
		fmt.Println(sessions.Code(err))
		return
	}
	s.List(context.Background(), func(key string) {
		s.CloseSession(context.Background(), key, sessions.CloseRequest{Now: closedAt, ID: strings.TrimSuffix(key, ".md")})
	})
	fmt.Println("finished")
}

// child is a running role.
type child struct {
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Reader
}

func startChild(t *testing.T, s *Source, role string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), roleEnv+"="+role, vaultEnv+"="+s.root, locksEnv+"="+s.lockDir)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stderr = read, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	c := &child{cmd, write, bufio.NewReader(out)}
	t.Cleanup(c.end)
	if got := c.line(); got != "ready" {
		t.Fatalf("child says %q", got)
	}
	return c
}

// line returns the child's next line; the child's end or its silence for long ends the test run.
func (c *child) line() string {
	text, _ := c.out.ReadString('\n')
	return strings.TrimSpace(text)
}

func (c *child) goAhead() { fmt.Fprintln(c.in) }

func (c *child) end() {
	c.in.Close()
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// Several processes and goroutines close one note at the same time: one success.
func TestCloseOnceAmongProcesses(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", "body\n"), configKey, "")
	var children []*child
	for range 4 {
		children = append(children, startChild(t, s, "once"))
	}
	results := make(chan string, len(children)+2)
	for _, c := range children {
		c.goAhead()
		go func() { results <- c.line() }()
	}
	for range 2 {
		go func() {
			_, err := closeX(s)
			results <- sessions.Code(err)
		}()
	}
	wantOneSuccess(t, cap(results), func() string { return <-results })
	if got := content(t, s.path("x.md")); got != ended("", "body"+endBlock("")) {
		t.Errorf("the note is\n%s", got)
	}
}

// A process is killed at any moment of closing many notes, again and again. Every note is the old or the
// new one, to the byte; what stays is hidden; and the next process finishes the work.
func TestCloseKilled(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	texts := func(id string) (old, closed string) {
		old = strings.Replace(noteText("", "body\n"), "s-1", id, 1)
		return old, strings.Replace(ended("", "body"+endBlock("")), "s-1", id, 1)
	}
	var files []string
	for i := range 30 {
		id := fmt.Sprintf("note-%02d", i)
		old, _ := texts(id)
		files = append(files, id+".md", old)
	}
	s := vaultWith(t, append(files, configKey, "")...)
	for i := 0; i < len(files); i += 2 {
		age(t, s.path(files[i]), closedAt.Add(-24*time.Hour)) // touched by none of the sessions
	}
	check := func(when string) (closed int) {
		for i := 0; i < len(files); i += 2 {
			old, after := texts(strings.TrimSuffix(files[i], ".md"))
			switch got := content(t, s.path(files[i])); got {
			case old:
			case after:
				closed++
			default:
				t.Fatalf("%s: %s is\n%s", when, files[i], got)
			}
		}
		return closed
	}
	killedInside := 0
	for range rounds {
		c := startChild(t, s, "all")
		c.goAhead()
		time.Sleep(time.Duration(rand.IntN(12000)) * time.Microsecond) // the moment of death is the random input, not a wait
		c.end()
		if n := check("after a kill"); n > 0 && n < len(files)/2 {
			killedInside++
		} else if n == len(files)/2 {
			for i := 0; i < len(files); i += 2 {
				put(t, s.path(files[i]), files[i+1])
				age(t, s.path(files[i]), closedAt.Add(-24*time.Hour))
			}
		}
	}
	c := startChild(t, s, "all")
	c.goAhead()
	if got := c.line(); got != "finished" || check("at the end") != len(files)/2 {
		t.Errorf("the last process says %q, %d notes are closed", got, check("at the end"))
	}
	visible, _ := filepath.Glob(filepath.Join(s.root, "[^.]*"))
	if len(visible) != len(files)/2 {
		t.Errorf("visible files: %q", visible)
	}
	t.Logf("%d kills, %d of them between two notes of a run", rounds, killedInside)
}

// A process is killed at any moment of beginning sessions, again and again. Every note that can be seen is whole, no
// id is there twice, and nothing keeps the next process from beginning and ending sessions there.
func TestStartKilled(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	s := vaultWith(t, configKey, "")
	for range rounds {
		c := startChild(t, s, "start")
		c.goAhead()
		time.Sleep(time.Duration(rand.IntN(12000)) * time.Microsecond) // the moment of death is the random input, not a wait
		c.end()
	}
	ids := map[string]bool{}
	err := s.List(t.Context(), func(key string) {
		rec, err := s.Load(key, time.Now())
		if err != nil || !rec.Open || len(rec.Problems) > 0 || ids[rec.ID] || !strings.HasSuffix(content(t, s.path(key)), "## Modified during this session\n") {
			t.Errorf("%s: %+v, %v", key, rec, err)
			return
		}
		ids[rec.ID] = true
		if _, err := s.CloseSession(t.Context(), key, sessions.CloseRequest{Now: closedAt, ID: rec.ID}); err != nil {
			t.Errorf("close %s: %v", key, err)
		}
	})
	if err != nil || len(ids) == 0 {
		t.Fatalf("%d sessions, %v", len(ids), err)
	}
	for n := range 20 {
		if _, err := s.StartSession(t.Context(), sessions.StartRequest{Project: fmt.Sprint("p", n)}, closedAt); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d kills, %d whole notes", rounds, len(ids))
}

// closeRandomly tries to close every note of the vault in random order, and returns how many it closed, how many
// others had closed, and how often something else came of it.
func closeRandomly(s *Source) (closed, late, other int) {
	var keys []string
	if err := s.List(context.Background(), func(key string) { keys = append(keys, key) }); err != nil {
		return 0, 0, 1
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		r := sessions.CloseRequest{Now: closedAt, ID: strings.TrimSuffix(key, ".md")}
		switch _, err := s.CloseSession(context.Background(), key, r); sessions.Code(err) {
		case "":
			closed++
		case "SESSION_ALREADY_CLOSED":
			late++
		default:
			other++
		}
	}
	return closed, late, other
}

// Eight processes close 200 sessions in random order: each is closed once, and the other seven are told so.
func TestManyProcessesCloseMany(t *testing.T) {
	processes, count := 8, 200
	if testing.Short() {
		processes, count = 3, 30
	}
	var files []string
	for i := range count {
		id := fmt.Sprintf("note-%03d", i)
		files = append(files, id+".md", strings.Replace(noteText("", "body\n"), "s-1", id, 1))
	}
	s := vaultWith(t, append(files, configKey, "")...)
	var children []*child
	for range processes {
		children = append(children, startChild(t, s, "race"))
	}
	for _, c := range children {
		c.goAhead()
	}
	closed, late := 0, 0
	for _, c := range children {
		var n, m, other int
		text := c.line()
		if _, err := fmt.Sscan(text, &n, &m, &other); err != nil || other > 0 {
			t.Errorf("a process says %q, %v", text, err)
		}
		closed, late = closed+n, late+m
	}
	if closed != count || late != (processes-1)*count {
		t.Errorf("%d closed, %d late; want %d and %d", closed, late, count, (processes-1)*count)
	}
	for i := range count {
		if text := content(t, s.path(files[2*i])); strings.Count(text, endedHeading) != 1 || strings.Count(text, "status: done") != 1 {
			t.Errorf("%s is\n%s", files[2*i], text)
		}
	}
}
