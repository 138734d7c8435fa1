// Package sni finds and drives tray icons (StatusNotifierItem) and their menus (com.canonical.dbusmenu)
// on a session bus, the way a panel does. It also offers the other side for tests: a tray host and a
// notification daemon that only write down what they are told.
//
// It is for tests and for looking at a desktop by hand. It draws nothing and knows nothing of berth.
// None of its types is safe for concurrent use, except where it says so.
package sni

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// The bus names of the protocol, https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/.
// Every desktop uses the org.kde names.
const (
	itemInterface    = "org.kde.StatusNotifierItem"
	watcherInterface = "org.kde.StatusNotifierWatcher"
	watcherPath      = dbus.ObjectPath("/StatusNotifierWatcher")
	menuInterface    = "com.canonical.dbusmenu"
	propsInterface   = "org.freedesktop.DBus.Properties"
	defaultItemPath  = "/StatusNotifierItem"
)

// Item is a tray icon as it was when [Items] read it.
type Item struct {
	Bus  string          // bus name of its program
	Path dbus.ObjectPath // its object there
	PID  uint32          // process of its program; 0 when the bus does not say

	conn  *dbus.Conn
	props map[string]dbus.Variant
}

// Items returns the tray icons that are registered with the tray host, in the order of their addresses.
// Without a host it returns those whose bus name follows the convention. An item that does not answer
// is left out.
func Items(c *dbus.Conn) ([]Item, error) {
	addresses, err := registered(c)
	if err != nil {
		return nil, err
	}
	slices.Sort(addresses)
	var items []Item
	for _, a := range addresses {
		bus, path := splitAddress(a)
		it := Item{Bus: bus, Path: path, conn: c}
		if c.Object(bus, path).Call(propsInterface+".GetAll", 0, itemInterface).Store(&it.props) != nil {
			continue
		}
		// The pid stays 0 when the program leaves between the two calls.
		_ = c.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, bus).Store(&it.PID)
		items = append(items, it)
	}
	return items, nil
}

func registered(c *dbus.Conn) ([]string, error) {
	v, err := c.Object(watcherInterface, watcherPath).GetProperty(watcherInterface + ".RegisteredStatusNotifierItems")
	if err == nil {
		addresses, _ := v.Value().([]string)
		return addresses, nil
	}
	var names []string
	if err := c.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		return nil, fmt.Errorf("list names on the session bus: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, itemInterface+"-") }), nil
}

// splitAddress takes "bus/path" apart. Hosts report both "name" and "name/path".
func splitAddress(address string) (bus string, path dbus.ObjectPath) {
	i := strings.IndexByte(address, '/')
	if i < 0 {
		return address, defaultItemPath
	}
	return address[:i], dbus.ObjectPath(address[i:])
}

// Text returns a property that is text: "Id", "Title", "Status", "IconName". It is empty when missing.
func (it Item) Text(property string) string {
	s, _ := it.props[property].Value().(string)
	return s
}

// Tooltip returns title and text of the tool tip in one line.
func (it Item) Tooltip() string {
	parts, ok := it.props["ToolTip"].Value().([]any)
	if !ok || len(parts) < 4 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(parts[2], " ", parts[3]))
}

// pixmap is one size of an icon: rows of big-endian ARGB.
type pixmap struct {
	W, H int32
	ARGB []byte
}

func (it Item) pixmap() pixmap {
	var all []pixmap
	if v, ok := it.props["IconPixmap"]; ok {
		// A shape that is not the protocol's leaves no pixmap, which is what the caller sees.
		_ = dbus.Store([]any{v.Value()}, &all)
	}
	var best pixmap
	for _, p := range all {
		if p.W > best.W {
			best = p
		}
	}
	return best
}

// Icon returns the largest size of the icon that the item sends as pixels.
func (it Item) Icon() (image.Image, error) {
	p := it.pixmap()
	if p.W <= 0 || p.H <= 0 || int64(len(p.ARGB)) < int64(p.W)*int64(p.H)*4 {
		return nil, errors.New("the item has no pixmap")
	}
	m := image.NewNRGBA(image.Rect(0, 0, int(p.W), int(p.H)))
	for i := range int(p.W) * int(p.H) {
		b := p.ARGB[i*4:]
		m.Set(i%int(p.W), i/int(p.W), color.NRGBA{R: b[1], G: b[2], B: b[3], A: b[0]})
	}
	return m, nil
}

// Activate is a left click on the icon. It fails when the program does not take left clicks.
func (it Item) Activate() error {
	return it.conn.Object(it.Bus, it.Path).Call(itemInterface+".Activate", 0, int32(0), int32(0)).Err
}

// String describes the item in one line. Icons are told apart by size and hash.
func (it Item) String() string {
	p := it.pixmap()
	sum := sha256.Sum256(p.ARGB)
	return fmt.Sprintf("item %s%s pid=%d id=%q title=%q status=%s tooltip=%q icon=%dx%d#%x",
		it.Bus, it.Path, it.PID, it.Text("Id"), it.Text("Title"), it.Text("Status"), it.Tooltip(), p.W, p.H, sum[:4])
}
