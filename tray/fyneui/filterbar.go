package fyneui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// filterBar is the search box and the three choices above the list.
type filterBar struct {
	lang                  tray.Lang
	text                  *keyEntry
	view, source, project *widget.Select
	changed               func(tray.Filter)
	setting               bool
	root                  fyne.CanvasObject
}

func newFilterBar(l tray.Lang, changed func(tray.Filter)) *filterBar {
	f := &filterBar{lang: l, text: newKeyEntry(), changed: changed}
	f.text.SetPlaceHolder(l.Text(tray.MsgSearch))
	f.text.Icon = theme.SearchIcon()
	f.text.OnChanged = func(string) { f.report() }
	f.view = f.choice(viewLabels(l))
	f.source = f.choice([]string{l.Text(tray.MsgAllSources)})
	f.project = f.choice([]string{l.Text(tray.MsgAllProjects)})
	f.root = container.NewBorder(nil, nil, nil, container.NewHBox(
		container.New(wide(130), f.view), container.New(wide(120), f.source), container.New(wide(150), f.project)), f.text)
	return f
}

func viewLabels(l tray.Lang) []string {
	var labels []string
	for _, v := range tray.Subsets() {
		labels = append(labels, v.Label(l))
	}
	return labels
}

// choice is a Select whose first option means all.
func (f *filterBar) choice(options []string) *widget.Select {
	s := widget.NewSelect(options, nil)
	s.SetSelectedIndex(0)
	s.OnChanged = func(string) { f.report() }
	return s
}

func (f *filterBar) report() {
	if !f.setting {
		f.changed(f.filter())
	}
}

func (f *filterBar) filter() tray.Filter {
	out := tray.Filter{Text: f.text.Text, View: tray.Subset(max(0, f.view.SelectedIndex()))}
	if f.source.SelectedIndex() > 0 {
		out.Source = f.source.Selected
	}
	if f.project.SelectedIndex() > 0 {
		out.Project = f.project.Selected
	}
	return out
}

// offer sets what can be chosen. A choice that is not offered any more stays, so that the list does not jump
// when the last Session of a project goes away for a moment.
func (f *filterBar) offer(sources, projects []string) {
	f.setting = true
	defer func() { f.setting = false }()
	setOptions(f.source, f.lang.Text(tray.MsgAllSources), sources)
	setOptions(f.project, f.lang.Text(tray.MsgAllProjects), projects)
}

func setOptions(s *widget.Select, all string, rest []string) {
	options := append([]string{all}, rest...)
	if s.SelectedIndex() > 0 && !slices.Contains(rest, s.Selected) {
		options = append(options, s.Selected)
	}
	if !slices.Equal(options, s.Options) {
		s.SetOptions(options)
	}
}

// reset shows all open Sessions again. It reports whether that was a change.
func (f *filterBar) reset() bool {
	if f.filter() == (tray.Filter{}) {
		return false
	}
	f.setting = true
	f.text.SetText("")
	f.view.SetSelectedIndex(0)
	f.source.SetSelectedIndex(0)
	f.project.SetSelectedIndex(0)
	f.setting = false
	f.report()
	return true
}
