package watcher

import (
	"container/heap"
	"context"
	"maps"
	"slices"
	"time"
)

// maxPending is how many undelivered paths of one root are kept. Beyond it a full look at the root is
// cheaper than the list, for us and for the reader.
const maxPending = 4096

// change is what goes into the coalescer: an event, or roots that need a full look.
type change struct {
	event  Event // none when Path is empty
	rescan []string
}

// key is what changes are merged by. An empty path stands for a rescan of the root.
type key struct{ root, path string }

// phase says where the changes of a key are.
type phase uint8

const (
	ready   phase = iota // in the next batch, which waits for the reader
	held                 // delivered a moment ago and changed again: waits for the delay
	cooling              // delivered a moment ago, unchanged since
)

// entry is a key that changed within the last moments.
type entry struct {
	key
	op    Op // not delivered yet
	phase phase
	slot  int       // index in coalescer.events while ready
	first time.Time // of the changes that are not delivered
	last  time.Time // of all changes
	due   time.Time // when to look at it again; may be too early, never too late
}

// dueAt is the moment at which the entry is quiet, or may be held no longer.
func (e *entry) dueAt(quiet, ceiling time.Duration) time.Time {
	due := e.last.Add(quiet)
	if limit := e.first.Add(ceiling); e.phase == held && limit.Before(due) {
		return limit
	}
	return due
}

// coalescer merges changes into batches. The first change of a quiet key is ready at once; those that
// follow are ready when the key was quiet for a while, at the latest when the ceiling is reached. It
// keeps no timer when nothing changed lately.
type coalescer struct {
	quiet, ceiling time.Duration
	limit          int

	entries map[key]*entry
	queue   dueQueue       // held and cooling entries
	owed    map[string]int // undelivered paths per root
	// collapsed roots have so many that their paths are dropped: a rescan is on its way.
	collapsed map[string]bool

	events []Event // the next batch; handed to the reader, then never touched again
	rescan []string
}

func newCoalescer(quiet, ceiling time.Duration, limit int) *coalescer {
	return &coalescer{
		quiet:     quiet,
		ceiling:   ceiling,
		limit:     limit,
		entries:   map[key]*entry{},
		owed:      map[string]int{},
		collapsed: map[string]bool{},
	}
}

// run reads in until ctx ends, however slow the reader of out is. out is unbuffered: what the reader
// has not taken is merged with what comes next.
func (c *coalescer) run(ctx context.Context, in <-chan change, out chan<- Batch) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		var send chan<- Batch
		if len(c.events)+len(c.rescan) > 0 {
			send = out
		}
		select {
		case <-ctx.Done():
			return
		case ch := <-in:
			c.add(time.Now(), ch)
		case send <- Batch{Events: c.events, Rescan: c.rescan}:
			c.delivered(time.Now())
		case <-timer.C:
			c.expire(time.Now())
		}
		c.setTimer(timer)
	}
}

func (c *coalescer) setTimer(timer *time.Timer) {
	if len(c.queue) == 0 {
		timer.Stop()
		return
	}
	timer.Reset(time.Until(c.queue[0].due))
}

func (c *coalescer) add(now time.Time, ch change) {
	for _, root := range ch.rescan {
		c.note(now, key{root: root}, 0)
	}
	ev := ch.event
	if ev.Path == "" || c.collapsed[ev.Root] {
		return
	}
	c.note(now, key{ev.Root, ev.Path}, ev.Op)
	if c.owed[ev.Root] > c.limit {
		c.collapse(now, ev.Root)
	}
}

// note records that k changed.
func (c *coalescer) note(now time.Time, k key, op Op) {
	e := c.entries[k]
	if e == nil {
		e = &entry{key: k, op: op, first: now, last: now}
		c.entries[k] = e
		c.owe(k)
		c.makeReady(e)
		return
	}
	e.op |= op
	e.last = now
	switch e.phase {
	case ready:
		if k.path != "" {
			c.events[e.slot].Op |= op
		}
	case cooling:
		e.phase, e.first = held, now
		c.owe(k)
	}
}

func (c *coalescer) owe(k key) {
	if k.path != "" {
		c.owed[k.root]++
	}
}

// makeReady puts e into the next batch.
func (c *coalescer) makeReady(e *entry) {
	e.phase = ready
	if e.path == "" {
		c.rescan = append(c.rescan, e.root)
		return
	}
	e.slot = len(c.events)
	c.events = append(c.events, Event{Root: e.root, Path: e.path, Op: e.op})
}

// collapse forgets the paths of root and asks for a full look at it instead.
func (c *coalescer) collapse(now time.Time, root string) {
	ofRoot := func(k key) bool { return k.root == root && k.path != "" }
	maps.DeleteFunc(c.entries, func(k key, _ *entry) bool { return ofRoot(k) })
	c.queue = slices.DeleteFunc(c.queue, func(e *entry) bool { return ofRoot(e.key) })
	heap.Init(&c.queue)
	c.events = slices.DeleteFunc(c.events, func(ev Event) bool { return ev.Root == root })
	for i, ev := range c.events {
		c.entries[key{ev.Root, ev.Path}].slot = i
	}
	delete(c.owed, root)
	c.collapsed[root] = true
	c.note(now, key{root: root}, 0)
}

// delivered is called when the reader took the batch.
func (c *coalescer) delivered(now time.Time) {
	for _, ev := range c.events {
		c.owed[ev.Root]--
		c.cool(now, c.entries[key{ev.Root, ev.Path}])
	}
	for _, root := range c.rescan {
		delete(c.collapsed, root)
		c.cool(now, c.entries[key{root: root}])
	}
	c.events, c.rescan = nil, nil
}

// cool keeps e for the rest of its quiet time, so that changes that follow are merged. In a storm of
// new paths it does not: then the reader's pace does the merging, and memory stays bounded.
func (c *coalescer) cool(now time.Time, e *entry) {
	if now.Sub(e.last) >= c.quiet || len(c.entries) > 4*c.limit {
		delete(c.entries, e.key)
		return
	}
	e.op, e.phase = 0, cooling
	e.due = e.dueAt(c.quiet, c.ceiling)
	heap.Push(&c.queue, e)
}

// expire makes ready what is due, and forgets what stayed quiet.
func (c *coalescer) expire(now time.Time) {
	for len(c.queue) > 0 && !c.queue[0].due.After(now) {
		e := c.queue[0]
		if due := e.dueAt(c.quiet, c.ceiling); due.After(now) {
			e.due = due
			heap.Fix(&c.queue, 0)
			continue
		}
		heap.Pop(&c.queue)
		if e.phase == held {
			c.makeReady(e)
		} else {
			delete(c.entries, e.key)
		}
	}
}

// dueQueue is a heap with the entry that is due first in front.
type dueQueue []*entry

func (q dueQueue) Len() int           { return len(q) }
func (q dueQueue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q dueQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *dueQueue) Push(x any)        { *q = append(*q, x.(*entry)) }

func (q *dueQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return e
}
