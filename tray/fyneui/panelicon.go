package fyneui

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"berth/tray"
	"berth/tray/icons"
)

// Tray is the system's tray. All calls come on Fyne's thread.
type Tray interface {
	// SetMenu replaces the menu. m is the same object each time.
	SetMenu(m *fyne.Menu)
	SetIcon(fyne.Resource)
	SetTooltip(string)
	// OnTapped says what a left click does and OnOpened what happens when the menu opens; f may be called
	// from any goroutine.
	OnTapped(f func())
	OnOpened(f func())
}

// panelIcon is our icon in the system's tray.
type panelIcon struct {
	ui     *UI
	tray   Tray
	menu   *fyne.Menu // always the same: Fyne sets the one it got first once more when the tray is ready
	state  tray.IconState
	hosted bool // there is a host that shows it
}

func newPanelIcon(u *UI, t Tray) *panelIcon {
	p := &panelIcon{ui: u, tray: t, menu: fyne.NewMenu("berth"), state: tray.IconQuiet}
	p.menu.Items = p.items(tray.FirstMenu(u.cfg.Lang))
	p.paint()
	t.SetMenu(p.menu)
	t.OnTapped(u.Raise)
	t.OnOpened(func() { u.cfg.Controls.SetMenuOpen(true) })
	u.app.Settings().AddListener(func(fyne.Settings) { p.paint() })
	return p
}

func (p *panelIcon) show(state tray.IconState, tooltip string) {
	p.state = state
	p.paint()
	p.tray.SetTooltip(tooltip)
}

func (p *panelIcon) showMenu(m tray.MenuSpec) {
	p.menu.Items = p.items(m)
	p.tray.SetMenu(p.menu)
}

// panelPixels is the height of the picture that is handed over. The host scales it; twice the usual height of
// 22 to 24 stays sharp there and on a screen of double density.
const panelPixels = 48

// paint sets the picture for the state, in the set that fits the desktop's brightness as far as it is known.
func (p *panelIcon) paint() {
	set := icons.OnDark
	if p.ui.app.Settings().ThemeVariant() == theme.VariantLight {
		set = icons.OnLight
	}
	png, err := icons.Tray(p.state, set, panelPixels)
	if err != nil {
		fyne.LogError("tray icon "+p.state.String(), err)
		return
	}
	p.tray.SetIcon(fyne.NewStaticResource(p.state.String()+".png", png))
}

func (p *panelIcon) items(m tray.MenuSpec) []*fyne.MenuItem {
	items := make([]*fyne.MenuItem, len(m.Rows))
	for i, row := range m.Rows {
		items[i] = p.item(row)
	}
	return items
}

func (p *panelIcon) item(row tray.MenuRow) *fyne.MenuItem {
	if row.Kind == tray.RowSeparator {
		return fyne.NewMenuItemSeparator()
	}
	item := fyne.NewMenuItem(escapeMnemonics(row.Label, runtime.GOOS), nil)
	item.Disabled = row.Kind == tray.RowHeading
	item.IsQuit = row.Intent.Do == tray.DoQuit // else Fyne adds a row of its own
	item.Action = func() {
		p.ui.cfg.Controls.SetMenuOpen(false)
		p.ui.do(row.Intent)
	}
	return item
}

// escapeMnemonics keeps the characters that menus take for "the next letter is a key": a GTK panel shows
// "my_proj" as "myproj", Windows does the same with "&".
func escapeMnemonics(label, goos string) string {
	switch goos {
	case "linux":
		return strings.ReplaceAll(label, "_", "__")
	case "windows":
		return strings.ReplaceAll(label, "&", "&&")
	}
	return label
}
