package sessiontest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"berth/sessions"
)

// list returns the keys that src emits, sorted.
func list(t testing.TB, src sessions.Source) []string {
	t.Helper()
	var keys []string
	if err := src.List(t.Context(), func(key string) { keys = append(keys, key) }); err != nil {
		t.Fatalf("List: %v", err)
	}
	slices.Sort(keys)
	if dup := len(keys) - len(slices.Compact(slices.Clone(keys))); dup > 0 {
		t.Fatalf("List emitted %d keys twice: %q", dup, keys)
	}
	return keys
}

// load reads key at a moment when everything has settled.
func load(t testing.TB, src sessions.Source, key string) *sessions.Record {
	t.Helper()
	r, err := src.Load(key, settled())
	if err != nil {
		t.Fatalf("Load(%q): %v", key, err)
	}
	return r
}

// stamp returns key's stamp, which must not be the zero one.
func stamp(t testing.TB, src sessions.Source, key string) sessions.Stamp {
	t.Helper()
	s, err := src.Stamp(key)
	if err != nil {
		t.Fatalf("Stamp(%q): %v", key, err)
	}
	if s == 0 {
		t.Fatalf("Stamp(%q) is zero, which equals nothing", key)
	}
	return s
}

// wantNotFound checks that neither Stamp nor Load knows key.
func wantNotFound(t testing.TB, src sessions.Source, key string) {
	t.Helper()
	if s, err := src.Stamp(key); !errors.Is(err, sessions.ErrNotFound) {
		t.Errorf("Stamp(%q) = %v, %v, want ErrNotFound", key, s, err)
	}
	if r, err := src.Load(key, settled()); !errors.Is(err, sessions.ErrNotFound) {
		t.Errorf("Load(%q) = %v, %v, want ErrNotFound", key, r, err)
	}
}

// loadable returns those listed keys that Load takes for Sessions. List may name more: it does not read.
func loadable(t testing.TB, src sessions.Source) []string {
	t.Helper()
	var keys []string
	for _, key := range list(t, src) {
		switch _, err := src.Load(key, settled()); {
		case err == nil:
			keys = append(keys, key)
		case !errors.Is(err, sessions.ErrNotFound):
			t.Errorf("Load(%q): %v", key, err)
		}
	}
	return keys
}

// digest hashes every name, mode, size, modification time and content below dir.
func digest(t testing.TB, dir string) [sha256.Size]byte {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h.Write([]byte(path + info.Mode().String() + info.ModTime().String()))
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// cancelled is a context that has ended already.
func cancelled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
