package locks_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// scenes are what other processes do for the tests of this package, in namespaces of their own or not.
var scenes = []locktest.Scene{
	{Name: "take", Play: playTake},
	{Name: "judge", Play: playJudge},
	{Name: "reuse", Play: playReuse},
	{Name: "berth reclaims", Play: playBerth},
	{Name: "client reclaims", Play: playClient},
}

// playTake takes the lock at path as berth does and keeps it until its input ends.
func playTake(path string, in *bufio.Scanner, out io.Writer) error {
	l, err := locks.Take(contextOfScene(), locks.TakeConfig{
		Dir: filepath.Dir(path), SessionID: strings.TrimSuffix(filepath.Base(path), ".lock"), System: locks.NewSystem(),
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "taken")
	for in.Scan() {
	}
	return l.Release()
}

// playJudge judges the lock at path whenever it is told to.
func playJudge(path string, in *bufio.Scanner, out io.Writer) error {
	s := locks.NewSystem()
	for in.Scan() {
		f, err := locks.Read(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, inOneLine(s.Judge(f, time.Now())))
	}
	return nil
}

func inOneLine(j locks.Judgement) string {
	line := string(j.Verdict) + ": " + j.Reason
	if j.Automatic {
		line += ", automatic"
	}
	return line
}

// A holder on a host that got another name after the lock was taken is told by its boot id.
func TestRenamedHost(t *testing.T) {
	path := sessionLock(t).Path
	holder := locktest.Play(t, locktest.Space{Host: "old-name"}, "take", path)
	if line := holder.Hear(); line != "taken" {
		t.Fatal(line)
	}
	s := locks.NewSystem()
	asClient := func() *locks.File {
		return edited(t, path, func(r *locks.Record) { r.BootID, r.ProcessStart, r.PIDNamespace = "", 0, "" })
	}
	wantVerdict(t, judgeFile(t, s, path), locks.Live, locks.ReasonSameProcess)
	wantVerdict(t, s.Judge(asClient(), time.Now()), locks.Unknown, locks.ReasonOtherHost)
	holder.Kill()
	j := judgeFile(t, s, path)
	wantVerdict(t, j, locks.Dead, locks.ReasonRenamedHost)
	if j.Automatic {
		t.Error("may be removed without a person")
	}
	wantVerdict(t, s.Judge(asClient(), time.Now()), locks.Unknown, locks.ReasonOtherHost)
}

// Whoever shares the folder and the name of a host, but not its processes, must not take a living holder
// for dead because its pid is free there (B64). After its end nothing proves that either.
func TestJudgeFromOtherNamespaces(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		space locktest.Space
		own   bool
		want  string
	}{
		{"sandbox", locktest.Space{PIDs: true, Proc: true}, false, "unknown: sandbox"},
		{"sandbox with the host's /proc", locktest.Space{PIDs: true}, false, "unknown: sandbox"},
		{"container with the host's name", locktest.Space{PIDs: true, Proc: true, Host: host}, false, "unknown: host name of several systems"},
		{"container with a name of its own", locktest.Space{PIDs: true, Proc: true, Host: "6f1c2a"}, false, "unknown: other host"},
		{"sandbox, lock of berth", locktest.Space{PIDs: true, Proc: true}, true, "unknown: other pid namespace"},
		{"container with the host's name, lock of berth", locktest.Space{PIDs: true, Proc: true, Host: host}, true, "unknown: other pid namespace"},
		{"container with a name of its own, lock of berth", locktest.Space{PIDs: true, Proc: true, Host: "6f1c2a"}, true, "unknown: other host"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := sessionLock(t)
			l.Own = tt.own
			holder := locktest.HoldSession(t, l)
			judge := locktest.Play(t, tt.space, "judge", l.Path)
			judge.Say("while it lives")
			if got := judge.Hear(); got != tt.want {
				t.Errorf("while it lives: got %q, want %q", got, tt.want)
			}
			holder.Kill()
			judge.Say("after its end")
			if got := judge.Hear(); got != tt.want {
				t.Errorf("after its end: got %q, want %q", got, tt.want)
			}
		})
	}
}

// In a pid namespace of its own a process may choose the next pid, so that reuse needs no luck.
func TestReusedPIDInItsNamespace(t *testing.T) {
	inside := locktest.Play(t, locktest.Space{PIDs: true, Proc: true, Host: "box"}, "reuse", sessionLock(t).Path)
	for _, want := range []string{
		"alive: live: same process",
		"killed: dead: no such process, automatic",
		"pid taken by another: dead: pid reused, automatic",
		"as today's clients write it: unknown: host name of several systems",
	} {
		if got := inside.Hear(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// playReuse is the first process of a namespace. It lets a holder die and gives its pid to another.
func playReuse(path string, _ *bufio.Scanner, out io.Writer) error {
	s := locks.NewSystem()
	judge := func(when string, edit func(*locks.Record)) error {
		f, err := locks.Read(path)
		if err == nil {
			edit(&f.Record)
			fmt.Fprintln(out, when+": "+inOneLine(s.Judge(f, time.Now())))
		}
		return err
	}
	asIs := func(*locks.Record) {}
	holder, err := takeInside(path)
	if err != nil {
		return err
	}
	if err := judge("alive", asIs); err != nil {
		return err
	}
	holder.Process.Kill()
	holder.Wait() // it was killed, and says so
	if err := judge("killed", asIs); err != nil {
		return err
	}
	if err := reuse(holder.Process.Pid, s); err != nil {
		return err
	}
	if err := judge("pid taken by another", asIs); err != nil {
		return err
	}
	return judge("as today's clients write it", func(r *locks.Record) {
		r.BootID, r.ProcessStart, r.PIDNamespace = "", 0, ""
		r.Client, r.StartedAt = "kimi-code-cli 2.2.0", r.StartedAt.Add(-time.Minute)
	})
}

// takeInside starts a holder and waits until it has the lock.
func takeInside(path string) (*exec.Cmd, error) {
	holder, err := locktest.Command("take", path)
	if err != nil {
		return nil, err
	}
	if _, err := holder.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := holder.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := holder.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if lines.Text() == "taken" {
			return holder, nil
		}
	}
	return nil, fmt.Errorf("the holder took nothing")
}

// reuse starts a process with this pid, but not in the hundredth of a second in which the last was started:
// no kernel that gives out pids in turn does that. Others that are started may get the number first.
func reuse(pid int, s *locks.System) error {
	if err := awaitTick(s); err != nil {
		return err
	}
	for range 100 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			return err
		}
		other := exec.Command("/bin/sleep", "60")
		if err := other.Start(); err != nil {
			return err
		}
		if other.Process.Pid == pid {
			return nil // it ends with the namespace
		}
		other.Process.Kill()
		other.Wait()
	}
	return fmt.Errorf("pid %d was not given out again", pid)
}

// awaitTick waits until processes that are started now have another start stamp than those until now.
func awaitTick(s *locks.System) error {
	started := func() (uint64, error) {
		probe := exec.Command("/bin/sleep", "60")
		if err := probe.Start(); err != nil {
			return 0, err
		}
		id, ok := s.Identify(probe.Process.Pid)
		probe.Process.Kill()
		probe.Wait()
		if !ok {
			return 0, fmt.Errorf("pid %d cannot be identified", probe.Process.Pid)
		}
		return id.Start, nil
	}
	first, err := started()
	for next := first; err == nil && next == first; {
		next, err = started()
	}
	return err
}
