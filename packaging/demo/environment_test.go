package main

import (
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	st := &stage{dir: "/demo"}
	got := environment([]string{"HOME=/home/ann", "XDG_RUNTIME_DIR=/run/user/7", "WAYLAND_DISPLAY=wayland-0",
		"KIMI_CODE_HOME=/home/ann/.kimi-code"}, st)
	want := []string{
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/7/bus",
		"HOME=/home/ann",
		"KIMI_CODE_HOME=/demo/kimi-home",
		"KIOKU_VAULT_PATH=/demo/vault",
		"WAYLAND_DISPLAY=/run/user/7/wayland-0",
		"XDG_CACHE_HOME=/demo/cache",
		"XDG_CONFIG_HOME=/demo/config",
		"XDG_RUNTIME_DIR=/demo/run",
		"XDG_STATE_HOME=/demo/state",
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("environment =\n%q\nwant\n%q", got, want)
	}
}

func TestEnvironmentLeavesAnOwnBusAlone(t *testing.T) {
	got := environment([]string{"XDG_RUNTIME_DIR=/run/user/7", "DBUS_SESSION_BUS_ADDRESS=unix:path=/other"}, &stage{dir: "/demo"})
	if !slices.Contains(got, "DBUS_SESSION_BUS_ADDRESS=unix:path=/other") {
		t.Errorf("environment = %q", got)
	}
}
