package locks

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whoever breaks the protocol between our last look and the rename gets its lock back.
func TestMoveAsideTakesWhatWasMeant(t *testing.T) {
	const old, newer = `{"version":1,"token":"old"}`, `{"version":1,"token":"newer"}`
	tests := []struct {
		name  string
		now   string
		link  func(from, to string) error
		moved bool
		left  string
	}{
		{"the same lock", old, os.Link, true, ""},
		{"a newer one", newer, os.Link, false, newer},
		{"a newer one, without hard links", newer, refuseLink, false, newer},
		{"a newer one, and a third came in its place", newer, linkToTaken, false, "third"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReclaimer(ReclaimConfig{System: NewSystem(), Dir: t.TempDir()})
			r.link = tt.link
			path := filepath.Join(t.TempDir(), "session_1.lock")
			write(t, path, old)
			f, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if tt.now != old {
				write(t, path, tt.now)
			}
			moved, err := r.moveAside(f)
			if (err == nil) != tt.moved || err != nil && !errors.Is(err, ErrChanged) {
				t.Errorf("got %q, %v", moved, err)
			}
			if b, _ := os.ReadFile(path); string(b) != tt.left {
				t.Errorf("under its name is %q", b)
			}
		})
	}
}

// linkToTaken finds the name taken at the last moment.
func linkToTaken(from, to string) error {
	return errors.Join(os.WriteFile(to, []byte("third"), 0o600), os.Link(from, to))
}
