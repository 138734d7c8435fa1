package watcher

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// libraryBuffer is more than what the notification library reads at once, and so takes out of the queue.
const libraryBuffer = 4096

// queuedEvents is the length of the kernel's queue.
func queuedEvents(t *testing.T) int {
	t.Helper()
	n := inotifyLimit("max_queued_events")
	if n == 0 {
		t.Fatal("length of the kernel's queue is unknown")
	}
	return n
}

// Bug B89, with a real queue: the Watcher's goroutine hangs while far more happens than the kernel keeps.
func TestRealOverflow(t *testing.T) {
	dir, other := tempRoot(t), tempRoot(t)
	mkdirs(t, dir, "d")
	stalled, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	stall := func(rel string) Mode {
		if rel == "stall" {
			once.Do(func() { close(stalled) })
			<-release
			return Skip
		}
		return Pinned
	}
	o := observe(t, Config{Roots: []Root{{Path: dir, Dir: stall}, {Path: other}}})
	mkdirs(t, dir, "stall")
	<-stalled
	names := []string{filepath.Join(dir, "d", "f"), filepath.Join(dir, "d", "g")}
	writeFile(t, names[0])
	writeFile(t, names[1])
	for i := range rawBuffer + queuedEvents(t) + libraryBuffer {
		if err := os.Chmod(names[i%2], 0o600); err != nil { // in turn: the kernel merges equal events
			t.Fatal(err)
		}
	}
	mkdirs(t, dir, "unheard/of")
	close(release)
	o.untilRescan(dir)
	o.untilRescan(other)
	o.untilStatus(dir, "the unheard-of directories", func(s RootStatus) bool { return s.Watches == 4 })
	writeFile(t, filepath.Join(dir, "unheard/of/f"))
	o.untilEvent(filepath.Join(dir, "unheard/of/f"), Create)
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Bugs B95 and B97: new beginnings, and as many looks for a root that never exists leave no
// descriptor behind, nor does the end.
func TestNoDescriptorLeaks(t *testing.T) {
	dir := tempRoot(t)
	mkdirs(t, dir, "a/b")
	w, err := New(Config{Roots: []Root{{Path: dir}, {Path: filepath.Join(dir, "never/exists")}}})
	if err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	changes := make(chan change)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { // takes what the engine says until the test ends
		for {
			select {
			case <-changes:
			case <-ctx.Done():
				return
			}
		}
	})
	e := newEngine(w, changes, ctx.Done())
	for i := range 200 {
		e.restart()
		for e.walk.pending() != nil {
			e.step()
		}
		if i == 0 {
			continue
		}
		if n := openFiles(t); n > before+4 { // inotify, and Go's poller with its own two
			t.Fatalf("%d descriptors after %d restarts, %d before", n, i, before)
		}
	}
	e.close()
	cancel()
	wg.Wait()
	if n := openFiles(t); n > before+3 {
		t.Errorf("%d descriptors at the end, %d before", n, before)
	}
}

// An instance that cannot be opened or fails in between leaves none either.
func TestNoDescriptorLeaksOnErrors(t *testing.T) {
	dir := tempRoot(t)
	mkdirs(t, dir, "a/b")
	before := openFiles(t)
	for range 200 {
		runWithFailingAdd(t, dir)
	}
	if n := openFiles(t); n > before+3 {
		t.Errorf("%d descriptors, %d before", n, before)
	}
}

// runWithFailingAdd runs a Watcher on a real instance until its first batch.
func runWithFailingAdd(t *testing.T, dir string) {
	t.Helper()
	w, err := New(Config{Roots: []Root{{Path: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	w.sys.open = func() (*kernel, error) {
		k, err := openKernel()
		if err == nil {
			k.add = func(string) error { return syscall.ENOSPC }
		}
		return k, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.Run(ctx) })
	<-w.Batches()
	if s := w.Status()[0]; s.Coverage != Polling {
		t.Errorf("status %+v", s)
	}
	cancel()
	wg.Wait()
}

func TestLimitWords(t *testing.T) {
	tests := []struct {
		err    error
		remedy string // the beginning; empty when there is none
	}{
		{syscall.ENOSPC, "echo fs.inotify.max_user_watches="},
		{syscall.EMFILE, "echo fs.inotify.max_user_instances="},
		{syscall.ENFILE, ""},
		{syscall.ENOMEM, ""},
	}
	for _, tt := range tests {
		l := limitOf(tt.err)
		if l.reason == "" || len(l.remedy) < len(tt.remedy) || l.remedy[:len(tt.remedy)] != tt.remedy {
			t.Errorf("%v: %+v", tt.err, l)
		}
		if judge(tt.err) != exhausted {
			t.Errorf("%v is not taken for a limit", tt.err)
		}
	}
	if limitOf(syscall.EINVAL) != (limit{}) || limitOf(fsnotify.ErrClosed) != (limit{}) {
		t.Error("other errors are taken for limits")
	}
}

func TestThisMachine(t *testing.T) {
	if maxWatches() <= 0 {
		t.Error("the limit of watches is unknown")
	}
	if c := readClocks(); c.awake <= 0 || c.all < c.awake {
		t.Errorf("clocks %+v", c)
	}
	if got := foreignAt("/proc/self/nothing"); got != "" {
		t.Errorf("a path that does not exist is on %q", got)
	}
	if f := probe(t.TempDir()); !f.exists || !f.id.known() || f.err != nil {
		t.Errorf("a directory of ours: %+v", f)
	}
}
