package locktest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Scene is what a test lets other processes do, by name: a function of the test binary that talks with the
// test in lines. It ends when its input does.
type Scene struct {
	Name string
	Play func(arg string, in *bufio.Scanner, out io.Writer) error
}

// Space is where the process of a scene runs. The zero value is where the test runs.
type Space struct {
	PIDs bool   // in a pid namespace of its own, as its first process
	Proc bool   // with a /proc of that namespace
	Host string // on a host of this name; "" for that of the test
}

// Actor is the process of a scene. Its methods are for the goroutine of the test.
type Actor struct {
	tb    testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

// Play starts a process that plays a scene of those that were given to [Main], and waits until it is where
// it should be. The test is skipped where the kernel allows no namespaces.
func Play(tb testing.TB, s Space, scene, arg string) *Actor {
	tb.Helper()
	a, err := newActor(role{Scene: scene, Arg: arg, Space: s})
	if err != nil {
		tb.Fatal(err)
	}
	a.tb, a.cmd.Stderr = tb, tb.Output()
	if err := a.cmd.Start(); err != nil {
		skipWithoutNamespaces(tb, err)
		tb.Fatal(err)
	}
	tb.Cleanup(a.Kill)
	if line := a.Hear(); strings.HasPrefix(line, noSpace) {
		tb.Skip(line)
	} else if line != strings.TrimSpace(ready) {
		tb.Fatalf("scene %s said %q", scene, line)
	}
	return a
}

func newActor(r role) (*Actor, error) {
	cmd, err := r.command()
	if err != nil {
		return nil, err
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	return &Actor{cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}, err
}

// Say sends a line to the scene.
func (a *Actor) Say(line string) {
	a.tb.Helper()
	if _, err := io.WriteString(a.stdin, line+"\n"); err != nil {
		a.tb.Fatal(err)
	}
}

// Hear waits for a line of the scene, without its end.
func (a *Actor) Hear() string {
	a.tb.Helper()
	if !a.lines.Scan() {
		a.tb.Fatalf("the scene has ended (%v)", a.lines.Err())
	}
	return a.lines.Text()
}

// Kill ends the process as SIGKILL does and collects it.
func (a *Actor) Kill() {
	a.cmd.Process.Kill() // the only error is that it has ended
	a.stdin.Close()
	a.cmd.Wait() // it was killed, and says so
}

// Command returns this program, not started, to play a scene from within another.
func Command(scene, arg string) (*exec.Cmd, error) {
	return role{Scene: scene, Arg: arg}.command()
}

// noSpace begins the line of a process that may not go where its scene is.
const noSpace = "no namespace may be made here: "

// playScene goes to the scene's place and plays.
func (r role) playScene(scenes []Scene, stdin io.Reader, stdout io.Writer) error {
	if err := r.Space.enter(); errors.Is(err, fs.ErrPermission) {
		_, err = fmt.Fprintln(stdout, noSpace+err.Error())
		return err
	} else if err != nil {
		return err
	}
	for _, s := range scenes {
		if s.Name == r.Scene {
			if _, err := io.WriteString(stdout, ready); err != nil {
				return err
			}
			return s.Play(r.Arg, bufio.NewScanner(stdin), stdout)
		}
	}
	return fmt.Errorf("no scene %q", r.Scene)
}

// roleOfChild returns the role of this process, false when it runs the tests.
func roleOfChild() (r role, child bool, err error) {
	spec, child := os.LookupEnv(roleVariable)
	if child {
		err = json.Unmarshal([]byte(spec), &r)
	}
	return r, child, err
}
