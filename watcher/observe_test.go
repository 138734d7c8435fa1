package watcher

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// patienceInTests is how long a test waits for something that should happen within milliseconds.
const patienceInTests = 20 * time.Second

// observer reads the batches of a Watcher and remembers everything in them.
type observer struct {
	*Watcher
	t *testing.T

	mu      sync.Mutex
	ops     map[string]Op  // all operations reported for a path
	rescans map[string]int // how often a root was named
	batches int
	changed chan struct{} // closed and replaced at every batch
}

// observe starts a Watcher and waits for its first batch. It is stopped when the test ends, and must
// stop.
func observe(t *testing.T, c Config, prepare ...func(*Watcher)) *observer {
	t.Helper()
	o := observeLater(t, c, prepare...)
	o.until("first batch", func() bool { return o.batches > 0 })
	o.forget()
	return o
}

// observeLater is observe without waiting for the first batch.
func observeLater(t *testing.T, c Config, prepare ...func(*Watcher)) *observer {
	t.Helper()
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prepare {
		p(w)
	}
	o := &observer{Watcher: w, t: t, changed: make(chan struct{})}
	o.forget()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.Run(ctx) })
	wg.Go(o.read)
	t.Cleanup(func() { cancel(); wg.Wait() })
	return o
}

func (o *observer) read() {
	for b := range o.Batches() {
		o.mu.Lock()
		o.batches++
		for _, e := range b.Events {
			o.ops[e.Path] |= e.Op
		}
		for _, r := range b.Rescan {
			o.rescans[r]++
		}
		close(o.changed)
		o.changed = make(chan struct{})
		o.mu.Unlock()
	}
}

// forget drops what was seen so far.
func (o *observer) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ops, o.rescans, o.batches = map[string]Op{}, map[string]int{}, 0
}

// until waits until ok, which is asked after every batch with the lock held, returns true.
func (o *observer) until(what string, ok func() bool) {
	o.t.Helper()
	deadline := time.After(patienceInTests)
	for {
		o.mu.Lock()
		done, changed := ok(), o.changed
		o.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			o.t.Fatalf("waited too long for %s; seen:\n%s", what, o.seen())
		}
	}
}

func (o *observer) untilEvent(path string, op Op) {
	o.t.Helper()
	o.until(fmt.Sprintf("%s of %s", op, path), func() bool { return o.ops[path]&op == op })
}

func (o *observer) untilRescan(root string) {
	o.t.Helper()
	o.until("rescan of "+root, func() bool { return o.rescans[root] > 0 })
}

// untilStatus waits for a state of a root, which makes no batch: it has to be polled.
func (o *observer) untilStatus(root, what string, ok func(RootStatus) bool) {
	o.t.Helper()
	deadline := time.Now().Add(patienceInTests)
	for !ok(o.statusOf(root)) {
		if time.Now().After(deadline) {
			o.t.Fatalf("waited too long for %s; status %+v; seen:\n%s", what, o.statusOf(root), o.seen())
		}
		time.Sleep(time.Millisecond)
	}
}

func (o *observer) statusOf(root string) RootStatus {
	all := o.Status()
	i := slices.IndexFunc(all, func(s RootStatus) bool { return s.Path == root })
	if i < 0 {
		o.t.Fatalf("no root %s", root)
	}
	return all[i]
}

func (o *observer) seen() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var s string
	for _, path := range slices.Sorted(maps.Keys(o.ops)) {
		s += fmt.Sprintf("\t%s %s\n", o.ops[path], path)
	}
	return s + fmt.Sprintf("\trescans %v", o.rescans)
}

// tempRoot returns a new directory, without symbolic links in its path.
func tempRoot(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
