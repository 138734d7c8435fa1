package sessions

import (
	"context"
	"sync"
	"time"
)

// scanState is where a store's scanning stands. Owned by the Index's goroutine.
type scanState struct {
	gen     int32 // counts scans; 0 before the first
	running bool  // one scan at a time
	again   bool  // something asked for another while one ran
	ended   bool  // one has ended, well or not
	// looked holds the keys that were read on other grounds while the scan ran: what the scan read of
	// them may be older.
	looked map[string]bool
}

// scanned is the result for one key.
type scanned struct {
	key  string
	rec  *Record
	err  error
	same bool // its Stamp is the known one; it was not read
}

// scanPart is what a scan hands to the Index's goroutine: some results, or its end.
type scanPart struct {
	st   *store
	got  []scanned
	done bool
	err  error // why the store could not be listed, with done
}

// partSize is how many results travel together.
const partSize = 256

// rescanAll lists every store.
func (x *Index) rescanAll(ctx context.Context) {
	for _, st := range x.stores {
		x.rescan(ctx, st)
	}
}

// rescanNew lists the stores that nobody has asked to list so far.
func (x *Index) rescanNew(ctx context.Context) {
	for _, st := range x.stores {
		if st.scan.gen == 0 {
			x.rescan(ctx, st)
		}
	}
}

// sweep compares everything with the disk, and asks again about every lock and open turn.
func (x *Index) sweep(ctx context.Context) {
	for _, st := range x.stores {
		for _, e := range st.entries {
			if e.rec.Lock != nil || e.rec.unfinished() {
				x.dirty[e] = true
			}
			if e.rec.unfinished() {
				x.askLook(e)
			}
		}
	}
	x.rescanAll(ctx)
}

// rescan lists st in the background; requests during a scan merge into one more.
func (x *Index) rescan(ctx context.Context, st *store) {
	if st.scan.running {
		st.scan.again = true
		return
	}
	st.scan.running = true
	st.scan.gen++
	st.scan.looked = map[string]bool{}
	known := make(map[string]Stamp, len(st.entries))
	for key, e := range st.entries {
		if e.rec.Settle.IsZero() {
			known[key] = e.rec.Stamp
		}
	}
	x.wg.Go(func() {
		err := x.runScan(ctx, st, known)
		if ctx.Err() == nil { // a listing that was cut short says nothing about the store
			x.send(ctx, scanPart{st: st, done: true, err: err})
		}
	})
}

// runScan lists the store and reads what is new or changed, with several workers.
func (x *Index) runScan(ctx context.Context, st *store, known map[string]Stamp) error {
	keys := make(chan string, partSize)
	var wg sync.WaitGroup
	for range x.cfg.Workers {
		wg.Go(func() { x.scanKeys(ctx, st, known, keys) })
	}
	err := st.src.List(ctx, func(key string) {
		select {
		case keys <- key:
		case <-ctx.Done():
		}
	})
	close(keys)
	wg.Wait()
	return err
}

func (x *Index) scanKeys(ctx context.Context, st *store, known map[string]Stamp, keys <-chan string) {
	part := make([]scanned, 0, partSize)
	for key := range keys {
		part = append(part, scanKey(st.src, key, known[key]))
		if len(part) == partSize {
			x.send(ctx, scanPart{st: st, got: part})
			part = make([]scanned, 0, partSize)
		}
	}
	if len(part) > 0 {
		x.send(ctx, scanPart{st: st, got: part})
	}
}

func scanKey(src Source, key string, known Stamp) scanned {
	if known != 0 {
		if stamp, err := src.Stamp(key); err == nil && stamp == known {
			return scanned{key: key, same: true}
		}
	}
	rec, err := load(src, key, time.Now())
	return scanned{key: key, rec: rec, err: err}
}

func (x *Index) send(ctx context.Context, p scanPart) {
	select {
	case x.parts <- p:
	case <-ctx.Done():
	}
}

// takePart takes over a part of a scan. What an event had read while the scan ran (or had found gone) may be
// newer than the scan's reading; which of the two is cannot be told, so it is read once more.
func (x *Index) takePart(ctx context.Context, p scanPart, now time.Time) {
	for _, g := range p.got {
		e := p.st.entries[g.key]
		switch {
		case p.st.scan.looked[g.key]:
			x.reload(p.st, g.key, now)
		case g.same && e != nil:
			e.gen = p.st.scan.gen
		case g.same:
			x.reload(p.st, g.key, now)
		default:
			x.apply(p.st, g.key, g.rec, g.err, now)
		}
	}
	if p.done {
		x.endScan(ctx, p.st, p.err, now)
	}
}

// endScan takes over the end of a scan and publishes what is known of the store by it.
func (x *Index) endScan(ctx context.Context, st *store, err error, now time.Time) {
	x.noteProblem(st, err)
	if err == nil {
		x.dropUnseen(st, now)
	}
	st.scan.running, st.scan.ended, st.scan.looked = false, true, nil
	if st.scan.again {
		st.scan.again = false
		x.rescan(ctx, st)
	}
	x.flush(now)
	x.publish()
	x.announceReady()
}

// dropUnseen ends a listing that went well: what it did not come across is gone, or is kept if it turns out
// to be there.
func (x *Index) dropUnseen(st *store, now time.Time) {
	for key, e := range st.entries {
		if e.gen != st.scan.gen {
			x.reload(st, key, now)
		}
	}
	if st.info.ListedAt.IsZero() {
		for _, es := range st.children {
			x.touchAll(es) // only now can a parent be called missing
		}
	}
	st.info.ListedAt = now.UTC()
}

// noteProblem remembers whether st could be listed; a change of that is news for everyone.
func (x *Index) noteProblem(st *store, err error) {
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem == st.info.Problem {
		return
	}
	st.info.Problem = problem
	x.events = append(x.events, Event{Kind: Reset})
	if err != nil {
		x.log.Warn("cannot list store", "source", st.src.Name(), "path", st.src.Root(), "err", err)
	}
}

// announceReady closes Ready once every store has been listed, or could not be.
func (x *Index) announceReady() {
	for _, st := range x.stores {
		if !st.scan.ended {
			return
		}
	}
	if x.looks.ended.IsZero() && len(x.looks.askers) > 0 {
		return // nothing is known of the processes so far
	}
	select {
	case <-x.ready:
	default:
		close(x.ready)
	}
}
