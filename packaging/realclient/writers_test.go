//go:build realclient && linux

package realclient

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// start is how long a client may take to start, on a machine that is busy with others.
	start = time.Minute
	// saysBy is how long after something berth may take to say who did it. It counts what is said at its end.
	saysBy = 2 * time.Second
	// apart is how long two clients have to be apart for berth to call one out of date: who of two that write within
	// about a second was first it leaves open.
	apart = 2 * time.Second
)

// stage is where several clients write at once, and what berth said of them.
type stage struct {
	*world
	watch        *watcher
	alone, among score
}

// TestWriters lets real clients write side by side and scores whom berth names. The scenes are independent of one
// another, each in work folders of its own.
func TestWriters(t *testing.T) {
	w := newWorld(t)
	s := &stage{world: w, watch: startWatch(t, w.command(context.Background(), w.berth, "watch", "--json"))}
	scenes := []struct {
		name string
		play func(*stage, *testing.T)
	}{
		{"one print after another", (*stage).onePrint},
		{"two prints on one session at once", (*stage).twoPrints},
		{"two prints on two sessions of one folder", (*stage).neighbours},
		{"a server and a print", (*stage).serverAndPrint},
		{"a terminal and a print", (*stage).terminalAndPrint},
		{"a crowd in one folder", (*stage).crowd},
		{"a print is terminated", (*stage).terminated},
		{"a torn last line is repaired", (*stage).torn},
		{"a broken line in the middle is repaired", (*stage).middle},
	}
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) { scene.play(s, t) })
	}
	report(t, s.alone, s.among)
}

// point is a moment at which it is known who writes.
type point struct {
	folder string
	pid    int
	alone  bool // it is the only client in its folder
	other  int  // another client that has a turn open in the session too: to name that one is to leave pid unnamed
	what   string
}

// turn scores who is said to hold a turn that has just begun. prompt is the name in its "[hold:NAME]".
func (s *stage) turn(t *testing.T, p point, prompt string) row {
	t.Helper()
	s.model.await(t, prompt)
	return s.holds(t, p)
}

// holds scores who is said to hold an open turn.
func (s *stage) holds(t *testing.T, p point) row {
	t.Helper()
	r, ok := s.watch.see(s.work(p.folder), saysBy, func(r row) bool { return heldBy(p.pid)(r) && r.Holder.Certainty == "proven" })
	if r.Status != "occupied" || !r.Work.Busy {
		t.Errorf("%s: it is %s %q, busy %v", p.what, r.Status, r.Reasons, r.Work.Busy)
	}
	said, proven := 0, false
	if r.Holder != nil {
		said, proven = r.Holder.PID, r.Holder.Certainty == "proven"
	}
	if p.other != 0 && said == p.other {
		said, proven = 0, false
	}
	s.count(p, said, proven)
	if !ok {
		t.Logf("%s: pid %d, not proven: %+v, %q", p.what, p.pid, r.Holder, r.Evidence)
	}
	return r
}

// wrote scores who is said to have written last, when nobody is at work any more and the session is as ok wants it.
func (s *stage) wrote(t *testing.T, p point, what string, ok func(row) bool) row {
	t.Helper()
	r, found := s.watch.see(s.work(p.folder), saysBy, func(r row) bool {
		return ok(r) && r.LastWriter != nil && r.LastWriter.PID == p.pid
	})
	if !ok(r) {
		t.Errorf("%s: it is %s %q, busy %v, last turn %q; want it %s: %q", p.what, r.Status, r.Reasons, r.Work.Busy, r.Work.LastTurnReason, what, r.Evidence)
	}
	said := 0
	if r.LastWriter != nil {
		said = r.LastWriter.PID
	}
	s.count(p, said, said != 0)
	if !found {
		t.Logf("%s: pid %d, but %+v is said to have written last", p.what, p.pid, r.LastWriter)
	}
	return r
}

// completed is wrote after a turn that ended well.
func (s *stage) completed(t *testing.T, p point) row {
	t.Helper()
	return s.wrote(t, p, "settled", settled("completed"))
}

// outdated is wrote while another client has the session open and does not know of what was written.
func (s *stage) outdated(t *testing.T, p point) row {
	t.Helper()
	return s.wrote(t, p, "out of date for another client", func(r row) bool {
		return r.Status == "stale" && slices.Equal(r.Reasons, []string{"external-write"}) && !r.Work.Busy
	})
}

func (s *stage) count(p point, said int, proven bool) {
	if p.alone {
		s.alone.add(said, proven, p.pid)
	} else {
		s.among.add(said, proven, p.pid)
	}
}

// interrupted waits until it is said that a turn has lost its process.
func (s *stage) interrupted(t *testing.T, folder string) {
	t.Helper()
	s.watch.await(t, s.work(folder), folder+" is interrupted", soon, func(r row) bool {
		return r.Status == "stale" && slices.Equal(r.Reasons, []string{"interrupted"}) && !r.Work.Busy && r.Holder == nil
	})
}

// onePrint is the common case: one client at a time in each folder, folders side by side.
func (s *stage) onePrint(t *testing.T) {
	folders := []string{"one", "two", "three"}
	for _, args := range [][]string{{"-p"}, {"-c", "-p"}, {"-c", "-p"}} {
		clients := map[string]*client{}
		for _, f := range folders {
			clients[f] = s.start(t, f, append(slices.Clone(args), "hello from "+f+" [hold:"+f+"]")...)
		}
		for _, f := range folders {
			p := point{folder: f, pid: clients[f].Process.Pid, alone: true, what: "a print in " + f}
			r := s.turn(t, p, f)
			if r.Holder == nil || r.Holder.Client != "Kimi" {
				t.Errorf("a print is called %+v", r.Holder)
			}
			s.model.release(f)
			clients[f].finish(t, 0)
			s.completed(t, p)
		}
	}
}

// twoPrints lets a second print begin a turn inside the turn of a first; each is the one that ends first once, and one
// is killed.
func (s *stage) twoPrints(t *testing.T) {
	const f = "both"
	first := s.start(t, f, "-p", "first [hold:a]")
	a := point{folder: f, pid: first.Process.Pid, what: "the first"}
	id := s.turn(t, a, "a").ID
	second := s.start(t, f, "-S", id, "-p", "second [hold:b]")
	b := point{folder: f, pid: second.Process.Pid, other: a.pid, what: "the second inside the first"}
	s.turn(t, b, "b")
	s.model.release("b")
	second.finish(t, 0)
	s.holds(t, point{folder: f, pid: a.pid, what: "the first, after the end of the second"})
	s.model.release("a")
	first.finish(t, 0)
	s.completed(t, a)

	third := s.start(t, f, "-S", id, "-p", "third [hold:c]")
	c := point{folder: f, pid: third.Process.Pid, what: "the third"}
	s.turn(t, c, "c")
	fourth := s.start(t, f, "-S", id, "-p", "fourth [hold:d]")
	d := point{folder: f, pid: fourth.Process.Pid, other: c.pid, what: "the fourth inside the third"}
	s.turn(t, d, "d")
	third.Process.Kill()
	third.finish(t, -1)
	s.holds(t, point{folder: f, pid: d.pid, what: "the fourth, after the third was killed"})
	fourth.Process.Kill()
	fourth.finish(t, -1)
	s.interrupted(t, f)
}

// neighbours kills a print while another works on another session of the folder, which comes into question for the
// open turn if all that is known is the folder.
func (s *stage) neighbours(t *testing.T) {
	const f = "street"
	stays := s.start(t, f, "-p", "stays [hold:stays]")
	s.turn(t, point{folder: f, pid: stays.Process.Pid, what: "the first"}, "stays")
	killed := s.start(t, f, "-p", "killed [hold:killed]")
	s.model.await(t, "killed")
	title := func(text string) func(row) bool {
		return func(r row) bool { return r.Title == text+" [hold:"+text+"]" }
	}
	both := func(pid int, is func(row) bool) func(row) bool {
		return func(r row) bool { return is(r) && heldBy(pid)(r) && r.Holder.Certainty == "proven" }
	}
	for text, c := range map[string]*client{"stays": stays, "killed": killed} {
		r, ok := s.watch.seeAny(s.work(f), saysBy, both(c.Process.Pid, title(text)))
		if !ok {
			t.Logf("%s: not proven", text)
		}
		said := 0
		if r.Holder != nil {
			said = r.Holder.PID
		}
		s.count(point{folder: f, pid: c.Process.Pid, what: text}, said, ok)
	}
	killed.Process.Kill()
	killed.finish(t, -1)
	if _, ok := s.watch.seeAny(s.work(f), soon, func(r row) bool { return title("killed")(r) && r.Status == "stale" }); !ok {
		t.Error("the session of the killed print is not interrupted while its neighbour lives")
	}
	s.model.release("stays")
	stays.finish(t, 0)
}

// serverAndPrint lets a server and a print take turns on one session.
func (s *stage) serverAndPrint(t *testing.T) {
	const f = "served"
	srv := s.openServer(t)
	id := srv.create(t, s.work(f))
	web := point{folder: f, pid: srv.Process.Pid, alone: true, what: "the server"}
	srv.ask(t, id, "from the server [hold:web]")
	r := s.turn(t, web, "web")
	if r.Holder == nil || r.Holder.Client != "Kimi server" || r.Holder.Where == "" {
		t.Errorf("the server is called %+v", r.Holder)
	}
	s.model.release("web")
	s.completed(t, web)

	time.Sleep(apart)
	c := s.start(t, f, "-S", id, "-p", "from a print [hold:cli]")
	cli := point{folder: f, pid: c.Process.Pid, what: "the print"}
	s.turn(t, cli, "cli")
	s.model.release("cli")
	c.finish(t, 0)
	s.outdated(t, cli)

	web.alone = false
	time.Sleep(apart)
	srv.ask(t, id, "from the server again [hold:again]")
	s.turn(t, web, "again")
	srv.Process.Kill()
	srv.finish(t, -1)
	s.interrupted(t, f)
}

// terminalAndPrint lets a print write inside the turn of a terminal client, which draws all the while. SIGTERM leaves
// the terminal client's turn open.
func (s *stage) terminalAndPrint(t *testing.T) {
	const f = "terminal"
	term := s.openTerminal(t, f)
	tui := point{folder: f, pid: term.pid, alone: true, what: "the terminal client"}
	term.ask(t, "from the terminal [hold:tui]")
	r := s.turn(t, tui, "tui")
	if r.Holder == nil || r.Holder.Client != "Kimi in a terminal" || r.Holder.Where == "" {
		t.Errorf("the terminal client is called %+v", r.Holder)
	}
	time.Sleep(apart)
	c := s.start(t, f, "-S", r.ID, "-p", "from a print [hold:cli2]")
	cli := point{folder: f, pid: c.Process.Pid, other: tui.pid, what: "the print inside the terminal client's turn"}
	s.turn(t, cli, "cli2")
	s.model.release("cli2")
	c.finish(t, 0)
	tui.alone = false
	s.holds(t, tui)
	s.model.release("tui")
	s.outdated(t, tui)

	term.ask(t, "once more [hold:tui2]")
	s.turn(t, tui, "tui2")
	if err := unix.Kill(term.pid, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.interrupted(t, f)
}

// crowd lets six prints work in one folder at once, two on each of three sessions, and checks every word that was
// said of them: who was ever called proven was started on that session.
func (s *stage) crowd(t *testing.T) {
	const f, sessions, each = "crowd", 3, 2
	type member struct {
		*client
		gate string
	}
	truth := map[string][]int{} // by the session's path
	ids := map[string]string{}
	for range sessions {
		c := s.start(t, f, "-p", "hello")
		c.finish(t, 0)
		r, ok := s.watch.seeAny(s.work(f), soon, func(r row) bool { return ids[r.Path] == "" && settled("completed")(r) })
		if !ok {
			t.Fatal("a new session is not seen")
		}
		ids[r.Path], truth[r.Path] = r.ID, []int{c.Process.Pid}
	}
	var members []member
	for path, id := range ids {
		for range each {
			m := member{gate: fmt.Sprintf("crowd%d", len(members))}
			m.client = s.start(t, f, "-S", id, "-p", "hello [tool] [hold:"+m.gate+"]")
			truth[path] = append(truth[path], m.Process.Pid)
			members = append(members, m)
		}
	}
	for _, m := range members {
		s.model.await(t, m.gate)
	}
	rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	for _, m := range members {
		s.model.release(m.gate)
		s.model.release(m.gate) // once more for what is asked after the tool call, if that comes to pass
		m.finish(t, 0)
	}
	for path, pids := range truth {
		s.checkProven(t, path, pids)
	}
}

// checkProven fails for each process that was ever called the proven holder or writer of a session and is none of pids.
func (s *stage) checkProven(t *testing.T, path string, pids []int) {
	t.Helper()
	rows := s.watch.history(path)
	for _, r := range rows {
		if h := r.Holder; h != nil && h.Certainty == "proven" && !slices.Contains(pids, h.PID) {
			t.Errorf("%s: pid %d is called its proven holder, want one of %v: %q", filepath.Base(path), h.PID, pids, r.Evidence)
		}
		if l := r.LastWriter; l != nil && !slices.Contains(pids, l.PID) {
			t.Errorf("%s: pid %d is called its last writer, want one of %v: %q", filepath.Base(path), l.PID, pids, r.Evidence)
		}
	}
	t.Logf("%s: %d rows, of %v", filepath.Base(path), len(rows), pids)
}

// terminated: a print that is asked to end closes its turn.
func (s *stage) terminated(t *testing.T) {
	const f = "terminated"
	c := s.start(t, f, "-p", "terminated in the middle [hold:term]")
	p := point{folder: f, pid: c.Process.Pid, alone: true, what: "the print"}
	s.turn(t, p, "term")
	c.Process.Signal(unix.SIGTERM)
	c.finish(t, 143)
	s.wrote(t, p, "cancelled", settled("cancelled"))
}

// torn cuts the last line of a journal.
func (s *stage) torn(t *testing.T) {
	s.repaired(t, "torn", func(wire []byte) []byte { return append(wire, `{"type":"turn.pro`...) })
}

// middle spoils a line in the middle of a journal; everything after it is lost when the client repairs it.
func (s *stage) middle(t *testing.T) {
	s.repaired(t, "middle", func(wire []byte) []byte {
		lines := bytes.SplitAfter(wire, []byte("\n"))
		lines[len(lines)-4] = []byte("{\"type\":\"turn.\x00\x00\n")
		return bytes.Join(lines, nil)
	})
}

// repaired spoils the journal of a quiet session and lets a client repair it, as it does when it opens one for writing.
func (s *stage) repaired(t *testing.T, f string, spoil func([]byte) []byte) {
	c := s.start(t, f, "-p", "hello")
	c.finish(t, 0)
	r := s.completed(t, point{folder: f, pid: c.Process.Pid, alone: true, what: "the first print"})
	path := filepath.Join(r.Path, "agents", "main", "wire.jsonl")
	wire, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, spoil(wire), 0o600); err != nil {
		t.Fatal(err)
	}
	s.watch.await(t, s.work(f), "the damage is seen", soon, func(r row) bool { return r.has("damaged") })
	c = s.start(t, f, "-c", "-p", "hello again [hold:"+f+"]")
	p := point{folder: f, pid: c.Process.Pid, alone: true, what: "the print that repairs it"}
	if r := s.turn(t, p, f); r.has("damaged") {
		t.Errorf("after the repair it is still damaged: %+v", r)
	}
	if _, err := os.Stat(path + ".bak"); err != nil {
		t.Errorf("the client did not repair it: %v", err)
	}
	s.model.release(f)
	c.finish(t, 0)
	s.completed(t, p)
}
