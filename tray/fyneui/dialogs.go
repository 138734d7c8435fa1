package fyneui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/sessions"
	"berth/tray"
)

// open shows content as a dialog with buttons, the one to be pressed by default last.
func (w *window) open(title string, content fyne.CanvasObject, size fyne.Size, buttons ...fyne.CanvasObject) {
	w.dismiss()
	d := dialog.NewCustomWithoutButtons(title, content, w.win)
	d.SetButtons(buttons)
	w.modal = d
	d.Resize(size)
	d.Show()
}

// dismiss closes the open dialog and reports whether there was one.
func (w *window) dismiss() bool {
	if w.modal == nil {
		return false
	}
	m := w.modal
	w.modal = nil
	m.Hide()
	w.focusList()
	return true
}

// alert says what went wrong, what blocks, and what to do.
func (w *window) alert(err error) {
	a := tray.Explain(err, w.lang)
	text := widget.NewLabel(a.Text)
	text.Wrapping, text.Selectable = fyne.TextWrapWord, true
	content := container.NewVBox(text)
	if a.Hint != "" {
		hint := widget.NewLabel(a.Hint)
		hint.Wrapping, hint.Selectable, hint.TextStyle.Bold = fyne.TextWrapWord, true, true
		content.Add(hint)
	}
	ok := newKeyButton(w.lang.Text(tray.MsgOK), func() { w.dismiss() }, func() { w.dismiss() })
	ok.Importance = widget.HighImportance
	w.open(a.Title, content, fyne.NewSize(460, 0), layout.NewSpacer(), ok)
	w.win.Canvas().Focus(ok)
}

// closeDialog asks for a summary, shows what would be written, and writes it when told to.
type closeDialog struct {
	w       *window
	dialog  *dialog.CustomDialog
	target  tray.Target
	summary *keyEntry
	where   *widget.Label
	diff    *widget.RichText
	confirm *keyButton
	asking  bool // a plan is being made
	ready   bool // the preview is there
}

func (w *window) askClose(d tray.Details) {
	l := w.lang
	c := &closeDialog{w: w, target: d.Target, summary: newKeyEntry(), where: widget.NewLabel(l.Text(tray.MsgClosePreparing)),
		diff: widget.NewRichText()}
	dismiss := func() { w.dismiss() }
	c.confirm = newKeyButton(l.Text(tray.MsgCloseConfirm), c.close, dismiss)
	c.confirm.Importance = widget.HighImportance
	c.confirm.Disable()
	c.summary.SetPlaceHolder(l.Text(tray.MsgCloseSummary))
	c.summary.OnChanged = func(string) { c.plan() }
	c.summary.onKey = map[fyne.KeyName]func(){fyne.KeyEscape: dismiss, fyne.KeyReturn: c.close, fyne.KeyEnter: c.close}
	c.where.Truncation, c.where.Importance = fyne.TextTruncateEllipsis, widget.LowImportance
	c.diff.Scroll = container.ScrollBoth

	content := container.NewBorder(container.NewVBox(c.summary, c.where), nil, nil, nil,
		container.NewStack(newBackdrop(), c.diff))
	w.open(l.Text(tray.MsgCloseTitle, tray.Truncate(d.Title, titleColumns)), content, fyne.NewSize(640, 440),
		layout.NewSpacer(), newKeyButton(l.Text(tray.MsgCancel), dismiss, dismiss), c.confirm)
	c.dialog = w.modal
	w.win.Canvas().Focus(c.summary)
	c.plan()
}

// titleColumns is how much of a title a dialog's own title shows.
const titleColumns = 48

// plan fetches the preview for what is typed. While one is on its way no other is asked for; when it comes and
// the summary changed meanwhile, it is asked for again.
func (c *closeDialog) plan() {
	if c.asking {
		return
	}
	summary := c.summary.Text
	c.asking = true
	var edit *sessions.Edit
	c.w.ui.work(func(ctx context.Context) (err error) {
		edit, err = c.w.ui.cfg.Verbs.PlanClose(ctx, c.target, summary)
		return err
	}, func(err error) { c.planDone(summary, edit, err) })
}

func (c *closeDialog) planDone(summary string, edit *sessions.Edit, err error) {
	c.asking = false
	switch {
	case !c.open():
	case err != nil:
		c.w.alert(err)
	default:
		c.preview(edit)
		c.ready, c.planned = true, summary
		c.confirm.Enable()
		if c.summary.Text != summary {
			c.plan()
		} else if c.wanted {
			c.close()
		}
	}
}

// open reports whether this dialog is still the one on screen.
func (c *closeDialog) open() bool { return c.w.modal == c.dialog }

func (c *closeDialog) preview(edit *sessions.Edit) {
	c.where.SetText(c.w.lang.Text(tray.MsgClosePreview, tray.Clean(edit.Path)))
	c.diff.Segments = nil
	for _, warning := range edit.Warnings {
		c.diff.Segments = append(c.diff.Segments, segment(c.w.lang.Text(tray.MsgWarning, tray.Clean(warning)), theme.ColorNameWarning, false))
	}
	for _, line := range tray.Diff(edit) {
		c.diff.Segments = append(c.diff.Segments, segment(line.Op.Sign()+line.Text, diffColors[line.Op], true))
	}
	c.diff.Refresh()
}

var diffColors = map[tray.DiffOp]fyne.ThemeColorName{
	tray.DiffKeep: theme.ColorNameForeground, tray.DiffDelete: theme.ColorNameError,
	tray.DiffInsert: theme.ColorNameSuccess, tray.DiffGap: theme.ColorNameDisabled,
}

func segment(text string, color fyne.ThemeColorName, mono bool) widget.RichTextSegment {
	return &widget.TextSegment{Text: text, Style: widget.RichTextStyle{
		ColorName: color, SizeName: theme.SizeNameText, TextStyle: fyne.TextStyle{Monospace: mono},
	}}
}

// close writes what the preview shows. Pressed while the preview is behind, it waits for it: nobody confirms
// what was not shown.
func (c *closeDialog) close() {
	if !c.ready || c.planned != c.summary.Text {
		c.wanted = true
		return
	}
	c.confirm.Disable()
	c.summary.Disable()
	summary := c.summary.Text
	var edit *sessions.Edit
	c.w.ui.work(func(ctx context.Context) (err error) {
		edit, err = c.w.ui.cfg.Verbs.Close(ctx, c.target, summary)
		return err
	}, func(err error) {
		if c.open() {
			c.w.dismiss()
		}
		if err != nil {
			c.w.alert(err)
			return
		}
		c.w.tell(edit.Message)
	})
}
