package sessions

import (
	"time"

	"berth/locks"
)

// Times of a take-over.
const (
	// takeoverSettle is how long a Session must not go back to the client that had it before another one is said
	// to have taken it (bug B55).
	takeoverSettle = 500 * time.Millisecond
	// takeoverCalm is that time when the Session went to and fro within takeoverQuiet: two clients that write in turns
	// are told once and not at every line.
	takeoverCalm  = 5 * time.Second
	takeoverQuiet = 10 * time.Second
	// takeoverRecent is how long after a client ended something can still be taken from it.
	takeoverRecent = 30 * time.Second
)

// tenure is which client has a Session, as far as that was proven: the holder of its lock, or its last writer. A lock
// that comes and goes with each turn of one client changes nothing. The zero tenure knows nobody. It is never changed:
// each look makes a new one.
type tenure struct {
	by      *Party
	last    time.Time // when by was last seen with the Session
	holding bool      // by had the lock then

	next  *Party // who seems to have taken it since, nil when nobody has
	since time.Time

	moved time.Time // when it last went to another client, or back
	hasty bool      // that was soon after the time before

	seen time.Time // the newest proof of a writer that was taken into account
}

// takeover is a Session that went from one client to another.
type takeover struct {
	from, by Party
	at       time.Time
}

// after returns who has the Session after a look at it, and the take-over that has become certain, if any. holder is
// who has the lock, nil without one; author is the last proven writer, nil without one.
func (t tenure) after(holder, author *Party, lives func(locks.Identity) bool, now time.Time) (tenure, *takeover) {
	if t.holding {
		t.last = now
	}
	has := holder
	if author != nil && author.Seen.After(t.seen) {
		t.seen = author.Seen
		if has == nil {
			has = author
		}
	}
	switch {
	case has == nil:
	case t.by == nil || t.by.Same(has):
		if t.next != nil {
			t.moved = now
		}
		t.by, t.last, t.next = has, now, nil
	case !t.next.Same(has):
		t.hasty = !t.moved.IsZero() && now.Sub(t.moved) < takeoverQuiet
		t.next, t.since, t.moved = has, now, now
	}
	t.holding = holder != nil && t.by.Same(holder)
	if t.next == nil || now.Before(t.certain()) {
		return t, nil
	}
	return t.settle(lives, now)
}

// settle makes the next one the one who has the Session. It is a take-over when the one before lives, or did a moment
// ago: what a client left behind yesterday is not taken from anybody.
func (t tenure) settle(lives func(locks.Identity) bool, now time.Time) (tenure, *takeover) {
	from, by, at := *t.by, *t.next, t.since
	recent := lives(from.Identity) || at.Sub(t.last) <= takeoverRecent
	t.by, t.next, t.last, t.holding = t.next, nil, now, false
	if !recent {
		return t, nil
	}
	return t, &takeover{from: from, by: by, at: at}
}

// certain is when the change that is under way counts, zero when none is.
func (t *tenure) certain() time.Time {
	switch {
	case t.next == nil:
		return time.Time{}
	case t.hasty:
		return t.since.Add(takeoverCalm)
	}
	return t.since.Add(takeoverSettle)
}
