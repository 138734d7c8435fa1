package sni

import (
	"slices"
	"testing"

	"github.com/godbus/dbus/v5"
)

func props(kv ...any) map[string]dbus.Variant {
	m := map[string]dbus.Variant{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = dbus.MakeVariant(kv[i+1])
	}
	return m
}

// wire puts a layout into the shape in which it arrives: nested structures as []any.
func wire(id int32, p map[string]dbus.Variant, kids ...dbus.Variant) dbus.Variant {
	if kids == nil {
		kids = []dbus.Variant{}
	}
	return dbus.MakeVariant([]any{id, p, kids})
}

func sampleMenu() *Menu {
	root := layout{Kids: []dbus.Variant{
		wire(1, props("label", "Open __berth", "icon-data", []byte{1})),
		wire(2, props("type", "separator")),
		wire(3, props("label", "_Recent"),
			wire(4, props("label", "a/b")),
			wire(5, props("label", "off", "enabled", false, "visible", false))),
		wire(6, props("label", "Pause", "toggle-type", "checkmark", "toggle-state", int32(1))),
		dbus.MakeVariant("not an entry"),
	}}
	return &Menu{Entries: entries(root)}
}

func TestMenuLines(t *testing.T) {
	got := sampleMenu().Lines()
	want := []string{
		`"Open _berth" icon`,
		`----`,
		`"Recent"`,
		`  "a/b"`,
		`  "off" disabled hidden`,
		`"Pause" checkmark=true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("Lines = %q, want %q", got, want)
	}
}

func TestMenuFind(t *testing.T) {
	tests := []struct {
		path string
		id   int32
	}{
		{"Open _berth", 1},
		{"Recent", 3},
		{"Recent/a/b", 4},
		{"Pause", 6},
		{"Recent/missing", 0},
		{"a/b", 0},
		{"", 2}, // a separator has no label, and clicking it does nothing
	}
	for _, tt := range tests {
		e, ok := sampleMenu().Find(tt.path)
		if e.ID != tt.id || ok != (tt.id != 0) {
			t.Errorf("Find(%q) = %d, %v, want %d", tt.path, e.ID, ok, tt.id)
		}
	}
}

func TestAddresses(t *testing.T) {
	tests := []struct{ registered, sender, address, bus, path string }{
		{"/menu/item", ":1.7", ":1.7/menu/item", ":1.7", "/menu/item"},
		{"org.kde.StatusNotifierItem-9-1", ":1.7", "org.kde.StatusNotifierItem-9-1/StatusNotifierItem",
			"org.kde.StatusNotifierItem-9-1", "/StatusNotifierItem"},
		{":1.7/x", ":1.8", ":1.7/x", ":1.7", "/x"},
	}
	for _, tt := range tests {
		got := itemAddress(tt.registered, tt.sender)
		bus, path := splitAddress(got)
		if got != tt.address || bus != tt.bus || string(path) != tt.path {
			t.Errorf("%q from %s: address %q, bus %q, path %q", tt.registered, tt.sender, got, bus, path)
		}
	}
}

func TestIconTakesTheLargestWholePixmap(t *testing.T) {
	small := []any{int32(1), int32(1), []byte{255, 1, 2, 3}}
	large := []any{int32(2), int32(1), []byte{255, 10, 20, 30, 128, 40, 50, 60}}
	it := Item{props: props("IconPixmap", [][]any{small, large})}
	img, err := it.Icon()
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, a := img.At(0, 0).RGBA(); img.Bounds().Dx() != 2 || r>>8 != 10 || a>>8 != 255 {
		t.Errorf("icon is %v with red %d, alpha %d", img.Bounds(), r>>8, a>>8)
	}
	torn := Item{props: props("IconPixmap", [][]any{{int32(4), int32(4), []byte{1}}})}
	if _, err := torn.Icon(); err == nil {
		t.Error("a pixmap shorter than its size gave an icon")
	}
}

func TestNameLost(t *testing.T) {
	changed := func(body ...any) *dbus.Signal {
		return &dbus.Signal{Name: "org.freedesktop.DBus.NameOwnerChanged", Body: body}
	}
	tests := []struct {
		s    *dbus.Signal
		want string
	}{
		{changed(":1.4", ":1.4", ""), ":1.4"},
		{changed(":1.4", "", ":1.4"), ""},
		{changed(":1.4"), ""},
		{&dbus.Signal{Name: "other", Body: []any{":1.4", ":1.4", ""}}, ""},
	}
	for _, tt := range tests {
		if got := nameLost(tt.s); got != tt.want {
			t.Errorf("nameLost(%v) = %q, want %q", tt.s.Body, got, tt.want)
		}
	}
}
