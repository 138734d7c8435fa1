package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/cmd/internal/config"
)

// options point at empty stores in a folder of their own.
func options(t testing.TB) Options {
	t.Helper()
	dir, err := os.MkdirTemp("", "link") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	env := map[string]string{"HOME": dir, "XDG_RUNTIME_DIR": filepath.Join(dir, "run"), "XDG_STATE_HOME": filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "KIMI_CODE_HOME": filepath.Join(dir, "kimi")}
	get := func(k string) string { return env[k] }
	return Options{Config: config.Default(), Paths: config.DefaultPaths(get), Env: get}
}

// follow runs a Link and hands out its updates.
func follow(t *testing.T, l *Link) (updates <-chan LinkUpdate, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan LinkUpdate, 64)
	ended := make(chan error, 1)
	go func() {
		ended <- l.Run(ctx, func(u LinkUpdate) error { c <- u; return nil })
	}()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("link: %v", err)
		}
	}
	return c, stop
}

func next(t *testing.T, c <-chan LinkUpdate, ok func(LinkUpdate) bool) LinkUpdate {
	t.Helper()
	end := time.After(20 * time.Second)
	for {
		select {
		case u := <-c:
			if ok(u) {
				return u
			}
		case <-end:
			t.Fatal("nothing of the kind was told")
		}
	}
}

func hasView(u LinkUpdate) bool { return u.View != nil }

// TestLinkTakesOver: the second link follows the first one's service, and runs its own when that ends.
func TestLinkTakesOver(t *testing.T) {
	o := options(t)
	first := NewLink(o)
	if _, err := first.Backend(); !errors.Is(err, ErrOffline) {
		t.Errorf("before Run the backend's error is %v, want ErrOffline", err)
	}
	updates, stopFirst := follow(t, first)
	if u := next(t, updates, hasView); !u.Own {
		t.Error("without a service the link must run its own")
	}
	second := NewLink(o)
	others, stopSecond := follow(t, second)
	defer stopSecond()
	if u := next(t, others, hasView); u.Own {
		t.Error("with a running service the second link must follow it")
	}
	stopFirst()
	next(t, others, func(u LinkUpdate) bool { return u.Offline != nil })
	if u := next(t, others, hasView); !u.Own {
		t.Error("when the service ended the second link must take over")
	}
	b, err := second.Backend()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.View(t.Context(), 0); err != nil {
		t.Errorf("the verbs do not work: %v", err)
	}
}
