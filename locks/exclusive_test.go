package locks_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	r, err := locks.TryHold(path)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := r(); err != nil {
			t.Error(err)
		}
	}
}

func TestHoldExcludesWithinAProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "berth.lock")
	release := hold(t, path)
	if _, err := locks.TryHold(path); !errors.Is(err, locks.ErrHeld) {
		t.Errorf("second holder: got %v", err)
	}
	release()
	release() // once more does no harm
	hold(t, path)()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

func TestKilledProcessHoldsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berth.lock")
	c := locktest.HoldFile(t, path)
	if _, err := locks.TryHold(path); !errors.Is(err, locks.ErrHeld) {
		t.Errorf("while the child lives: got %v", err)
	}
	c.Kill()
	hold(t, path)()
}

func TestHoldWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berth.lock")
	c := locktest.HoldFile(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		release, err := locks.Hold(ctx, path)
		if err == nil {
			err = release()
		}
		done <- err
	}()
	c.Release()
	if err := <-done; err != nil {
		t.Errorf("got %v", err)
	}
}

func TestHoldGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berth.lock")
	defer hold(t, path)()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	_, err := locks.Hold(ctx, path)
	if !errors.Is(err, locks.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestHoldTriesOnceUnderAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release, err := locks.Hold(ctx, filepath.Join(t.TempDir(), "berth.lock"))
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestHoldCounts(t *testing.T) {
	dir := t.TempDir()
	counter := filepath.Join(dir, "counter")
	if err := os.WriteFile(counter, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if err := increment(t.Context(), filepath.Join(dir, "berth.lock"), counter); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if b, err := os.ReadFile(counter); err != nil || string(b) != "20" {
		t.Errorf("counted %s, %v", b, err)
	}
}

func increment(ctx context.Context, lock, counter string) error {
	release, err := locks.Hold(ctx, lock)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(counter)
	if err != nil {
		return errors.Join(err, release())
	}
	n, err := strconv.Atoi(string(b))
	if err == nil {
		err = os.WriteFile(counter, []byte(strconv.Itoa(n+1)), 0o600)
	}
	return errors.Join(err, release())
}

const foreign = ".kioku/coordination/runtime/locks/resources/8A87CFF9.lock"

func TestHoldForeign(t *testing.T) {
	root := t.TempDir()
	release, err := locks.HoldForeign(t.Context(), root, foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locks.TryHold(filepath.Join(root, foreign)); !errors.Is(err, locks.ErrHeld) {
		t.Errorf("second holder: got %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestHoldForeignLeavesWhatExists(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, foreign)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	release, err := locks.HoldForeign(t.Context(), root, foreign)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("file changed from %v to %v (%v)", before, after, err)
	}
	if b, err := os.ReadFile(path); string(b) != "theirs" {
		t.Errorf("content is %q (%v)", b, err)
	}
}

func TestHoldForeignNeedsItsRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "vault")
	if _, err := locks.HoldForeign(t.Context(), root, foreign); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the root was made (%v)", err)
	}
}

func TestHoldForeignRefusesToLeaveItsRoot(t *testing.T) {
	for _, rel := range []string{"../outside/a.lock", "link/a.lock"} {
		t.Run(rel, func(t *testing.T) {
			dir := t.TempDir()
			root := filepath.Join(dir, "vault")
			for _, d := range []string{root, filepath.Join(dir, "outside")} {
				if err := os.Mkdir(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("../outside", filepath.Join(root, "link")); err != nil {
				t.Fatal(err)
			}
			if _, err := locks.HoldForeign(t.Context(), root, rel); err == nil {
				t.Error("held")
			}
			if left, _ := os.ReadDir(filepath.Join(dir, "outside")); len(left) != 0 {
				t.Errorf("left %v outside", left)
			}
		})
	}
}

// The floor is a file opened and closed.
func BenchmarkHold(b *testing.B) {
	path := filepath.Join(b.TempDir(), "berth.lock")
	b.Run("hold", func(b *testing.B) {
		for b.Loop() {
			release, err := locks.TryHold(path)
			if err != nil {
				b.Fatal(err)
			}
			if err := release(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}
