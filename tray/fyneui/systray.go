package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/systray"

	"berth/tray/desktop"
)

// TrayApp is the part of Fyne's desktop.App that a tray needs; the app of Fyne's tests has none.
type TrayApp interface {
	SetSystemTrayMenu(*fyne.Menu)
	SetSystemTrayIcon(fyne.Resource)
}

// SystemTray is the real tray behind a. Its tooltip and its left click have no API in Fyne and go to the
// library below it. desktop.App.SetSystemTrayWindow would call the window on another goroutine, which
// panics when Fyne's thread checks are compiled out.
func SystemTray(a TrayApp) Tray { return &systemTray{app: a} }

type systemTray struct {
	app  TrayApp
	lost bool // the connection to the session bus is closed
}

func (t *systemTray) SetMenu(m *fyne.Menu)    { t.call(func() { t.app.SetSystemTrayMenu(m) }) }
func (t *systemTray) SetIcon(r fyne.Resource) { t.call(func() { t.app.SetSystemTrayIcon(r) }) }
func (t *systemTray) SetTooltip(text string)  { t.call(func() { systray.SetTooltip(text) }) }
func (t *systemTray) OnTapped(f func())       { systray.SetOnTapped(f) }

// call does f unless the bus is lost. The library panics on a closed connection: when the bus died, and when the
// program quits, which closes it, while something to draw was still queued. There is no icon any more then, and
// nothing to tell: who watches the tray host tells it.
func (t *systemTray) call(f func()) {
	if t.lost {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			if !desktop.BusClosed(r) {
				panic(r)
			}
			t.lost = true
		}
	}()
	f()
}

// OnOpened follows the library's channel until the program ends; the library never closes it.
func (t *systemTray) OnOpened(f func()) {
	go func() {
		for range systray.TrayOpenedCh {
			f()
		}
	}()
}
