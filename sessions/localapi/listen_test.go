//go:build !windows

package localapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketIsPrivate(t *testing.T) {
	_, socket := serve(t, &backend{view: aView()})
	for path, want := range map[string]os.FileMode{socket: 0o600, filepath.Dir(socket): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestListenReplacesADeadSocketAndNothingElse(t *testing.T) {
	dir, err := os.MkdirTemp("", "api")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	for range 2 { // the first leaves its file behind, as after a kill
		ln, err := Listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		ln.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
		ln.Close()
	}
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); err == nil {
		t.Error("a plain file was replaced by a socket")
	}
	if b, _ := os.ReadFile(file); string(b) != "mine" {
		t.Errorf("the file now holds %q", b)
	}
	if _, err := Listen(filepath.Join(dir, strings.Repeat("x", 120))); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Errorf("a too long path gives %v, want a hint", err)
	}
}
