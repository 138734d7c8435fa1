package locks_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
