package sessions

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
	"berth/watcher"
)

// disk is a Source in memory. The test changes what is on it, as clients do; nobody tells the Index.
type disk struct {
	name, root string

	mu      sync.Mutex
	records map[string]*Record
	stamps  Stamp
	broken  map[string]error // Load of these keys fails
	settle  map[string]func(now time.Time) time.Time
	listErr error
	calls   map[string]int // of List, Load and Stamp
	// held stops the next Load of a key after it has read and before it answers, until the channel is closed.
	held map[string]chan struct{}
}

func newDisk(name, root string, records ...*Record) *disk {
	d := &disk{
		name: name, root: root, records: map[string]*Record{}, broken: map[string]error{}, calls: map[string]int{},
		settle: map[string]func(time.Time) time.Time{}, held: map[string]chan struct{}{},
	}
	for _, r := range records {
		d.put(r)
	}
	return d
}

// put writes r to the disk; it is a change even when the content is the same.
func (d *disk) put(r *Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := *r
	d.stamps++
	c.Stamp, c.Source, c.Root, c.Path = d.stamps, d.name, d.root, d.root+"/"+r.Key
	d.records[r.Key] = &c
}

func (d *disk) remove(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.records, key)
}

// set changes something about the disk itself.
func (d *disk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// count returns how often a method was called, and counts anew.
func (d *disk) count(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.calls[method]
	d.calls[method] = 0
	return n
}

func (d *disk) Name() string        { return d.name }
func (d *disk) Root() string        { return d.root }
func (d *disk) Watch() watcher.Root { return watcher.Root{Path: d.root} }

func (d *disk) List(ctx context.Context, emit func(key string)) error {
	d.mu.Lock()
	d.calls["List"]++
	var keys []string
	for key := range d.records {
		keys = append(keys, key)
	}
	err := d.listErr
	d.mu.Unlock()
	for _, key := range keys {
		emit(key)
	}
	return err
}

func (d *disk) Stamp(key string) (Stamp, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["Stamp"]++
	r := d.records[key]
	if r == nil {
		return 0, ErrNotFound
	}
	return r.Stamp, nil
}

func (d *disk) Load(key string, now time.Time) (*Record, error) {
	d.mu.Lock()
	d.calls["Load"]++
	r, err := d.records[key], d.broken[key]
	held := d.held[key]
	delete(d.held, key)
	var settle time.Time
	if f := d.settle[key]; f != nil {
		settle = f(now)
	}
	d.mu.Unlock()
	if held != nil {
		<-held
	}
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, ErrNotFound
	}
	c := *r
	c.Settle = settle
	return &c, nil
}

// Changed knows four kinds of names: "index", "locks/ID.lock" (and index marks), "KEY.tmp.PID", and keys.
func (d *disk) Changed(e watcher.Event) Change {
	rel := strings.TrimPrefix(e.Path, d.root+"/")
	if rel == "index" {
		return Change{All: true}
	}
	if path.Dir(rel) == "locks" {
		return Change{IDs: []string{strings.TrimSuffix(path.Base(rel), ".lock")}}
	}
	key, pid, _ := strings.Cut(rel, ".tmp.")
	writer, _ := strconv.Atoi(pid)
	return Change{Keys: []string{key}, Writer: writer, Late: writer != 0 && e.Op&watcher.Remove != 0}
}

// home is a disk whose store has servers and folders.
type home struct {
	*disk
	servers []Server
}

func (h home) Servers() []Server       { return h.servers }
func (h home) Folder(r *Record) string { return r.Path }

// procs is a Prober in memory.
type procs struct {
	mu        sync.Mutex
	ended     map[locks.Identity]chan struct{} // of live processes
	starts    uint64
	clients   []locks.Client
	known     []locks.Client // those that a look or a temp name made known
	looked    time.Time
	looks     int            // how often all were looked through
	sandbox   bool           // they cannot be
	written   map[int]uint64 // by pid
	blind     bool           // the end of a process cannot be waited for
	witnessed int            // how often a lock was shown
	asked     int            // how often Judge was
}

func newProcs() *procs {
	return &procs{ended: map[locks.Identity]chan struct{}{}, clients: []locks.Client{}}
}

// start begins a process and returns it as a client that works in dir.
func (p *procs) start(pid int, dir string) locks.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts++
	c := locks.Client{
		Identity: locks.Identity{BootID: "boot", PID: pid, Start: p.starts},
		Program:  "kimi", Name: "Kimi", Dir: dir, Started: time.Now(),
	}
	p.ended[c.Identity] = make(chan struct{})
	p.clients = append(p.clients, c)
	return c
}

// kill ends the process with this pid. Its row in the list of clients stays, as in a list that is a moment old.
func (p *procs) kill(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, ended := range p.ended {
		if id.PID == pid {
			close(ended)
			delete(p.ended, id)
		}
	}
}

func (p *procs) Identify(pid int) (locks.Identity, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.ended {
		if id.PID == pid {
			return id, true
		}
	}
	return locks.Identity{}, false
}

func (p *procs) Alive(id locks.Identity) locks.Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended[id] != nil {
		return locks.Live
	}
	return locks.Dead
}

// Witness counts the locks that it is told of.
func (p *procs) Witness(*locks.File) {
	p.mu.Lock()
	p.witnessed++
	p.mu.Unlock()
}

// Judge knows nothing about other hosts.
func (p *procs) Judge(f *locks.File, _ time.Time) locks.Judgement {
	id, alive := p.Identify(f.Record.PID)
	p.mu.Lock()
	p.asked++
	p.mu.Unlock()
	switch {
	case f.Record.Hostname != "":
		return locks.Judgement{Verdict: locks.Unknown, Evidence: []string{"other host"}}
	case alive:
		return locks.Judgement{Verdict: locks.Live, Evidence: []string{"pid " + strconv.Itoa(id.PID) + " lives"}}
	}
	return locks.Judgement{Verdict: locks.Dead, Evidence: []string{"pid " + strconv.Itoa(f.Record.PID) + " is gone"}}
}

// judged returns how often a lock was judged.
func (p *procs) judged() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *procs) Clients() ([]locks.Client, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	running := slices.DeleteFunc(slices.Clone(p.known), func(c locks.Client) bool { return p.ended[c.Identity] == nil })
	return running, p.looked
}

func (p *procs) Look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	if !p.sandbox {
		p.known, p.looked = slices.Clone(p.clients), time.Now()
	}
}

// lookCount returns how often all processes were looked through.
func (p *procs) lookCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks
}

func (p *procs) Meet(pid int, _ string) (locks.Client, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		if c.PID == pid && p.ended[c.Identity] != nil {
			if !slices.Contains(p.known, c) {
				p.known = append(p.known, c)
			}
			return c, true
		}
	}
	return locks.Client{}, false
}

// write moves the write counter of the process with this pid.
func (p *procs) write(pid int, bytes uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written == nil {
		p.written = map[int]uint64{}
	}
	p.written[pid] += bytes
}

func (p *procs) Counters(string) []locks.Counter {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []locks.Counter
	for _, c := range p.known {
		if p.ended[c.Identity] != nil {
			all = append(all, locks.Counter{Client: c, Bytes: p.written[c.PID], Known: true})
		}
	}
	return all
}

func (p *procs) AwaitExit(ctx context.Context, id locks.Identity) error {
	p.mu.Lock()
	ended, blind := p.ended[id], p.blind
	p.mu.Unlock()
	if blind {
		return errors.ErrUnsupported
	}
	if ended == nil {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rig is an Index that runs in a bubble, on a disk and processes that the test changes.
type rig struct {
	t       *testing.T
	disk    *disk
	procs   *procs
	batches chan watcher.Batch
	index   *Index
	stop    func() // ends Run and waits for it; called at the end of the test at the latest
}

// newRig starts an Index on a kimi home. change may alter its configuration, and may be nil.
func newRig(t *testing.T, d *disk, change func(*IndexConfig)) *rig {
	r := &rig{t: t, disk: d, procs: newProcs(), batches: make(chan watcher.Batch)}
	cfg := IndexConfig{
		Sources: []Source{d}, Prober: r.procs, Policy: DefaultPolicy(), Batches: r.batches, Sweep: -1, Workers: 2,
	}
	if change != nil {
		change(&cfg)
	}
	r.index = NewIndex(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.index.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// newListedRig is newRig after its first listing.
func newListedRig(t *testing.T, d *disk, change func(*IndexConfig)) *rig {
	r := newRig(t, d, change)
	r.rescan()
	return r
}

// rescan is what the Watcher sends when it cannot vouch for a root, and when it begins.
func (r *rig) rescan() {
	r.batches <- watcher.Batch{Rescan: []string{r.disk.root}}
	synctest.Wait()
}

// hint tells the Index that something happened at these paths below the root.
func (r *rig) hint(rels ...string) {
	var b watcher.Batch
	for _, rel := range rels {
		b.Events = append(b.Events, watcher.Event{Root: r.disk.root, Path: r.disk.root + "/" + rel, Op: watcher.Write})
	}
	r.batches <- b
	synctest.Wait()
}

// pass lets time go by until everything that is due then is done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// row returns the row of key, nil when there is none.
func (r *rig) row(key string) *Session {
	for s := range r.index.Snapshot().All() {
		if s.Key == key {
			return s
		}
	}
	return nil
}

// want compares all rows with lines of the form "KEY STATUS REASONS FACTS".
func (r *rig) want(when string, lines ...string) {
	r.t.Helper()
	var got []string
	for s := range r.index.Snapshot().All() {
		got = append(got, describe(s))
	}
	slices.Sort(got)
	if !slices.Equal(got, lines) {
		r.t.Errorf("%s: rows = %q\nwant %q", when, got, lines)
	}
}

func describe(s *Session) string {
	line := []string{s.Key, string(s.Status)}
	for _, reason := range s.Reasons {
		line = append(line, string(reason))
	}
	for _, f := range s.AllFacts {
		line = append(line, string(f))
	}
	return strings.Join(line, " ")
}

// events returns what sub has received so far, as "KIND KEY".
func events(sub *Subscription) []string {
	var got []string
	for {
		select {
		case e, open := <-sub.C:
			if !open {
				return append(got, "end")
			}
			line := string(e.Kind)
			if e.Session != nil {
				line += " " + e.Session.Key
			}
			got = append(got, line)
		default:
			return got
		}
	}
}
