package sessions

import (
	"cmp"
	"slices"
	"time"

	"berth/locks"
)

// Bounds of what a ledger keeps.
const (
	// ledgerSpan is how far back readings are kept, and processes after their end: longer than a watcher holds back
	// an event of a busy file.
	ledgerSpan = 5 * time.Second
	// maxReadings is how many readings are kept of one process; between them there are at least readingGap.
	maxReadings = 32
	readingGap  = 20 * time.Millisecond
)

// ledger keeps who the clients of a store are, and the latest readings of their write counters. The zero ledger is
// empty. Entries are made at events only, so it does not change while nothing happens.
type ledger struct{ accounts map[locks.Identity]*account }

// account is the page of one client.
type account struct {
	client   locks.Client
	seen     time.Time // when it last was known to run
	ended    time.Time // when it was found to have ended, zero while it runs
	readings []reading // in order of time
}

// reading is what a write counter said at some moment.
type reading struct {
	at    time.Time
	bytes uint64
}

// note enters a client that runs at now.
func (l *ledger) note(c locks.Client, now time.Time) *account {
	a := l.accounts[c.Identity]
	if a == nil {
		if l.accounts == nil {
			l.accounts = map[locks.Identity]*account{}
		}
		a = &account{client: c}
		l.accounts[c.Identity] = a
	}
	a.seen, a.ended = now, time.Time{}
	return a
}

// enter notes which clients run at now, and what their counters say. Who is not among them has ended; it is forgotten
// after a while, in which something that it wrote may still come to be seen.
func (l *ledger) enter(counters []locks.Counter, now time.Time) {
	before := l.accounts
	for _, c := range counters {
		a := l.note(c.Client, now)
		if c.Known {
			a.readings = noted(a.readings, reading{now, c.Bytes})
		}
	}
	for id, a := range before {
		if a.seen.Before(now) {
			l.end(id, now)
		}
		if now.Sub(a.seen) > ledgerSpan {
			delete(l.accounts, id)
		}
	}
}

// end notes that a process has ended by now.
func (l *ledger) end(id locks.Identity, now time.Time) {
	if a := l.accounts[id]; a != nil && a.ended.IsZero() {
		a.ended = now
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

// all returns every account, by pid.
func (l *ledger) all() []*account {
	as := make([]*account, 0, len(l.accounts))
	for _, a := range l.accounts {
		as = append(as, a)
	}
	slices.SortFunc(as, func(a, b *account) int { return cmp.Compare(a.client.PID, b.client.PID) })
	return as
}

// former returns the client that last had this pid, of those who have run a moment ago.
func (l *ledger) former(pid int) (locks.Client, bool) {
	var last *account
	for id, a := range l.accounts {
		if id.PID == pid && (last == nil || a.seen.After(last.seen)) {
			last = a
		}
	}
	if last == nil {
		return locks.Client{}, false
	}
	return last.client, true
}

// move is how far a process's counter moved.
type move struct {
	bytes uint64
	over  time.Duration // from the first of the two readings to the second
	known bool          // there are two readings, and it may have written nothing after the second
}

// since returns how far the counter moved until the last entry, at least since the moment at. Of what a process wrote
// before its end the counter tells only a part, so that is not known.
func (a *account) since(at time.Time) move {
	if !a.ended.IsZero() || len(a.readings) == 0 {
		return move{}
	}
	last := a.readings[len(a.readings)-1]
	for _, r := range slices.Backward(a.readings) {
		if !r.at.After(at) {
			return move{bytes: last.bytes - r.bytes, over: last.at.Sub(r.at), known: true}
		}
	}
	return move{}
}
