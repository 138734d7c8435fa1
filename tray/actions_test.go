package tray

import (
	"testing"

	"berth/locks"
	"berth/sessions"
)

// whyNot returns the reasons of the disabled buttons: Resume, Close, Open folder, Copy id; "" for enabled.
func whyNot(s *sessions.Session, c Connection) [4]string {
	var out [4]string
	for _, a := range actions(s, c, English) {
		out[a.Kind] = a.Why
		if a.Enabled != (a.Why == "") {
			panic("a disabled action without a reason")
		}
	}
	return out
}

func TestActions(t *testing.T) {
	const (
		notVault  = "Only work sessions in a vault are closed."
		duplicate = "Another session carries the same id."
		noID      = "It has no id."
		notOpen   = "It is not open."
	)
	legacy := func(s *sessions.Session) { s.ID = "" }
	archivedHeld := func(s *sessions.Session) {
		s.Status = sessions.Archived
		s.Holder = &sessions.Holder{PID: 5, Client: "Kimi", Verdict: locks.Unknown}
	}
	deadLock := func(s *sessions.Session) {
		s.Status, s.Holder = sessions.Stale, &sessions.Holder{PID: 5, Verdict: locks.Dead}
	}
	for _, tt := range []struct {
		name string
		s    *sessions.Session
		want [4]string
	}{
		{"a free Kimi session", session("a"), [4]string{"", notVault, "", ""}},
		{"an occupied one: never a second writer", session("a", heldBy("VS Code", 4121)), [4]string{"VS Code, pid 4121 has it.", notVault, "", ""}},
		{"occupied by nobody knows whom", session("a", status(sessions.Occupied)), [4]string{"It is occupied.", notVault, "", ""}},
		{"a dead lock does not stop a resume", session("a", deadLock), [4]string{"", notVault, "", ""}},
		{"archived", session("a", status(sessions.Archived)), [4]string{"", notVault, "", ""}},
		{"archived and held", session("a", archivedHeld), [4]string{"Kimi, pid 5 has it.", notVault, "", ""}},
		{"its folder is gone", session("a", facts(sessions.FactFolderMissing)), [4]string{"Its folder is not there: /work/demo", notVault, "Its folder is not there.", ""}},
		{"an open note", note("a"), [4]string{}},
		{"a stale note", note("a", status(sessions.Stale, sessions.ReasonAbandoned)), [4]string{}},
		{"an ambiguous note", note("a", ambiguous("g")), [4]string{}},
		{"a legacy note can be closed only", note("a", legacy), [4]string{noID, "", "", noID}},
		{"a closed note", note("a", status(sessions.Closed)), [4]string{"It is closed.", notOpen, "", ""}},
		{"a linked note", note("a", facts(sessions.FactLinked)), [4]string{"", "It is linked to coordinated work; its own client must end it.", "", ""}},
		{"a damaged note", note("a", facts(sessions.FactDamaged)), [4]string{"", "A part of it cannot be read, so nothing is written to it.", "", ""}},
		{"a copied note", note("a", facts(sessions.FactDuplicateID)), [4]string{duplicate, duplicate, "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := whyNot(tt.s, OwnService); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	const offline = "The service does not answer."
	if got, want := whyNot(note("a"), Offline), ([4]string{offline, offline, "", ""}); got != want {
		t.Errorf("offline: got %q, want %q", got, want)
	}
}

func TestFolder(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    *sessions.Session
		want string
	}{
		{"where the work is", session("a"), "/work/demo"},
		{"where the note is", note("a"), "/vault/sessions"},
		{"not what is missing", session("a", facts(sessions.FactFolderMissing)), ""},
	} {
		if got := folder(tt.s); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Verbs act on the identity that the user saw, not on what stands in its place by then (bug B40).
func TestTargetRef(t *testing.T) {
	if got := (Target{Path: "/vault/a.md", ID: "019f"}).Ref(); got != "019f" {
		t.Errorf("got %q", got)
	}
	if got := (Target{Path: "/vault/a.md"}).Ref(); got != "/vault/a.md" {
		t.Errorf("got %q", got)
	}
}
