package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// limit says what is used up on this machine, and the command that raises it; for people.
type limit struct{ reason, remedy string }

// twinError says that a directory is watched already under another path, so that its changes would be
// reported there.
type twinError struct{ path, other string }

func (e *twinError) Error() string {
	return fmt.Sprintf("%s is the same directory as %s", e.path, e.other)
}

// trouble is what an error of a watch means for the root it belongs to.
type trouble uint8

const (
	passing   trouble = iota // the directory is gone again, cannot be read, or is over the budget
	exhausted                // a limit of the system is reached
	lasting                  // this root cannot be watched
)

// judge sorts an error of a watch.
func judge(err error) trouble {
	switch {
	case missing(err), errors.Is(err, fs.ErrPermission), errors.Is(err, errNoRoom):
		return passing
	case limitOf(err) != limit{}:
		return exhausted
	}
	return lasting
}

// reasonFor puts an error into words, with what can be done about it.
func reasonFor(err error) limit {
	if l := limitOf(err); l != (limit{}) {
		return l
	}
	if twin := (*twinError)(nil); errors.As(err, &twin) {
		return limit{reason: twin.Error(), remedy: "use one path for both"}
	}
	return limit{reason: err.Error()}
}

// raised is what to set a limit to that is too low: twice as much, and at least enough for most.
func raised(now, least int) string { return strconv.Itoa(max(2*now, least)) }
