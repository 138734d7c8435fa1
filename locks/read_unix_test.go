//go:build unix

package locks

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lock that is a link is not followed, whether its target exists or not (B70).
func TestReadSymlink(t *testing.T) {
	for name, target := range map[string]string{"dangling": "devbox-4242", "to a file": "secret"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "secret"), `{"version":1,"pid":7}`)
			path := filepath.Join(dir, "a.lock")
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			f, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Problem != "symbolic link, not followed" || f.Record != (Record{}) {
				t.Errorf("got problem %q, record %+v", f.Problem, f.Record)
			}
		})
	}
}

// A FIFO would block whoever opens it for reading.
func TestReadFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := Read(path); err != nil || f.Problem != "not a regular file" {
		t.Errorf("got %+v, %v", f, err)
	}
}
