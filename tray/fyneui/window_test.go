package fyneui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/sessions"
	"berth/tray"
)

func TestSelectingShowsDetails(t *testing.T) {
	s := newStage(t, tray.English, held(kimi("a"), "VS Code", 4121), kimi("b"))
	s.win.list.Select(0)
	s.expect("select a")
	d := s.win.details
	if d.title.Text != "Title of a" || d.status.Text != "Occupied" {
		t.Errorf("details of %q, %q", d.title.Text, d.status.Text)
	}
	if got, want := d.why.Text, "Resume: VS Code, pid 4121 has it.\nClose: Only work sessions in a vault are closed."; got != want {
		t.Errorf("reasons %q, want %q", got, want)
	}
	if !d.actions[tray.ActionResume].Disabled() || d.actions[tray.ActionCopyID].Disabled() {
		t.Error("the wrong buttons are disabled")
	}
	if text := strings.Join(textsOf(s.win.win.Content()), "\n"); !strings.Contains(text, "•  it lives") {
		t.Errorf("the evidence is missing in\n%s", text)
	}
	test.Tap(d.actions[tray.ActionResume])
	s.expect("")
}

func TestButtons(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.heard()
	s.warn = []string{"it was damaged"}
	test.Tap(s.win.details.actions[tray.ActionResume])
	s.expect("resume n1")
	if got := s.win.notice.Text; got != "Opened “Note n1” in a terminal · it was damaged" {
		t.Errorf("notice %q", got)
	}
	test.Tap(s.win.details.actions[tray.ActionOpenFolder])
	s.expect("open /vault")
	test.Tap(s.win.details.actions[tray.ActionCopyID])
	if got := s.app.Clipboard().Content(); got != "n1" {
		t.Errorf("clipboard %q", got)
	}
}

func TestErrorsSayWhatBlocksAndWhatToDo(t *testing.T) {
	s := newStage(t, tray.English, kimi("a"))
	s.win.list.Select(0)
	s.fail = errHeld
	test.Tap(s.win.details.actions[tray.ActionResume])
	text := s.overlay()
	for _, want := range []string{"Somebody has this session", "it is occupied by VS Code (pid 4121)", "What to do: end it first"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	test.Tap(s.button("OK"))
	if s.overlay() != "" {
		t.Error("the dialog is still there")
	}
	s.opened = errPlain
	test.Tap(s.win.details.actions[tray.ActionOpenFolder])
	if !strings.Contains(s.overlay(), "input/output error") {
		t.Errorf("the folder's error is not shown: %q", s.overlay())
	}
}

func TestNoteWithoutAFolderIsAskedForOne(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.fail = sessions.ErrNoFolder
	test.Tap(s.win.details.actions[tray.ActionResume])
	if text := s.overlay(); !strings.Contains(text, "The folder of project “demo” is not known") {
		t.Errorf("not asked: %q", text)
	}
	test.Tap(s.button("Choose folder…"))
	if s.win.win.Canvas().Overlays().Top() == nil {
		t.Error("no folder dialog")
	}
}

func TestFilterBar(t *testing.T) {
	s := newStage(t, tray.English, kimi("a"), note("n1"))
	f := s.win.filter
	test.Type(f.text, "abc")
	s.expect("filter; filter; filter")
	if s.in.Filter.Text != "abc" || s.win.empty.title.Text != "Nothing matches" || !s.win.empty.root.Visible() {
		t.Errorf("filter %+v, empty %q", s.in.Filter, s.win.empty.title.Text)
	}
	s.key(fyne.KeyEscape)
	if s.in.Filter != (tray.Filter{}) || s.win.empty.root.Visible() || f.text.Text != "" {
		t.Errorf("after Escape: %+v", s.in.Filter)
	}
	f.source.SetSelected("vault")
	f.project.SetSelected("demo")
	f.view.SetSelected("Everything")
	if want := (tray.Filter{Source: "vault", Project: "demo", View: tray.Everything}); s.in.Filter != want {
		t.Errorf("filter %+v, want %+v", s.in.Filter, want)
	}
	if got := s.win.list.rows.Len(); got != 1 {
		t.Errorf("%d rows", got)
	}
	// A project that goes away for a moment stays chosen.
	s.in.Sessions = []*sessions.Session{kimi("a")}
	s.draw()
	if s.in.Filter.Project != "demo" || f.project.Selected != "demo" {
		t.Error("the choice was lost")
	}
}

// The selection stays on its Session when rows move, and the list does not scroll by itself.
func TestSelectionFollowsItsSession(t *testing.T) {
	s := newStage(t, tray.English, kimi("a"), kimi("b"), kimi("c"))
	s.win.list.Select(2)
	s.expect("select c")
	s.in.Sessions = []*sessions.Session{held(kimi("c"), "Kimi", 1), kimi("a"), kimi("b")}
	s.draw()
	if got := s.win.list.selected; got != 0 {
		t.Errorf("selected row %d", got)
	}
	s.expect("") // moving the highlight is no choice of the user
	s.in.Sessions = s.in.Sessions[1:]
	s.draw()
	if s.win.list.selected != -1 || s.win.details.panel.Visible() {
		t.Error("a session that is gone is still shown")
	}
}

// What the reader selected stays while only values change.
func TestDetailsChangeInPlace(t *testing.T) {
	s := newStage(t, tray.English, kimi("a"))
	s.win.list.Select(0)
	before := s.win.details.values
	s.in.Now = now.Add(3600e9)
	s.draw()
	after := s.win.details.values
	if len(before) == 0 || &before[0] != &after[0] {
		t.Error("the labels were made anew")
	}
	found := false
	for _, l := range after {
		found = found || strings.Contains(l.Text, "(1 h ago)")
	}
	if !found {
		t.Error("the age was not updated")
	}
}

func TestKeyboard(t *testing.T) {
	s := newStage(t, tray.English, kimi("a"), kimi("b"), kimi("c"))
	c := s.win.win.Canvas()
	s.win.focusSearch()
	if c.Focused() != fyne.Focusable(s.win.filter.text) {
		t.Fatal("the search has no focus")
	}
	s.key(fyne.KeyReturn) // to the list, whose first row is taken
	s.key(fyne.KeyDown, fyne.KeyDown, fyne.KeyDown, fyne.KeyUp, fyne.KeyHome, fyne.KeyEnd, fyne.KeyPageUp)
	s.expect("select a; select b; select c; select b; select a; select c; select a")
	s.key(fyne.KeyReturn) // to the buttons
	if c.Focused() != fyne.Focusable(s.win.details.actions[tray.ActionResume]) {
		t.Fatalf("focus on %T", c.Focused())
	}
	s.key(fyne.KeyReturn)
	s.expect("resume a")
	s.key(fyne.KeyEscape)
	if c.Focused() != fyne.Focusable(s.win.list) {
		t.Error("Escape does not lead back to the list")
	}
}

// Every control can be reached by Tab, and every action has a shortcut that works wherever the focus is.
func TestTabOrderAndShortcuts(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	c := s.win.win.Canvas()
	want := []fyne.Focusable{s.win.filter.text, s.win.filter.view, s.win.filter.source, s.win.filter.project, s.win.list}
	for i, w := range want {
		test.FocusNext(c)
		if c.Focused() != w {
			t.Errorf("stop %d is %T, want %T", i, c.Focused(), w)
		}
	}
	seen := map[string]bool{}
	for _, menu := range s.win.menu.main.Items {
		for _, item := range menu.Items {
			if item.IsSeparator {
				continue
			}
			if item.Shortcut == nil || item.Label == "" || item.Action == nil || seen[item.Shortcut.ShortcutName()] {
				t.Errorf("%s/%q: shortcut %v", menu.Label, item.Label, item.Shortcut)
				continue
			}
			seen[item.Shortcut.ShortcutName()] = true
		}
	}
}

func TestWindowMenuFollowsTheSelection(t *testing.T) {
	s := newStage(t, tray.English, note("n1"), held(note("n2"), "Kimi", 1))
	item := s.win.menu.actions[tray.ActionResume]
	if !item.Disabled {
		t.Error("Resume can be chosen with nothing selected")
	}
	s.win.list.Select(1)
	if item.Disabled {
		t.Error("Resume of a free note cannot be chosen")
	}
	s.win.list.Select(0)
	if !item.Disabled {
		t.Error("Resume of a held note can be chosen")
	}
	s.heard()
	item.Action() // a shortcut does not ask whether the item is grey
	s.expect("")
}

func TestOfflineIsSaid(t *testing.T) {
	s := newStage(t, tray.Chinese, note("n1"))
	s.in.Selected = "/vault/n1"
	s.in.Connection, s.in.Problem = tray.Offline, "no socket"
	s.draw()
	if got := s.win.status.Text; !strings.Contains(got, "离线：no socket") || s.win.status.Importance != widget.DangerImportance {
		t.Errorf("status %q", got)
	}
	if got := s.win.details.actions[tray.ActionClose]; !got.Disabled() || got.Text != "结束…" {
		t.Errorf("Close is %q, disabled %v", got.Text, got.Disabled())
	}
}

// 10,000 rows cost what fits on screen.
func TestListIsVirtual(t *testing.T) {
	var all []*sessions.Session
	for i := range 10_000 {
		s := kimi(strings.Repeat("x", 1+i%40))
		s.Path += string(rune('a'+i%26)) + strings.Repeat("y", i/26)
		all = append(all, s)
	}
	s := newStage(t, tray.English, all...)
	s.win.win.Resize(fyne.NewSize(1160, 680))
	rows := 0
	for _, o := range test.LaidOutObjects(s.win.win.Content()) {
		if _, ok := o.(*rowView); ok {
			rows++
		}
	}
	if rows == 0 || rows > 100 {
		t.Errorf("%d row widgets for 10,000 rows", rows)
	}
}

func TestNarrowListDropsColumns(t *testing.T) {
	r := newRowView()
	r.show(tray.Row{Status: "Active", Title: "A title", Place: "demo", Client: "Kimi", Age: "1 min ago"})
	for _, tt := range []struct {
		width         float32
		place, client bool
	}{{700, true, true}, {500, true, false}, {400, false, false}} {
		r.Resize(fyne.NewSize(tt.width, 24))
		test.WidgetRenderer(r).Layout(r.Size())
		if r.place.Visible() != tt.place || r.client.Visible() != tt.client {
			t.Errorf("%v wide: place %v, client %v", tt.width, r.place.Visible(), r.client.Visible())
		}
		if r.title.Size().Width < 60 {
			t.Errorf("%v wide: the title has %v", tt.width, r.title.Size().Width)
		}
	}
}

func TestEveryGlyphHasAShape(t *testing.T) {
	for _, g := range []tray.Glyph{tray.GlyphWaiting, tray.GlyphOccupied, tray.GlyphStale, tray.GlyphActive, tray.GlyphClosed, tray.GlyphArchived, tray.GlyphUnknown} {
		for tone := tray.ToneNormal; tone <= tray.ToneFaded; tone++ {
			if shapeIcon(g, tone) == nil {
				t.Errorf("no shape for %s in tone %d", g, tone)
			}
		}
	}
}

// Text in every tone can be read on every surface of both variants.
func TestContrast(t *testing.T) {
	test.NewTempApp(t)
	for _, v := range []fyne.ThemeVariant{theme.VariantLight, theme.VariantDark} {
		for _, fg := range []fyne.ThemeColorName{theme.ColorNameForeground, theme.ColorNamePlaceHolder, theme.ColorNamePrimary,
			theme.ColorNameSuccess, theme.ColorNameWarning, theme.ColorNameError, theme.ColorNameDisabled} {
			for _, bg := range []fyne.ThemeColorName{theme.ColorNameBackground, theme.ColorNameInputBackground, theme.ColorNameSelection} {
				least := 3.5
				if fg == theme.ColorNameDisabled { // also what Fyne calls text of low importance: ages, captions
					least = 2.6
				}
				if c := contrast(Theme().Color(fg, v), Theme().Color(bg, v)); c < least {
					t.Errorf("variant %d: %s on %s has %.1f", v, fg, bg, c)
				}
			}
		}
	}
}
