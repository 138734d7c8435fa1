package fyneui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"berth/sessions"
	"berth/tray"
)

func TestCloseAsksShowsAndWrites(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	test.Tap(s.win.details.actions[tray.ActionClose])
	s.expect("select n1; plan n1 ")
	text := s.overlay()
	for _, want := range []string{"Close “Note n1”", "_Summary, one line (optional)_", "This is what will be written to /vault/n1",
		"Note: the note changed a moment ago", "- status: active", "+ status: done", "[Cancel]", "[Close session]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	summary := s.win.win.Canvas().Focused().(*keyEntry)
	test.Type(summary, "ok")
	s.expect("plan n1 o; plan n1 ok")
	if !strings.Contains(s.overlay(), "+ ok") {
		t.Errorf("the preview does not follow the summary:\n%s", s.overlay())
	}
	test.Tap(s.button("Close session"))
	s.expect("close n1 ok")
	if s.overlay() != "" || s.win.notice.Text != "Session closed: sessions/n1.md" {
		t.Errorf("afterwards: dialog %q, notice %q", s.overlay(), s.win.notice.Text)
	}
}

// The session that was just closed stays in the details, though the list does not show it any more.
func TestClosedSessionStaysInView(t *testing.T) {
	s := newStage(t, tray.English, note("n1"), note("n2"))
	s.win.list.Select(0)
	s.win.act(tray.ActionClose)
	s.in.Sessions[0].Status = sessions.Closed // the index is faster than the answer
	s.draw()
	s.heard()
	s.key(fyne.KeyReturn)
	s.expect("close n1 ")
	if d := s.win.details; d.title.Text != "Note n1" || d.status.Text != "Closed" || s.win.list.rows.Len() != 1 {
		t.Errorf("details of %q, %q; %d rows", d.title.Text, d.status.Text, s.win.list.rows.Len())
	}
}

func TestCloseByKeyboard(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.win.act(tray.ActionClose)
	s.key(fyne.KeyEscape)
	if s.overlay() != "" {
		t.Fatal("Escape does not cancel")
	}
	s.heard()
	s.win.act(tray.ActionClose)
	s.win.act(tray.ActionClose) // one dialog at a time
	s.key(fyne.KeyReturn)
	s.expect("plan n1 ; close n1 ")
}

// Nobody confirms what was not shown: a confirmation waits for the preview of what is typed.
func TestConfirmWaitsForThePreview(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.held = true
	s.win.act(tray.ActionClose)
	if !s.button("Close session").Disabled() {
		t.Error("it can be confirmed before anything was shown")
	}
	test.Type(s.win.win.Canvas().Focused().(*keyEntry), "late")
	s.key(fyne.KeyReturn)
	s.expect("select n1")
	for len(s.queue) > 0 { // the answers arrive, one after the other
		next := s.queue[0]
		s.queue = s.queue[1:]
		next()
	}
	s.expect("plan n1 ; plan n1 late; close n1 late")
}

// An answer that comes after the dialog was left changes nothing.
func TestLateAnswersAreDropped(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.held = true
	s.win.act(tray.ActionClose)
	s.key(fyne.KeyEscape)
	s.fail = errPlain
	s.queue[0]()
	if s.overlay() != "" {
		t.Errorf("a dialog came back: %s", s.overlay())
	}
}

func TestCloseThatIsRefused(t *testing.T) {
	s := newStage(t, tray.English, note("n1"))
	s.win.list.Select(0)
	s.fail = errPlain
	s.win.act(tray.ActionClose)
	if text := s.overlay(); !strings.Contains(text, "That did not work") || strings.Contains(text, "Close session") {
		t.Errorf("refused plan: %s", text)
	}
	s.win.dismiss()
	s.fail = nil
	s.win.act(tray.ActionClose)
	s.fail = errHeld
	test.Tap(s.button("Close session"))
	if text := s.overlay(); !strings.Contains(text, "it is occupied by VS Code (pid 4121)") {
		t.Errorf("refused close: %s", text)
	}
}

func TestLettersThatTheFixedFontLacks(t *testing.T) {
	var runs []string
	for _, seg := range line("- 08:20 修复 bug 🔐", "foreground") {
		runs = append(runs, seg.Textual())
	}
	if got := strings.Join(runs, "|"); got != "- 08:20 |修复| bug |🔐|" {
		t.Errorf("got %q", got)
	}
}
