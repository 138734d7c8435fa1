//go:build unix

package locks_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"berth/locks"
)

func TestHoldModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "berth.lock")
	defer hold(t, path)()
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", p, fi.Mode(), err, want)
		}
	}
}

// .NET programs lock by flock on the same file; either side keeps the other out.
func TestHoldForeignMeetsFlock(t *testing.T) {
	root := t.TempDir()
	release, err := locks.HoldForeign(t.Context(), root, foreign)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(filepath.Join(root, foreign), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	flock := func() error { return syscall.Flock(int(other.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
	if err := flock(); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("flock while held: got %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := flock(); err != nil {
		t.Errorf("flock when free: got %v", err)
	}
	if _, err := locks.TryHold(filepath.Join(root, foreign)); !errors.Is(err, locks.ErrHeld) {
		t.Errorf("hold under their flock: got %v", err)
	}
}

func TestHoldFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "berth.lock")
	if err := os.Symlink("elsewhere", path); err != nil {
		t.Fatal(err)
	}
	if _, err := locks.TryHold(path); err == nil {
		t.Error("held through a link")
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link's target was made (%v)", err)
	}
}
