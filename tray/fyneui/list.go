package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// sessionList is the list of Sessions. Fyne's list keeps a focused row apart from the selected one and selects
// with the space bar; here the arrow keys select, as in a file manager.
type sessionList struct {
	widget.List
	rows     tray.List
	selected int // -1 for none
	setting  bool

	onSelect func(path string)
	onEnter  func()
	onEscape func()
	frame    *canvas.Rectangle // shows the focus
}

func newSessionList() *sessionList {
	l := &sessionList{selected: -1, frame: canvas.NewRectangle(nil)}
	l.frame.StrokeWidth, l.frame.CornerRadius = 1, theme.InputRadiusSize()
	l.HideSeparators = true
	l.Length = func() int { return l.rows.Len() }
	l.CreateItem = func() fyne.CanvasObject { return newRowView() }
	l.UpdateItem = func(i int, o fyne.CanvasObject) {
		if i < l.rows.Len() {
			o.(*rowView).show(l.rows.Row(i))
		}
	}
	l.OnSelected = l.rowSelected
	l.ExtendBaseWidget(l)
	return l
}

// framed is the list on its background, with the frame that shows its focus.
func (l *sessionList) framed() fyne.CanvasObject {
	return container.NewStack(newBackdrop(), l, l.frame)
}

// show replaces the rows and keeps the selection on the Session it was on, wherever that is now. The list does
// not scroll by that: only a person scrolls it.
func (l *sessionList) show(rows tray.List, selected string) {
	l.rows = rows
	at := -1
	if selected != "" {
		at = rows.Index(selected)
	}
	offset := l.GetScrollOffset()
	if at != l.selected {
		l.setting = true
		l.UnselectAll()
		if at >= 0 {
			l.Select(at)
		}
		l.selected, l.setting = at, false
		l.ScrollToOffset(offset)
	}
	l.Refresh()
}

func (l *sessionList) rowSelected(i int) {
	if l.setting || i >= l.rows.Len() {
		return
	}
	l.selected = i
	l.onSelect(l.rows.Path(i))
}

// reveal scrolls to the selected row.
func (l *sessionList) reveal() {
	if l.selected >= 0 {
		l.ScrollTo(l.selected)
	}
}

// step moves the selection by n rows, within the list.
func (l *sessionList) step(n int) {
	if l.rows.Len() == 0 {
		return
	}
	to := min(max(l.selected+n, 0), l.rows.Len()-1)
	l.Select(to)
}

// rowHeight is about what a row takes; it only says how far a page is.
const rowHeight = 26

func (l *sessionList) page() int {
	return max(1, int(l.Size().Height/rowHeight)-1)
}

// TypedKey implements fyne.Focusable.
func (l *sessionList) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyUp:
		l.step(-1)
	case fyne.KeyDown:
		l.step(1)
	case fyne.KeyPageUp:
		l.step(-l.page())
	case fyne.KeyPageDown:
		l.step(l.page())
	case fyne.KeyHome:
		l.step(-l.rows.Len())
	case fyne.KeyEnd:
		l.step(l.rows.Len())
	case fyne.KeyReturn, fyne.KeyEnter:
		l.onEnter()
	case fyne.KeyEscape:
		l.onEscape()
	}
}

// FocusGained implements fyne.Focusable.
func (l *sessionList) FocusGained() {
	l.frame.StrokeColor = theme.Color(theme.ColorNameFocus)
	l.frame.Refresh()
}

// FocusLost implements fyne.Focusable.
func (l *sessionList) FocusLost() {
	l.frame.StrokeColor = nil
	l.frame.Refresh()
}
