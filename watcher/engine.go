package watcher

import (
	"errors"
	"log/slog"
	"time"

	"github.com/fsnotify/fsnotify"
)

// checkEvery is the time between two checks of what makes no event: sleep of the machine, a root whose
// parent was renamed, a mount. It is the only timer while everything is watched and nothing happens.
const checkEvery = 30 * time.Second

// engine is the state of one Run. Only Run's goroutine touches it.
type engine struct {
	sys     system
	log     *slog.Logger
	budget  int
	poll    time.Duration
	roots   []*root
	touched *touches
	out     chan<- change
	done    <-chan struct{}

	watches *watches
	refused error // why no kernel instance could be opened
	hot     heat
	walk    walk

	starting bool // the first batch is not sent yet
	clocks   clocks

	// The moments at which something is due; zero means never.
	checkAt, pollAt, restartAt, liftAt time.Time
	restarts, lifts                    backoff
	limit                              int // of watches for this user, 0 when unknown
	// squeezed is the number of Budgeted directories that the kernel would take when it refused more;
	// negative when it did not refuse lately.
	squeezed int
}

func newEngine(w *Watcher, out chan<- change, done <-chan struct{}) *engine {
	return &engine{
		sys: w.sys, log: w.config.Logger, budget: w.config.Budget, poll: w.config.Poll,
		roots: w.roots, touched: &w.touched, out: out, done: done,
		watches: newWatches(nil), restarts: restarts(), lifts: retries(), squeezed: -1,
	}
}

// run works until done is closed.
func (e *engine) run() {
	defer e.close()
	e.starting = true
	e.clocks = e.sys.clocks()
	e.checkAt = time.Now().Add(checkEvery)
	e.restart()
	timer := time.NewTimer(checkEvery)
	defer timer.Stop()
	for {
		events, errs := e.raw()
		select {
		case <-e.done:
			return
		case ev, ok := <-events:
			e.drain(ev, ok, events)
		case err, ok := <-errs:
			e.failed(err, ok)
		case <-e.touched.wake:
			e.walk.touched = append(e.walk.touched, e.touched.take()...)
		case <-e.walk.pending():
			e.step()
		case <-timer.C:
			e.due(time.Now())
		}
		timer.Reset(time.Until(e.next()))
	}
}

func (e *engine) close() {
	e.walk.closeOpen()
	e.closeKernel()
}

// raw returns the kernel's channels; both are nil when there is no kernel instance.
func (e *engine) raw() (<-chan fsnotify.Event, <-chan error) {
	if k := e.watches.kernel; k != nil {
		return k.events, k.errors
	}
	return nil, nil
}

func (e *engine) openKernel() {
	k, err := e.sys.open()
	e.refused = err
	if err == nil {
		e.watches = newWatches(k)
	}
}

func (e *engine) closeKernel() {
	k := e.watches.kernel
	if k == nil {
		return
	}
	if err := k.close(); err != nil {
		e.log.Debug("watches not closed", "err", err)
	}
	e.watches = newWatches(nil)
}

// drain takes ev and every event that waits behind it, so that listing directories, which happens in
// between, cannot hold up the kernel's queue.
func (e *engine) drain(ev fsnotify.Event, ok bool, events <-chan fsnotify.Event) {
	for waiting := len(events); ok; waiting-- {
		e.event(ev)
		if waiting == 0 {
			return
		}
		ev, ok = <-events
	}
	e.ended()
}

// ended handles that the kernel instance stopped by itself. Its channels are closed and would be ready
// for ever.
func (e *engine) ended() {
	k := e.watches.kernel
	k.events, k.errors = nil, nil
	e.lost("the notifications ended")
}

// event handles what happened at one path.
func (e *engine) event(ev fsnotify.Event) {
	op := opOf(ev.Op)
	if op&Remove != 0 {
		e.vanished(ev.Name)
	}
	parent := e.watches.parentOf(ev.Name)
	if parent == nil {
		return
	}
	for _, r := range parent.holders {
		e.changed(r, parent.path, ev.Name, op, ev.Op)
	}
}

// changed handles what happened, for one root, at a path in a directory that is watched for it.
func (e *engine) changed(r *root, parent, path string, op Op, raw fsnotify.Op) {
	if r.anchor == parent {
		if path == r.awaited {
			e.rearm(r)
		}
		return
	}
	d := r.tree.get(parent)
	if d == nil {
		return
	}
	e.hot.refresh(d)
	if op&Remove != 0 {
		e.cut(r, path)
	}
	e.report(r, path, op)
	// A change of permissions may make a directory readable that was not before.
	if raw.Has(fsnotify.Create) || raw.Has(fsnotify.Chmod) {
		e.discover(r, d, path)
	}
}

// report tells the reader of r about path, unless a Rescan is on its way anyway.
func (e *engine) report(r *root, path string, op Op) {
	if r.promised || r.ignores(path) {
		return
	}
	e.send(change{event: Event{Root: r.Path, Path: path, Op: op}})
}

// rescan tells the reader that nothing is certain about these roots. The first batch names all of them
// in any case, so nothing is sent before it.
func (e *engine) rescan(roots ...*root) {
	if e.starting || len(roots) == 0 {
		return
	}
	paths := make([]string, len(roots))
	for i, r := range roots {
		paths[i] = r.Path
	}
	e.send(change{rescan: paths})
}

// send never blocks for long: the other side merges while the reader is slow.
func (e *engine) send(ch change) {
	select {
	case e.out <- ch:
	case <-e.done:
	}
}

// failed handles an error of the kernel instance as a whole. After each of them events may be missing,
// and with them directories that we should watch.
func (e *engine) failed(err error, ok bool) {
	switch {
	case !ok:
		e.ended()
	case errors.Is(err, fsnotify.ErrEventOverflow):
		e.lost("the event queue overflowed")
	default:
		e.lost(err.Error())
	}
}

// lost begins anew because events were lost: at once, or after a pause when that happened a moment ago.
func (e *engine) lost(why string) {
	if !e.restartAt.IsZero() {
		return
	}
	now := time.Now()
	pause := e.restarts.next(now)
	e.log.Info("events lost", "reason", why, "pause", pause)
	if pause == 0 {
		e.restart()
		return
	}
	e.restartAt = now.Add(pause)
	e.rescan(e.roots...)
}

// restart drops every watch and sets them again in a new kernel instance; a Rescan of every root
// follows. Directories that were hot come first when the budget is filled again.
func (e *engine) restart() {
	e.restartAt = time.Time{}
	e.limit = e.sys.maxWatches()
	e.walk.kept = append(e.hot.candidates(), e.walk.kept...)
	e.closeKernel()
	for _, r := range e.roots {
		e.strip(r)
	}
	e.openKernel()
	for _, r := range e.roots {
		e.rearm(r)
	}
}

// next returns the next moment at which something is due.
func (e *engine) next() time.Time {
	at := e.checkAt
	for _, other := range []time.Time{e.pollAt, e.restartAt, e.liftAt} {
		at = earliest(at, other)
	}
	for _, r := range e.roots {
		at = earliest(at, r.retryAt)
	}
	return at
}

// due does what is due at now.
func (e *engine) due(now time.Time) {
	reached := func(at time.Time) bool { return !at.IsZero() && !now.Before(at) }
	if reached(e.checkAt) {
		e.checkAt = now.Add(checkEvery)
		e.check()
	}
	if reached(e.restartAt) {
		e.restart()
	}
	if reached(e.liftAt) {
		e.lift()
	}
	for _, r := range e.roots {
		if reached(r.retryAt) {
			e.tryAgain(r)
		}
	}
	if reached(e.pollAt) {
		e.pollAgain(now)
	}
}

// check looks for what makes no event.
func (e *engine) check() {
	now := e.sys.clocks()
	woke := slept(e.clocks, now)
	e.clocks = now
	if woke {
		e.log.Info("machine slept, setting the watches again")
		e.restart()
		return
	}
	for _, r := range e.roots {
		if r.promised || r.coverage() == Polling {
			continue
		}
		f := e.look(r)
		if f.err != nil || f.exists != (r.coverage() == Watching) || f.exists && f.id != r.id {
			e.rearm(r)
		}
	}
}

// pollAgain asks for a look at the roots that cannot be watched.
func (e *engine) pollAgain(now time.Time) {
	e.pollAt = time.Time{}
	var polled []*root
	for _, r := range e.roots {
		if r.coverage() == Polling {
			polled = append(polled, r)
		}
	}
	if len(polled) > 0 {
		e.pollAt = now.Add(e.poll)
		e.rescan(polled...)
	}
}
