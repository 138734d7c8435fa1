package locks

import (
	"sync"
	"time"
)

// clockLog remembers since when the wall clock was not set, and where the boot is by it.
type clockLog struct {
	set      func() bool // nil when it cannot be known
	readBoot func() time.Time

	mu     sync.Mutex
	since  time.Time
	booted time.Time
}

func newClockLog(set func() bool, readBoot func() time.Time) *clockLog {
	return &clockLog{set: set, readBoot: readBoot, since: time.Now().Round(0), booted: readBoot()}
}

// bootJitter is more than two readings of the boot differ while the clock is not set (microseconds),
// and less than any time that matters.
const bootJitter = 5 * time.Millisecond

// boot returns the boot time. It is the same at every call until the clock is set, so that what is
// derived from it compares as equal.
func (l *clockLog) boot() time.Time {
	read := l.readBoot()
	l.mu.Lock()
	defer l.mu.Unlock()
	if read.Sub(l.booted).Abs() > bootJitter {
		l.booted = read
	}
	return l.booted
}

// stableSince returns the moment for [HostFacts.ClockStableSince], read from the clock as it is set
// now and without a monotonic part, since it is compared with times of others.
func (l *clockLog) stableSince() time.Time {
	if l.set == nil {
		return time.Time{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set() {
		l.since = time.Now().Round(0)
	}
	return l.since
}
