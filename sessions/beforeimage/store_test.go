package beforeimage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"berth/sessions"
)

func image(action string) *sessions.Image {
	return &sessions.Image{Action: action, At: time.Now().UTC(), Kind: sessions.ActionClosed, Session: "s", Path: "/v/x.md",
		Message: "Session closed: x.md", Before: []byte("\xef\xbb\xbfa\r\n\x00\xff"), After: []byte("b")}
}

func keep(t *testing.T, s *Store, imgs ...*sessions.Image) {
	t.Helper()
	for _, img := range imgs {
		if err := s.Keep(img); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKeepsBytesPrivately(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "state", "before")}
	want := image("20260718T200000.000-a")
	keep(t, s, want)
	got, err := s.Load(want.Action)
	if err != nil || !bytes.Equal(got.Before, want.Before) || !bytes.Equal(got.After, want.After) || got.Message != want.Message || !got.At.Equal(want.At) {
		t.Errorf("got %+v, %v", got, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, mode := range map[string]fs.FileMode{s.Dir: 0o700, filepath.Join(s.Dir, want.Action+suffix): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, mode)
		}
	}
}

func TestForgetAndList(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "before")}
	if names, err := s.List(); err != nil || len(names) != 0 {
		t.Errorf("an absent folder has %q, %v", names, err)
	}
	keep(t, s, image("2"), image("3"), image("1"))
	if err := errors.Join(s.Forget("2"), s.Forget("2"), s.Forget("never")); err != nil {
		t.Error(err)
	}
	if names, err := s.List(); err != nil || !slices.Equal(names, []string{"3", "1"}) {
		t.Errorf("left are %q, %v", names, err)
	}
}

// What a command line calls an action never becomes a path.
func TestNamesStayInTheFolder(t *testing.T) {
	dir := t.TempDir()
	s := &Store{Dir: filepath.Join(dir, "before")}
	keep(t, s, image("1"))
	if err := os.WriteFile(filepath.Join(dir, "other.json"), []byte(`{"action":"other"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../other", `..\other`, "/etc/passwd", "a/b", "\x00", "none"} {
		if img, err := s.Load(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q loads %+v, %v", name, img, err)
		}
		if name != "none" && s.Keep(image(name)) == nil {
			t.Errorf("%q is kept", name)
		}
	}
}

func TestOldAndManyAndLargeGo(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "before")}
	old, then := image("0-old"), time.Now().Add(-MaxAge-time.Hour)
	old.At = then
	keep(t, s, old)
	if err := os.Chtimes(filepath.Join(s.Dir, "0-old"+suffix), then, then); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("0-old"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an image of 30 days ago: %v", err)
	}
	keep(t, s, image("1-new"))
	if names, _ := s.List(); !slices.Equal(names, []string{"1-new"}) {
		t.Errorf("left are %q", names)
	}
	large := image("2-large")
	large.Before = make([]byte, maxImage)
	if err := s.Keep(large); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a file of %d bytes: %v", maxImage, err)
	}
}

func TestCountIsBounded(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "before")}
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range MaxCount + 5 {
		if err := os.WriteFile(filepath.Join(s.Dir, fmt.Sprintf("%04d%s", i, suffix)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, s, image("9999"))
	names, err := s.List()
	if err != nil || len(names) != MaxCount || names[0] != "9999" || names[len(names)-1] != "0006" {
		t.Errorf("%d are left, from %s to %s, %v", len(names), names[0], names[len(names)-1], err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"action":"a","at":"2026-07-18T20:00:00Z","before":"YQ=="}`))
	f.Add([]byte(`{"before":7}`))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Store{Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(s.Dir, "a"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if img, err := s.Load("a"); (img == nil) == (err == nil) {
			t.Errorf("%+v, %v", img, err)
		}
	})
}
