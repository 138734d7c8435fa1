package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// machine stands in for the system below a Watcher that runs in a bubble: directories are real, watches
// and clocks are not. Fields are set and read under mu.
type machine struct {
	t       *testing.T
	w       *Watcher
	start   time.Time
	batches []arrival

	mu       sync.Mutex
	limit    int              // watches that the kernel grants
	addErr   map[string]error // by path
	openErr  error
	foreign  map[string]string
	hang     map[string]chan struct{}
	added    func(path string) // called after a watch was set
	asleep   time.Duration     // in all
	kernel   *kernel           // the open one
	events   chan fsnotify.Event
	errors   chan error
	watched  map[string]bool
	opened   []time.Duration // when instances were opened, since start
	attempts []time.Duration // when watches on a root were set or refused
	asked    map[string]int  // probes of a path
	checks   []time.Duration // when the clocks were read
}

// arrival is a batch and its time since the start.
type arrival struct {
	at time.Duration
	Batch
}

// onMachine runs test in a bubble with a Watcher made by config for a new directory. m.run starts it, and
// what that returns stops it.
func onMachine(t *testing.T, config func(dir string) Config, test func(t *testing.T, m *machine)) {
	t.Helper()
	dir := tempRoot(t)
	synctest.Test(t, func(t *testing.T) {
		m := &machine{
			t: t, start: time.Now(), limit: 1 << 20, addErr: map[string]error{}, foreign: map[string]string{},
			hang: map[string]chan struct{}{}, asked: map[string]int{},
		}
		c := config(dir)
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		m.w = w
		w.sys = system{
			open: m.open, probe: m.probe, clocks: m.clocks,
			maxWatches: func() int { return 0 },
		}
		test(t, m)
	})
}

// run starts the Watcher and a reader that is always ready.
func (m *machine) run() (stop func()) {
	ctx, cancel := context.WithCancel(m.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = m.w.Run(ctx) })
	wg.Go(func() {
		for b := range m.w.Batches() {
			m.mu.Lock()
			m.batches = append(m.batches, arrival{time.Since(m.start), b})
			m.mu.Unlock()
		}
	})
	return func() { cancel(); wg.Wait() }
}

func (m *machine) open() (*kernel, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, time.Since(m.start))
	if m.openErr != nil {
		return nil, m.openErr
	}
	if m.kernel != nil {
		m.t.Error("a second instance was opened while one was open")
	}
	m.events, m.errors = make(chan fsnotify.Event, 64), make(chan error, 1)
	m.watched = map[string]bool{}
	m.kernel = &kernel{events: m.events, errors: m.errors, add: m.add, remove: m.remove, close: m.close}
	return m.kernel, nil
}

func (m *machine) add(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.w.roots {
		if r.path == path {
			m.attempts = append(m.attempts, time.Since(m.start))
		}
	}
	if err := m.addErr[path]; err != nil {
		return err
	}
	if len(m.watched) >= m.limit {
		return syscall.ENOSPC
	}
	m.watched[path] = true
	if m.added != nil {
		m.added(path)
	}
	return nil
}

func (m *machine) remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watched, path)
	return nil
}

func (m *machine) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kernel, m.watched = nil, nil
	return nil
}

func (m *machine) probe(path string) facts {
	m.mu.Lock()
	m.asked[path]++
	hang, foreign := m.hang[path], m.foreign[path]
	m.mu.Unlock()
	if hang != nil {
		<-hang
	}
	f := probe(path)
	f.foreign = foreign
	return f
}

func (m *machine) clocks() clocks {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := time.Since(m.start)
	m.checks = append(m.checks, at)
	return clocks{awake: at, all: at + m.asleep}
}

// set changes the machine.
func (m *machine) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// seen returns what arrived since the last call, a line per batch: whole seconds and content, with paths
// relative to the first root's parent.
func (m *machine) seen() []string {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	top := filepath.Dir(m.w.roots[0].path) + "/"
	var lines []string
	for _, b := range m.batches {
		for i := range b.Events {
			b.Events[i].Path = b.Events[i].Path[len(top):]
		}
		for i := range b.Rescan {
			b.Rescan[i] = b.Rescan[i][len(top):]
		}
		lines = append(lines, fmt.Sprintf("%gs %s", b.at.Seconds(), describe(b.Batch)))
	}
	m.batches = nil
	return lines
}

func (m *machine) status(i int) RootStatus {
	synctest.Wait()
	return m.w.Status()[i]
}

// at returns what read returns once the Watcher is at rest.
func at[T any](m *machine, read func() T) T {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	return read()
}

// held returns the base names of the directories that are watched, sorted.
func (m *machine) held() []string {
	return at(m, func() []string {
		var names []string
		for path := range m.watched {
			names = append(names, filepath.Base(path))
		}
		slices.Sort(names)
		return names
	})
}

func (m *machine) openedAt() []time.Duration {
	return at(m, func() []time.Duration { return slices.Clone(m.opened) })
}

// fail reports an error of the kernel instance, if the Watcher took the one before.
func (m *machine) fail(err error) {
	select {
	case at(m, func() chan error { return m.errors }) <- err:
	default:
	}
	synctest.Wait()
}

// mkdirs makes directories below dir.
func mkdirs(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// numbered returns n names of directories.
func numbered(format string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i)
	}
	return names
}
