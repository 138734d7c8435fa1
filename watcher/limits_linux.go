package watcher

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The limits are per user and shared with every other program: inotify(7), "/proc interfaces".
const (
	maxUserWatches   = "max_user_watches"
	maxUserInstances = "max_user_instances"
)

// limitOf says which limit err tells of, or the zero limit. inotify_add_watch(2) fails with ENOSPC when
// the user's watches are used up, inotify_init(2) with EMFILE for instances and for descriptors alike.
func limitOf(err error) limit {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		now := inotifyLimit(maxUserWatches)
		return limit{
			reason: fmt.Sprintf("the directory watches of this user are used up (fs.inotify.%s is %d)", maxUserWatches, now),
			remedy: sysctl(maxUserWatches, raised(now, 524288)),
		}
	case errors.Is(err, syscall.EMFILE):
		now := inotifyLimit(maxUserInstances)
		return limit{
			reason: fmt.Sprintf("the notification instances of this user (fs.inotify.%s is %d) or the open files of this process are used up", maxUserInstances, now),
			remedy: sysctl(maxUserInstances, raised(now, 512)),
		}
	case errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return limit{reason: err.Error()}
	}
	return limit{}
}

// sysctl is a command that raises a limit now and for good.
func sysctl(name, value string) string {
	return fmt.Sprintf("echo fs.inotify.%s=%s | sudo tee /etc/sysctl.d/60-%s.conf && sudo sysctl --system", name, value, name)
}

// maxWatches is the number of watches that this user may have in all programs; 0 when unknown.
func maxWatches() int { return inotifyLimit(maxUserWatches) }

func inotifyLimit(name string) int {
	b, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return n
}
