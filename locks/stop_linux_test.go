package locks_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

func identify(t *testing.T, s *locks.System, pid int) locks.Identity {
	t.Helper()
	id, ok := s.Identify(pid)
	if !ok {
		t.Fatalf("pid %d cannot be identified", pid)
	}
	return id
}

func wantStopped(t *testing.T, got locks.Stopped, err error, result locks.StopResult, signal string) {
	t.Helper()
	if err != nil || got.Result != result || got.Signal != signal {
		t.Errorf("got %+v, %v; want %s by %s", got, err, result, signal)
	}
}

func wantRefused(t *testing.T, got locks.Stopped, err error, why string) {
	t.Helper()
	if !errors.Is(err, locks.ErrRefused) || got.Result != locks.Refused || got.Why != why || got.Signal != "" {
		t.Errorf("got %+v, %v; want %q", got, err, why)
	}
}

func TestStopEndsAClient(t *testing.T) {
	for interrupt, want := range map[bool]string{false: "SIGTERM", true: "SIGINT"} {
		t.Run(want, func(t *testing.T) {
			s, c := locks.NewSystem(), locktest.Titled(t, "kimi-code")
			id := identify(t, s, c.PID)
			got, err := s.Stop(t.Context(), locks.StopRequest{Holder: id, Interrupt: interrupt, Wait: patience})
			wantStopped(t, got, err, locks.Ended, want)
			c.Kill() // only to collect it
			got, err = s.Stop(t.Context(), locks.StopRequest{Holder: id})
			wantRefused(t, got, err, "no such process")
		})
	}
}

// TestStopSparesStrangers is bug B44: a program in which a client could run, or whose name begins like one's, is not
// signalled, although a lock names it and Judge would not call it dead.
func TestStopSparesStrangers(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node", "berth.test", "python3", "kimi-helper"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, program, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, "60")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			s := locks.NewSystem()
			got, err := s.Stop(t.Context(), locks.StopRequest{Holder: identify(t, s, cmd.Process.Pid)})
			wantRefused(t, got, err, "it runs "+path+", which is no known client")
			if s.Alive(got.Holder) != locks.Live {
				t.Error("it was ended all the same")
			}
		})
	}
}

// stubborn starts a client that ignores polite signals.
func stubborn(t *testing.T, s *locks.System) locks.Identity {
	t.Helper()
	// To the kernel the command name makes it a known client.
	cmd := exec.Command("sh", "-c", `trap "" TERM INT; printf kimi-code > /proc/$$/comm; echo ready; read line`)
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
	if _, err := stdout.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	return identify(t, s, cmd.Process.Pid)
}

func TestStopSaysThatItStillRuns(t *testing.T) {
	s := locks.NewSystem()
	id := stubborn(t, s)
	asked, err := s.Stop(t.Context(), locks.StopRequest{Holder: id, Wait: 50 * time.Millisecond})
	wantStopped(t, asked, err, locks.StillRunning, "SIGTERM")
	if asked.Waited < 50*time.Millisecond || s.Alive(id) != locks.Live {
		t.Errorf("waited %v, it is %s", asked.Waited, s.Alive(id))
	}
	killed, err := s.Kill(t.Context(), asked, patience)
	wantStopped(t, killed, err, locks.Ended, "SIGKILL")
}

func TestStopCancelled(t *testing.T) {
	s := locks.NewSystem()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	got, err := s.Stop(ctx, locks.StopRequest{Holder: stubborn(t, s)})
	if got.Result != locks.StillRunning || !errors.Is(err, enough) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestStopRefuses(t *testing.T) {
	s, c := locks.NewSystem(), locktest.Titled(t, "kimi-code")
	stranger := locktest.Live(t) // the test binary is no client
	id := identify(t, s, c.PID)
	tests := []struct {
		name   string
		holder locks.Identity
		why    string
	}{
		{"one tick off (B44)", locks.Identity{BootID: id.BootID, PID: id.PID, Start: id.Start + 1}, "another process has its pid now"},
		{"another boot (B44)", locks.Identity{BootID: "x", PID: id.PID, Start: id.Start}, "it ran in another boot"},
		{"a thread", locks.Identity{BootID: id.BootID, PID: c.ThreadID(), Start: id.Start}, "it is a thread"},
		{"no client", identify(t, s, stranger.PID), "it runs " + os.Args[0] + ", which is no known client"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.Stop(t.Context(), locks.StopRequest{Holder: tt.holder, Wait: time.Millisecond})
			wantRefused(t, got, err, tt.why)
		})
	}
	for _, alive := range []locks.Identity{id, identify(t, s, stranger.PID)} {
		if s.Alive(alive) != locks.Live {
			t.Errorf("pid %d was signalled", alive.PID)
		}
	}
}

// What was shown is a lock with its holder; both have to be there still.
func TestStopHolder(t *testing.T) {
	y := newYard(t)
	c := locktest.Titled(t, "kimi-code")
	id := identify(t, y.s, c.PID)
	record := func(token, host string, pid int) string {
		return lockText(1, token, pid, host, time.Now())
	}
	own := y.s.Host().Hostname
	y.write(y.lock, record("t", own, id.PID))
	shown := y.read()
	if got, ok := y.s.HolderOf(shown, time.Now()); !ok || got != id {
		t.Errorf("holder is %+v %v, want %+v", got, ok, id)
	}
	tests := []struct {
		name string
		now  string
		why  string
	}{
		{"the lock changed hands", record("u", own, id.PID), "another lock is there now"},
		{"another host (B68)", record("t", "old-pod", id.PID), "the holder is unknown: other host"},
		{"another process", record("t", own, os.Getpid()), "the lock names pid " + strconv.Itoa(os.Getpid())},
		{"torn", `{"version":1,"token":"t"`, "another lock is there now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			y.write(y.lock, tt.now)
			got, err := y.s.Stop(t.Context(), locks.StopRequest{Holder: id, Lock: shown})
			wantRefused(t, got, err, tt.why)
		})
	}
	y.write(y.lock, record("t", own, id.PID))
	got, err := y.s.Stop(t.Context(), locks.StopRequest{Holder: id, Lock: shown, Wait: patience})
	wantStopped(t, got, err, locks.Ended, "SIGTERM")
	if _, ok := y.s.HolderOf(y.read(), time.Now()); ok {
		t.Error("a dead holder is given out")
	}
	if err := os.Remove(y.lock); err != nil {
		t.Fatal(err)
	}
	got, err = y.s.Stop(t.Context(), locks.StopRequest{Holder: id, Lock: shown})
	wantRefused(t, got, err, "its lock is gone")
}
