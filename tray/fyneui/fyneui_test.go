package fyneui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"berth/locks"
	"berth/sessions"
	"berth/tray"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// stage is a UI in Fyne's test driver. Nothing runs beside the test: what would go to another goroutine or to
// Fyne's thread runs at once. It stands for the presenter, the service and the system's tray.
type stage struct {
	*UI
	t      *testing.T
	in     tray.Input
	said   []string // what the UI asked the presenter and the service for, in order
	fail   error    // what the next verb fails with
	warn   []string // what the next resume warns of
	opened error
	queue  []func() // verbs that wait, when held
	held   bool
}

func newStage(t *testing.T, l tray.Lang, all ...*sessions.Session) *stage {
	t.Helper()
	app := test.NewTempApp(t)
	s := &stage{t: t, in: tray.Input{Now: now, Lang: l,
		Update: tray.Update{Sessions: all, Connection: tray.OwnService, Revision: 3}}}
	s.UI = New(app, Config{Lang: l, Verbs: s, Controls: s, OpenFolder: func(dir string) error {
		s.say("open " + dir)
		return s.opened
	}})
	s.off = func(f func()) {
		if s.held {
			s.queue = append(s.queue, f)
			return
		}
		f()
	}
	s.on = func(f func()) { f() }
	t.Cleanup(s.win.win.Close)
	s.draw()
	return s
}

// draw does what the presenter does when something changed.
func (s *stage) draw() {
	vm := tray.Build(s.in)
	s.ShowIcon(vm.Icon, vm.Tooltip)
	s.ShowMenu(vm.Menu)
	s.ShowWindow(vm.Window)
}

func (s *stage) say(text string) { s.said = append(s.said, text) }

// heard returns what was asked for since the last call.
func (s *stage) heard() string {
	out := strings.Join(s.said, "; ")
	s.said = nil
	return out
}

func (s *stage) expect(want string) {
	s.t.Helper()
	if got := s.heard(); got != want {
		s.t.Errorf("heard %q, want %q", got, want)
	}
}

func (s *stage) SetFilter(f tray.Filter) {
	s.say("filter")
	s.in.Filter = f
	s.draw()
}

func (s *stage) Select(path string) {
	s.say("select " + path[strings.LastIndexByte(path, '/')+1:])
	s.in.Selected = path
	s.draw()
}

func (s *stage) SetVisible(visible bool) {
	if visible {
		s.say("visible")
	} else {
		s.say("hidden")
	}
}

func (s *stage) SetMenuOpen(open bool) {
	if open {
		s.say("menu opened")
	} else {
		s.say("menu used")
	}
}

func (s *stage) PlanClose(_ context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	s.say("plan " + t.Ref() + " " + summary)
	return &sessions.Edit{Path: t.Path, Before: []byte("status: active\n"), After: []byte("status: done\n" + summary + "\n"),
		Warnings: []string{"the note changed a moment ago"}}, s.fail
}

func (s *stage) Close(_ context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	s.say("close " + t.Ref() + " " + summary)
	return &sessions.Edit{Message: "Session closed: sessions/" + t.ID + ".md"}, s.fail
}

func (s *stage) Resume(_ context.Context, t tray.Target, dir string) ([]string, error) {
	s.say(strings.TrimSpace("resume " + t.Ref() + " " + dir))
	return s.warn, s.fail
}

// key sends a key to what has the focus, as the driver does.
func (s *stage) key(names ...fyne.KeyName) {
	for _, name := range names {
		e := &fyne.KeyEvent{Name: name}
		if f := s.win.win.Canvas().Focused(); f != nil {
			f.TypedKey(e)
		} else if f := s.win.win.Canvas().OnTypedKey(); f != nil {
			f(e)
		}
	}
}

// overlay is all text of the dialog that is open.
func (s *stage) overlay() string {
	top := s.win.win.Canvas().Overlays().Top()
	if top == nil {
		return ""
	}
	return strings.Join(textsOf(top), "\n")
}

// textsOf collects what can be read on o.
func textsOf(o fyne.CanvasObject) []string {
	var out []string
	for _, found := range test.LaidOutObjects(o) {
		switch w := found.(type) {
		case *widget.Label:
			out = append(out, w.Text)
		case *widget.RichText:
			out = append(out, w.String())
		case *keyButton:
			out = append(out, "["+w.Text+"]")
		case *keyEntry:
			out = append(out, "_"+w.PlaceHolder+"_"+w.Text)
		}
	}
	return slices.Compact(out)
}

// button finds a button of the open dialog.
func (s *stage) button(label string) *keyButton {
	s.t.Helper()
	if top := s.win.win.Canvas().Overlays().Top(); top != nil {
		for _, o := range test.LaidOutObjects(top) {
			if b, ok := o.(*keyButton); ok && b.Text == label {
				return b
			}
		}
	}
	s.t.Fatalf("no button %q in the dialog:\n%s", label, s.overlay())
	return nil
}

func kimi(id string) *sessions.Session {
	return &sessions.Session{Status: sessions.Active, Record: &sessions.Record{
		ID: id, Source: "kimi", Path: "/kimi/" + id, Title: "Title of " + id, WorkDir: "/work/" + id, Open: true, UpdatedAt: now.Add(-time.Minute)}}
}

func note(id string) *sessions.Session {
	return &sessions.Session{Status: sessions.Active, Record: &sessions.Record{
		ID: id, Source: "vault", Path: "/vault/" + id, Title: "Note " + id, Project: "demo", ClientName: "claude-code",
		StatusWord: "active", Open: true, UpdatedAt: now.Add(-time.Hour)}}
}

func held(s *sessions.Session, client string, pid int) *sessions.Session {
	s.Status = sessions.Occupied
	s.Holder = &sessions.Holder{Client: client, PID: pid, Verdict: locks.Live, Via: sessions.ViaLock, Evidence: []string{"it lives"}}
	return s
}

var errHeld = &sessions.Error{Err: sessions.ErrOccupied, Session: "a", Detail: "it is occupied by VS Code (pid 4121)", Hint: "end it first"}

var errPlain = errors.New("read /vault/n1: input/output error")
