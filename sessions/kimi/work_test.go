package kimi_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
)

// sec is a moment in the life of the sessions of kimitest.
func sec(n int) time.Time { return kimitest.Began.Add(time.Duration(n) * time.Second) }

// ask and answered are the records of a question to a person.
func ask(kind, id string, turn, seconds int) string {
	return kimitest.Record(seconds, fmt.Sprintf(
		`{"type":"interaction.request","agentId":"main","id":%q,"kind":%q,"toolCallId":"c","request":{"turnId":%d,"toolCallId":"c"},`,
		id, kind, turn))
}

func answered(id string, seconds int) string {
	return kimitest.Record(seconds, fmt.Sprintf(`{"type":"interaction.resolved","agentId":"main","id":%q,"response":{},`, id))
}

func task(what, id string, seconds int) string {
	return kimitest.Record(seconds, fmt.Sprintf(`{"type":"task.%s","agentId":"main","info":{"taskId":%q,"kind":"process"},`, what, id))
}

func plain(kind string, seconds int) string {
	return kimitest.Record(seconds, fmt.Sprintf(`{"type":%q,"agentId":"main",`, kind))
}

func undone(from, seconds int) string {
	return kimitest.Record(seconds, `{"type":"agent.switched","agentId":"main","branch":"b1","reason":"undo","turns":1,`) +
		kimitest.Record(seconds, `{"type":"context.undo","agentId":"main","count":1,`) +
		kimitest.Record(seconds, fmt.Sprintf(`{"type":"context.undone","agentId":"main","turns":1,"fromTurnId":%d,`, from))
}

// oldPrompt and oldStep are the records of protocol 1.4.
func oldPrompt(seconds int) string {
	return kimitest.Record(seconds, `{"type":"turn.prompt","input":[{"type":"text","text":"old"}],"origin":{"kind":"user"},`)
}

func oldStep(seconds int, finish string) string {
	return kimitest.Record(seconds, `{"type":"context.append_loop_event","event":{"type":"step.begin","uuid":"u","turnId":"0","step":1},`) +
		kimitest.Record(seconds, fmt.Sprintf(
			`{"type":"context.append_loop_event","event":{"type":"step.end","uuid":"u","turnId":"0","step":1,"finishReason":%q},`, finish))
}

// TestWork is the table of what the end of a journal says. Every row is read 100 seconds after the session began,
// and once more an hour later, when later is set.
func TestWork(t *testing.T) {
	P, S, E, T := kimitest.Prompt, kimitest.Step, kimitest.End, kimitest.Turn
	type work struct {
		main, busy string
		waits      string
		last       string
		two        bool
	}
	idle := func(last string) work { return work{"no", "no", "none", last, false} }
	running := work{"yes", "yes", "none", "", false}
	for _, c := range []struct {
		name  string
		wire  string
		want  work
		later *work
	}{
		{"no turn yet", "", idle(""), nil},
		{"a whole turn", T(0, 0, "a"), idle("completed"), nil},
		{"a turn that began", T(0, 0, "a") + P(1, 5, "b"), running, nil},
		{"its steps end, it does not", P(0, 0, "a") + S(0, 1, "tool_use") + S(0, 2, "end_turn"), running, nil},
		{"failed", P(0, 0, "a") + E(0, 1, "failed"), idle("failed"), nil},
		{"cancelled", P(0, 0, "a") + E(0, 1, "cancelled"), idle("cancelled"), nil},
		{"blocked counts as failed", P(0, 0, "a") + kimitest.Record(1, `{"type":"turn.ended","turnId":0,"reason":"blocked",`), idle("failed"), nil},
		{"the last turn counts", P(0, 0, "a") + E(0, 1, "failed") + T(1, 5, "b"), idle("completed"), nil},
		{"undo takes the reason back", T(0, 0, "a") + P(1, 5, "b") + E(1, 6, "failed") + undone(1, 8), idle(""), nil},
		{"one family of records is enough to end", P(0, 0, "a") + strings.SplitAfter(E(0, 1, "completed"), "\n")[0], idle("completed"), nil},
		{"one family is enough to begin", strings.SplitAfter(P(0, 0, "a"), "\n")[1], running, nil},

		{"approval", P(0, 0, "a") + ask("approval", "x", 0, 1), work{"yes", "yes", "approval", "", false}, nil},
		{"question", P(0, 0, "a") + ask("question", "x", 0, 1), work{"yes", "yes", "question", "", false}, nil},
		{"approval wins", P(0, 0, "a") + ask("approval", "x", 0, 1) + ask("question", "y", 0, 1), work{"yes", "yes", "approval", "", false}, nil},
		{"answered", P(0, 0, "a") + ask("approval", "x", 0, 1) + answered("x", 2), running, nil},
		{"the other one answered", P(0, 0, "a") + ask("approval", "x", 0, 1) + ask("question", "y", 0, 1) + answered("x", 2), work{"yes", "yes", "question", "", false}, nil},
		{"an end takes the question along", P(0, 0, "a") + ask("approval", "x", 0, 1) + E(0, 2, "cancelled"), idle("cancelled"), nil},
		{"so does one whose beginning was not read", ask("approval", "x", 3, 1) + E(3, 2, "cancelled"), idle("cancelled"), nil},

		{"compaction", T(0, 0, "a") + plain("full_compaction.begin", 5), work{"no", "yes", "none", "completed", false}, nil},
		{"compaction is over", T(0, 0, "a") + plain("full_compaction.begin", 5) + plain("full_compaction.complete", 6), idle("completed"), nil},
		{"compaction is given up", T(0, 0, "a") + plain("full_compaction.begin", 5) + plain("full_compaction.cancel", 6), idle("completed"), nil},
		{"compaction was cut off", T(0, 0, "a") + plain("full_compaction.begin", 5) + T(1, 6, "b"), idle("completed"), nil},
		{"background task", P(0, 0, "a") + task("started", "t", 1) + E(0, 2, "completed"), work{"no", "yes", "none", "completed", false}, nil},
		{"background task is over", P(0, 0, "a") + task("started", "t", 1) + E(0, 2, "completed") + task("terminated", "t", 3), idle("completed"), nil},
		{"task id beside the info (B02)", kimitest.Record(0, `{"type":"task.started","taskId":"t",`) + kimitest.Record(1, `{"type":"task.terminated","taskId":"t",`), idle(""), nil},
		{"unknown records", T(0, 0, "a") + plain("tower_mode.enter", 5), idle("completed"), nil},
		{"unknown shapes", T(0, 0, "a") + `{"type":7,"turnId":{},"time":"soon"}` + "\n" + `{}` + "\n", idle("completed"), nil},

		{"two writers: a turn inside of another", P(0, 0, "a") + T(1, 5, "b") + S(0, 10, "end_turn") + E(0, 11, "completed"), work{"no", "no", "none", "completed", true}, nil},
		{"two writers: the outer one goes on", P(0, 0, "a") + T(1, 5, "b") + S(0, 10, "tool_use"), work{"yes", "yes", "none", "", true}, nil},
		{"two writers: both run", P(0, 0, "a") + P(1, 5, "b"), running, nil},
		{"two writers: an id twice", T(0, 0, "a") + T(1, 5, "b") + T(1, 10, "c"), work{"no", "no", "none", "completed", true}, nil},
		{"two writers: an id twice at once", T(0, 0, "a") + P(1, 5, "b") + P(1, 6, "c") + E(1, 7, "completed"), work{"yes", "yes", "none", "", true}, nil},
		{"imported sessions have turn 0 twice", T(0, 0, "a") + T(0, 5, "b"), idle("completed"), nil},
		{"an undo frees its ids", T(0, 0, "a") + T(1, 5, "b") + undone(1, 8) + T(1, 10, "c"), idle("completed"), nil},
		{"an undo frees only its ids", T(0, 0, "a") + T(1, 5, "b") + T(2, 8, "c") + undone(2, 12) + T(1, 15, "d"), work{"no", "no", "none", "completed", true}, nil},
		{"a switch of branches frees all ids", T(1, 0, "a") + kimitest.Record(5, `{"type":"agent.switched","branch":"b2",`) + T(1, 6, "b"), idle("completed"), nil},
		{"a fork goes on", T(0, 0, "a") + plain("forked", 5) + T(1, 6, "b"), idle("completed"), nil},
		{"a broken beginning is no second writer", T(0, 0, "a") + S(1, 5, "tool_use") + S(1, 6, "end_turn") + E(1, 7, "completed"), idle("completed"), nil},

		{"killed, resumed, went on: open for a while, then not",
			P(0, 0, "a") + S(0, 1, "tool_use") + T(1, 50, "b"), work{"yes", "yes", "none", "completed", false}, new(idle("completed"))},
		{"killed: open for ever", P(0, 0, "a"), running, &running},
		{"killed while it asked, then resumed",
			P(0, 0, "a") + ask("approval", "x", 0, 1) + T(1, 50, "b"), work{"yes", "yes", "approval", "completed", false}, new(idle("completed"))},
		{"a silent turn stays open while no later one ended", P(0, 0, "a") + P(1, 50, "b"), running, &running},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := func(now time.Time) (work, *sessions.Record) {
				r := loadWire(t, kimitest.Header("1.5")+c.wire, now)
				w := r.Work
				return work{tri(w.MainTurnActive), tri(w.Busy), w.PendingInteraction, w.LastTurnReason,
					slices.Contains(r.Facts, sessions.FactTwoWriters)}, r
			}
			w, r := got(sec(100))
			if w != c.want || r.OpenTurn != (c.want.main == "yes") || len(r.Problems) > 0 {
				t.Errorf("got %+v, open %v, problems %q\nwant %+v", w, r.OpenTurn, r.Problems, c.want)
			}
			if waits := slices.Contains(r.Facts, sessions.FactWaiting); waits != (c.want.waits != "none") {
				t.Errorf("facts %q, waits for %q", r.Facts, c.want.waits)
			}
			if r.Overtaken != (c.later != nil && *c.later != c.want) {
				t.Errorf("overtaken %v", r.Overtaken)
			}
			if c.later == nil {
				return
			}
			if w, _ := got(sec(3600)); w != *c.later {
				t.Errorf("an hour later %+v, want %+v", w, *c.later)
			}
			if settles := !r.Settle.IsZero(); settles != (*c.later != c.want) {
				t.Errorf("settles at %v", r.Settle)
			}
		})
	}
}

func tri(t sessions.Tri) string {
	return map[sessions.Tri]string{sessions.Unknown: "unknown", sessions.No: "no", sessions.Yes: "yes"}[t]
}

// loadWire loads a session with this journal.
func loadWire(t testing.TB, wire string, now time.Time) *sessions.Record {
	t.Helper()
	home := filepath.Join(realTemp(t), "home")
	s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: "/home/dev/work/a", Wire: wire}
	s.Make(t, home)
	r, err := kimi.New(kimi.Config{Home: home}).Load(s.Key(), now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWorkOfOldProtocol(t *testing.T) {
	for _, c := range []struct {
		name, wire string
		open       bool
		last       string
	}{
		{"a whole turn", oldPrompt(0) + oldStep(1, "tool_use") + oldStep(2, "end_turn"), false, "completed"},
		{"began", oldPrompt(0), true, ""},
		{"between two steps", oldPrompt(0) + oldStep(1, "tool_use"), true, ""},
		{"the second one", oldPrompt(0) + oldStep(1, "end_turn") + oldPrompt(5), true, ""},
		{"failed", oldPrompt(0) + oldStep(1, "error"), false, "failed"},
		{"cancelled by a step", oldPrompt(0) + oldStep(1, "interrupted"), false, "cancelled"},
		{"cancelled between steps", oldPrompt(0) + oldStep(1, "tool_use") + kimitest.Record(2, `{"type":"turn.cancel",`), false, "cancelled"},
		{"killed, then resumed", oldPrompt(0) + oldPrompt(5) + oldStep(6, "end_turn"), false, "completed"},
		{"upgraded inside of a turn", oldPrompt(0) + kimitest.Turn(1, 5, "new"), false, "completed"},
	} {
		for _, header := range []string{kimitest.Header("1.4"), "", kimitest.Header("1.5")} {
			t.Run(c.name+header, func(t *testing.T) {
				r := loadWire(t, header+c.wire, sec(100))
				if r.OpenTurn != c.open || r.Work.LastTurnReason != c.last {
					t.Errorf("open %v, last %q, want %v, %q", r.OpenTurn, r.Work.LastTurnReason, c.open, c.last)
				}
				if slices.Contains(r.Facts, sessions.FactTwoWriters) {
					t.Error("two writers, but turns without ids cannot tell")
				}
			})
		}
	}
}

// TestCutJournal covers journals of which only the ends are read.
func TestCutJournal(t *testing.T) {
	long := kimitest.Record(3, `{"type":"llm.request","kind":"loop","text":"`+strings.Repeat("x", 200<<10)+`",`)
	head := kimitest.Header("1.5") + kimitest.Prompt(0, 0, "the very first")
	for _, c := range []struct {
		name    string
		wire    string
		state   map[string]any
		main    sessions.Tri
		last    string
		problem string
		knows   bool
	}{
		{"a turn is told of at the end", head + long + kimitest.End(0, 4, "cancelled"), nil, sessions.No, "cancelled", "", false},
		{"steps of a turn are", head + long + kimitest.Step(0, 4, "tool_use"), nil, sessions.Yes, "", "", true},
		{"a step that failed and may be tried again is", head + long + kimitest.Step(0, 4, "error"), nil, sessions.Yes, "", "", true},
		{"its last step is", head + long + kimitest.Step(0, 4, "end_turn"), nil, sessions.No, "", "", false},
		{"nothing is; version 2 has no reason", head + long + plain("usage.record", 4), nil, sessions.Yes, "", "", false},
		{"nothing is; version 2 has one", head + long + plain("usage.record", 4),
			map[string]any{"lastTurnReason": "completed"}, sessions.No, "completed", "", false},
		{"nothing is; version 1 does not tell", head + long + plain("usage.record", 4),
			map[string]any{"version": nil}, sessions.Unknown, "", "", false},
		{"the end is one line", head + long, nil, sessions.Yes, "", "", false},
		{"the end is torn", head + strings.TrimSuffix(long, "\n"), nil, sessions.Yes, "",
			"the last line is cut off (more than 65536 bytes)", false},
		{"a cut line near the end is named by its place", head + long + "{\"type\":\"x\n" + kimitest.Turn(1, 5, "b"), nil,
			sessions.No, "completed", fmt.Sprintf("at byte %d cannot be read (10 bytes)", len(head)+len(long)), false},
		{"a cut line near the beginning by its number", head + "{\"type\":\"x\n" + long + kimitest.Turn(1, 5, "b"), nil,
			sessions.No, "completed", "line 4 cannot be read (10 bytes)", false},
		{"old protocol", kimitest.Header("1.4") + oldPrompt(0) + long + oldStep(4, "tool_use"), nil, sessions.Yes, "", "", true},
		{"old protocol, last step", kimitest.Header("1.4") + oldPrompt(0) + long + oldStep(4, "end_turn"), nil, sessions.No, "completed", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(realTemp(t), "home")
			s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", Wire: c.wire, State: c.state}
			s.Make(t, home)
			r, err := kimi.New(kimi.Config{Home: home}).Load(s.Key(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if r.Work.MainTurnActive != c.main || r.Work.LastTurnReason != c.last {
				t.Errorf("main turn %v, last %q, want %v, %q", tri(r.Work.MainTurnActive), r.Work.LastTurnReason, tri(c.main), c.last)
			}
			if known := r.Work.PendingInteraction == "none"; known != (c.main == sessions.No || c.knows) {
				t.Errorf("waits for %q", r.Work.PendingInteraction)
			}
			if got := strings.Join(r.Problems, "; "); !strings.HasSuffix(got, c.problem) || c.problem == "" && got != "" {
				t.Errorf("problems %q, want %q", got, c.problem)
			}
			if want := "the very first"; strings.HasPrefix(c.wire, head) && r.Title != want {
				t.Errorf("title %q, want %q", r.Title, want)
			}
		})
	}
}

func TestSubagents(t *testing.T) {
	home := filepath.Join(realTemp(t), "home")
	s := kimitest.Session{Bucket: "wd_a_0123456789ab", ID: "session_a", Wire: kimitest.Header("1.5") + kimitest.Turn(0, 0, "a"),
		State: map[string]any{"agents": map[string]any{
			"main": map[string]any{"type": "main"}, "agent-1": map[string]any{"type": "sub", "parentAgentId": "main"}}}}
	s.Make(t, home)
	wire := filepath.Join(s.Dir(home), "agents", "agent-1", "wire.jsonl")
	src := kimi.New(kimi.Config{Home: home})
	for _, c := range []struct {
		name, wire, busy, waits string
		now                     int
	}{
		{"idle", kimitest.Turn(0, 1, "sub"), "no", "none", 100},
		{"a turn of its own", kimitest.Prompt(0, 1, "sub"), "yes", "none", 100},
		{"it asks", kimitest.Prompt(0, 1, "sub") + ask("approval", "x", 0, 2), "yes", "approval", 100},
		{"silent for long, but nothing happened since", kimitest.Prompt(0, 1, "sub"), "yes", "none", 3600},
	} {
		t.Run(c.name, func(t *testing.T) {
			kimitest.Write(t, wire, []byte(kimitest.Header("1.5")+c.wire))
			r, err := src.Load(s.Key(), sec(c.now))
			if err != nil {
				t.Fatal(err)
			}
			if tri(r.Work.Busy) != c.busy || r.Work.PendingInteraction != c.waits || r.Work.MainTurnActive != sessions.No || r.OpenTurn {
				t.Errorf("work %+v, open %v", r.Work, r.OpenTurn)
			}
			want := []sessions.Agent{{ID: "agent-1", Type: "sub", Parent: "main"}, {ID: "main", Type: "main"}}
			slices.SortFunc(r.Agents, func(a, b sessions.Agent) int { return strings.Compare(a.ID, b.ID) })
			if !slices.Equal(r.Agents, want) || r.AgentCount != 2 {
				t.Errorf("agents %+v, %d", r.Agents, r.AgentCount)
			}
		})
	}
	kimitest.Write(t, wire, []byte(kimitest.Prompt(0, 1, "sub")))
	kimitest.Append(t, s.WirePath(home), kimitest.Turn(1, 50, "the main agent went on without it"))
	if r, err := src.Load(s.Key(), sec(3600)); err != nil || r.Work.Busy != sessions.No {
		t.Errorf("a subagent that died before the main agent's last turn: %+v, %v", r.Work, err)
	}
}
