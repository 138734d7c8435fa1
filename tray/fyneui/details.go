package fyneui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// detailsView shows everything about the selected Session beside the list.
type detailsView struct {
	shown   tray.Details
	actions map[tray.ActionKind]*keyButton
	why     *widget.Label // why buttons are disabled

	icon          *widget.Icon
	title, status *widget.Label
	body          *fyne.Container // the sections, in a scroller
	values        []*widget.Label // of the body, in order; see texts
	scroll        *container.Scroll
	nothing       *widget.Label
	panel         *fyne.Container
	root          fyne.CanvasObject
}

func newDetailsView(l tray.Lang, do func(tray.ActionKind), escape func()) *detailsView {
	v := &detailsView{
		actions: map[tray.ActionKind]*keyButton{}, why: widget.NewLabel(""),
		icon: widget.NewIcon(nil), title: widget.NewLabel(""), status: widget.NewLabel(""),
		body: container.NewVBox(), nothing: widget.NewLabel(l.Text(tray.MsgEmptySelection)),
	}
	v.title.Wrapping, v.title.TextStyle.Bold, v.title.SizeName = fyne.TextWrapWord, true, theme.SizeNameSubHeadingText
	v.title.Selectable = true
	v.why.Wrapping, v.why.Importance, v.why.SizeName = fyne.TextWrapWord, widget.LowImportance, theme.SizeNameCaptionText
	v.nothing.Wrapping, v.nothing.Alignment, v.nothing.Importance = fyne.TextWrapWord, fyne.TextAlignCenter, widget.LowImportance

	v.scroll = container.NewVScroll(container.NewThemeOverride(v.body, dense{Theme()}))
	head := container.NewVBox(v.title, container.NewHBox(v.icon, v.status), v.buttons(do, escape), v.why)
	v.panel = container.New(layout.NewBorderLayout(head, nil, nil, nil), head, v.scroll) // the order of the Tab key
	v.panel.Hide()
	v.root = container.NewStack(newBackdrop(), container.NewPadded(container.NewStack(
		container.NewVBox(layout.NewSpacer(), v.nothing, layout.NewSpacer()), v.panel)))
	return v
}

func (v *detailsView) buttons(do func(tray.ActionKind), escape func()) fyne.CanvasObject {
	box := container.NewHBox()
	for _, k := range []tray.ActionKind{tray.ActionResume, tray.ActionClose, tray.ActionOpenFolder, tray.ActionCopyID} {
		v.actions[k] = newKeyButton("", func() { do(k) }, escape)
		box.Add(v.actions[k])
	}
	v.actions[tray.ActionResume].Importance = widget.HighImportance
	return box
}

// show fills the view. What the reader scrolled to or selected stays when only values changed.
func (v *detailsView) show(d tray.Details) {
	if d.Equal(v.shown) {
		return
	}
	old := v.shown
	v.shown = d
	if d.Path == "" {
		v.panel.Hide()
		v.nothing.Show()
		return
	}
	v.showHead(d)
	if old.Path != "" && d.Same(old) {
		for i, text := range texts(d.Sections) {
			set(v.values[i], text, v.values[i].Importance)
		}
	} else {
		v.rebuild(d)
	}
	if old.Path != d.Path {
		v.scroll.ScrollToTop()
	}
	v.nothing.Hide()
	v.panel.Show()
	v.panel.Refresh()
}

func (v *detailsView) showHead(d tray.Details) {
	v.icon.SetResource(shapeIcon(d.Glyph, d.Tone))
	v.title.SetText(d.Title)
	set(v.status, d.Status, toneImportance[d.Tone])
	var why []string
	for _, a := range d.Actions {
		b := v.actions[a.Kind]
		b.SetText(a.Label)
		if a.Enabled {
			b.Enable()
			continue
		}
		b.Disable()
		why = append(why, strings.TrimSuffix(a.Label, "…")+": "+a.Why)
	}
	v.why.SetText(strings.Join(why, "\n"))
	v.why.Hidden = len(why) == 0
}

// focusAction moves the keyboard to the first button that can be pressed.
func (v *detailsView) focusAction(c fyne.Canvas) {
	for _, a := range v.shown.Actions {
		if a.Enabled {
			c.Focus(v.actions[a.Kind])
			return
		}
	}
}

// bullet stands in front of evidence, which is in the words of the service.
const bullet = "•  "

// texts are the changeable texts of the sections in the order in which rebuild makes their labels.
func texts(sections []tray.Section) []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.Lines...)
		for _, f := range s.Fields {
			out = append(out, f.Value)
		}
		for _, e := range s.Evidence {
			out = append(out, bullet+e)
		}
	}
	return out
}

func (v *detailsView) rebuild(d tray.Details) {
	v.values = nil
	v.body.RemoveAll()
	for _, s := range d.Sections {
		heading := widget.NewLabel(s.Title)
		heading.TextStyle.Bold = true
		v.body.Add(widget.NewSeparator())
		v.body.Add(heading)
		for _, line := range s.Lines {
			v.body.Add(v.value(line, false))
		}
		if len(s.Fields) > 0 {
			v.body.Add(v.fields(s.Fields))
		}
		for _, e := range s.Evidence {
			v.body.Add(v.value(bullet+e, false))
		}
	}
}

// nameWidth lines the values of all sections up, but for a longer name.
const nameWidth = 92

func (v *detailsView) fields(fields []tray.Field) fyne.CanvasObject {
	form := container.New(layout.NewFormLayout())
	for _, f := range fields {
		name := widget.NewLabel(f.Name)
		name.Importance = widget.LowImportance
		form.Add(container.New(wide(nameWidth), name))
		form.Add(v.value(f.Value, f.Code))
	}
	return form
}

// value is a text that can be selected and copied.
func (v *detailsView) value(text string, code bool) *widget.Label {
	l := widget.NewLabel(text)
	l.Selectable, l.Wrapping = true, fyne.TextWrapWord
	if code { // paths have no spaces to break at
		l.Wrapping = fyne.TextWrapBreak
	}
	v.values = append(v.values, l)
	return l
}
