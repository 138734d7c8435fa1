package sni

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// Entry is one entry of a tray menu, with those of its submenu.
type Entry struct {
	ID        int32
	Label     string // without mnemonic marks
	Separator bool
	Disabled  bool
	Hidden    bool
	Toggle    string // "checkmark", "radio" or ""
	Checked   bool
	HasIcon   bool
	Entries   []Entry
}

// Menu is the menu of an Item as it was when [Item.Menu] read it. Programs may give entries new ids at
// each change, so a Menu is to be used soon.
type Menu struct {
	Entries []Entry
	object  dbus.BusObject
}

// layout is an entry as com.canonical.dbusmenu sends it: (ia{sv}av).
type layout struct {
	ID    int32
	Props map[string]dbus.Variant
	Kids  []dbus.Variant
}

// Menu reads the item's whole menu.
func (it Item) Menu() (*Menu, error) {
	path, ok := it.props["Menu"].Value().(dbus.ObjectPath)
	if !ok {
		return nil, errors.New("the item has no menu")
	}
	m := &Menu{object: it.conn.Object(it.Bus, path)}
	// Some programs fill the menu only on this call, others do not have it.
	m.object.Call(menuInterface+".AboutToShow", 0, int32(0))
	var root layout
	// Twice, because fyne.io/systray 1.12 answers the first call of each client with one level only.
	for range 2 {
		var revision uint32
		call := m.object.Call(menuInterface+".GetLayout", 0, int32(0), int32(-1), []string{})
		if err := call.Store(&revision, &root); err != nil {
			return nil, fmt.Errorf("read menu of %s: %w", it.Bus, err)
		}
	}
	m.Entries = entries(root)
	return m, nil
}

// entries converts the children of l. A child in another shape than the protocol's is left out.
func entries(l layout) []Entry {
	var list []Entry
	for _, kid := range l.Kids {
		var k layout
		if dbus.Store([]any{kid.Value()}, &k) == nil {
			list = append(list, entry(k))
		}
	}
	return list
}

func entry(l layout) Entry {
	text := func(name string) string { s, _ := l.Props[name].Value().(string); return s }
	isFalse := func(name string) bool { b, ok := l.Props[name].Value().(bool); return ok && !b }
	state, _ := l.Props["toggle-state"].Value().(int32)
	_, hasIcon := l.Props["icon-data"]
	return Entry{
		ID:        l.ID,
		Label:     plainLabel(text("label")),
		Separator: text("type") == "separator",
		Disabled:  isFalse("enabled"),
		Hidden:    isFalse("visible"),
		Toggle:    text("toggle-type"),
		Checked:   state == 1,
		HasIcon:   hasIcon,
		Entries:   entries(l),
	}
}

// plainLabel shows a label as a panel does: a single underscore marks the next letter and is not
// drawn, a double one is a real underscore.
func plainLabel(label string) string {
	return strings.NewReplacer("__", "_", "_", "").Replace(label)
}

// Find returns the entry at a path of labels, "Open berth" or "Recent/Fix login". A label may contain
// slashes itself.
func (m *Menu) Find(path string) (Entry, bool) { return find(m.Entries, path) }

func find(list []Entry, path string) (Entry, bool) {
	for _, e := range list {
		if e.Label == path {
			return e, true
		}
		rest, ok := strings.CutPrefix(path, e.Label+"/")
		if !ok || e.Label == "" {
			continue
		}
		if sub, ok := find(e.Entries, rest); ok {
			return sub, true
		}
	}
	return Entry{}, false
}

// Click clicks the entry at a path of labels.
func (m *Menu) Click(path string) error {
	e, ok := m.Find(path)
	if !ok {
		return fmt.Errorf("no menu entry %q among:\n%s", path, strings.Join(m.Lines(), "\n"))
	}
	if e.Disabled {
		return fmt.Errorf("menu entry %q is disabled", path)
	}
	now := uint32(time.Now().Unix())
	return m.object.Call(menuInterface+".Event", 0, e.ID, "clicked", dbus.MakeVariant(int32(0)), now).Err
}

// Lines shows the menu as text, one entry a line, submenus indented.
func (m *Menu) Lines() []string { return lines(m.Entries, "") }

func lines(list []Entry, indent string) []string {
	var out []string
	for _, e := range list {
		out = append(out, indent+e.String())
		out = append(out, lines(e.Entries, indent+"  ")...)
	}
	return out
}

// String describes the entry itself, without its submenu.
func (e Entry) String() string {
	if e.Separator {
		return "----"
	}
	s := fmt.Sprintf("%q", e.Label)
	if e.Disabled {
		s += " disabled"
	}
	if e.Hidden {
		s += " hidden"
	}
	if e.Toggle != "" {
		s += fmt.Sprintf(" %s=%v", e.Toggle, e.Checked)
	}
	if e.HasIcon {
		s += " icon"
	}
	return s
}
