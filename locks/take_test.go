package locks

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const deadline = 20 * time.Second

func takeConfig(t testing.TB) TakeConfig {
	return TakeConfig{
		Dir: filepath.Join(t.TempDir(), "locks", "sessions"), SessionID: "session_1", System: NewSystem(),
		Client: ClientIdentity{ProductName: "berth", Version: "0.1", Platform: "berth"}, Look: 10 * time.Millisecond,
	}
}

func mustTake(t testing.TB, cfg TakeConfig) *Lease {
	t.Helper()
	l, err := Take(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Release() })
	return l
}

func (cfg *TakeConfig) path() string { return filepath.Join(cfg.Dir, cfg.SessionID+".lock") }

func names(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestTakeWritesTheClientsFields(t *testing.T) {
	cfg := takeConfig(t)
	l := mustTake(t, cfg)
	b, err := os.ReadFile(cfg.path())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "token", "pid", "hostname", "startedAt", "clientIdentity"} {
		if fields[key] == nil {
			t.Errorf("no %s in %s", key, b)
		}
	}
	if fi, err := os.Stat(cfg.path()); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", fi.Mode(), err)
	}
	if got := names(t, cfg.Dir); got != "session_1.lock" || !l.Linked() {
		t.Errorf("folder has %s, linked %v", got, l.Linked())
	}
	f := l.File()
	if j := cfg.System.Judge(&f, time.Now()); j.Verdict != Live {
		t.Errorf("our own lock is %s: %s", j.Verdict, j.Reason)
	}
}

func TestReleaseRemovesTheLock(t *testing.T) {
	cfg := takeConfig(t)
	l := mustTake(t, cfg)
	first := l.File()
	for range 2 {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, cfg.Dir); got != "" {
		t.Errorf("left %s", got)
	}
	if l.Context().Err() == nil {
		t.Error("context lives on")
	}
	if again := mustTake(t, cfg).File(); again.Record.Token == first.Record.Token {
		t.Error("two holds have one token")
	}
}

func TestLeasesShareAHold(t *testing.T) {
	cfg := takeConfig(t)
	outer, inner := mustTake(t, cfg), mustTake(t, cfg)
	if a, b := outer.File(), inner.File(); a.Record.Token != b.Record.Token {
		t.Error("two holds")
	}
	if err := outer.Release(); err != nil {
		t.Error(err)
	}
	if err := inner.Verify(); err != nil || inner.Context().Err() != nil {
		t.Errorf("inner lease lost its lock with the outer one: %v", err)
	}
	if err := inner.Release(); err != nil {
		t.Error(err)
	}
	if got := names(t, cfg.Dir); got != "" {
		t.Errorf("left %s", got)
	}
}

func TestTakeIsHeld(t *testing.T) {
	tests := []struct {
		name    string
		content string
		verdict Verdict
	}{
		{"another host", `{"version":1,"token":"t","pid":4242,"hostname":"old-pod","startedAt":1}`, Unknown},
		{"torn", `{"version":1,"tok`, Unknown},
		{"empty", ``, Unknown},
		{"newer version (B88)", `{"version":99}`, Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := takeConfig(t)
			if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, cfg.path(), tt.content)
			_, err := Take(t.Context(), cfg)
			held, ok := errors.AsType[*HeldError](err)
			if !ok || !errors.Is(err, ErrHeld) || held.Judgement.Verdict != tt.verdict || held.File.SessionID != "session_1" {
				t.Errorf("got %v", err)
			}
			if b, err := os.ReadFile(cfg.path()); string(b) != tt.content || names(t, cfg.Dir) != "session_1.lock" {
				t.Errorf("left %s, %q (%v)", names(t, cfg.Dir), b, err)
			}
		})
	}
}

func TestTakeIsHeldByALink(t *testing.T) { // B70
	cfg := takeConfig(t)
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", cfg.path()); err != nil {
		t.Fatal(err)
	}
	for _, link := range []func(string, string) error{nil, refuseLink} {
		cfg.link = link
		if _, err := Take(t.Context(), cfg); !errors.Is(err, ErrHeld) {
			t.Errorf("got %v", err)
		}
	}
}

func refuseLink(from, to string) error {
	return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
}

// B82: FAT, some FUSE and network file systems.
func TestTakeWithoutHardLinks(t *testing.T) {
	cfg := takeConfig(t)
	cfg.link = refuseLink
	l := mustTake(t, cfg)
	if l.Linked() || names(t, cfg.Dir) != "session_1.lock" {
		t.Errorf("linked %v, folder has %s", l.Linked(), names(t, cfg.Dir))
	}
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	if err := l.Release(); err != nil || names(t, cfg.Dir) != "" {
		t.Errorf("left %s (%v)", names(t, cfg.Dir), err)
	}
}

// NFS may say that a link failed which it has made.
func TestTakeBelievesTheDisk(t *testing.T) {
	cfg := takeConfig(t)
	cfg.link = func(from, to string) error { return errors.Join(os.Link(from, to), syscall.EIO) }
	if l := mustTake(t, cfg); !l.Linked() {
		t.Error("the link was not seen")
	}
}

func TestTakeRefuses(t *testing.T) {
	for name, id := range map[string]string{"slash": "a/b", "parent": "..", "empty": "", "NUL": "a\x00b"} {
		t.Run(name, func(t *testing.T) {
			cfg := takeConfig(t)
			cfg.SessionID = id
			if _, err := Take(t.Context(), cfg); !errors.Is(err, ErrUnsafeID) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a home that is not there", func(t *testing.T) {
		cfg := takeConfig(t)
		cfg.Dir = filepath.Join(t.TempDir(), "unmounted", "locks", "sessions")
		if _, err := Take(t.Context(), cfg); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a sandbox", func(t *testing.T) {
		cfg := takeConfig(t)
		cfg.System.fixed.Sandboxed = true
		if _, err := Take(t.Context(), cfg); !errors.Is(err, ErrNotSupported) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an ended context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Take(ctx, takeConfig(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// B77: what was ours is somebody else's after a pause.
func TestLostLock(t *testing.T) {
	losses := map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte(`{"version":1,"token":"other","pid":4242}`), 0o600))
		},
		"overwritten": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"copied": func(path string) error {
			b, err := os.ReadFile(path)
			other := path + ".new"
			return errors.Join(err, os.WriteFile(other, b, 0o600), os.Rename(other, path))
		},
	}
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			cfg := takeConfig(t)
			l := mustTake(t, cfg)
			if err := lose(cfg.path()); err != nil {
				t.Fatal(err)
			}
			before := names(t, cfg.Dir)
			select {
			case <-l.Context().Done():
			case <-time.After(deadline):
				t.Fatal("the loss is not noticed")
			}
			if cause := context.Cause(l.Context()); !errors.Is(cause, ErrLost) || !errors.Is(l.Verify(), ErrLost) {
				t.Errorf("cause %v, verified %v", cause, l.Verify())
			}
			if err := l.Release(); !errors.Is(err, ErrLost) || names(t, cfg.Dir) != before {
				t.Errorf("release: %v, folder %s, before %s", err, names(t, cfg.Dir), before)
			}
		})
	}
}

// A hold that was lost does not stand in the way of the next.
func TestTakeAfterALoss(t *testing.T) {
	cfg := takeConfig(t)
	old := mustTake(t, cfg)
	if err := os.Remove(cfg.path()); err != nil {
		t.Fatal(err)
	}
	again := mustTake(t, cfg)
	if err := old.Release(); !errors.Is(err, ErrLost) {
		t.Errorf("old lease: %v", err)
	}
	if err := again.Verify(); err != nil {
		t.Errorf("new lease: %v", err)
	}
}

func TestReleaseAll(t *testing.T) {
	cfg, other := takeConfig(t), takeConfig(t)
	l, second, m := mustTake(t, cfg), mustTake(t, cfg), mustTake(t, other)
	if err := ReleaseAll(); err != nil {
		t.Error(err)
	}
	if got := names(t, cfg.Dir) + names(t, other.Dir); got != "" {
		t.Errorf("left %s", got)
	}
	next := mustTake(t, cfg) // not theirs to release
	for _, lease := range []*Lease{l, second, m} {
		if err := lease.Release(); err != nil || lease.Context().Err() == nil {
			t.Errorf("released %v, context %v", err, lease.Context().Err())
		}
	}
	if err := next.Verify(); err != nil {
		t.Error(err)
	}
}

func TestTakeConcurrently(t *testing.T) {
	cfg := takeConfig(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				l, err := Take(t.Context(), cfg)
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(l.Verify(), l.Release()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := names(t, cfg.Dir); got != "" {
		t.Errorf("left %s", got)
	}
}

// A temp file of an earlier process with our pid is in the way.
func TestTempNamesOfEarlierProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := writeTemp(path, []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	tempCount.Add(^uint64(0)) // the same number again
	second, err := writeTemp(path, []byte("2"))
	if err != nil || second == first {
		t.Errorf("got %s, then %s (%v)", first, second, err)
	}
}

// The floor is a file of the same size made durable under a free name.
func BenchmarkTake(b *testing.B) {
	cfg := takeConfig(b)
	b.Run("take and release", func(b *testing.B) {
		for b.Loop() {
			l, err := Take(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			if err := l.Release(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "file")
		content := []byte(strings.Repeat("x", 300))
		for b.Loop() {
			if err := errors.Join(writeNew(path, content), syncDir(filepath.Dir(path)), os.Remove(path)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
