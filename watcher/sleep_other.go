//go:build !linux

package watcher

import "time"

var processStart = time.Now()

// readClocks reads Go's monotonic clock and the wall clock. The first one stops during sleep on macOS;
// where it does not, sleep goes unnoticed here, and the reader's sweeps have to do. A wall clock that
// is set forward looks like sleep: that costs one needless rescan.
func readClocks() clocks {
	now := time.Now()
	return clocks{awake: now.Sub(processStart), all: time.Duration(now.UnixNano())}
}
