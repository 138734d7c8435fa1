package kimi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
)

// oneSession makes a sound session in a home of its own.
func oneSession(t testing.TB) (*kimi.Source, string, kimitest.Session) {
	t.Helper()
	home := filepath.Join(realTemp(t), "home")
	s := kimitest.Session{
		Bucket: "wd_a_0123456789ab", ID: "session_a", WorkDir: "/home/dev/work/a",
		Wire: kimitest.Header("1.5") + kimitest.Turn(0, 0, "first") + kimitest.Turn(1, 5, "second"),
	}
	s.Make(t, home)
	return kimi.New(kimi.Config{Home: home}), home, s
}

func mustLoad(t testing.TB, src *kimi.Source, key string, now time.Time) *sessions.Record {
	t.Helper()
	r, err := src.Load(key, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDamagedJournal is about lines that cannot be read: each is said, and spoils nothing else.
func TestDamagedJournal(t *testing.T) {
	before := kimitest.Header("1.5") + kimitest.Turn(0, 0, "first") // 7 lines
	after := kimitest.Turn(1, 5, "second")
	const wire = "agents/main/wire.jsonl "
	for _, c := range []struct {
		name, wire string
		want       []string
	}{
		{"B02 a torn record with the next one fused to it",
			before + `{"type":"task.terminated","taskId":"t1","out":"ab{"type":"task.terminated","taskId":"t1"}` + "\n" + after,
			[]string{wire + "line 8 cannot be read (89 bytes)"}},
		{"two whole records on one line", before + strings.Replace(after, "\n", "", 1),
			[]string{wire + "line 8 holds more than one record"}},
		{"B04 a hole in the middle", before + strings.Repeat("\x00", 512) + "\n" + after,
			[]string{wire + "line 8 holds 512 NUL bytes"}},
		{"a hole and a record behind it", before + strings.Repeat("\x00", 512) + after,
			[]string{wire + "line 8 holds 512 NUL bytes"}},
		{"B05 a tail of NULs", before + after + strings.Repeat("\x00", 300),
			[]string{wire + "line 14 is cut off after 300 NUL bytes"}},
		{"B08 a torn last line", before + after + `{"type":"turn.prompt","agentId":"ma`,
			[]string{wire + "line 14 is cut off at the end of the file (35 bytes)"}},
		{"a whole last line without its newline is torn too", before + after + `{"type":"forked"}`,
			[]string{wire + "line 14 is cut off at the end of the file (17 bytes)"}},
		{"B07 an escaped NUL is no damage", before + `{"type":"tool","out":"\u0000"}` + "\n" + after, nil},
		{"blank lines are none", before + "\n\r\n" + after, nil},
		{"many", before + strings.Repeat("{\n", 9) + after, []string{
			wire + "line 8 cannot be read (1 bytes)", wire + "line 9 cannot be read (1 bytes)",
			wire + "line 10 cannot be read (1 bytes)", wire[:len(wire)-1] + " has 6 more lines that cannot be read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := loadWire(t, c.wire, time.Now())
			if !slices.Equal(r.Problems, c.want) {
				t.Errorf("problems %q\nwant     %q", r.Problems, c.want)
			}
			if damaged := slices.Contains(r.Facts, sessions.FactDamaged); damaged != (c.want != nil) {
				t.Errorf("facts %q", r.Facts)
			}
			if r.Work.LastTurnReason != "completed" || r.OpenTurn || r.Title != "first" {
				t.Errorf("the rest was not kept: %+v, title %q", r.Work, r.Title)
			}
		})
	}
}

// TestInFlight is about what may be under way: it asks for another reading, and is damage only after that.
func TestInFlight(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t testing.TB, home string, s kimitest.Session)
	}{
		{"B08 a torn last line", func(t testing.TB, home string, s kimitest.Session) {
			kimitest.Append(t, s.WirePath(home), `{"type":"turn.pro`)
		}},
		{"B11 an empty state.json", func(t testing.TB, home string, s kimitest.Session) {
			write(t, filepath.Join(s.Dir(home), "state.json"), "")
		}},
		{"B10 a torn state.json", func(t testing.TB, home string, s kimitest.Session) {
			write(t, filepath.Join(s.Dir(home), "state.json"), `{"id":"session_a","ver`)
		}},
		{"a missing state.json", func(t testing.TB, home string, s kimitest.Session) {
			if err := os.Remove(filepath.Join(s.Dir(home), "state.json")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, home, s := oneSession(t)
			c.do(t, home, s)
			now := time.Now()
			r := mustLoad(t, src, s.Key(), now)
			if len(r.Problems) > 0 || slices.Contains(r.Facts, sessions.FactDamaged) {
				t.Errorf("at once: facts %q, problems %q", r.Facts, r.Problems)
			}
			if wait := r.Settle.Sub(now); wait <= 0 || wait > 2*time.Second {
				t.Fatalf("settles after %v, want at most 2 s", wait)
			}
			r = mustLoad(t, src, s.Key(), r.Settle)
			if len(r.Problems) != 1 || !slices.Contains(r.Facts, sessions.FactDamaged) || !r.Settle.IsZero() {
				t.Errorf("after it: facts %q, problems %q, settles at %v", r.Facts, r.Problems, r.Settle)
			}
		})
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUnreadableMetadata is about what takes its place (bugs B10, B11).
func TestUnreadableMetadata(t *testing.T) {
	for _, c := range []struct{ name, state, problem string }{
		{"not JSON", `{bad json`, "metadata unreadable: state.json is not valid JSON"},
		{"empty", ``, "metadata unreadable: state.json is empty"},
		{"torn", `{"id":"session_x","cwd":"/home/dev/other","title":"torn`, "metadata unreadable: state.json is not valid JSON"},
		{"more than JSON", `{"id":"session_x"}}`, "metadata unreadable: state.json is not valid JSON"},
		{"NULs", strings.Repeat("\x00", 381), "metadata unreadable: state.json is not valid JSON"},
		{"too large", `{"id":"session_x","title":"` + strings.Repeat("x", 4<<20) + `"}`,
			"metadata unreadable: state.json has 4194333 bytes, more than 4194304"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, home, s := oneSession(t)
			kimitest.Write(t, filepath.Join(s.Dir(home), "state.json"), []byte(c.state))
			r := mustLoad(t, src, s.Key(), time.Now())
			if !slices.Equal(r.Problems, []string{c.problem}) || !slices.Contains(r.Facts, sessions.FactDamaged) {
				t.Errorf("facts %q, problems %q", r.Facts, r.Problems)
			}
			if r.ID != "session_a" || r.Title != "first" || r.WorkDir != "/home/dev/work/a" || r.Project != "a" {
				t.Errorf("id %q, title %q, work folder %q, project %q", r.ID, r.Title, r.WorkDir, r.Project)
			}
			if !r.CreatedAt.Equal(kimitest.Began) || !r.UpdatedAt.Equal(sec(7)) {
				t.Errorf("created %v, updated %v", r.CreatedAt, r.UpdatedAt)
			}
			if r.Archived != sessions.Unknown || !r.Open || r.AgentCount != 1 {
				t.Errorf("archived %v, open %v, %d agents", tri(r.Archived), r.Open, r.AgentCount)
			}
		})
	}
}

// TestNothingReadable keeps the row of a session of which every file is broken.
func TestNothingReadable(t *testing.T) {
	src, home, s := oneSession(t)
	kimitest.Write(t, filepath.Join(s.Dir(home), "state.json"), nil)
	kimitest.Write(t, s.WirePath(home), bytes.Repeat([]byte{0}, 200_000))
	kimitest.Write(t, filepath.Join(home, "session_index.jsonl"), nil)
	r := mustLoad(t, src, s.Key(), time.Now())
	if r.ID != "session_a" || r.UpdatedAt.IsZero() || len(r.Problems) < 2 || r.Work.MainTurnActive != sessions.Unknown {
		t.Errorf("id %q, updated %v, work %+v, problems %q", r.ID, r.UpdatedAt, r.Work, r.Problems)
	}
}

// TestCutAnywhere is B16: a journal cut at any byte tells a beginning of what the whole one tells.
func TestCutAnywhere(t *testing.T) {
	src, home, s := oneSession(t)
	whole := []byte(s.Wire)
	lines := bytes.Count(whole, []byte("\n"))
	for cut := range len(whole) {
		kimitest.Write(t, s.WirePath(home), whole[:cut])
		r := mustLoad(t, src, s.Key(), time.Now())
		torn := cut > 0 && whole[cut-1] != '\n'
		var want []string
		if torn {
			n := bytes.LastIndexByte(whole[:cut], '\n') + 1
			want = []string{fmt.Sprintf("agents/main/wire.jsonl line %d is cut off at the end of the file (%d bytes)",
				bytes.Count(whole[:cut], []byte("\n"))+1, cut-n)}
		}
		if !slices.Equal(r.Problems, want) {
			t.Fatalf("cut at %d of %d lines: problems %q, want %q", cut, lines, r.Problems, want)
		}
	}
}

// TestWireOf2GiB reads a sparse journal: it takes the bytes that a small one takes.
func TestWireOf2GiB(t *testing.T) {
	home := filepath.Join(realTemp(t), "home")
	var records []*sessions.Record
	for _, size := range []int64{2 << 20, 2 << 30} {
		r := mustLoad(t, kimi.New(kimi.Config{Home: home}), holed(t, home, size), time.Now())
		if r.Work.LastTurnReason != "completed" || r.Title != "do something, please" || r.Work.MainTurnActive != sessions.No {
			t.Errorf("%d bytes: %+v, title %q", size, r.Work, r.Title)
		}
		r.Key, r.ID, r.Path, r.Stamp, r.Trace, r.WireBytes = "", "", "", 0, nil, 0
		records = append(records, r)
	}
	if !reflect.DeepEqual(records[0], records[1]) {
		t.Errorf("2 MiB: %+v\n2 GiB: %+v", records[0], records[1])
	}
}

// TestManyAgents is B22: 5,000 agents are one row.
func TestManyAgents(t *testing.T) {
	src, home, s := oneSession(t)
	sub := kimitest.Header("1.5") + kimitest.Turn(0, 1, "sub")
	agent := func(i int) string {
		return filepath.Join(s.Dir(home), "agents", fmt.Sprintf("agent-%d", i), "wire.jsonl")
	}
	for i := range 5000 {
		if i%1000 == 0 { // names of one file, which is quicker than as many files
			kimitest.Write(t, agent(i), []byte(sub))
			continue
		}
		if err := os.Mkdir(filepath.Dir(agent(i)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(agent(i-i%1000), agent(i)); err != nil {
			t.Fatal(err)
		}
	}
	newest := agent(5001)
	kimitest.Write(t, newest, []byte(sub))
	kimitest.Append(t, newest, kimitest.Prompt(1, 9, "one more"))
	start := time.Now()
	r := mustLoad(t, src, s.Key(), time.Now())
	t.Logf("read in %v", time.Since(start))
	if r.AgentCount != 5002 || len(r.Agents) != sessions.MaxAgents || r.Agents[0].ID != "main" {
		t.Errorf("%d agents, %d listed, first %+v", r.AgentCount, len(r.Agents), r.Agents[0])
	}
	if r.Work.Busy != sessions.Yes {
		t.Error("the newest agent works, but the session is not busy")
	}
	n := 0
	if err := src.List(t.Context(), func(string) { n++ }); err != nil || n != 1 {
		t.Errorf("%d sessions, %v", n, err)
	}
	before, err := src.Stamp(s.Key())
	if err != nil || before != r.Stamp {
		t.Errorf("stamp %v, %v, want %v", before, err, r.Stamp)
	}
	kimitest.Append(t, agent(17), "\n")
	if after, err := src.Stamp(s.Key()); err != nil || after == before {
		t.Errorf("a journal grew, the stamp stayed %v, %v", after, err)
	}
}
