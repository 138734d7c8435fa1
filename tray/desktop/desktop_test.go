package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeOpener puts a program in the place of the platform's opener that writes down what it is asked to open.
func fakeOpener(t *testing.T, script string) (asked func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "asked")
	program := filepath.Join(dir, opener(runtime.GOOS))
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf %s \"$1\" >'"+log+"'\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() string {
		b, _ := os.ReadFile(log)
		return string(b)
	}
}

func TestOpenFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake opener is a shell script")
	}
	asked := fakeOpener(t, "")
	dir := filepath.Join(t.TempDir(), "-rf $(touch x) 项目")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := OpenFolder(dir); err != nil {
		t.Fatal(err)
	}
	if got := asked(); got != dir {
		t.Errorf("asked to open %q, want %q", got, dir)
	}
}

// A path comes from a file that anybody may have written: what is no directory is not handed to an opener,
// which would run it.
func TestOpenFolderRefuses(t *testing.T) {
	asked := fakeOpener(t, "")
	file := filepath.Join(t.TempDir(), "evil.desktop")
	if err := os.WriteFile(file, []byte("[Desktop Entry]\nExec=true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		want error
	}{
		{file, ErrNotFolder},
		{"relative", ErrNotFolder},
		{"", ErrNotFolder},
		{"https://example.org/", ErrNotFolder},
		{filepath.Join(t.TempDir(), "gone"), os.ErrNotExist},
	} {
		if err := OpenFolder(tt.path); !errors.Is(err, tt.want) {
			t.Errorf("%q: got %v, want %v", tt.path, err, tt.want)
		}
	}
	if got := asked(); got != "" {
		t.Errorf("the opener was asked for %q", got)
	}
}

func TestOpenFolderThatFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake opener is a shell script")
	}
	fakeOpener(t, "echo no file manager >&2; exit 3")
	err := OpenFolder(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no file manager") {
		t.Errorf("got %v", err)
	}
}
