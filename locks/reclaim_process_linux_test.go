package locks_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// A child with these variables is a reclaimer: it reads paths of locks from its standard input, reclaims each
// and writes what came of it. At the step named, if any, it kills itself.
const (
	reclaimerState = "BERTH_TEST_RECLAIMER_STATE"
	reclaimerStep  = "BERTH_TEST_RECLAIMER_STEP"
)

func init() { // before the tests, which a child does not run
	if state := os.Getenv(reclaimerState); state != "" {
		reclaimerMain(state, os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

func reclaimerMain(state string, stdin io.Reader, stdout io.Writer) {
	r := locks.NewReclaimer(locks.ReclaimConfig{System: locks.NewSystem(), Dir: state, Pause: 5 * time.Millisecond})
	r.AtStep(func(at string) error {
		if at == os.Getenv(reclaimerStep) {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
		return nil
	})
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		fmt.Fprintln(stdout, reclaimOnce(r, lines.Text()))
	}
}

// reclaimOnce says in a word what came of it.
func reclaimOnce(r *locks.Reclaimer, path string) string {
	f, err := locks.Read(path)
	if err != nil {
		return "gone"
	}
	out, err := r.Reclaim(context.Background(), f, locks.ReclaimOptions{})
	switch {
	case err != nil && !expected(err):
		return "error: " + err.Error()
	case out.Action == locks.Reclaimed:
		return "reclaimed"
	}
	return "left"
}

// reclaimerChild is a running reclaimer.
type reclaimerChild struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func startReclaimer(t *testing.T, state, step string) *reclaimerChild {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), reclaimerState+"="+state, reclaimerStep+"="+step)
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	return &reclaimerChild{cmd: cmd, stdin: stdin, out: bufio.NewReader(stdout)}
}

// reclaim gives the child a lock and returns its word, "" when it died over it and was collected.
func (c *reclaimerChild) reclaim(path string) string {
	fmt.Fprintln(c.stdin, path)
	word, err := c.out.ReadString('\n')
	if err != nil {
		c.cmd.Wait()
	}
	return strings.TrimSpace(word)
}

// A reclaimer that is killed at any step leaves nothing that stops a client for more than one try, nothing that
// stops the next reclaimer, and the lock or its bytes.
func TestKilledReclaimer(t *testing.T) {
	for _, step := range append([]string{"leftover"}, locks.Steps...) {
		t.Run(step, func(t *testing.T) {
			killedAt(t, step, func(y *yard) { clientGetsIn(y) })
			killedAt(t, step, func(y *yard) { berthGetsIn(y) })
		})
	}
}

// killedAt lets a reclaimer die at a step and hands over what it left.
func killedAt(t *testing.T, step string, then func(*yard)) {
	t.Helper()
	y := newYard(t)
	content := y.dead()
	if step == "leftover" {
		y.write(y.lock+".reclaim", content)
	}
	if word := startReclaimer(t, y.state, step).reclaim(y.lock); word != "" {
		t.Fatalf("it lived on and said %q", word)
	}
	if !y.lockOrTrash(content) {
		t.Errorf("lock and bytes are gone; left %s", y.left())
	}
	then(y)
}

func (y *yard) lockOrTrash(content string) bool {
	if b, err := os.ReadFile(y.lock); err == nil {
		return string(b) == content
	}
	kept, err := filepath.Glob(filepath.Join(y.state, "reclaimed", "*.json"))
	if err != nil || len(kept) != 1 {
		return false
	}
	out, err := y.r.Undo(y.t.Context(), strings.TrimSuffix(filepath.Base(kept[0]), ".json"))
	b, _ := os.ReadFile(y.lock)
	return err == nil && out.Action == locks.Undone && string(b) == content
}

func clientGetsIn(y *yard) {
	y.t.Helper()
	c := locktest.ThreadClient{Path: y.lock}
	for n := range 2 {
		ok, err := c.Acquire()
		if err != nil {
			y.t.Error(err)
		}
		if ok {
			if lost, err := c.Release(); lost || err != nil {
				y.t.Errorf("lost %v, %v", lost, err)
			}
			return
		}
		y.t.Logf("try %d of a client: occupied; left %s", n+1, y.left())
	}
	y.t.Error("a client stays locked out")
}

func berthGetsIn(y *yard) {
	y.t.Helper()
	out, err := y.r.Reclaim(y.t.Context(), y.read(), locks.ReclaimOptions{})
	if err != nil || out.Action != locks.Reclaimed || y.left() != "" {
		y.t.Errorf("%s %v, left %s", out.Action, err, y.left())
	}
}

const reclaimRounds = 30

// Two berths and ten helpers of one of them are after one dead lock, and a client takes the session as soon as it
// can. One removes the dead lock, and the live one survives all of them.
func TestBerthsAndHelpersReclaimOneLock(t *testing.T) {
	y := newYard(t)
	y.lock, y.state = filepath.Join(fast(t), "locks", "session_1.lock"), filepath.Join(fast(t), "state")
	if err := os.Mkdir(filepath.Dir(y.lock), 0o700); err != nil {
		t.Fatal(err)
	}
	content := y.dead()
	crowd := []*reclaimerChild{startReclaimer(t, filepath.Join(fast(t), "state"), "")}
	for range 11 {
		crowd = append(crowd, startReclaimer(t, y.state, ""))
	}
	for n := range reclaimRounds {
		if n > 0 {
			y.write(y.lock, content)
		}
		words, survived := reclaimRound(y, crowd)
		won := strings.Count(words, "reclaimed")
		if won != 1 || !survived || strings.Contains(words, "error") {
			t.Errorf("round %d: %d won, live lock survived %v\n%s", n, won, survived, words)
		}
		if y.left() != "" {
			t.Errorf("round %d left %s", n, y.left())
		}
	}
}

// reclaimRound returns what the reclaimers said, and whether the lock that was taken meanwhile survived.
func reclaimRound(y *yard, crowd []*reclaimerChild) (words string, survived bool) {
	said := make([]string, len(crowd))
	var wg sync.WaitGroup
	for i, c := range crowd {
		wg.Go(func() { said[i] = c.reclaim(y.lock) })
	}
	l := takeSoon(y)
	wg.Wait()
	// Once more, now that the lock is live for sure.
	for i, c := range crowd {
		wg.Go(func() { said[i] += " " + c.reclaim(y.lock) })
	}
	wg.Wait()
	survived = l.Verify() == nil
	return strings.Join(said, "\n"), l.Release() == nil && survived
}

// takeSoon takes the lock as soon as the dead one is gone.
func takeSoon(y *yard) *locks.Lease {
	for end := time.Now().Add(patience); ; {
		l, err := locks.Take(y.t.Context(), takeAs(y.lock, y.s))
		if err == nil {
			return l
		}
		if !errors.Is(err, locks.ErrHeld) && !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			y.t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // a poll: clients do not hammer either
	}
}
