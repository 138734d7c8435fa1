package locks_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

func contextOfScene() context.Context { return context.Background() } // a scene ends with its process

// playBerth reclaims the lock at path whenever it is told to. Two berths of one user share a folder.
func playBerth(path string, in *bufio.Scanner, out io.Writer) error {
	r := locks.NewReclaimer(locks.ReclaimConfig{
		System: locks.NewSystem(), Dir: filepath.Join(filepath.Dir(path), "..", "state"), Pause: 1,
	})
	for in.Scan() {
		f, err := locks.Read(path)
		if err == nil {
			_, err = r.Reclaim(contextOfScene(), f, locks.ReclaimOptions{})
		}
		answer(out, err)
	}
	return nil
}

func answer(out io.Writer, err error) {
	if err == nil {
		fmt.Fprintln(out, "removed it")
	} else {
		fmt.Fprintln(out, "left it: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// playClient does the same as the Kimi client will, by its public discussion: a dead lock is removed under
// a marker, after it was read again.
func playClient(path string, in *bufio.Scanner, out io.Writer) error {
	for in.Scan() {
		answer(out, reclaimAsClient(path))
	}
	return nil
}

var errOccupied = errors.New("occupied")

func reclaimAsClient(path string) error {
	before, err := readAsClient(path)
	if err != nil {
		return err
	}
	marker := path + ".reclaim"
	own := fmt.Sprintf(`{"version":1,"token":"m-%d","pid":%d,"hostname":"","startedAt":%d}`, os.Getpid(), os.Getpid(), time.Now().UnixMilli())
	if err := locktest.Publish(marker, []byte(own)); err != nil {
		return err
	}
	defer os.Remove(marker)
	again, err := readAsClient(path)
	if err != nil {
		return err
	}
	if again.Record.Token != before.Record.Token {
		return errOccupied
	}
	return os.Remove(path)
}

// readAsClient reads a lock whose process does not run.
func readAsClient(path string) (*locks.File, error) {
	f, err := locks.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := os.FindProcess(f.Record.PID)
	if err == nil {
		err = p.Signal(syscall.Signal(0))
	}
	if f.Problem != "" || !errors.Is(err, os.ErrProcessDone) {
		return nil, errOccupied
	}
	return f, nil
}

const (
	contests = 200
	berths   = 2
	clients  = 10
)

// Two berths and ten clients reclaim one dead lock, again and again. One of them does it, and a living
// client that takes the lock as soon as it can keeps it.
func TestReclaimContest(t *testing.T) {
	c := newContest(t)
	rounds := contests
	if testing.Short() {
		rounds /= 10
	}
	for round := range rounds {
		c.leaveDead(round)
		alive := c.comeAlive(round)
		c.shout(round)
		if n := c.winners(); n != 1 {
			t.Errorf("round %d: removed by %d", round, n)
		}
		c.wantAlive(<-alive)
		if t.Failed() {
			return
		}
	}
	t.Logf("won: %v", c.won)
}

type contest struct {
	t      *testing.T
	path   string
	dead   int // a pid that is free
	berths []*locktest.Actor
	others []*locktest.Actor
	won    map[string]int
}

func newContest(t *testing.T) *contest {
	c := &contest{t: t, path: filepath.Join(fast(t), "locks", "session_1.lock"), won: map[string]int{}}
	gone := locktest.Live(t)
	gone.Kill()
	c.dead = gone.PID
	for range berths {
		c.berths = append(c.berths, locktest.Play(t, locktest.Space{}, "berth reclaims", c.path))
	}
	for range clients {
		c.others = append(c.others, locktest.Play(t, locktest.Space{}, "client reclaims", c.path))
	}
	return c
}

func (c *contest) lock(token string, pid int) []byte {
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"version":1,"token":%q,"pid":%d,"hostname":%q,"startedAt":%d}`, token, pid, host, time.Now().UnixMilli())
}

// leaveDead puts the lock of a dead process in place, without a gap.
func (c *contest) leaveDead(round int) {
	temp := c.path + ".next"
	if err := errors.Join(os.MkdirAll(filepath.Dir(c.path), 0o700), os.WriteFile(temp, c.lock(fmt.Sprint("dead-", round), c.dead), 0o600), os.Rename(temp, c.path)); err != nil {
		c.t.Fatal(err)
	}
}

// comeAlive lets this process take the lock as soon as its name is free, and sends the token.
func (c *contest) comeAlive(round int) <-chan string {
	token := fmt.Sprint("live-", round)
	content, taken := c.lock(token, os.Getpid()), make(chan string, 1)
	go func() {
		defer close(taken)
		for c.t.Context().Err() == nil {
			err := locktest.Publish(c.path, content)
			if err == nil {
				taken <- token
				return
			}
			if !errors.Is(err, fs.ErrExist) {
				c.t.Error(err)
				return
			}
		}
	}()
	return taken
}

// shout tells all to begin. A berth has more to do before it touches the lock, so that it would never be
// first if it were not told first now and then, when it has found the lock already.
func (c *contest) shout(round int) {
	for _, a := range c.berths {
		a.Say("now")
	}
	if round%2 == 0 {
		c.awaitMarker()
	}
	for _, a := range c.others {
		a.Say("now")
	}
}

// awaitMarker waits until a berth is at work, or has been.
func (c *contest) awaitMarker() {
	for {
		_, marker := os.Lstat(c.path + ".reclaim")
		f, err := locks.Read(c.path)
		if marker == nil || err == nil && f.Record.PID != c.dead {
			return
		}
	}
}

// winners counts those who say that they removed the lock.
func (c *contest) winners() int {
	berths := heard(c.berths, "removed it")
	others := heard(c.others, "removed it")
	c.won["berth"] += berths
	c.won["client"] += others
	return berths + others
}

func heard(actors []*locktest.Actor, line string) (n int) {
	for _, a := range actors {
		if a.Hear() == line {
			n++
		}
	}
	return n
}

func (c *contest) wantAlive(token string) {
	f, err := locks.Read(c.path)
	if err != nil || f.Record.Token != token {
		c.t.Errorf("the lock %s of a living client is %+v (%v)", token, f, err)
	}
}
