package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/systray"
)

// TrayApp is the part of Fyne's desktop.App that a tray needs; the app of Fyne's tests has none.
type TrayApp interface {
	SetSystemTrayMenu(*fyne.Menu)
	SetSystemTrayIcon(fyne.Resource)
}

// SystemTray is the real tray behind a. Its tooltip and its left click have no API in Fyne and go to the
// library below it. desktop.App.SetSystemTrayWindow would call the window on another goroutine, which
// panics when Fyne's thread checks are compiled out.
func SystemTray(a TrayApp) Tray { return systemTray{a} }

type systemTray struct{ app TrayApp }

func (t systemTray) SetMenu(m *fyne.Menu)    { t.app.SetSystemTrayMenu(m) }
func (t systemTray) SetIcon(r fyne.Resource) { t.app.SetSystemTrayIcon(r) }
func (t systemTray) SetTooltip(text string)  { systray.SetTooltip(text) }
func (t systemTray) OnTapped(f func())       { systray.SetOnTapped(f) }

// OnOpened follows the library's channel until the program ends; the library never closes it.
func (t systemTray) OnOpened(f func()) {
	go func() {
		for range systray.TrayOpenedCh {
			f()
		}
	}()
}
