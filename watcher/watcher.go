package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of [Config].
const (
	DefaultQuiet   = 150 * time.Millisecond
	DefaultCeiling = time.Second
	DefaultPoll    = 5 * time.Second
	DefaultBudget  = 8192
)

// Config says what to watch, and how. Zero values mean the defaults.
type Config struct {
	// Roots are the trees to watch. They may overlap; then a path is reported for each that covers it.
	Roots []Root

	// Quiet is how long a path that was just reported must not change before its next change is
	// reported; Ceiling is how long such a change is held at the most, and at least Quiet.
	Quiet, Ceiling time.Duration

	// Poll is the time between two Rescans of a root that cannot be watched.
	Poll time.Duration

	// Budget is how many Budgeted directories are watched at the same time, in all roots together.
	// Where the system limits the watches of a user, half of that limit is left alone.
	Budget int

	// Logger may be nil.
	Logger *slog.Logger
}

// withDefaults returns c with every zero value replaced, or an error for each value that makes no sense.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	for _, d := range []struct {
		name     string
		value    *time.Duration
		standard time.Duration
	}{
		{"quiet", &c.Quiet, DefaultQuiet}, {"ceiling", &c.Ceiling, DefaultCeiling}, {"poll", &c.Poll, DefaultPoll},
	} {
		if *d.value < 0 {
			errs = append(errs, fmt.Errorf("%s is negative: %v", d.name, *d.value))
		}
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	if c.Budget < 0 {
		errs = append(errs, fmt.Errorf("budget is negative: %d", c.Budget))
	}
	if c.Budget == 0 {
		c.Budget = DefaultBudget
	}
	c.Ceiling = max(c.Ceiling, c.Quiet)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(errs...)
}

// Watcher watches directories. Make one with [New], start it with [Watcher.Run]. All other methods may
// be called by any goroutine at any time.
type Watcher struct {
	config  Config
	sys     system
	roots   []*root
	batches chan Batch
	touched touches
	started atomic.Bool
}

// system is what the Watcher asks of the machine. Tests replace parts of it.
type system struct {
	open       func() (*kernel, error)
	probe      func(path string) facts
	clocks     func() clocks
	maxWatches func() int
}

// New checks c and returns a Watcher that does nothing yet. The error names every relative or repeated
// root path and every negative number.
func New(c Config) (*Watcher, error) {
	c, err := c.withDefaults()
	errs := []error{err}
	w := &Watcher{
		config:  c,
		sys:     system{open: openKernel, probe: probe, clocks: readClocks, maxWatches: maxWatches},
		batches: make(chan Batch),
		touched: newTouches(),
	}
	seen := map[string]bool{}
	for _, r := range c.Roots {
		path := filepath.Clean(r.Path)
		if !filepath.IsAbs(path) {
			errs = append(errs, fmt.Errorf("root %q is not absolute", r.Path))
		}
		if seen[path] {
			errs = append(errs, fmt.Errorf("root %q is given twice", r.Path))
		}
		seen[path] = true
		w.roots = append(w.roots, newRoot(r, path))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	return w, nil
}

// Batches returns the channel of changes. It is unbuffered: while the reader is busy, changes are merged
// into the next Batch, and too many of one root become a Rescan. [Watcher.Run] closes it when it
// returns.
func (w *Watcher) Batches() <-chan Batch { return w.batches }

// Run watches until ctx ends, and returns the cause. There is no other reason to end: what cannot be
// watched is polled. It may be called once; a second call returns an error at once.
func (w *Watcher) Run(ctx context.Context) error {
	if !w.started.CompareAndSwap(false, true) {
		return errors.New("watch: Run was called before")
	}
	defer close(w.batches)
	changes := make(chan change, 256)
	var wg sync.WaitGroup
	wg.Go(func() {
		newCoalescer(w.config.Quiet, w.config.Ceiling, maxPending).run(ctx, changes, w.batches)
	})
	newEngine(w, changes, ctx.Done()).run()
	wg.Wait()
	return context.Cause(ctx)
}

// Touch makes the Budgeted directory dir and the Budgeted directories below it hot: they are watched,
// and are the last to be given up when the budget is used up. Each that was not watched before is
// reported as a Write of itself once it is, because what happened in it before then went unseen.
//
// Touch returns at once. Calls for the same directory merge while the Watcher is busy. A directory that
// does not exist, is in no root, or is not Budgeted is ignored.
func (w *Watcher) Touch(dir string) { w.touched.add(filepath.Clean(dir)) }

// Status returns the state of every root, in the order of [Config.Roots].
func (w *Watcher) Status() []RootStatus {
	all := make([]RootStatus, len(w.roots))
	for i, r := range w.roots {
		all[i] = *r.status.Load()
		all[i].Watches = int(r.count.Load())
	}
	return all
}

// touches collects calls of Touch until the Watcher's goroutine takes them.
type touches struct {
	mu   sync.Mutex
	dirs []string
	seen map[string]bool
	wake chan struct{} // one slot
}

func newTouches() touches {
	return touches{seen: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (t *touches) add(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen[dir] {
		return
	}
	t.seen[dir] = true
	t.dirs = append(t.dirs, dir)
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// take returns the directories in the order of their calls.
func (t *touches) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	dirs := t.dirs
	t.dirs = nil
	clear(t.seen)
	return dirs
}
