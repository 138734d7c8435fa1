package vault

import (
	"reflect"
	"testing"
	"time"

	"berth/sessions"
)

// TestEditTellsWhatItLeft: an Edit carries the Session as it was found and as it was left, the way a Load would read
// it. The Index tells by that what berth wrote from what others did at the same time.
func TestEditTellsWhatItLeft(t *testing.T) {
	for name, text := range map[string]string{
		"short": noteText("client_name: codex\n", "body\n"),
		"long":  noteText("", string(make([]byte, 2*tailRead))),
	} {
		t.Run(name, func(t *testing.T) {
			s := vaultWith(t, "x.md", text)
			load := func() *sessions.Record {
				r, err := s.Load("x.md", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			checkLeft := func(edit *sessions.Edit, err error, before *sessions.Record) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				if edit.Was == nil || edit.Left == nil || !reflect.DeepEqual(keysOf(edit.Was), keysOf(before)) || !reflect.DeepEqual(keysOf(edit.Left), keysOf(load())) {
					t.Errorf("was %+v, left %+v; read %+v, then %+v", edit.Was, edit.Left, before, load())
				}
			}
			before := load()
			edit, err := s.MarkResumed(t.Context(), "x.md", sessions.MarkRequest{Now: closedAt, ID: "s-1"})
			checkLeft(edit, err, before)
			if !edit.Left.Trace.Resumed.Equal(closedAt) {
				t.Errorf("resumed %v", edit.Left.Trace.Resumed)
			}
			before = load()
			edit, err = s.CloseSession(t.Context(), "x.md", sessions.CloseRequest{Now: closedAt.Add(time.Hour), ID: "s-1"})
			checkLeft(edit, err, before)
			if !edit.Left.Trace.Ended.Equal(closedAt.Add(time.Hour)) || edit.Left.Open {
				t.Errorf("ended %v, open %v", edit.Left.Trace.Ended, edit.Left.Open)
			}
		})
	}
}

// keysOf is what the Index compares of two readings of a note.
func keysOf(r *sessions.Record) any {
	return struct {
		status, id, client, agent, project, parent string
		open                                       bool
		trace                                      sessions.Trace
	}{r.StatusWord, r.ID, r.ClientName, r.Agent, r.Project, r.ParentID, r.Open, *r.Trace}
}
