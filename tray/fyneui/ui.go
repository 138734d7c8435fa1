package fyneui

import (
	"context"

	"fyne.io/fyne/v2"

	"berth/tray"
	"berth/tray/icons"
)

// Controls is what the user does to what is shown; the tray.Presenter implements it. Its methods return at once.
type Controls interface {
	SetFilter(tray.Filter)
	Select(path string)
	SetVisible(visible bool)
	SetMenuOpen(open bool)
}

// Config is what a UI needs besides the fyne.App.
type Config struct {
	Lang     tray.Lang
	Verbs    tray.Verbs
	Controls Controls
	// OpenFolder shows a folder to the user. It may block.
	OpenFolder func(dir string) error
	// Notes are said in the status line as long as the program runs: "no session bus …".
	Notes []string
}

// UI is the window and the icon in the panel. It implements tray.View.
type UI struct {
	app  fyne.App
	cfg  Config
	win  *window
	icon *panelIcon // nil where there is no bus

	// off runs what may block, on what touches widgets: goroutines and fyne.Do, but for tests.
	off, on func(func())
}

var _ tray.View = (*UI)(nil)

// New makes the window, hidden, and sets the app's theme and icon. It must be called on Fyne's thread before
// the app runs.
func New(app fyne.App, cfg Config) *UI {
	u := &UI{app: app, cfg: cfg, off: func(f func()) { go f() }, on: fyne.Do}
	app.Settings().SetTheme(Theme())
	app.SetIcon(fyne.NewStaticResource("berth.png", icons.App()))
	u.win = newWindow(u)
	return u
}

// Connect sets the Controls when they could not be known before the UI was made. It must be called before
// anything is shown.
func (u *UI) Connect(c Controls) { u.cfg.Controls = c }

// UseTray puts the icon into the panel. It must be called on Fyne's thread before the app runs, and only with
// a session bus where the platform's tray is on D-Bus.
func (u *UI) UseTray(t Tray) {
	u.icon = newPanelIcon(u, t)
}

// SetHost says whether there is a tray host, so that a hidden window can be brought back by its icon. It may
// be called from any goroutine.
func (u *UI) SetHost(present bool) {
	u.on(func() {
		if u.icon != nil {
			u.icon.hosted = present
		}
		u.win.showNotes(u.notes())
	})
}

func (u *UI) notes() []string {
	notes := u.cfg.Notes
	if u.icon != nil && !u.icon.hosted {
		notes = append(notes[:len(notes):len(notes)], u.cfg.Lang.Text(tray.MsgNoTrayHost))
	}
	return notes
}

// ShowIcon implements tray.View.
func (u *UI) ShowIcon(state tray.IconState, tooltip string) {
	u.on(func() {
		if u.icon != nil {
			u.icon.show(state, tooltip)
		}
	})
}

// ShowMenu implements tray.View.
func (u *UI) ShowMenu(m tray.MenuSpec) {
	u.on(func() {
		if u.icon != nil {
			u.icon.showMenu(m)
		}
	})
}

// ShowWindow implements tray.View.
func (u *UI) ShowWindow(w tray.Window) {
	u.on(func() { u.win.show(w) })
}

// Raise shows the window above the others. It may be called from any goroutine.
func (u *UI) Raise() { u.on(u.win.raise) }

// Show shows the window. It must be called on Fyne's thread.
func (u *UI) Show() { u.win.raise() }

// closed is the window's close button: the window goes only where an icon can bring it back.
func (u *UI) closed() {
	if u.icon != nil && u.icon.hosted {
		u.win.hide()
		return
	}
	u.app.Quit()
}

// do carries out what a click in the menu of the icon means.
func (u *UI) do(i tray.Intent) {
	switch i.Do {
	case tray.DoOpen:
		u.win.raise()
	case tray.DoShow:
		u.win.raise()
		u.win.selectPath(i.Path, false)
	case tray.DoClose:
		u.win.raise()
		u.win.selectPath(i.Path, true)
	case tray.DoQuit:
		u.app.Quit()
	}
}

// work runs verb where it may block and then done, with its error, on Fyne's thread.
func (u *UI) work(verb func(context.Context) error, done func(error)) {
	u.off(func() {
		err := verb(context.Background())
		u.on(func() { done(err) })
	})
}
