// Package locktest starts real processes for tests: holders that live, die, or stay as zombies.
//
// The child is the test binary itself, so a package that uses it needs
//
//	func TestMain(m *testing.M) { locktest.Main(m) }
//
// A child takes what it was told to take, says so, and then waits for its standard input to end. It
// therefore ends by itself when the test process dies, and every child ends with its test.
package locktest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// roleVariable carries the role of a child; a process without it runs the tests.
const roleVariable = "BERTH_LOCKTEST_ROLE"

// role is what a child does before it says ready.
type role struct {
	Hold  string       // path for [HoldFile]
	Lock  *SessionLock // for [HoldSession]
	Take  string       // path of a lock for [TakeSession]
	Title string       // for [Titled]
	Part  bool         // for [WithoutMainThread]
	Inner bool         // for [HoldSessionInNamespace]

	Scene, Arg string // for [Play]
	Space      Space
}

// Main runs the tests, or the role of a child, and ends the process. The scenes are those for [Play].
func Main(m *testing.M, scenes ...Scene) {
	r, child, err := roleOfChild()
	switch {
	case !child:
		os.Exit(m.Run())
	case err == nil && r.Scene != "":
		err = r.playScene(scenes, os.Stdin, os.Stdout)
	case err == nil:
		err = r.play(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Child is a running child process. Its methods are for the goroutine of the test.
type Child struct {
	PID int

	tb    testing.TB
	cmd   *exec.Cmd
	stdin io.Closer
	over  bool
}

// Live starts a child that does nothing but live.
func Live(tb testing.TB) *Child { return start(tb, role{}) }

// HoldFile starts a child that holds the file at path with locks.Hold.
func HoldFile(tb testing.TB, path string) *Child { return start(tb, role{Hold: path}) }

// HoldSession starts a child that publishes a session lock as the Kimi client will. [Child.Release]
// removes it, [Child.Kill] leaves it behind.
func HoldSession(tb testing.TB, l SessionLock) *Child { return start(tb, role{Lock: &l}) }

// TakeSession starts a child that takes the lock at path with locks.Take. [Child.Release] releases it,
// [Child.Kill] leaves it behind.
func TakeSession(tb testing.TB, path string) *Child { return start(tb, role{Take: path}) }

// Titled starts a child whose command name is title, cut to 15 bytes by the kernel. Linux only.
func Titled(tb testing.TB, title string) *Child { return start(tb, role{Title: title}) }

// WithoutMainThread starts a child whose main thread has ended while the process lives on. Linux only.
func WithoutMainThread(tb testing.TB) *Child { return start(tb, role{Part: true}) }

func start(tb testing.TB, r role) *Child {
	tb.Helper()
	cmd, err := r.command()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = tb.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		skipWithoutNamespaces(tb, err)
		tb.Fatal(err)
	}
	c := &Child{PID: cmd.Process.Pid, tb: tb, cmd: cmd, stdin: stdin}
	tb.Cleanup(c.Kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != ready {
		tb.Fatalf("child said %q (%v)", strings.TrimSpace(line), err)
	}
	return c
}

// command returns the test binary, not started, with a role to play.
func (r role) command() (*exec.Cmd, error) {
	spec, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+string(spec))
	r.isolate(cmd)
	return cmd, nil
}

// Kill ends the child as SIGKILL does and collects it. A child that is over already is left alone.
func (c *Child) Kill() {
	if c.over {
		return
	}
	c.over = true
	c.cmd.Process.Kill() // the only error is that it has ended
	c.stdin.Close()
	c.cmd.Wait() // it was killed, and says so
}

// Release lets the child give back what it holds and end; the test fails when it cannot.
func (c *Child) Release() {
	c.tb.Helper()
	c.over = true
	c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		c.tb.Fatalf("child ended with %v", err)
	}
}

// SessionLock says how a child takes a session lock.
type SessionLock struct {
	Path     string    // of the lock file; its folder is made
	Hostname *string   // nil for this host's name
	At       time.Time // startedAt; zero for now
	// Own adds berth's own fields: boot id, start stamp and pid namespace of the child.
	Own bool
}
