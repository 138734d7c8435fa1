package sessions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// classified is a row as the Index would have it.
func classified(rec *Record, change ...func(*Situation)) *Session {
	s := Situation{Record: rec, Writer: nobody, Lock: dead}
	for _, c := range change {
		c(&s)
	}
	row, _ := Classify(s, noon, DefaultPolicy())
	return row
}

func living(s *Situation) { s.Lock, s.Writer = lives, writing }
func asking(id string) func(*Record) {
	return func(r *Record) {
		waitingForApproval(r)
		r.Trace = &Trace{Asked: id}
	}
}

// TestNewsOf is what a person should be told, and what not. A step leads from one row to the next.
func TestNewsOf(t *testing.T) {
	free, locked, left := classified(kimiRecord()), classified(kimiRecord(locked), living), classified(kimiRecord(locked))
	working, broken := classified(kimiRecord(inTurn), living), classified(kimiRecord(inTurn))
	asks1, asks2 := classified(kimiRecord(inTurn, asking("q1")), living), classified(kimiRecord(inTurn, asking("q2")), living)
	archive := classified(kimiRecord(archived, inTurn))
	open, idle, closed := classified(noteRecord("active")), classified(noteRecord("active", idleFor(13*time.Hour))), classified(noteRecord("done"))
	blocked := classified(noteRecord("blocked"))
	older := view{who: alice, since: ago(time.Minute), by: &bob}

	tests := []struct {
		name   string
		step   step
		want   []string // kinds
		silent bool
		says   string
	}{
		{name: "nothing", step: step{old: free, row: free}},
		{name: "a lock is taken and released", step: step{old: locked, row: free}},
		{name: "another client took it", step: step{old: free, row: locked, taken: &takeover{from: alice, by: bob, at: noon}}, want: []string{"taken-over"},
			says: "Kimi (pid 50) took Fix login from Kimi in a terminal (pid 40, pts/2)"},
		{name: "a client is out of date", step: step{old: free, row: free, is: []view{older}}, want: []string{"external-write"},
			says: "Kimi (pid 50) wrote in Fix login; Kimi in a terminal (pid 40, pts/2) has it open and is out of date"},
		{name: "by somebody unknown", step: step{old: free, row: free, is: []view{{who: alice, since: noon}}}, want: []string{"external-write"}, says: "another program wrote in"},
		{name: "still out of date", step: step{old: free, row: free, was: []view{older}, is: []view{older}}},
		{name: "a second client is out of date too", step: step{old: free, row: free, was: []view{older}, is: []view{older, {who: bob, since: noon, by: &alice}}}, want: []string{"external-write"}},
		{name: "no longer out of date", step: step{old: free, row: free, was: []view{older}}},
		{name: "the holder died", step: step{old: locked, row: left}, want: []string{"dead-lock-found"}, says: "kimi-code-cli 2.2.0 (pid 40) is dead and left the lock of Fix login behind"},
		{name: "its lock is gone", step: step{old: left, row: free}, want: []string{"reclaimed"}, says: "the dead lock of Fix login is gone (it was that of kimi-code-cli 2.2.0 (pid 40))"},
		{name: "its lock is still there", step: step{old: left, row: left}},
		{name: "it asks", step: step{old: working, row: asks1}, want: []string{"waits-for-you"}, says: "Fix login waits for your approval"},
		{name: "it still asks", step: step{old: asks1, row: asks1}},
		{name: "it asks something else", step: step{old: asks1, row: asks2}, want: []string{"waits-for-you"}},
		{name: "it was answered", step: step{old: asks1, row: working}},
		{name: "its writer died", step: step{old: working, row: broken}, want: []string{"interrupted"}, says: "Fix login was interrupted inside a turn"},
		{name: "nobody came back", step: step{old: open, row: idle}, want: []string{"abandoned"}},
		{name: "somebody closed it", step: step{old: open, row: closed}, want: []string{"closed-elsewhere"}, says: "was closed elsewhere: its status is done"},
		{name: "somebody closed it in words of his own", step: step{old: open, row: blocked}, want: []string{"closed-elsewhere"}, says: "its status is blocked"},
		{name: "berth closed it", step: step{old: open, row: closed, ours: true}},
		{name: "a closed one changes", step: step{old: closed, row: blocked}},
		{name: "a closed one appears", step: step{row: closed}},
		{name: "B136: archived in the middle", step: step{old: working, row: archive}},
		{name: "B136: it comes back", step: step{old: archive, row: broken}, want: []string{"interrupted"}, silent: true},
		{name: "B136: a closed note comes back", step: step{old: closed, row: idle}, want: []string{"abandoned"}, silent: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.step.now, tt.step.policy = noon, DefaultPolicy()
			var got []string
			for _, n := range newsOf(tt.step) {
				got = append(got, string(n.Kind))
				if tt.step.silent(n.Kind) != tt.silent {
					t.Errorf("%s: silent %v", n.Kind, !tt.silent)
				}
				if !strings.Contains(n.String(), tt.says) {
					t.Errorf("it says %q, want %q", n.String(), tt.says)
				}
				if !n.At.Equal(noon) || n.Title == "" || !strings.HasPrefix(n.Key, n.Episode[:strings.IndexByte(n.Episode, '|')]) {
					t.Errorf("news = %+v", n)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("news = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNewsKeys: a key tells facts apart, and is the same for the same fact however often it is seen (bug B134).
func TestNewsKeys(t *testing.T) {
	keys := func(old, row *Session) []string {
		var all []string
		for _, n := range newsOf(step{old: old, row: row, now: time.Now(), policy: DefaultPolicy()}) {
			all = append(all, n.Key)
		}
		return all
	}
	token := func(text string) func(*Record) { return func(r *Record) { r.Lock.Record.Token = text } }
	first := keys(nil, classified(kimiRecord(locked, token("t1"))))
	again := keys(classified(kimiRecord()), classified(kimiRecord(locked, token("t1"))))
	other := keys(nil, classified(kimiRecord(locked, token("t2"))))
	if len(first) != 1 || !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("keys %q, %q, %q", first, again, other)
	}
	if want := "kimi:session_a|dead-lock-found|t1"; first[0] != want {
		t.Errorf("key = %q, want %q", first[0], want)
	}
	twin := keys(nil, classified(kimiRecord(locked, token("t1")), func(s *Situation) { s.SameID = true }))
	if len(twin) != 1 || twin[0] == first[0] {
		t.Errorf("a session that shares its id has the key %q", twin)
	}
}

// newsLines are what sub has received as news so far, as "KIND KEY".
func newsLines(sub *Subscription) []string {
	var got []string
	for {
		select {
		case e := <-sub.C:
			for _, n := range e.News {
				key := ""
				if e.Session != nil {
					key = " " + e.Session.Key
				}
				got = append(got, string(n.Kind)+key)
			}
		default:
			return got
		}
	}
}

// journal gives a session a main journal of n bytes; text stands for its content.
func journal(n int64, text uint64) func(*Record) {
	return func(r *Record) { r.Trace = &Trace{Wires: []Wire{wire(1, n, text)}} }
}

// TestTakeoverIsTold: two clients that give themselves away write one after the other; the first lives and is told to
// be out of date until it ends.
func TestTakeoverIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", journal(100, 1))), nil)
		r.procs.start(40, "/p")
		r.procs.start(50, "/p")
		sub := r.index.Subscribe(128)
		defer sub.Close()
		write := func(pid int, n int64) {
			r.disk.put(session("a", journal(n, uint64(n))))
			r.hint(fmt.Sprint("a.tmp.", pid), "a")
			pass(2 * time.Second)
		}
		write(40, 200)
		write(40, 300)
		r.want("one client", "a active")
		write(50, 400)
		r.want("two clients", "a stale external-write")
		if got, want := newsLines(sub), []string{"external-write a", "taken-over a"}; !slices.Equal(got, want) {
			t.Errorf("news = %q, want %q", got, want)
		}
		write(50, 500)
		pass(time.Hour)
		if got := newsLines(sub); got != nil {
			t.Errorf("later: news = %q", got)
		}
		r.procs.kill(40)
		synctest.Wait()
		r.want("the first has ended", "a active")
	})
}

// TestLockBlinksUntold is B55: a lock that comes and goes ten times in two seconds, and one that goes from hand to hand.
func TestLockBlinksUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a")), nil)
		r.procs.start(40, "/p")
		r.procs.start(50, "/p")
		r.rescan()
		sub := r.index.Subscribe(128)
		defer sub.Close()
		hold := func(pid int) {
			rec := session("a")
			if pid != 0 {
				lockedBy(pid)(rec)
				rec.Lock.Record.Token = fmt.Sprint(pid, time.Now())
			}
			r.disk.put(rec)
			r.hint("a")
			pass(200 * time.Millisecond)
		}
		for range 10 {
			hold(40)
			hold(0)
		}
		for range 5 {
			hold(50)
			hold(40)
		}
		pass(time.Hour)
		if got := newsLines(sub); got != nil {
			t.Errorf("news = %q", got)
		}
		hold(50)
		pass(time.Hour)
		if got, want := newsLines(sub), []string{"taken-over a"}; !slices.Equal(got, want) {
			t.Errorf("news = %q, want %q", got, want)
		}
	})
}

// TestLastWordsUnderALock: what a holder wrote before it died is its own, also when the event comes late; what comes
// after is not.
func TestLastWordsUnderALock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lock := func(r *Record) {
			lockedBy(40)(r)
			r.Lock.Record.Token = "t"
		}
		r := newRig(t, newDisk("kimi", "/home", session("a", lock, journal(100, 1))), nil)
		r.procs.start(40, "/p")
		r.rescan()
		r.disk.put(session("a", lock, journal(200, 2)))
		r.procs.kill(40)
		synctest.Wait()
		r.hint("a")
		r.want("its last words", "a stale dead-lock")
		r.disk.put(session("a", lock, journal(300, 3)))
		r.hint("a")
		r.want("somebody else's", "a stale unlocked-write dead-lock")
		r.disk.put(session("a", journal(300, 3)))
		r.hint("a")
		r.want("without the lock", "a active")
		r.stop()
		if e := r.index.stores[0].entries["a"]; e.memory != nil && e.memory.past.hold.token != "" {
			t.Errorf("it still remembers %+v", e.memory.past.hold)
		}
	})
}

// TestClientMovesOn: a client that a person runs has one session open; what happens in the one before is none of its
// business any more. A server keeps all of them.
func TestClientMovesOn(t *testing.T) {
	for name, want := range map[string]string{"a client": "a active", "a server": "a stale external-write"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDisk("kimi", "/home", session("a", journal(100, 1)), session("b", journal(100, 1)))
				r := newListedRig(t, d, func(cfg *IndexConfig) {
					if name == "a server" {
						cfg.Sources = []Source{home{d, []Server{{PID: 40, Name: "Kimi server"}}}}
					}
				})
				r.procs.start(40, "/p")
				r.procs.start(50, "/p")
				for i, w := range []struct {
					key string
					pid int
				}{{"a", 40}, {"b", 40}, {"a", 50}} {
					d.put(session(w.key, journal(int64(200+i), uint64(2+i))))
					r.hint(fmt.Sprint(w.key, ".tmp.", w.pid), w.key)
					pass(2 * time.Second)
				}
				r.want("in the end", want, "b active")
			})
		})
	}
}

// memo is a Told that outlives an Index.
type memo struct {
	last time.Time
	told map[string]bool
}

func (m *memo) LastRun() time.Time { return m.last }
func (m *memo) First(key string) bool {
	first := !m.told[key]
	m.told[key] = true
	return first
}

// TestToldOnceAcrossRestarts is B134: five restarts repeat nothing, and tell what happened between two runs.
func TestToldOnceAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("old", openTurn))
		m := &memo{told: map[string]bool{}}
		run := func(during func(r *rig)) []string {
			pass(time.Hour)
			r := newRig(t, d, func(cfg *IndexConfig) { cfg.Told = m })
			sub := r.index.Subscribe(128)
			defer sub.Close()
			r.rescan()
			if during != nil {
				during(r)
			}
			pass(time.Minute)
			got := newsLines(sub)
			r.stop()
			m.last = time.Now()
			return got
		}
		if got := run(nil); got != nil {
			t.Errorf("the first run told %q, though all of it is old", got)
		}
		got := run(func(r *rig) {
			c := r.procs.start(40, "/p")
			d.put(session("new", openTurn))
			r.hint("new")
			r.procs.kill(c.PID)
			pass(time.Minute)
		})
		if want := []string{"interrupted new"}; !slices.Equal(got, want) {
			t.Errorf("news = %q, want %q", got, want)
		}
		pass(time.Hour)
		d.put(session("between", openTurn))
		if got, want := run(nil), []string{"interrupted between"}; !slices.Equal(got, want) {
			t.Errorf("between two runs: news = %q, want %q", got, want)
		}
		for range 5 {
			if got := run(nil); got != nil {
				t.Errorf("told again: %q", got)
			}
		}
	})
}

// TestArchivedIsSilent is B136: archive, change, restore.
func TestArchivedIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a")), nil)
		sub := r.index.Subscribe(128)
		defer sub.Close()
		put := func(change ...func(*Record)) {
			r.disk.put(session("a", change...))
			r.hint("a")
			pass(time.Minute)
		}
		put(archived)
		put(archived, openTurn, waitingForApproval)
		put(openTurn)
		put(archived, openTurn)
		put(openTurn)
		if got := newsLines(sub); got != nil {
			t.Errorf("news = %q", got)
		}
		r.want("in the end", "a stale interrupted")
	})
}

// TestNewsOfManyChanges: nothing is lost when so much changes that the rows are not told one by one.
func TestNewsOfManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("vault", "/vault")
		for i := range 2 * maxSingleEvents {
			d.put(session(fmt.Sprint("n", i), activeNote))
		}
		r := newListedRig(t, d, nil)
		sub := r.index.Subscribe(128)
		defer sub.Close()
		var keys []string
		for i := range 2 * maxSingleEvents {
			keys = append(keys, fmt.Sprint("n", i))
			d.put(session(keys[i], func(r *Record) { r.StatusWord, r.Open = "done", false }))
		}
		r.hint(keys...)
		if got := newsLines(sub); len(got) != len(keys) || got[0] != string(NewsClosed) {
			t.Errorf("%d news, want %d", len(got), len(keys))
		}
	})
}

// TestUntoldIsBounded: without a lasting memory what was told is forgotten some day, not kept for ever.
func TestUntoldIsBounded(t *testing.T) {
	u := untold{}
	for i := range 3 * maxUntold {
		if !u.First(fmt.Sprint(i)) || u.First(fmt.Sprint(i)) || len(u) > maxUntold {
			t.Fatalf("key %d, %d are kept", i, len(u))
		}
	}
}
