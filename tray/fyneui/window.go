package fyneui

import (
	"context"
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/sessions"
	"berth/tray"
)

// window is the list with its filter, the details beside it, and the status line.
type window struct {
	ui   *UI
	win  fyne.Window
	lang tray.Lang

	filter  *filterBar
	list    *sessionList
	details *detailsView
	empty   *emptyView
	status  *widget.Label
	notes   *widget.Label
	notice  *widget.Label // what the last action did
	menu    *windowMenu

	shown tray.Window
	modal *dialog.CustomDialog // the dialog that is open, or nil
	// closeWhenShown is the path of a Session whose closing is to be offered as soon as it is in the details.
	closeWhenShown string
}

func newWindow(u *UI) *window {
	w := &window{ui: u, win: u.app.NewWindow("berth"), lang: u.cfg.Lang}
	w.filter = newFilterBar(w.lang, func(f tray.Filter) { u.cfg.Controls.SetFilter(f) })
	w.list = newSessionList()
	w.list.onSelect = func(path string) {
		w.closeWhenShown = "" // the user looks at something else
		u.cfg.Controls.Select(path)
	}
	w.details = newDetailsView(w.lang, w.act, w.focusList)
	w.empty = newEmptyView()
	w.status, w.notes, w.notice = caption(), caption(), caption()
	w.notes.Importance = widget.WarningImportance
	w.keys()
	w.menu = newWindowMenu(w)
	w.win.SetMainMenu(w.menu.main)
	w.win.SetContent(w.content())
	w.win.Resize(fyne.NewSize(1160, 680))
	w.win.SetCloseIntercept(u.closed)
	w.showNotes(u.notes())
	return w
}

func caption() *widget.Label {
	l := widget.NewLabel("")
	l.SizeName, l.Importance, l.Truncation = theme.SizeNameCaptionText, widget.LowImportance, fyne.TextTruncateEllipsis
	return l
}

func (w *window) content() fyne.CanvasObject {
	table := container.NewBorder(newHeader(w.lang), nil, nil, nil, container.NewStack(w.list.framed(), w.empty.root))
	split := container.NewHSplit(table, w.details.root)
	split.Offset = 0.64
	bottom := container.NewBorder(nil, nil, nil, container.New(wide(400), w.notice), container.NewGridWithRows(1, w.status))
	// The order of the objects is that of the Tab key.
	foot := container.NewVBox(w.notes, bottom)
	return container.New(layout.NewBorderLayout(w.filter.root, foot, nil, nil), w.filter.root, split, foot)
}

// show draws what the Presenter made.
func (w *window) show(m tray.Window) {
	refiltered := m.Filter != w.shown.Filter
	w.shown = m
	w.filter.offer(m.Sources, m.Projects)
	w.list.show(m.List, m.Selected)
	if refiltered {
		w.list.ScrollToTop()
	}
	w.details.show(m.Details)
	w.empty.show(m.Empty)
	w.menu.show(m.Details.Actions)
	line := widget.LowImportance
	if m.Offline {
		line = widget.DangerImportance
	}
	set(w.status, m.Status, line)
	if w.closeWhenShown != "" && w.closeWhenShown == m.Details.Path {
		w.closeWhenShown = ""
		w.act(tray.ActionClose)
	}
}

func (w *window) showNotes(notes []string) {
	w.notes.SetText(strings.Join(notes, "  ·  "))
	w.notes.Hidden = len(notes) == 0
	w.notes.Refresh()
}

func (w *window) raise() {
	w.ui.cfg.Controls.SetVisible(true)
	w.win.Show()
	w.win.RequestFocus()
}

func (w *window) hide() {
	w.ui.cfg.Controls.SetVisible(false)
	w.win.Hide()
}

// selectPath shows one Session, whatever the filter was, and offers to close it when told to.
func (w *window) selectPath(path string, offerClose bool) {
	w.dismiss()
	w.filter.reset()
	w.closeWhenShown = ""
	if offerClose {
		w.closeWhenShown = path
	}
	w.ui.cfg.Controls.Select(path)
}

// act does what a button of the details says, if it can be done.
func (w *window) act(k tray.ActionKind) {
	d := w.shown.Details
	if w.modal != nil || !enabled(d, k) {
		return
	}
	switch k {
	case tray.ActionClose:
		w.askClose(d)
	case tray.ActionResume:
		w.resume(d, "")
	case tray.ActionOpenFolder:
		w.ui.work(func(context.Context) error { return w.ui.cfg.OpenFolder(d.Folder) }, w.failed)
	case tray.ActionCopyID:
		w.ui.app.Clipboard().SetContent(d.ID)
		w.tell(w.lang.Text(tray.MsgCopied, d.ID))
	}
}

func enabled(d tray.Details, k tray.ActionKind) bool {
	for _, a := range d.Actions {
		if a.Kind == k {
			return a.Enabled
		}
	}
	return false
}

// resume opens the Session in its client. dir is the folder of a note's project when the user just chose it.
func (w *window) resume(d tray.Details, dir string) {
	var warnings []string
	w.ui.work(func(ctx context.Context) (err error) {
		warnings, err = w.ui.cfg.Verbs.Resume(ctx, d.Target, dir)
		return err
	}, func(err error) {
		switch {
		case errors.Is(err, sessions.ErrNoFolder):
			w.askFolder(d)
		case err != nil:
			w.alert(err)
		default:
			w.tell(strings.Join(append([]string{w.lang.Text(tray.MsgResumed, d.Title)}, warnings...), "  ·  "))
		}
	})
}

func (w *window) failed(err error) {
	if err != nil {
		w.alert(err)
	}
}

// tell says in the status line what an action did.
func (w *window) tell(text string) { w.notice.SetText(tray.Clean(text)) }
