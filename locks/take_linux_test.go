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
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

func takeAs(path string, s *locks.System) locks.TakeConfig {
	return locks.TakeConfig{Dir: filepath.Dir(path), SessionID: "session_1", System: s}
}

// Another process has the lock, is killed, and leaves a lock that is dead by its own fields.
func TestTakeMeetsAnotherProcess(t *testing.T) {
	s, path := locks.NewSystem(), sessionLock(t).Path
	c := locktest.TakeSession(t, path)
	wantHeld(t, takeAs(path, s), locks.Live, locks.ReasonSameProcess)
	c.Kill()
	wantHeld(t, takeAs(path, s), locks.Dead, locks.ReasonNoProcess)
	if j := judgeFile(t, s, path); !j.Automatic {
		t.Error("our own dead lock needs a person")
	}
}

func wantHeld(t *testing.T, cfg locks.TakeConfig, v locks.Verdict, reason string) {
	t.Helper()
	_, err := locks.Take(t.Context(), cfg)
	held, ok := errors.AsType[*locks.HeldError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	wantVerdict(t, held.Judgement, v, reason)
}

func TestReleasedByAnotherProcess(t *testing.T) {
	s, path := locks.NewSystem(), sessionLock(t).Path
	locktest.TakeSession(t, path).Release()
	l, err := locks.Take(t.Context(), takeAs(path, s))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// A child with this variable takes and releases the lock of that path until it is killed.
const takerPath = "BERTH_TEST_TAKER_PATH"

func init() { // before the tests, which a child does not run
	if path := os.Getenv(takerPath); path != "" {
		fmt.Println("ready")
		fmt.Println(takeForEver(path))
		os.Exit(1)
	}
}

func takeForEver(path string) error {
	cfg := takeAs(path, locks.NewSystem())
	for {
		l, err := locks.Take(context.Background(), cfg)
		if err != nil {
			return err
		}
		if err := l.Release(); err != nil {
			return err
		}
	}
}

// A process that is killed at any moment leaves a whole lock or none, which is judged dead and removed together
// with what else it left.
func TestKilledWhileTaking(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	y := newYard(t)
	for n := range rounds {
		killWhileTaking(t, y.lock, time.Duration(n)*time.Millisecond)
		f, err := locks.Read(y.lock)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || f.Problem != "" {
			t.Fatalf("round %d: %+v %v", n, f, err)
		}
		if _, err := y.r.Reclaim(t.Context(), f, locks.ReclaimOptions{}); err != nil {
			t.Errorf("round %d: %v", n, err)
		}
	}
	_, left, err := locks.List(filepath.Dir(y.lock))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d locks of %d were reclaimed; %d temp files stayed without a lock beside them", len(y.audit), rounds, len(left))
	for _, l := range left {
		if _, err := y.r.Clear(t.Context(), l, locks.ReclaimOptions{}); err != nil && !errors.Is(err, locks.ErrUnproved) {
			t.Error(err) // a torn one has to be old first
		}
	}
}

func killWhileTaking(t *testing.T, path string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), takerPath+"="+path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	if _, err := out.ReadString('\n'); err != nil {
		t.Error(err)
	}
	time.Sleep(after) // any moment will do
	cmd.Process.Kill()
	if rest, _ := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("it failed before: %s", rest)
	}
	cmd.Wait()
}
