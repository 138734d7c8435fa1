package sessions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"berth/locks"
	"berth/watcher"
)

// Prober answers questions about lock files and processes. *locks.System is one. It must be safe for
// concurrent use.
type Prober interface {
	// Witness remembers which process has the pid of a lock that was just read, as proof for later.
	Witness(f *locks.File)
	Judge(f *locks.File, now time.Time) locks.Judgement
	Identify(pid int) (locks.Identity, bool) // false when there is no such process, or it cannot be told
	Alive(id locks.Identity) locks.Verdict
	Census
	// AwaitExit returns nil when the process has ended. After an error other than ctx's the Index looks
	// again every half a minute.
	AwaitExit(ctx context.Context, id locks.Identity) error
}

// Census tells of the running clients. What it knows comes from Look and Meet.
type Census interface {
	// Clients returns the clients that are known and still run, and when all processes were last looked through:
	// zero when they never were, or cannot be.
	Clients() (known []locks.Client, looked time.Time)
	// Look looks through all processes. It may take some milliseconds.
	Look()
	// Meet makes the process pid known as a client of program, of which it did something typical. It returns
	// false when that cannot be identified.
	Meet(pid int, program string) (locks.Client, bool)
	// Counters reads how much the known clients of program have written so far.
	Counters(program string) []locks.Counter
}

// IndexConfig is what an Index needs.
type IndexConfig struct {
	Sources []Source
	Prober  Prober
	Policy  Policy

	// Batches are the Watcher's; it names every root in Rescan when it begins, and that is when a Source
	// is listed first. nil means that nothing is watched: every Source is listed once when Run begins,
	// and after that only by sweeps.
	Batches <-chan watcher.Batch
	// Touch asks the Watcher to keep a directory in view; may be nil.
	Touch func(dir string)
	// Sweep is how often everything is compared with the disk, whatever the events said. Zero means
	// DefaultSweep, negative never.
	Sweep time.Duration
	// Workers is how many goroutines read during a scan; zero means one per processor.
	Workers int
	Logger  *slog.Logger // nil logs nothing
	// Told remembers across restarts what was told as [News]; nil remembers for this run only.
	Told Told
}

// DefaultSweep is the time between two comparisons of everything with the disk.
const DefaultSweep = 5 * time.Minute

// Index keeps every Session of every Source. One goroutine, the one in Run, owns it.
type Index struct {
	cfg    IndexConfig
	log    *slog.Logger
	hub    *hub
	stores []*store // the list never changes; what is in them is owned by Run

	// Nothing is queued: who sends waits until Run takes it, or until it is told to stop.
	requests chan request
	parts    chan scanPart
	exits    chan locks.Identity
	ready    chan struct{} // closed by Run, see Ready
	ended    chan struct{} // closed when Run returns
	wg       sync.WaitGroup

	// Owned by Run.
	rows      table
	revision  uint64
	dirty     map[*entry]bool   // to be derived again
	traces    map[*entry]*Trace // of what was just read, until it is derived
	events    []Event           // to be published
	due       deadlines
	awaited   map[locks.Identity]*awaited
	opened    map[locks.Identity]opened // where clients work that have one Session open at a time
	own       map[*entry]*ownWrite      // writes of ours that are under way
	since     time.Time                 // what came to be before is no news
	nextSweep time.Time
	looks     looks
	grown     []grown // since the last derivation
	// batchBegan and batchEnd are when the last batch was taken, and done with.
	batchBegan, batchEnd time.Time
	wakeups              int // how often the timer fired; the idle test reads it after Run
}

// request is something to do on the Index's goroutine; done is closed after the result is published.
type request struct {
	do   func(now time.Time)
	done chan struct{}
}

// NewIndex returns an empty Index; nothing happens before Run.
func NewIndex(cfg IndexConfig) *Index {
	if cfg.Sweep == 0 {
		cfg.Sweep = DefaultSweep
	}
	if cfg.Workers == 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Told == nil {
		cfg.Told = untold{}
	}
	if cfg.Touch == nil {
		cfg.Touch = func(string) {}
	}
	x := &Index{
		cfg: cfg, log: cfg.Logger, hub: newHub(),
		requests: make(chan request), parts: make(chan scanPart), exits: make(chan locks.Identity),
		ready: make(chan struct{}), ended: make(chan struct{}), dirty: map[*entry]bool{}, traces: map[*entry]*Trace{}, opened: map[locks.Identity]opened{}, own: map[*entry]*ownWrite{}, awaited: map[locks.Identity]*awaited{},
	}
	x.looks.askers, x.looks.done = map[*entry]bool{}, make(chan struct{})
	for _, src := range cfg.Sources {
		x.stores = append(x.stores, newStore(src))
	}
	return x
}

// Snapshot returns the newest Snapshot. It never blocks on reading and never returns nil.
func (x *Index) Snapshot() *Snapshot { return x.hub.snapshot() }

// Stores returns the state of every Source, also of those that were not listed yet.
func (x *Index) Stores() []Store {
	if snap := x.Snapshot(); len(snap.Stores) > 0 {
		return snap.Stores
	}
	var all []Store
	for _, src := range x.cfg.Sources {
		all = append(all, Store{Source: src.Name(), Root: src.Root()})
	}
	return all
}

// Subscribe returns a Subscription with room for buffer undelivered Events. Up to 128 can come at once; with
// less room a reader may lag however fast it is. The caller closes the Subscription.
func (x *Index) Subscribe(buffer int) *Subscription { return x.hub.subscribe(buffer) }

// Ready is closed once every store has been listed for the first time. A store that could not be listed
// counts too; its [Store] says why.
func (x *Index) Ready() <-chan struct{} { return x.ready }

// Refresh reads the file or folder of one Session again and returns what it then holds: perhaps a Session with
// another id. It fails with ErrNotFound when nothing is there any more, and with the Source's error when it cannot be
// read. It needs a running Run.
func (x *Index) Refresh(ctx context.Context, s *Session) (*Session, error) {
	var fresh *Session
	var failed error
	if s.unfinished() {
		x.cfg.Prober.Look() // somebody is about to act on what is said of its writer
	}
	err := x.ask(ctx, func(now time.Time) {
		st := x.storeAt(s.Root)
		if st == nil {
			return
		}
		x.reload(st, s.Key, now)
		x.flush(now)
		failed = st.failed[s.Key]
		if e := st.entries[s.Key]; e != nil {
			fresh = e.row
		}
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, fmt.Errorf("read %s: %w", s.Path, failed)
	case fresh == nil:
		return nil, &Error{Err: ErrNotFound, Session: s.Name(), Detail: "it is gone from " + s.Path}
	}
	return fresh, nil
}

// errEnded answers whoever asks an Index whose Run has ended.
var errEnded = errors.New("the index has ended")

// ask runs do on the Index's goroutine and waits until its result is published.
func (x *Index) ask(ctx context.Context, do func(now time.Time)) error {
	r := request{do: do, done: make(chan struct{})}
	select {
	case x.requests <- r:
	case <-x.ended:
		return errEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Run keeps the Index until ctx ends. It returns nil then; Subscriptions end with it.
func (x *Index) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer close(x.ended)
	defer x.hub.close()
	defer x.wg.Wait()
	defer x.stopAwaits()
	defer cancel()

	if x.since = x.cfg.Told.LastRun(); x.since.IsZero() {
		x.since = time.Now()
	}
	if len(x.stores) == 0 {
		close(x.ready)
	}
	if x.cfg.Batches == nil {
		x.rescanAll(ctx)
	}
	x.nextSweep = time.Now().Add(x.cfg.Sweep)
	x.loop(ctx)
	return nil
}

// loop does one thing after another until ctx ends, and publishes what it changed.
func (x *Index) loop(ctx context.Context) {
	batches := x.cfg.Batches
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		x.flush(time.Now())
		x.startLook(ctx, time.Now())
		x.arm(timer)
		select {
		case <-ctx.Done():
			return
		case b, open := <-batches:
			if !open {
				batches = nil
				x.rescanNew(ctx)
				continue
			}
			x.takeBatch(ctx, b, time.Now())
		case p := <-x.parts:
			x.takePart(ctx, p, time.Now())
		case id := <-x.exits:
			x.takeExit(id, time.Now())
		case <-x.looks.done:
			x.takeLook(time.Now())
		case r := <-x.requests:
			now := time.Now()
			r.do(now)
			x.flush(now)
			close(r.done)
		case <-timer.C:
			x.wakeups++
			x.takeTime(ctx, time.Now())
		}
	}
}

// takeTime does what is due.
func (x *Index) takeTime(ctx context.Context, now time.Time) {
	x.takeDue(now)
	if x.cfg.Sweep > 0 && !now.Before(x.nextSweep) {
		x.sweep(ctx)
		x.nextSweep = now.Add(x.cfg.Sweep)
	}
}

// arm sets timer to the next moment at which something is to be done without an event.
func (x *Index) arm(timer *time.Timer) {
	next := x.due.next()
	if x.cfg.Sweep > 0 && (next.IsZero() || x.nextSweep.Before(next)) {
		next = x.nextSweep
	}
	if due := x.looks.due(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
		next = due
	}
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(max(time.Until(next), 0))
}

// takeBatch looks at what the Watcher hints at. The disk is the truth; events only say where to look.
func (x *Index) takeBatch(ctx context.Context, b watcher.Batch, now time.Time) {
	for _, root := range b.Rescan {
		if st := x.storeAt(root); st != nil {
			x.rescan(ctx, st)
		}
	}
	x.takeEvents(ctx, b.Events, now)
	x.batchBegan, x.batchEnd = now, time.Now()
}

// takeEvents reads again what events hint at.
func (x *Index) takeEvents(ctx context.Context, events []watcher.Event, now time.Time) {
	type place struct {
		st  *store
		key string
	}
	look, stirred := map[place]bool{}, map[*store]bool{}
	for _, e := range events {
		st := x.storeAt(e.Root)
		if st == nil {
			continue
		}
		c := st.src.Changed(e)
		if c.All {
			x.rescan(ctx, st)
		}
		for _, id := range c.IDs {
			for other := st.byID[foldID(id)]; other != nil; other = other.nextID {
				look[place{st, other.rec.Key}] = true
			}
		}
		for _, key := range c.Keys {
			look[place{st, key}] = true
		}
		x.takeWriter(st, c, now)
		stirred[st] = stirred[st] || len(c.Keys) > 0 || c.Writer != 0
	}
	for st := range stirred {
		if stirred[st] {
			x.count(st) // what comes later can be compared with it
		}
	}
	for p := range look {
		p.st.authorsOf(p.key).reading(time.Now())
		x.reload(p.st, p.key, now)
	}
}

// takeWriter takes over which process gave itself away.
func (x *Index) takeWriter(st *store, c Change, now time.Time) {
	if c.Writer == 0 {
		return
	}
	if len(c.Keys) == 0 {
		x.meet(st, "", c.Writer, now)
	}
	for _, key := range c.Keys {
		if c.Late {
			x.confirm(st, key, c.Writer, now)
		} else {
			x.meet(st, key, c.Writer, now)
		}
	}
}

// reload reads key from disk and takes over what it finds.
func (x *Index) reload(st *store, key string, now time.Time) {
	if st.scan.running {
		st.scan.looked[key] = true
	}
	rec, err := load(st.src, key, now)
	x.apply(st, key, rec, err, now)
}

func (x *Index) storeAt(root string) *store {
	for _, st := range x.stores {
		if st.src.Root() == root {
			return st
		}
	}
	return nil
}

// maxSingleEvents is how many changes are announced one by one; more become one Reset. It is less than
// partSize, so that the first listing of a large store is not announced row by row.
const maxSingleEvents = 128

// flush derives what changed, and publishes it.
func (x *Index) flush(now time.Time) {
	x.creditAll(now)
	for len(x.dirty) > 0 {
		for e := range x.dirty {
			x.settle(e, now)
			delete(x.dirty, e)
			if e.store.entries[e.rec.Key] == e {
				x.derive(e, now)
			}
			delete(x.traces, e)
		}
	}
	if len(x.events) > 0 {
		x.publish()
	}
}

// publish makes a new Snapshot of what is there. Without events only the stores' own state is new, and the
// revision stays.
func (x *Index) publish() {
	events := x.events
	if len(events) > maxSingleEvents {
		events = []Event{{Kind: Reset, News: newsIn(events)}}
	}
	if len(events) > 0 {
		x.revision++
	}
	for i := range events {
		events[i].Revision = x.revision
	}
	x.events = nil
	snap := &Snapshot{Revision: x.revision}
	for _, st := range x.stores {
		info := st.info
		info.Sessions = len(st.entries)
		snap.Stores = append(snap.Stores, info)
	}
	snap.chunks, snap.count = x.rows.freeze()
	x.hub.publish(snap, events)
}
