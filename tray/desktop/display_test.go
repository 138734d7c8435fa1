//go:build unix && !darwin

package desktop

import (
	"errors"
	"net"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestDisplayAddrs(t *testing.T) {
	for _, tt := range []struct {
		name string
		want []displayAddr // nil for an error
	}{
		{":0", []displayAddr{{"unix", "/tmp/.X11-unix/X0"}, {"unix", "@/tmp/.X11-unix/X0"}}},
		{":12.0", []displayAddr{{"unix", "/tmp/.X11-unix/X12"}, {"unix", "@/tmp/.X11-unix/X12"}}},
		{"unix:3", []displayAddr{{"unix", "/tmp/.X11-unix/X3"}, {"unix", "@/tmp/.X11-unix/X3"}}},
		{"localhost:10.0", []displayAddr{{"tcp", "localhost:6010"}}},
		{"[::1]:1", []displayAddr{{"tcp", "[::1]:6001"}}},
		{"", nil},
		{"nonsense", nil},
		{":", nil},
		{":x", nil},
		{":-1", nil},
	} {
		got, err := displayAddrs(tt.name)
		if !reflect.DeepEqual(got, tt.want) || (err == nil) != (tt.want != nil) {
			t.Errorf("%q: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestCheckDisplay(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	there := "127.0.0.1:" + strconv.Itoa(port-6000)
	env := func(display string) func(string) string {
		return func(name string) string {
			if name == "DISPLAY" {
				return display
			}
			return ""
		}
	}
	if port > 6000 {
		if err := CheckDisplay(env(there)); err != nil {
			t.Errorf("a display that answers: %v", err)
		}
	}
	ln.Close()
	for display, want := range map[string]string{
		"":       "DISPLAY is not set",
		there:    "DISPLAY=" + there,
		":60123": "DISPLAY=:60123",
	} {
		err := CheckDisplay(env(display))
		if !errors.Is(err, ErrNoDisplay) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", display, err)
		}
	}
}

func FuzzDisplayAddrs(f *testing.F) {
	for _, s := range []string{":0", "localhost:10.0", "[::1]:1", "unix:0", "", ":99999", "a:b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		addrs, err := displayAddrs(name)
		if (err == nil) != (len(addrs) > 0) {
			t.Errorf("%q: %v, %v", name, addrs, err)
		}
	})
}
