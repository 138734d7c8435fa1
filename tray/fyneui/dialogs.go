package fyneui

import (
	"context"
	"strings"
	"unicode/utf8"

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

// roomy is the size of a dialog that shows text of a file: most of the window.
func (w *window) roomy() fyne.Size {
	size := w.win.Canvas().Size()
	return fyne.NewSize(min(size.Width*0.9, 720), size.Height*0.85)
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

// askFolder asks once where the project of a note has its folder, and resumes there.
func (w *window) askFolder(d tray.Details) {
	text := widget.NewLabel(w.lang.Text(tray.MsgNeedFolder, d.Project))
	text.Wrapping = fyne.TextWrapWord
	dismiss := func() { w.dismiss() }
	choose := newKeyButton(w.lang.Text(tray.MsgChooseFolder), func() {
		w.dismiss()
		dialog.ShowFolderOpen(func(dir fyne.ListableURI, err error) {
			switch {
			case err != nil:
				w.alert(err)
			case dir != nil:
				w.resume(d, dir.Path())
			}
		}, w.win)
	}, dismiss)
	choose.Importance = widget.HighImportance
	w.open(w.lang.Text(tray.MsgResume), text, fyne.NewSize(440, 0), layout.NewSpacer(),
		newKeyButton(w.lang.Text(tray.MsgCancel), dismiss, dismiss), choose)
	w.win.Canvas().Focus(choose)
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
	asking  bool   // a plan is being made
	ready   bool   // a preview is there
	planned string // the summary that it is for
	wanted  bool   // it was confirmed while the preview was behind what was typed
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
	w.open(l.Text(tray.MsgCloseTitle, tray.Truncate(d.Title, titleColumns)), content, w.roomy(),
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
		c.diff.Segments = append(c.diff.Segments, line(c.w.lang.Text(tray.MsgWarning, tray.Clean(warning)), theme.ColorNameWarning)...)
	}
	for _, d := range tray.Preview(edit) {
		c.diff.Segments = append(c.diff.Segments, line(d.Text, diffColors[d.Op])...)
	}
	c.diff.Refresh()
}

var diffColors = map[tray.DiffOp]fyne.ThemeColorName{
	tray.DiffKeep: theme.ColorNameForeground, tray.DiffDelete: theme.ColorNameError,
	tray.DiffInsert: theme.ColorNameSuccess, tray.DiffGap: theme.ColorNameDisabled,
}

// line is a line of fixed-width text. Fyne finds system fonts for letters that its own lack in proportional text
// only, so runs of such letters are set in that.
func line(text string, color fyne.ThemeColorName) []widget.RichTextSegment {
	var out []widget.RichTextSegment
	for len(text) > 0 {
		mono := isMono(text)
		end := strings.IndexFunc(text, func(r rune) bool { return inMono(r) != mono })
		if end < 0 {
			end = len(text)
		}
		out = append(out, &widget.TextSegment{Text: text[:end], Style: widget.RichTextStyle{
			Inline: true, ColorName: color, SizeName: sizeNameCode, TextStyle: fyne.TextStyle{Monospace: mono},
		}})
		text = text[end:]
	}
	return append(out, &widget.TextSegment{Style: widget.RichTextStyleParagraph}) // ends the line
}

func isMono(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return inMono(r)
}

// inMono reports whether Fyne's fixed-width font (DejaVu Sans Mono) surely has r: Latin, Greek, Cyrillic and
// punctuation.
func inMono(r rune) bool { return r < 0x530 || r >= 0x2010 && r < 0x2300 }

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
