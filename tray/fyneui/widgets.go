package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// keyEntry is a line of text that passes on the keys which mean something to the window around it.
type keyEntry struct {
	widget.Entry
	onKey map[fyne.KeyName]func()
}

func newKeyEntry() *keyEntry {
	e := &keyEntry{onKey: map[fyne.KeyName]func(){}}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey implements fyne.Focusable.
func (e *keyEntry) TypedKey(k *fyne.KeyEvent) {
	if f := e.onKey[k.Name]; f != nil {
		f()
		return
	}
	e.Entry.TypedKey(k)
}

// keyButton is a button that Enter presses too, and from which Escape leads out.
type keyButton struct {
	widget.Button
	onEscape func()
}

func newKeyButton(label string, tapped, onEscape func()) *keyButton {
	b := &keyButton{onEscape: onEscape}
	b.Text, b.OnTapped = label, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey implements fyne.Focusable.
func (b *keyButton) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if !b.Disabled() {
			b.Tapped(nil)
		}
	case fyne.KeyEscape:
		if b.onEscape != nil {
			b.onEscape()
		}
	default:
		b.Button.TypedKey(k)
	}
}

// backdrop is a surface in the colour of input fields, for lists and text on the window's grey.
type backdrop struct {
	widget.BaseWidget
	rect *canvas.Rectangle
}

func newBackdrop() *backdrop {
	b := &backdrop{rect: canvas.NewRectangle(nil)}
	b.ExtendBaseWidget(b)
	return b
}

func (b *backdrop) CreateRenderer() fyne.WidgetRenderer {
	return &backdropRenderer{widget.NewSimpleRenderer(b.rect), b.rect}
}

// backdropRenderer takes the colour anew whenever the theme changes.
type backdropRenderer struct {
	fyne.WidgetRenderer
	rect *canvas.Rectangle
}

func (r *backdropRenderer) Layout(size fyne.Size) {
	r.paint()
	r.WidgetRenderer.Layout(size)
}

func (r *backdropRenderer) Refresh() {
	r.paint()
	r.WidgetRenderer.Refresh()
}

func (r *backdropRenderer) paint() {
	r.rect.FillColor = theme.Color(theme.ColorNameInputBackground)
	r.rect.CornerRadius = theme.InputRadiusSize()
}

// wide is a layout that makes its one object at least so wide.
type wide float32

// MinSize implements fyne.Layout.
func (w wide) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := objects[0].MinSize()
	return fyne.NewSize(max(size.Width, float32(w)), size.Height)
}

// Layout implements fyne.Layout.
func (wide) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }
