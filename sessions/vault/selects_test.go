package vault

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"berth/sessions"
)

// The rules of an implicit end (kioku.md section 3).
func TestSelects(t *testing.T) {
	in := "Projects/Demo/sessions/x.md"
	who := "agent: claude\nclient_name: Claude-Code\n"
	for _, tt := range []struct {
		name, key, front string
		sel              sessions.Selector
		want             bool
	}{
		{"nothing asked", "x.md", who, sessions.Selector{}, true},
		{"the project's name, in any case", "x.md", "project: Demo\n", sessions.Selector{Project: "demo"}, true},
		{"the project's folder", in, "", sessions.Selector{Project: "demo"}, true},
		{"the folder of one and the name of another", in, "project: other\n", sessions.Selector{Project: "other"}, true},
		{"another project", in, "project: demo\n", sessions.Selector{Project: "dem"}, false},
		{"a global session", "x.md", who, sessions.Selector{Project: "demo"}, false},
		{"the client", "x.md", who, sessions.Selector{Client: "claude-code"}, true},
		{"the agent behind the client's name", "x.md", "agent: claude\n", sessions.Selector{Client: "Claude Code 9"}, true},
		{"the agent", "x.md", who, sessions.Selector{Agent: "CLAUDE"}, true},
		{"another client of that agent", "x.md", who, sessions.Selector{Client: "claude-desktop"}, true},
		{"another agent", "x.md", who, sessions.Selector{Agent: "codex"}, false},
		{"a client by its name with another agent", "x.md", who, sessions.Selector{Agent: "codex", Client: "claude-code"}, true},
		{"a note without either", "x.md", "", sessions.Selector{Agent: "claude"}, false},
		{"project and agent", in, who, sessions.Selector{Project: "Demo", Agent: "claude"}, true},
		{"a note that Kioku does not see", "x.md", "x: [\n", sessions.Selector{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, tt.key, noteText(tt.front, ""))
			rec, err := s.Load(tt.key, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Selects(rec, tt.sel); got != tt.want {
				t.Errorf("%+v selects: %v, want %v", tt.sel, got, tt.want)
			}
		})
	}
}

// The objects that the protocol prints for refusals (kioku.md section 4.3).
func TestFailures(t *testing.T) {
	s := vaultWith(t, "a/x.md", strings.Replace(noteText("", ""), "active", "done", 1))
	_, closing := s.PlanClose("a/x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
	_, marking := s.PlanMark("a/x.md", sessions.MarkRequest{Now: closedAt, ID: "s-1"})
	for _, tt := range []struct {
		err  error
		is   error
		want string
	}{
		{closing, sessions.ErrClosed, `{"code":"SESSION_ALREADY_CLOSED","message":"a/x.md: the session is not active, its status is \"done\"","details":{"session_id":"s-1","path":"a/x.md","status":"done"}}`},
		{marking, sessions.ErrNotActive, `{"code":"SESSION_NOT_ACTIVE","message":"a/x.md: the session is not active, its status is \"done\"","details":{"session_id":"s-1","status":"done"}}`},
	} {
		got, err := json.Marshal(sessions.FailureOf(tt.err))
		if err != nil || string(got) != tt.want || !errors.Is(tt.err, tt.is) || !errors.Is(tt.err, sessions.ErrClosed) {
			t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
		}
	}
}
