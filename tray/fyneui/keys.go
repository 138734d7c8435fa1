package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"berth/tray"
)

// keys makes the window usable by keyboard alone: Tab goes through the filter, the list and the buttons; Enter
// leads from the search to the list and from there to the buttons; Escape leads back.
func (w *window) keys() {
	w.list.onEnter = func() { w.details.focusAction(w.win.Canvas()) }
	w.list.onEscape = w.escape
	w.filter.text.onKey = map[fyne.KeyName]func(){
		fyne.KeyDown: w.focusList, fyne.KeyReturn: w.focusList, fyne.KeyEnter: w.focusList, fyne.KeyEscape: w.escape,
	}
	w.win.Canvas().SetOnTypedKey(func(k *fyne.KeyEvent) {
		switch k.Name {
		case fyne.KeyEscape:
			w.escape()
		case fyne.KeyUp, fyne.KeyDown:
			w.focusList()
		}
	})
}

// focusList moves the keyboard to the list. With nothing in the details it takes the first row; a Session that
// the filter hides, because it was just closed, stays in view.
func (w *window) focusList() {
	if w.modal != nil {
		return
	}
	w.win.Canvas().Focus(w.list)
	if w.shown.Selected == "" {
		w.list.step(1)
	}
	w.list.reveal()
}

func (w *window) focusSearch() {
	if w.modal == nil {
		w.win.Canvas().Focus(w.filter.text)
		w.filter.text.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

// escape steps back: out of a dialog, else out of the filter, else to the list.
func (w *window) escape() {
	if w.dismiss() || w.filter.reset() {
		return
	}
	w.focusList()
}

// windowMenu is the menu bar. Its shortcuts work wherever the focus is, which those of a canvas do not: a
// focused text takes them.
type windowMenu struct {
	main    *fyne.MainMenu
	session *fyne.Menu
	actions map[tray.ActionKind]*fyne.MenuItem
}

func newWindowMenu(w *window) *windowMenu {
	l := w.lang
	m := &windowMenu{actions: map[tray.ActionKind]*fyne.MenuItem{}}
	action := func(k tray.ActionKind, label tray.Msg, key fyne.KeyName) *fyne.MenuItem {
		m.actions[k] = item(l.Text(label), key, func() { w.act(k) })
		m.actions[k].Disabled = true
		return m.actions[k]
	}
	quit := item(l.Text(tray.MsgQuit), fyne.KeyQ, w.ui.app.Quit)
	quit.IsQuit = true
	m.session = fyne.NewMenu(l.Text(tray.MsgSecSession),
		action(tray.ActionResume, tray.MsgResume, fyne.KeyReturn),
		action(tray.ActionClose, tray.MsgClose, fyne.KeyD),
		action(tray.ActionOpenFolder, tray.MsgOpenFolder, fyne.KeyO),
		action(tray.ActionCopyID, tray.MsgCopyID, fyne.KeyI))
	m.main = fyne.NewMainMenu(
		fyne.NewMenu("berth",
			item(l.Text(tray.MsgHideWindow), fyne.KeyW, w.ui.closed),
			fyne.NewMenuItemSeparator(), quit),
		m.session,
		fyne.NewMenu(l.Text(tray.MsgView),
			item(l.Text(tray.MsgFind), fyne.KeyF, w.focusSearch),
			item(l.Text(tray.MsgShowOpen), fyne.KeyE, func() { w.filter.reset() })))
	return m
}

func item(label string, key fyne.KeyName, do func()) *fyne.MenuItem {
	i := fyne.NewMenuItem(label, do)
	i.Shortcut = &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
	return i
}

// show greys out what cannot be done with the selected Session.
func (m *windowMenu) show(actions []tray.Action) {
	changed := false
	for k, i := range m.actions {
		off := !enabled(tray.Details{Actions: actions}, k)
		changed = changed || i.Disabled != off
		i.Disabled = off
	}
	if changed {
		m.session.Refresh()
	}
}
