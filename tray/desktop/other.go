//go:build !unix || darwin

package desktop

import "context"

// CheckDisplay always finds a display: a program with windows is not started without one here.
func CheckDisplay(func(string) string) error { return nil }

// ConnectTrayBus has nothing to connect to here.
func ConnectTrayBus() error { return nil }

// WatchTrayHost reports once that there is a host, the system itself, and returns when ctx is done.
func WatchTrayHost(ctx context.Context, report func(present bool)) error {
	report(true)
	<-ctx.Done()
	return nil
}

// BusClosed reports whether a panic means that the bus is closed: there is none here.
func BusClosed(any) bool { return false }
