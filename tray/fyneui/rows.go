package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// rowView is one line of the list. The list makes as many as fit on screen and fills them again and again.
type rowView struct {
	widget.BaseWidget
	icon                               *widget.Icon
	status, title, place, client, aged *widget.Label
}

func newRowView() *rowView {
	r := &rowView{icon: widget.NewIcon(nil), status: cell(), title: cell(), place: cell(), client: cell(), aged: cell()}
	r.aged.Alignment = fyne.TextAlignTrailing
	r.ExtendBaseWidget(r)
	return r
}

func cell() *widget.Label {
	l := widget.NewLabel("")
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

func (r *rowView) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(columns{},
		r.icon, r.status, r.title, r.place, r.client, r.aged))
}

func (r *rowView) show(row tray.Row) {
	r.icon.SetResource(shapeIcon(row.Glyph, row.Tone))
	importance := toneImportance[row.Tone]
	text := widget.MediumImportance
	if row.Tone == tray.ToneFaded {
		text = widget.LowImportance
	}
	set(r.status, row.Status, importance)
	set(r.title, row.Title, text)
	set(r.place, row.Place, text)
	set(r.client, row.Client, text)
	set(r.aged, row.Age, widget.LowImportance)
}

// set changes a label only when there is a change: laying out text is what a list spends its time on.
func set(l *widget.Label, text string, importance widget.Importance) {
	if l.Text == text && l.Importance == importance {
		return
	}
	l.Importance = importance
	l.SetText(text)
}

// newHeader is the line with the names of the columns; it shares the rows' layout.
func newHeader(l tray.Lang) fyne.CanvasObject {
	head := func(m tray.Msg) *widget.Label {
		label := cell()
		label.SizeName, label.Importance = theme.SizeNameCaptionText, widget.LowImportance
		label.SetText(l.Text(m))
		return label
	}
	aged := head(tray.MsgColActivity)
	aged.Alignment = fyne.TextAlignTrailing
	return container.New(columns{}, widget.NewIcon(nil), head(tray.MsgColStatus), head(tray.MsgColTitle),
		head(tray.MsgColProject), head(tray.MsgColClient), aged)
}

// columns lays out the parts of a row: icon, status, title, place, client, age. The title takes what the others
// leave. In a narrow list the client goes first, then the place.
type columns struct{}

const (
	iconWidth   = 24
	statusWidth = 146
	placeWidth  = 112
	clientWidth = 132
	agedWidth   = 88

	rowGap   = 6 // above and below the text together
	rightGap = 8 // for the scroll bar

	clientFrom = 620 // from this width on there is a column for the client
	placeFrom  = 460
)

// MinSize implements fyne.Layout. The width is what makes sense at all; the height is that of a line, closer to
// its neighbours than labels would be.
func (columns) MinSize([]fyne.CanvasObject) fyne.Size {
	line := fyne.MeasureText("Mg", theme.TextSize(), fyne.TextStyle{}).Height
	return fyne.NewSize(iconWidth+statusWidth+agedWidth+60, line+rowGap)
}

// Layout implements fyne.Layout.
func (columns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	icon, status, title, place, client, aged := objects[0], objects[1], objects[2], objects[3], objects[4], objects[5]
	side := float32(16)
	icon.Resize(fyne.NewSquareSize(side))
	icon.Move(fyne.NewPos((iconWidth-side)/2+2, (size.Height-side)/2))

	right := size.Width - rightGap
	fromRight := func(o fyne.CanvasObject, width float32, show bool) {
		if !show {
			o.Hide()
			return
		}
		right -= width
		o.Show()
		put(o, right, width, size.Height)
	}
	fromRight(aged, agedWidth, true)
	fromRight(client, clientWidth, size.Width >= clientFrom)
	fromRight(place, placeWidth, size.Width >= placeFrom)
	put(status, iconWidth, statusWidth, size.Height)
	put(title, iconWidth+statusWidth, right-iconWidth-statusWidth, size.Height)
}

// put places o in its column, centred in height: captions are lower than the rest.
func put(o fyne.CanvasObject, x, width, height float32) {
	h := o.MinSize().Height
	o.Resize(fyne.NewSize(width, h))
	o.Move(fyne.NewPos(x, (height-h)/2))
}
