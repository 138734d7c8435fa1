package watcher

import (
	"errors"
	"math"
	"syscall"
)

// limitOf: see limits_linux.go. kqueue keeps a descriptor open for each watched directory and for each
// file in it, so the limit on open files is what ends first.
func limitOf(err error) limit {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return limit{}
	}
	return limit{
		reason: "the open files of this process are used up (each watched directory and each file in it takes one)",
		remedy: "sudo launchctl limit maxfiles 65536 524288",
	}
}

// filesPerDir is how many files a watched directory is taken to have, each of which costs a descriptor.
const filesPerDir = 4

// maxWatches: see limits_linux.go.
func maxWatches() int {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil || r.Cur > math.MaxInt32 {
		return 0
	}
	return int(r.Cur) / (1 + filesPerDir)
}
