package watcher

import (
	"time"

	"golang.org/x/sys/unix"
)

// readClocks reads CLOCK_MONOTONIC and CLOCK_BOOTTIME (clock_gettime(2)), which differ by the time
// that the machine slept and by nothing else.
func readClocks() clocks {
	var awake, all unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &all) != nil {
		return clocks{}
	}
	return clocks{awake: time.Duration(awake.Nano()), all: time.Duration(all.Nano())}
}
