package sni

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// RunHost is a tray host without a screen: it lets items register and forgets those whose program
// leaves the bus. It writes "ready", then a line for each of both, to w, and returns when ctx ends.
// It fails when another host is on the bus.
func RunHost(ctx context.Context, c *dbus.Conn, w io.Writer) error {
	h := &host{conn: c, w: w}
	left, err := watchNames(c)
	if err != nil {
		return err
	}
	if err := export(c, h, watcherPath, watcherInterface, propsInterface); err != nil {
		return err
	}
	if err := own(c, watcherInterface); err != nil {
		return err
	}
	fmt.Fprintln(w, "ready")
	for {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-left:
			if !ok {
				return errors.New("the session bus went away")
			}
			h.forget(nameLost(s))
		}
	}
}

// own takes a well-known name and refuses to share it.
func own(c *dbus.Conn, name string) error {
	reply, err := c.RequestName(name, dbus.NameFlagDoNotQueue)
	if err == nil && reply != dbus.RequestNameReplyPrimaryOwner {
		err = errors.New("another program has it")
	}
	if err != nil {
		return fmt.Errorf("own %s: %w", name, err)
	}
	return nil
}

func export(c *dbus.Conn, v any, path dbus.ObjectPath, interfaces ...string) error {
	for _, name := range interfaces {
		if err := c.Export(v, path, name); err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
	}
	return nil
}

// watchNames subscribes to changes of bus names. The channel holds 256 signals; more are dropped by
// the connection, which a test host can live with.
func watchNames(c *dbus.Conn) (<-chan *dbus.Signal, error) {
	err := c.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"))
	if err != nil {
		return nil, fmt.Errorf("watch names on the session bus: %w", err)
	}
	ch := make(chan *dbus.Signal, 256)
	c.Signal(ch)
	return ch, nil
}

// nameLost returns the bus name that has no owner any more, or "".
func nameLost(s *dbus.Signal) string {
	if s.Name != "org.freedesktop.DBus.NameOwnerChanged" || len(s.Body) < 3 || s.Body[2] != "" {
		return ""
	}
	name, _ := s.Body[0].(string)
	return name
}

// host is the object on the bus. The connection calls its exported methods from goroutines of its own.
type host struct {
	conn *dbus.Conn
	w    io.Writer

	mu        sync.Mutex
	addresses []string
}

// RegisterStatusNotifierItem is called by a program that has a tray icon.
func (h *host) RegisterStatusNotifierItem(service string, sender dbus.Sender) *dbus.Error {
	address := itemAddress(service, string(sender))
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.addresses, address) {
		return nil
	}
	h.addresses = append(h.addresses, address)
	fmt.Fprintln(h.w, "registered", address)
	h.announce("StatusNotifierItemRegistered", address)
	return nil
}

// itemAddress joins what a program registers with: a path on its own connection, a bus name, or both.
func itemAddress(service, sender string) string {
	switch {
	case strings.HasPrefix(service, "/"):
		return sender + service
	case strings.Contains(service, "/"):
		return service
	}
	return service + defaultItemPath
}

// RegisterStatusNotifierHost is part of the protocol; this host draws nothing.
func (h *host) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

// Get is org.freedesktop.DBus.Properties.Get.
func (h *host) Get(_, property string) (dbus.Variant, *dbus.Error) {
	all, _ := h.GetAll("")
	v, ok := all[property]
	if !ok {
		return v, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", nil)
	}
	return v, nil
}

// GetAll is org.freedesktop.DBus.Properties.GetAll.
func (h *host) GetAll(string) (map[string]dbus.Variant, *dbus.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return map[string]dbus.Variant{
		"RegisteredStatusNotifierItems":  dbus.MakeVariant(slices.Clone(h.addresses)),
		"IsStatusNotifierHostRegistered": dbus.MakeVariant(true),
		"ProtocolVersion":                dbus.MakeVariant(int32(0)),
	}, nil
}

// forget drops the items of a bus name that is gone.
func (h *host) forget(name string) {
	if name == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addresses = slices.DeleteFunc(h.addresses, func(a string) bool {
		gone := strings.HasPrefix(a, name+"/")
		if gone {
			fmt.Fprintln(h.w, "unregistered", a)
			h.announce("StatusNotifierItemUnregistered", a)
		}
		return gone
	})
}

// announce sends a signal. Nobody may be listening, and a lost bus ends RunHost by itself.
func (h *host) announce(signal, address string) {
	_ = h.conn.Emit(watcherPath, watcherInterface+"."+signal, address)
}
