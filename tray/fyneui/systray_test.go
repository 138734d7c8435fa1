//go:build unix && !darwin

package fyneui

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/godbus/dbus/v5"
)

// panicking is a tray whose library panics, as the real one does on a closed connection.
type panicking struct {
	with  error
	calls int
}

func (p *panicking) SetSystemTrayMenu(*fyne.Menu)    { p.calls++; panic(p.with) }
func (p *panicking) SetSystemTrayIcon(fyne.Resource) { p.calls++; panic(p.with) }

func TestTrayOnAClosedBusIsLeftAlone(t *testing.T) {
	p := &panicking{with: dbus.ErrClosed}
	tr := SystemTray(p)
	tr.SetIcon(nil)
	tr.SetMenu(nil)
	tr.SetTooltip("not sent: the library below has no connection at all in this test")
	if p.calls != 1 {
		t.Errorf("the library was called %d times, want once: the first panic says that all is lost", p.calls)
	}
}

func TestOtherPanicsOfTheTrayAreNotHidden(t *testing.T) {
	boom := errors.New("boom")
	defer func() {
		if r := recover(); r != boom {
			t.Errorf("recovered %v, want %v", r, boom)
		}
	}()
	SystemTray(&panicking{with: boom}).SetIcon(nil)
}
