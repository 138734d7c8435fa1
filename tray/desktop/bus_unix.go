//go:build unix && !darwin

package desktop

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// The names of the tray's protocol (StatusNotifierItem, freedesktop.org).
const (
	watcherName   = "org.kde.StatusNotifierWatcher"
	watcherPath   = dbus.ObjectPath("/StatusNotifierWatcher")
	hostProperty  = watcherName + ".IsStatusNotifierHostRegistered"
	busName       = "org.freedesktop.DBus"
	ownerChanged  = "NameOwnerChanged"
	hostAppeared  = "StatusNotifierHostRegistered"
	hostWentAway  = "StatusNotifierHostUnregistered"
	signalsBuffer = 16
)

// ConnectTrayBus reports why there can be no tray icon: there is no session bus. It opens the connection that
// the tray library will use, which is shared within the process. The library itself only logs when it cannot
// connect, and panics when the program quits later (bug B122).
func ConnectTrayBus() error {
	if _, err := dbus.SessionBus(); err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	return nil
}

// BusClosed reports whether a panic of the tray library means that the connection to the session bus is closed.
func BusClosed(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, dbus.ErrClosed)
}

// WatchTrayHost calls report with whether there is a host for tray icons, at once and whenever that changes,
// until ctx is done (it returns nil) or the bus is lost (an error). The host may come long after us (bug
// B127); the tray library then registers by itself. report is called from the calling goroutine.
func WatchTrayHost(ctx context.Context, report func(present bool)) error {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	defer conn.Close()
	signals := make(chan *dbus.Signal, signalsBuffer)
	conn.Signal(signals)
	if err := matchHost(conn); err != nil {
		return err
	}
	present := hostPresent(ctx, conn)
	report(present)
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-signals:
			if !ok {
				report(false)
				return errors.New("the session bus closed the connection")
			}
		}
		if now := hostPresent(ctx, conn); now != present && ctx.Err() == nil {
			present = now
			report(present)
		}
	}
}

func matchHost(conn *dbus.Conn) error {
	for _, options := range [][]dbus.MatchOption{
		{dbus.WithMatchSender(busName), dbus.WithMatchInterface(busName), dbus.WithMatchMember(ownerChanged), dbus.WithMatchArg(0, watcherName)},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember(hostAppeared)},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember(hostWentAway)},
	} {
		if err := conn.AddMatchSignal(options...); err != nil {
			return fmt.Errorf("watch for a tray host: %w", err)
		}
	}
	return nil
}

// hostPresent asks the watcher, which keeps the list of icons, whether anything shows them. A watcher that
// does not say is taken for a host: the one of some panels is both.
func hostPresent(ctx context.Context, conn *dbus.Conn) bool {
	var owned bool
	bus := conn.BusObject()
	if err := bus.CallWithContext(ctx, busName+".NameHasOwner", 0, watcherName).Store(&owned); err != nil || !owned {
		return false
	}
	v, err := conn.Object(watcherName, watcherPath).GetProperty(hostProperty)
	if err != nil {
		return true
	}
	host, ok := v.Value().(bool)
	return host || !ok
}
