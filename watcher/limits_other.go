//go:build !linux && !darwin && !windows

package watcher

import (
	"errors"
	"syscall"
)

// limitOf: see limits_linux.go. What to do about it depends on the system.
func limitOf(err error) limit {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return limit{reason: "the open files of this process are used up"}
	}
	return limit{}
}

// maxWatches: see limits_linux.go.
func maxWatches() int { return 0 }
