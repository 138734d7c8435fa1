package sessions

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
)

// The fake store matches by project and agent alone; the rules are tested where they are.
func (n *notes) Selects(r *Record, sel Selector) bool {
	return (sel.Project == "" || r.Project == sel.Project) && (sel.Agent == "" || r.Agent == sel.Agent)
}

func (n *notes) Named(sel Selector) (agent, client string) { return sel.Agent, sel.Client }

func by(agent, project string) func(*Record) {
	return func(r *Record) { r.Agent, r.Project = agent, project }
}

func TestEndWithoutAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{
			note("a", by("claude", "demo")), note("b", by("codex", "demo")), note("c", by("codex", "other")),
			note("d", by("gemini", "demo"), done),
		}, []*Record{session("k")})
		ask := func(project, agent string) (*Edit, error) {
			return d.End(t.Context(), EndRequest{Selector: Selector{Project: project, Agent: agent}})
		}
		e := refusal(t, second(ask("demo", "")), ErrAmbiguous)
		if len(e.Candidates) != 2 || e.Candidates[0].ID != "a" || e.Candidates[1].ID != "b" {
			t.Errorf("candidates: %v", e.Candidates)
		}
		got, err := json.Marshal(FailureOf(e))
		if err != nil || !strings.HasPrefix(string(got), `{"code":"AMBIGUOUS_SESSION","message":"2 active sessions match","candidates":[{"session_id":"a","path":"a","project":"demo","agent":"claude","client_name":"Claude-Code","started_at":"`) {
			t.Errorf("as JSON: %s, %v", got, err)
		}
		e = refusal(t, second(ask("demo", "gemini")), ErrNoActive)
		want := `{"code":"NO_ACTIVE_SESSION","message":"no active session matches","details":{"project":"demo","agent":"gemini","client_name":null}}`
		if got, _ := json.Marshal(FailureOf(e)); string(got) != want {
			t.Errorf("as JSON: %s, want %s", got, want)
		}
		d.want("after refusals", "a active", "b active", "c active", "d closed", "k active")
		if _, err := ask("demo", "codex"); err != nil {
			t.Error(err)
		}
		if _, err := ask("", "claude"); err != nil {
			t.Error(err)
		}
		d.want("after two ends", "a closed", "b closed", "c active", "d closed", "k active")
		if _, err := d.End(t.Context(), EndRequest{Ref: "c", Selector: Selector{Project: "ignored with an id"}}); err != nil {
			t.Error(err)
		}
	})
}

func second(_ *Edit, err error) error { return err }

// What another program ended a moment ago is no candidate, whatever the Index remembers.
func TestEndReadsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, []*Record{note("a"), note("b")}, nil)
		d.notes.put(note("a", done))
		if _, err := d.End(t.Context(), EndRequest{Selector: Selector{Project: "demo"}}); err != nil {
			t.Fatal(err)
		}
		d.want("afterwards", "a closed", "b closed")
	})
}
