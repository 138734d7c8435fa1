package sessions

import (
	"slices"
	"time"

	"berth/locks"
)

// Bounds of what a ledger keeps.
const (
	// ledgerSpan is how far back readings are kept: longer than a watcher holds back an event of a busy file.
	ledgerSpan = 5 * time.Second
	// maxReadings is how many readings are kept of one process; between them there are at least readingGap.
	maxReadings = 32
	readingGap  = 20 * time.Millisecond
)

// reading is what a write counter said at some moment.
type reading struct {
	at    time.Time
	bytes uint64
}

// ledger keeps the latest readings of the write counters of a store's clients. The zero ledger is empty. Entries are
// made at events only, so it does not change while nothing happens.
type ledger struct {
	of map[locks.Identity][]reading // in order of time
	at time.Time                    // of the last entry
}

// enter notes what the counters said at now, and forgets who is not among them any more.
func (l *ledger) enter(counters []locks.Counter, now time.Time) {
	old := l.of
	l.of, l.at = make(map[locks.Identity][]reading, len(counters)), now
	for _, c := range counters {
		if c.Known {
			l.of[c.Identity] = noted(old[c.Identity], reading{now, c.Bytes})
		}
	}
}

// noted adds r to rs. The newest reading gives way when it is too close; of what is too old one stays, so that after a
// silence there is something to compare with.
func noted(rs []reading, r reading) []reading {
	if n := len(rs); n > 1 && r.at.Sub(rs[n-2].at) < readingGap {
		rs = rs[:n-1]
	}
	for len(rs) > 1 && (len(rs) >= maxReadings || r.at.Sub(rs[1].at) > ledgerSpan) {
		rs = slices.Delete(rs, 0, 1)
	}
	return append(rs, r)
}

// move is how far a process's counter moved.
type move struct {
	locks.Identity
	bytes uint64
	over  time.Duration // from the first of the two readings to the second
	known bool          // there are two readings
}

// moves returns how far each counter moved until the last entry, at least since the moment since.
func (l *ledger) moves(since time.Time) []move {
	var all []move
	for id, rs := range l.of {
		m := move{Identity: id}
		last := rs[len(rs)-1]
		for _, r := range slices.Backward(rs) {
			if !r.at.After(since) {
				m.bytes, m.over, m.known = last.bytes-r.bytes, last.at.Sub(r.at), true
				break
			}
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b move) int { return a.PID - b.PID })
	return all
}
