package fyneui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"berth/sessions"
	"berth/tray"
)

// fakeTray is the system's tray.
type fakeTray struct {
	menus   int
	menu    *fyne.Menu
	icons   []string
	tooltip string
	tapped  func()
	opened  func()
}

func (f *fakeTray) SetMenu(m *fyne.Menu)    { f.menus, f.menu = f.menus+1, m }
func (f *fakeTray) SetIcon(r fyne.Resource) { f.icons = append(f.icons, r.Name()) }
func (f *fakeTray) SetTooltip(text string)  { f.tooltip = text }
func (f *fakeTray) OnTapped(tap func())     { f.tapped = tap }
func (f *fakeTray) OnOpened(open func())    { f.opened = open }

func (f *fakeTray) labels() string {
	var out []string
	for _, i := range f.menu.Items {
		switch {
		case i.IsSeparator:
			out = append(out, "-")
		case i.Disabled:
			out = append(out, "("+i.Label+")")
		default:
			out = append(out, i.Label)
		}
	}
	return strings.Join(out, "|")
}

func (f *fakeTray) click(t *testing.T, label string) {
	t.Helper()
	for _, i := range f.menu.Items {
		if strings.Contains(i.Label, label) {
			i.Action()
			return
		}
	}
	t.Fatalf("no %q in %s", label, f.labels())
}

// withTray is a stage whose UI has its icon in a tray.
func withTray(t *testing.T, all ...*sessions.Session) (*stage, *fakeTray) {
	s := newStage(t, tray.English, all...)
	f := &fakeTray{}
	s.UseTray(f)
	return s, f
}

func TestPanelIcon(t *testing.T) {
	s, f := withTray(t, held(kimi("my_proj"), "VS Code", 4121))
	if f.labels() != "Open berth|Quit" || f.icons[0] != "quiet.png" {
		t.Errorf("at first: %s, %v", f.labels(), f.icons)
	}
	first := f.menu
	s.draw()
	if got, want := escapeMnemonics("● Title of my_proj — VS Code, pid 4121", "linux"), "● Title of my__proj — VS Code, pid 4121"; got != want {
		t.Errorf("escaped %q", got)
	}
	if !strings.HasPrefix(f.labels(), "(Occupied (1))|● Title of my") || !strings.HasSuffix(f.labels(), "pid 4121|-|Open berth|Quit") {
		t.Errorf("menu %s", f.labels())
	}
	// Fyne sets the menu it got first once more when the tray is ready, so it must be the same object.
	if f.menu != first {
		t.Error("another menu object")
	}
	if quit := f.menu.Items[len(f.menu.Items)-1]; !quit.IsQuit {
		t.Error("Fyne would add a second Quit")
	}
	if f.icons[len(f.icons)-1] != "occupied.png" || f.tooltip != "berth: 1 occupied" {
		t.Errorf("icon %v, tooltip %q", f.icons, f.tooltip)
	}
}

func TestClicksInTheMenu(t *testing.T) {
	amb := func(s *sessions.Session) *sessions.Session {
		s.AmbiguousGroup, s.AllFacts = "g", []sessions.Fact{sessions.FactAmbiguous}
		return s
	}
	s, f := withTray(t, kimi("a"), amb(note("n1")), amb(note("n2")))
	s.draw()
	f.click(t, "Open berth")
	s.expect("menu used; visible")
	f.click(t, "Title of a")
	s.expect("menu used; visible; select a")
	f.click(t, "Note n2") // an ambiguous one: the question comes with the window
	s.expect("menu used; visible; select n2; plan n2 ")
	if !strings.Contains(s.overlay(), "Close “Note n2”") {
		t.Errorf("not asked: %q", s.overlay())
	}
	f.click(t, "Title of a") // leaves the question
	if s.overlay() != "" || s.win.details.title.Text != "Title of a" {
		t.Errorf("dialog %q, details of %q", s.overlay(), s.win.details.title.Text)
	}
	f.tapped()
	f.opened()
	s.heard()
	f.tapped()
	s.expect("visible")
	f.opened()
	s.expect("menu opened")
}

// A click in the menu finds its session whatever the filter was.
func TestClickResetsTheFilter(t *testing.T) {
	s, f := withTray(t, kimi("a"), note("n1"))
	s.draw()
	s.win.filter.text.SetText("nowhere")
	f.click(t, "Title of a")
	if s.in.Filter != (tray.Filter{}) || s.win.list.selected != 0 {
		t.Errorf("filter %+v, row %d", s.in.Filter, s.win.list.selected)
	}
}

// The close button hides the window only where an icon can bring it back (bugs B121, B128).
func TestCloseButton(t *testing.T) {
	s, _ := withTray(t)
	quits := &countedApp{App: s.app}
	s.app = quits
	s.closed()
	if quits.n != 1 {
		t.Error("without a host it must quit")
	}
	s.SetHost(true)
	s.heard()
	s.closed()
	s.expect("hidden")
	if quits.n != 1 || s.win.notes.Visible() {
		t.Errorf("with a host: %d quits, note %q", quits.n, s.win.notes.Text)
	}
	s.SetHost(false) // the panel went away
	if got := s.win.notes.Text; got != "the desktop shows no tray icons; closing the window quits" || !s.win.notes.Visible() {
		t.Errorf("note %q", got)
	}
	s.closed()
	if quits.n != 2 {
		t.Error("without a host it must quit")
	}
}

type countedApp struct {
	fyne.App
	n int
}

func (a *countedApp) Quit() { a.n++ }

func TestEscapeMnemonics(t *testing.T) {
	const label = "my_proj_x & more"
	for goos, want := range map[string]string{
		"linux": "my__proj__x & more", "windows": "my_proj_x && more", "darwin": label,
	} {
		if got := escapeMnemonics(label, goos); got != want {
			t.Errorf("%s: got %q, want %q", goos, got, want)
		}
	}
}
