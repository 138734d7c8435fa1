package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// emptyView stands in the place of a list without rows.
type emptyView struct {
	title, hint *widget.Label
	root        fyne.CanvasObject
}

func newEmptyView() *emptyView {
	v := &emptyView{title: widget.NewLabel(""), hint: widget.NewLabel("")}
	v.title.Alignment, v.title.TextStyle.Bold, v.title.SizeName = fyne.TextAlignCenter, true, theme.SizeNameSubHeadingText
	v.hint.Alignment, v.hint.Wrapping, v.hint.Importance = fyne.TextAlignCenter, fyne.TextWrapWord, widget.LowImportance
	v.root = container.NewVBox(layout.NewSpacer(), v.title, v.hint, layout.NewSpacer())
	v.root.Hide()
	return v
}

func (v *emptyView) show(e tray.Empty) {
	if e == (tray.Empty{}) {
		v.root.Hide()
		return
	}
	v.title.SetText(e.Title)
	v.hint.SetText(e.Hint)
	v.root.Show()
}
