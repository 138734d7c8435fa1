package sni

import (
	"fmt"

	"github.com/godbus/dbus/v5"
)

// Signals subscribes to what tray icons and their menus announce (NewIcon, NewToolTip, LayoutUpdated,
// changed properties, …). The channel holds 1024 signals, more are dropped; it closes with the connection.
func Signals(c *dbus.Conn) (<-chan *dbus.Signal, error) {
	matches := [][]dbus.MatchOption{
		{dbus.WithMatchInterface(itemInterface)},
		{dbus.WithMatchInterface(menuInterface)},
		{dbus.WithMatchInterface(propsInterface), dbus.WithMatchMember("PropertiesChanged")},
	}
	for _, m := range matches {
		if err := c.AddMatchSignal(m...); err != nil {
			return nil, fmt.Errorf("watch tray signals: %w", err)
		}
	}
	ch := make(chan *dbus.Signal, 1024)
	c.Signal(ch)
	return ch, nil
}
