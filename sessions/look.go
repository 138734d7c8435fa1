package sessions

import (
	"context"
	"time"
)

// lookEvery is the time between two looks through the process table, at least.
const lookEvery = 2 * time.Second

// looks is when all processes are looked through: in the background, because it takes milliseconds; only when there is
// a Session whose writer nobody knows; and then not more often than every two seconds. Owned by the Index's goroutine.
type looks struct {
	askers map[*entry]bool // to be derived again after the next look
	under  bool            // one is under way
	ended  time.Time       // the last one; zero before the first
	done   chan struct{}
}

// due is when the next look may begin, zero when nobody asks for one.
func (l *looks) due() time.Time {
	if len(l.askers) == 0 || l.under {
		return time.Time{}
	}
	return l.ended.Add(lookEvery)
}

// askLook wants a look at all processes on behalf of e.
func (x *Index) askLook(e *entry) { x.looks.askers[e] = true }

// startLook begins a look that is due.
func (x *Index) startLook(ctx context.Context, now time.Time) {
	if due := x.looks.due(); due.IsZero() || now.Before(due) {
		return
	}
	x.looks.under = true
	x.wg.Go(func() {
		x.cfg.Prober.Look()
		select {
		case x.looks.done <- struct{}{}:
		case <-ctx.Done():
		}
	})
}

// takeLook derives again what waited for the look.
func (x *Index) takeLook(now time.Time) {
	x.looks.under, x.looks.ended = false, now
	for e := range x.looks.askers {
		if e.store.entries[e.rec.Key] == e {
			x.dirty[e] = true
		}
	}
	clear(x.looks.askers)
	x.flush(now)
	x.announceReady()
}

// census says whether the known clients are all that may have begun e's unfinished work. looked is when the last look
// began.
func (x *Index) census(e *entry, looked, now time.Time) census {
	since := e.rec.TurnSince
	if since.IsZero() {
		since = e.rec.UpdatedAt
	}
	asked := e.asked
	if asked.IsZero() {
		asked = now
	}
	switch {
	case looked.IsZero() && !x.looks.ended.IsZero():
		return impossible
	case !looked.IsZero() && !since.IsZero() && looked.After(since.Add(startSlack)),
		!looked.Before(asked):
		return complete
	}
	return outdated
}
