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
	icon                                     *widget.Icon
	status, title, tags, place, client, aged *widget.Label
}

func newRowView() *rowView {
	r := &rowView{
		icon: widget.NewIcon(nil), status: cell(), title: cell(), tags: widget.NewLabel(""),
		place: cell(), client: cell(), aged: cell(),
	}
	r.tags.Importance, r.tags.SizeName = widget.LowImportance, theme.SizeNameCaptionText
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
		r.icon, r.status, r.title, r.tags, r.place, r.client, r.aged))
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
	set(r.tags, row.Tags, widget.LowImportance)
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
		widget.NewLabel(""), head(tray.MsgColProject), head(tray.MsgColClient), aged)
}

// columns lays out the parts of a row: icon, status, title, tags, place, client, age. The title takes what the
// others leave; its tags stand at its right end. In a narrow list the client goes first, then the place.
type columns struct{}

const (
	iconWidth   = 22
	statusWidth = 112
	placeWidth  = 130
	clientWidth = 160
	agedWidth   = 92

	clientFrom = 640 // from this width on there is a column for the client
	placeFrom  = 460
	// tagsShare is the most that tags may take of the title's column.
	tagsShare = 0.5
)

// MinSize implements fyne.Layout. The width is what makes sense at all; the height is that of one line.
func (columns) MinSize(objects []fyne.CanvasObject) fyne.Size {
	height := float32(0)
	for _, o := range objects {
		height = max(height, o.MinSize().Height)
	}
	return fyne.NewSize(iconWidth+statusWidth+agedWidth+60, height)
}

// Layout implements fyne.Layout.
func (columns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	icon, status, title, tags := objects[0], objects[1], objects[2], objects[3]
	place, client, aged := objects[4], objects[5], objects[6]

	side := float32(16)
	icon.Resize(fyne.NewSquareSize(side))
	icon.Move(fyne.NewPos(theme.InnerPadding(), (size.Height-side)/2))
	right := size.Width
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

	left := float32(iconWidth + statusWidth)
	tagWidth := min(tags.MinSize().Width, (right-left)*tagsShare)
	if tagWidth <= 2*theme.InnerPadding() {
		tagWidth = 0
	}
	put(title, left, right-left-tagWidth, size.Height)
	put(tags, right-tagWidth, tagWidth, size.Height)
}

// put places o in its column, centred in height: captions are lower than the rest.
func put(o fyne.CanvasObject, x, width, height float32) {
	h := o.MinSize().Height
	o.Resize(fyne.NewSize(width, h))
	o.Move(fyne.NewPos(x, (height-h)/2))
}
