package locks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	files, leftovers, err := List("testdata/thread")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.SessionID)
	}
	want := []string{
		"empty-hostname", "empty", "foreign-hostname", "identity-as-text", "missing-pid", "newer-version", "plain",
		"pretty-with-newline", "started-as-text", "started-before-boot", "torn",
	}
	slices.Sort(want)
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("locks %q\nwant  %q", names, want)
	}
	if len(leftovers) != 2 || leftovers[0].Kind != Marker || leftovers[1].Kind != Temp {
		t.Fatalf("leftovers %+v", leftovers)
	}
	for _, l := range leftovers {
		if l.SessionID != "session_33e612fb-b064-4830-927f-8d1b8f56702b" || l.ModTime.IsZero() {
			t.Errorf("leftover %+v", l)
		}
	}
	if leftovers[1].PID != 4242 {
		t.Errorf("writer of the temp file is %d, want 4242", leftovers[1].PID)
	}
}

// A crash leaves marker and temp file without a lock: the session is not held (B83).
func TestListLeftoversOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.lock.reclaim", "a.lock.tmp-1-1", "notes.txt", ".lock"} {
		write(t, filepath.Join(dir, name), "{}")
	}
	files, leftovers, err := List(dir)
	if err != nil || len(files) != 0 || len(leftovers) != 2 {
		t.Errorf("got %d locks, %+v, %v", len(files), leftovers, err)
	}
}

func TestListMissingFolder(t *testing.T) {
	if _, _, err := List(filepath.Join(t.TempDir(), "locks")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A bad entry is a row with its problem, and spoils no other.
func TestListBadEntry(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b.lock"), `{"version":1}`)
	files, _, err := List(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	if files[0].Problem != "not a regular file" || files[1].Problem != "" {
		t.Errorf("problems %q, %q", files[0].Problem, files[1].Problem)
	}
}

func TestMarkerIsReadAsLock(t *testing.T) {
	f, err := Read("testdata/thread/session_33e612fb-b064-4830-927f-8d1b8f56702b.lock.reclaim")
	if err != nil || f.Record.PID != 4343 || f.SessionID != "session_33e612fb-b064-4830-927f-8d1b8f56702b" {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestFileName(t *testing.T) {
	tests := []struct {
		id   string
		want string // "" when the id is refused
	}{
		{"session_33e612fb-b064-4830-927f-8d1b8f56702b", "session_33e612fb-b064-4830-927f-8d1b8f56702b.lock"},
		{"a.b", "a.b.lock"},
		{"...", "....lock"},
		{"", ""},
		{".", ""},
		{"..", ""},
		{"a/b", ""},
		{`a\b`, ""},
		{"../a", ""},
		{"a b", ""},
		{"a\n", ""},
		{"a\x00", ""},
		{"é", ""},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			got, err := FileName(tt.id)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
			if err != nil && !errors.Is(err, ErrUnsafeID) {
				t.Errorf("error %v is not ErrUnsafeID", err)
			}
		})
	}
}

func FuzzFileName(f *testing.F) {
	for _, id := range []string{"a", "..", "a/../b", "a.lock.tmp-1-1", "a.lock.reclaim"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		name, err := FileName(id)
		if err != nil {
			return
		}
		if filepath.Base(name) != name || strings.ContainsAny(name, `/\`) {
			t.Errorf("%q gives the path %q", id, name)
		}
		if !IsLockName(name) || leftover(name).Kind != "" || sessionID(name) != id {
			t.Errorf("%q is not found again under %q", id, name)
		}
	})
}
