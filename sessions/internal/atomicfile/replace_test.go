package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var errInjected = errors.New("injected")

// place makes a folder with one file in it and returns the file's path.
func place(t *testing.T, name, content string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// only fails when anything but the file at path lies in its folder, or its content is not want.
func only(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("content = %q, %v; want %q", got, err, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v; want the file alone", entries, err)
	}
}

func TestReplaceKeepsTheMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o664, 0o640, 0o755} {
		path := place(t, "note.md", "old", mode)
		if err := Replace(path, []byte("new"), nil); err != nil {
			t.Fatal(err)
		}
		only(t, path, "new")
		if fi, _ := os.Stat(path); fi.Mode() != mode {
			t.Errorf("mode = %v, want %v", fi.Mode(), mode)
		}
	}
}

// A failure at any step leaves the old bytes and nothing else (bug B151: sync comes before the rename).
func TestReplaceErrors(t *testing.T) {
	fail := func(*os.File) error { return errInjected }
	tests := []struct {
		name    string
		breakIt func(*steps)
		want    error
	}{
		{"folder does not take the temp file", func(s *steps) {
			s.create = func(string) (*os.File, error) { return nil, fs.ErrPermission }
		}, fs.ErrPermission},
		{"disk full in the middle of the write", func(s *steps) {
			s.write = func(f *os.File, data []byte) error {
				f.Write(data[:1])
				return syscall.ENOSPC
			}
		}, syscall.ENOSPC},
		{"sync fails", func(s *steps) { s.sync = fail }, errInjected},
		{"rename fails", func(s *steps) { s.rename = func(string, string) error { return errInjected } }, errInjected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := place(t, "note.md", "old", 0o644)
			s := system
			tt.breakIt(&s)
			if err := s.replace(path, []byte("new"), nil); !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
			only(t, path, "old")
		})
	}
}

func TestReplaceSyncsBeforeRename(t *testing.T) {
	path := place(t, "note.md", "old", 0o644)
	var order []string
	s := system
	s.sync = func(f *os.File) error { order = append(order, "sync"); return f.Sync() }
	s.rename = func(a, b string) error { order = append(order, "rename"); return os.Rename(a, b) }
	s.syncDir = func(string) error { order = append(order, "sync folder"); return nil }
	if err := s.replace(path, []byte("new"), func() error { order = append(order, "check"); return nil }); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, ", "), "sync, check, rename, sync folder"; got != want {
		t.Errorf("order: %s, want %s", got, want)
	}
}

func TestReplaceFolderSyncFails(t *testing.T) {
	path := place(t, "note.md", "old", 0o644)
	s := system
	s.syncDir = func(string) error { return errInjected }
	err := s.replace(path, []byte("new"), nil)
	if !errors.Is(err, ErrNotDurable) || !errors.Is(err, errInjected) {
		t.Errorf("err = %v, want ErrNotDurable with its cause", err)
	}
	only(t, path, "new")
}

func TestReplaceCheckStops(t *testing.T) {
	path := place(t, "note.md", "old", 0o644)
	if err := Replace(path, []byte("new"), func() error { return errInjected }); err != errInjected {
		t.Errorf("err = %v, want the check's own", err)
	}
	only(t, path, "old")
}

// Bug B119: a scanner holds the target. Three refusals, then it goes through, and each attempt looks again.
func TestReplaceRetriesBusyRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := place(t, "note.md", "old", 0o644)
		refusals, checks := 3, 0
		s := system
		s.rename = func(a, b string) error {
			if refusals--; refusals >= 0 {
				return &os.LinkError{Op: "rename", Old: a, New: b, Err: busyError}
			}
			return os.Rename(a, b)
		}
		start := time.Now()
		if err := s.replace(path, []byte("new"), func() error { checks++; return nil }); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 70*time.Millisecond || checks != 4 {
			t.Errorf("took %v with %d checks, want 70ms with 4", took, checks)
		}
		only(t, path, "new")
	})
}

func TestReplaceGivesUpOnBusyRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := place(t, "note.md", "old", 0o644)
		s := system
		s.rename = func(string, string) error { return busyError }
		start := time.Now()
		if err := s.replace(path, []byte("new"), nil); !errors.Is(err, busyError) {
			t.Errorf("err = %v, want %v", err, busyError)
		}
		if took := time.Since(start); took != 310*time.Millisecond {
			t.Errorf("gave up after %v, want 310ms", took)
		}
		only(t, path, "old")
	})
}

func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(filepath.Join(dir, "target.md"), link); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"missing": filepath.Join(dir, "none.md"), "link": link, "folder": dir,
	} {
		if err := Replace(path, []byte("new"), nil); err == nil {
			t.Errorf("%s was replaced", name)
		}
	}
	if got, err := os.Readlink(link); err != nil || got == "" {
		t.Errorf("the link is gone: %q, %v", got, err)
	}
}

func TestTempName(t *testing.T) {
	for _, name := range []string{"a.md", strings.Repeat("x", 255), strings.Repeat("項", 85)} {
		got := TempName(name)
		if !strings.HasPrefix(got, ".") || !strings.HasSuffix(got, ".tmp") || len(got) > 255 || got == TempName(name) {
			t.Errorf("TempName(%.20q…) = %q (%d bytes)", name, got, len(got))
		}
		if !bytes.Equal([]byte(got), bytes.ToValidUTF8([]byte(got), nil)) {
			t.Errorf("TempName(%.20q…) = %q cuts a character", name, got)
		}
	}
}
