//go:build unix && !darwin

package desktop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// deadline is how long anything here may take on a busy machine.
const deadline = 20 * time.Second

// sessionBus starts a bus of its own and points this process at it.
func sessionBus(t *testing.T) (stop func()) {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed; packaging/desktop/apt-packages.txt names it")
	}
	cmd := exec.Command(program, "--session", "--nofork", "--nopidfile", "--print-address=1",
		"--address=unix:path="+filepath.Join(t.TempDir(), "bus"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus did not start: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	stop = func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// watcher is the program that keeps the list of tray icons; host says whether anything shows them.
func watcher(t *testing.T, host bool) (setHost func(bool), leave func()) {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	props, err := prop.Export(conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: host, Emit: prop.EmitTrue},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	setHost = func(host bool) {
		props.SetMust(watcherName, "IsStatusNotifierHostRegistered", host)
		signal := hostAppeared
		if !host {
			signal = hostWentAway
		}
		if err := conn.Emit(watcherPath, watcherName+"."+signal); err != nil {
			t.Error(err)
		}
	}
	return setHost, func() { conn.Close() }
}

func expect(t *testing.T, reports <-chan bool, want bool, when string) {
	t.Helper()
	select {
	case got := <-reports:
		if got != want {
			t.Fatalf("%s: reported %v", when, got)
		}
	case <-time.After(deadline):
		t.Fatalf("%s: nothing was reported", when)
	}
}

// Bugs B121, B127: the host may be there, come late, go, and come back.
func TestWatchTrayHost(t *testing.T) {
	stopBus := sessionBus(t)
	reports, ended := make(chan bool, 10), make(chan error, 1)
	go func() { ended <- WatchTrayHost(context.Background(), func(p bool) { reports <- p }) }()

	expect(t, reports, false, "nobody there")
	setHost, leave := watcher(t, false)
	setHost(true)
	expect(t, reports, true, "a host came late")
	setHost(false)
	expect(t, reports, false, "the host went away")
	setHost(true)
	expect(t, reports, true, "the host came back")
	leave()
	expect(t, reports, false, "the watcher ended")
	watcher(t, true)
	expect(t, reports, true, "the panel was restarted")
	stopBus()
	expect(t, reports, false, "the bus is gone")
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a lost bus is no error")
		}
	case <-time.After(deadline):
		t.Error("it goes on without a bus")
	}
}

func TestWatchTrayHostEndsWithItsContext(t *testing.T) {
	sessionBus(t)
	ctx, cancel := context.WithCancel(context.Background())
	reports, ended := make(chan bool, 10), make(chan error, 1)
	go func() { ended <- WatchTrayHost(ctx, func(p bool) { reports <- p }) }()
	expect(t, reports, false, "nobody there")
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("got %v", err)
		}
	case <-time.After(deadline):
		t.Error("it goes on")
	}
}

// Bug B122: without a bus there is an error before anything of the tray is started.
func TestNoBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	if err := ConnectTrayBus(); err == nil {
		t.Error("connected to a bus that is not there")
	}
	if err := WatchTrayHost(context.Background(), func(bool) {}); err == nil {
		t.Error("watches a bus that is not there")
	}
}

// TestBusClosed: what the tray library panics with on a closed connection, and nothing else.
func TestBusClosed(t *testing.T) {
	sessionBus(t)
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	err = conn.Emit("/x", "org.berth.Test.Signal")
	if !BusClosed(err) || !BusClosed(fmt.Errorf("set: %w", err)) {
		t.Errorf("%v is not taken for a closed bus", err)
	}
	for _, other := range []any{errors.New("boom"), "dbus: connection closed by user", nil} {
		if BusClosed(other) {
			t.Errorf("%v is taken for a closed bus", other)
		}
	}
}
