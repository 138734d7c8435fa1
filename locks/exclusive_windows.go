package locks

import (
	"errors"

	"golang.org/x/sys/windows"
)

// heldWithoutSharing reports whether err says that another program opened the file for itself alone,
// which is how .NET programs lock.
func heldWithoutSharing(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
