package watcher

import "time"

// backoff decides how long to wait before something that failed is tried again: the pause doubles
// with each failure up to most, and starts over after a calm time.
type backoff struct {
	first, least, most time.Duration // pause after the first failure, the second, and the limit

	pause time.Duration
	last  time.Time
}

// next returns the pause after a failure at now.
func (b *backoff) next(now time.Time) time.Duration {
	calm := b.last.IsZero() || now.Sub(b.last) > 2*max(b.pause, b.least)
	b.last = now
	if calm {
		b.pause = b.first
	} else {
		b.pause = min(max(2*b.pause, b.least), b.most)
	}
	return b.pause
}

// retries is for roots that cannot be watched at the moment. Setting many watches and failing at the
// last one costs as much as succeeding, so it must become rare.
func retries() backoff {
	return backoff{first: time.Minute, least: time.Minute, most: time.Hour}
}

// restarts is for a new beginning after lost events: at once, but not over and over in a storm.
func restarts() backoff {
	return backoff{least: time.Second, most: time.Minute}
}

// earliest returns the earlier of two moments, where the zero Time means never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
