package locks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

func TestClassify(t *testing.T) {
	tests := []struct {
		name         string
		err          error
		notSupported bool
	}{
		{"file system without flock", &fs.PathError{Op: "flock", Err: syscall.ENOSYS}, true},
		{"platform without locks", &fs.PathError{Op: "Lock", Err: errors.ErrUnsupported}, true},
		{"lock server does not answer", syscall.ENOLCK, true},
		{"no permission", fs.ErrPermission, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := classify(tt.err)
			if errors.Is(got, ErrNotSupported) != tt.notSupported || !errors.Is(got, tt.err) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A tidy-up tool may take the name away from a file that is locked.
func TestStillNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berth.lock")
	l := flock.New(path)
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer l.Unlock()
	if !stillNamed(l, path) {
		t.Error("an untouched file has lost its name")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if stillNamed(l, path) {
		t.Error("a removed file still has its name")
	}
	write(t, path, "")
	if stillNamed(l, path) {
		t.Error("another file of that name is taken for the locked one")
	}
}
