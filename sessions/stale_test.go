package sessions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/locks"
)

// wire is a main journal of n bytes in file inode; text stands for what it holds.
func wire(inode uint64, n int64, text uint64, change ...func(*Wire)) Wire {
	w := Wire{Agent: "main", Device: 1, Inode: inode, Size: n, Head: text, Tail: text, First: 1}
	for _, c := range change {
		c(&w)
	}
	return w
}

func torn(w *Wire)     { w.Torn = true }
func legacy(w *Wire)   { w.Legacy = true }
func newFirst(w *Wire) { w.First = 2 }

// TestAlter is what a client does to its journals (kimi.md section 4), and what only somebody else does.
func TestAlter(t *testing.T) {
	tests := []struct {
		name            string
		was             Wire
		is              *Wire
		extends, backup Tri
		want            alteration
	}{
		{name: "the same", was: wire(1, 100, 7), is: at(wire(1, 100, 7)), want: unaltered},
		{name: "a copy of the same", was: wire(1, 100, 7), is: at(wire(2, 100, 7)), want: unaltered},
		{name: "appended", was: wire(1, 100, 7), is: at(wire(1, 150, 8)), extends: Yes, want: appended},
		{name: "appended, and it cannot be looked at again", was: wire(1, 100, 7), is: at(wire(1, 150, 8)), want: appended},
		{name: "a copy that goes on", was: wire(1, 100, 7), is: at(wire(2, 150, 8)), extends: Yes, want: appended},
		{name: "a torn line is completed", was: wire(1, 100, 7, torn), is: at(wire(1, 150, 8)), extends: Yes, want: appended},

		{name: "a torn end is dropped, and the old bytes are kept", was: wire(1, 100, 7, torn), is: at(wire(2, 90, 8)), extends: No, backup: Yes, want: repaired},
		{name: "a torn end is dropped, and an older backup stays", was: wire(1, 100, 7, torn), is: at(wire(2, 90, 8)), extends: No, backup: No, want: repaired},
		{name: "a repair, and the next turn at once", was: wire(1, 100, 7, torn), is: at(wire(2, 300, 8)), extends: No, backup: No, want: repaired},
		{name: "the old protocol becomes the new one", was: wire(1, 100, 7, legacy), is: at(wire(2, 120, 8, newFirst)), extends: No, want: migrated},

		{name: "the same length, other bytes", was: wire(1, 100, 7), is: at(wire(1, 100, 8)), extends: No, want: rewritten},
		{name: "longer, but not appended to", was: wire(1, 100, 7), is: at(wire(1, 150, 8)), extends: No, want: rewritten},
		{name: "cut", was: wire(1, 100, 7), is: at(wire(1, 60, 8)), extends: No, want: shrunk},
		{name: "emptied", was: wire(1, 100, 7), is: at(wire(1, 0, 8)), extends: No, want: shrunk},
		{name: "another file, though nothing was torn", was: wire(1, 100, 7), is: at(wire(2, 90, 8)), extends: No, want: replaced},
		{name: "a torn journal that begins with another line afterwards", was: wire(1, 100, 7, torn), is: at(wire(2, 90, 8, newFirst)), extends: No, want: replaced},
		{name: "gone", was: wire(1, 100, 7), want: lost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := alter(&tt.was, tt.is, tt.extends, tt.backup)
			if got != tt.want {
				t.Fatalf("alter = %d, want %d", got, tt.want)
			}
			if said := got.sentence(&tt.was, tt.is); (said == "") != (got == unaltered || got.byAppending()) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

func at(w Wire) *Wire { return &w }

// TestAlterationsOfSubagents: every journal counts, a new one is work, and one that was crowded out is not gone.
func TestAlterationsOfSubagents(t *testing.T) {
	sub := wire(5, 10, 1)
	sub.Agent = "agent-1"
	unknown := func(Wire) (Tri, Tri) { return Unknown, Unknown }
	main := []Wire{wire(1, 100, 7)}
	both := []Wire{main[0], sub}
	if got := alterations(main, both, unknown); len(got) != 1 || got[0].how != begun || got[0].is.Agent != "agent-1" {
		t.Errorf("a new subagent: %+v", got)
	}
	if got := alterations(both, main, unknown); len(got) != 1 || got[0].how != lost || !strings.Contains(got[0].how.sentence(got[0].was, nil), "agent-1 is gone") {
		t.Errorf("a subagent that is gone: %+v", got)
	}
	crowd := slices.Repeat(main, MaxAgents)
	if got := alterations(both, crowd, unknown); len(got) != 0 {
		t.Errorf("as many as are read: %+v", got)
	}
}

// The clients of the scenes below.
var (
	alice = party(40, "Kimi in a terminal (pid 40, pts/2)")
	bob   = party(50, "Kimi (pid 50)")
)

func party(pid int, name string) Party {
	return Party{Identity: locks.Identity{BootID: "b", PID: pid, Start: uint64(pid)}, Name: name, Certainty: Proven}
}

// scene plays looks at one Session, one every two seconds, or faster.
type scene struct {
	past  past
	bytes int64
	file  uint64
	text  uint64
	turn  bool
	owner []Party // of the turn
	gone  []int
	token string
	by    Party
	dead  bool
	ours  bool
	fast  bool
	last  *Party
	now   time.Time
}

// act is one thing that happens in a scene.
type act func(*scene, *look)

// adds is an append that nobody is proven to have made; wrote one that was proven.
func adds(s *scene, l *look) {
	was := wire(s.file, s.bytes, s.text)
	s.bytes, s.text = s.bytes+100, s.text+1
	s.read(l, altered{how: appended, was: &was, is: at(wire(s.file, s.bytes, s.text))})
}

func (s *scene) read(l *look, a altered) {
	l.wires = []Wire{wire(s.file, s.bytes, s.text)}
	l.altered = append(l.altered, a)
}

func wrote(p Party) act {
	return func(s *scene, l *look) {
		shows(p)(s, l)
		adds(s, l)
	}
}

// shows is a write of metadata: the client gave itself away, and the journals are as they were.
func shows(p Party) act {
	return func(s *scene, l *look) {
		p.Seen = s.now
		s.last = &p
		if s.turn && s.owner == nil {
			s.owner = []Party{p}
		}
		l.wires = []Wire{wire(s.file, s.bytes, s.text)}
	}
}

func begins(s *scene, _ *look) { s.turn = true }
func ends(s *scene, _ *look)   { s.turn, s.owner = false, nil }

func takes(p Party, token string) act {
	return func(s *scene, _ *look) { s.token, s.by, s.dead = token, p, false }
}

// hurry makes what follows come faster than events of a watcher can be told apart; calm ends that.
func hurry(s *scene, _ *look) { s.fast = true }
func calm(s *scene, _ *look)  { s.fast = false }

func berthTakes(s *scene, l *look) {
	takes(party(70, "berth 1.0 (pid 70)"), "ours")(s, l)
	s.ours = true
}

func releases(s *scene, _ *look) { s.token = "" }
func holderDies(s *scene, l *look) {
	s.dead, s.gone = true, append(s.gone, s.by.PID)
	l.wires = []Wire{wire(s.file, s.bytes, s.text)}
}

func quits(p Party) act { return func(s *scene, _ *look) { s.gone = append(s.gone, p.PID) } }

// does is an alteration that is no append.
func does(how alteration) act {
	return func(s *scene, l *look) {
		was := wire(s.file, s.bytes, s.text)
		s.text++
		switch how {
		case shrunk:
			s.bytes -= 10
		case repaired, migrated, replaced:
			s.file++
			s.bytes -= 10
		}
		s.read(l, altered{how: how, was: &was, is: at(wire(s.file, s.bytes, s.text))})
	}
}

func all(acts ...act) act {
	return func(s *scene, l *look) {
		for _, a := range acts {
			a(s, l)
		}
	}
}

func (s *scene) play(a act) {
	s.now = s.now.Add(2 * time.Second)
	if s.fast {
		s.now = s.now.Add(-1500 * time.Millisecond)
	}
	l := look{now: s.now}
	if s.past.wires == nil {
		l.wires = []Wire{wire(s.file, s.bytes, s.text)}
	}
	a(s, &l)
	l.token, l.holder, l.dead, l.author, l.open, l.owners = s.token, s.by, s.dead, s.last, s.turn, s.owner
	l.ours = s.ours && s.token != ""
	l.lives = func(id locks.Identity) bool { return !slices.Contains(s.gone, id.PID) }
	s.past = s.past.after(l)
}

// TestPast: who is out of date, and what else readings in a row tell.
func TestPast(t *testing.T) {
	const outdated, unlocked = string(ReasonExternalWrite), string(ReasonUnlockedWrite)
	const two, odd = string(FactTwoWriters), string(FactRewritten)
	tests := []struct {
		name     string
		acts     []act
		want     []string // reasons and facts
		evidence []string // parts of it
	}{
		{name: "one client works, turn after turn", acts: []act{all(begins, wrote(alice)), adds, all(ends, wrote(alice)), all(begins, wrote(alice)), all(ends, wrote(alice))}},
		{name: "another one writes when the first is done", acts: []act{wrote(alice), wrote(bob)}, want: []string{outdated},
			evidence: []string{"Kimi in a terminal (pid 40, pts/2) is out of date: it knows 1100 bytes", "Kimi (pid 50) wrote at", "1200 bytes now"}},
		{name: "only its metadata changes", acts: []act{wrote(alice), shows(bob)}},
		{name: "it names itself, then the journal grows", acts: []act{wrote(alice), all(begins, shows(bob)), adds}, want: []string{outdated},
			evidence: []string{"Kimi (pid 50) wrote"}},
		{name: "the first one has ended before", acts: []act{wrote(alice), quits(alice), wrote(bob)}},
		{name: "the one that is out of date ends", acts: []act{wrote(alice), wrote(bob), quits(alice)}},
		{name: "the one that wrote ends", acts: []act{wrote(alice), wrote(bob), quits(bob)}, want: []string{outdated}},
		{name: "it goes on without having read", acts: []act{wrote(alice), wrote(bob), wrote(alice)}, want: []string{outdated, outdated, two},
			evidence: []string{"Kimi in a terminal (pid 40, pts/2) went on at", "before Kimi (pid 50) wrote"}},
		{name: "it writes inside of the other's turn", acts: []act{all(begins, wrote(alice)), wrote(bob)}, want: []string{outdated, two},
			evidence: []string{"Kimi (pid 50) wrote at", "inside of a turn of Kimi in a terminal (pid 40, pts/2)"}},
		{name: "the turn's own writer was killed before", acts: []act{all(begins, wrote(alice)), quits(alice), wrote(bob)}},
		{name: "both write at one moment, and nobody can tell who was first", acts: []act{hurry, wrote(alice), wrote(bob), wrote(alice)}},
		{name: "the next write tells", acts: []act{hurry, wrote(alice), wrote(bob), calm, wrote(bob)}, want: []string{outdated},
			evidence: []string{"(pid 40, pts/2) is out of date"}},
		{name: "nobody knows who appended", acts: []act{wrote(alice), adds}},

		{name: "the holder of the lock appends", acts: []act{takes(alice, "t1"), adds, adds}},
		{name: "the lock blinks with each turn", acts: []act{takes(alice, "t1"), adds, releases, takes(alice, "t2"), adds, releases}},
		{name: "two clients take turns with the lock", acts: []act{takes(alice, "t1"), adds, releases, takes(bob, "t2"), adds, releases}, want: []string{outdated},
			evidence: []string{"(pid 40, pts/2) is out of date"}},
		{name: "and the first takes it again, which makes it read", acts: []act{takes(alice, "t1"), adds, releases, takes(bob, "t2"), adds, releases, takes(alice, "t3")}},
		{name: "somebody else writes under the lock", acts: []act{takes(alice, "t1"), wrote(bob)}, want: []string{outdated, unlocked},
			evidence: []string{"Kimi (pid 50) wrote at", "while Kimi in a terminal (pid 40, pts/2) had the lock: the journals grew from 1000 to 1100 bytes"}},
		{name: "until the lock is released", acts: []act{takes(alice, "t1"), wrote(bob), releases}, want: []string{outdated}},
		{name: "berth has the lock for a moment", acts: []act{wrote(alice), berthTakes, releases, wrote(alice)}},
		{name: "a client without locks appends meanwhile", acts: []act{wrote(alice), berthTakes, adds, releases, adds}},
		{name: "the last words of a holder that dies", acts: []act{takes(alice, "t1"), all(holderDies, adds)}},
		{name: "the journal grows under a dead lock", acts: []act{takes(alice, "t1"), all(holderDies, adds), adds}, want: []string{unlocked},
			evidence: []string{"the journals grew from 1100 to 1200 bytes", "which has the lock, is dead"}},

		{name: "rewritten with the same length", acts: []act{wrote(alice), does(rewritten)}, want: []string{outdated, odd},
			evidence: []string{"rewritten in place with the same length, 1100 bytes", "another program wrote at"}},
		{name: "cut", acts: []act{wrote(alice), does(shrunk)}, want: []string{outdated, odd}, evidence: []string{"was cut from 1100 to 1090 bytes"}},
		{name: "replaced", acts: []act{wrote(alice), all(shows(bob), does(replaced))}, want: []string{outdated, odd}, evidence: []string{"another file took the place of the journal", "Kimi (pid 50) wrote"}},
		{name: "rewritten while nobody has it open", acts: []act{does(rewritten)}, want: []string{odd}},
		{name: "a repair is no attack", acts: []act{wrote(alice), does(repaired)}, evidence: []string{"its client repaired the journal: 1100 bytes became 1090"}},
		{name: "nor is a migration", acts: []act{wrote(alice), all(shows(bob), does(migrated))}, evidence: []string{"its client wrote the journal anew in a newer protocol"}},
		{name: "but what the other one appends after it is", acts: []act{wrote(alice), all(shows(bob), does(migrated)), wrote(bob)}, want: []string{outdated}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scene{bytes: 1000, file: 1, text: 1, now: noon}
			s.play(func(*scene, *look) {})
			for _, a := range tt.acts {
				s.play(a)
			}
			f := s.past.findings()
			var got []string
			for range f.outdated {
				got = append(got, outdated)
			}
			for _, r := range f.reasons {
				if r != ReasonExternalWrite {
					got = append(got, string(r))
				}
			}
			for _, fact := range f.facts {
				got = append(got, string(fact))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("findings = %q, want %q; evidence %q", got, tt.want, f.evidence)
			}
			for _, part := range tt.evidence {
				if !strings.Contains(strings.Join(f.evidence, "\n"), part) {
					t.Errorf("evidence = %q, want %q in it", f.evidence, part)
				}
			}
		})
	}
}

// TestPastIsBounded: neither many clients nor many repairs make a past grow without end.
func TestPastIsBounded(t *testing.T) {
	s := scene{bytes: 1000, file: 1, text: 1, now: noon}
	for pid := range 5 * maxViews {
		s.play(wrote(party(100+pid, "Kimi")))
		s.play(does(repaired))
	}
	if len(s.past.views) > maxViews || len(s.past.remarks) > maxRemarks {
		t.Errorf("%d views, %d remarks", len(s.past.views), len(s.past.remarks))
	}
}

// TestPastIsImmutable: what a look makes of a past leaves the past as it was.
func TestPastIsImmutable(t *testing.T) {
	s := scene{bytes: 1000, file: 1, text: 1, now: noon}
	s.play(wrote(alice))
	before := s.past
	views := slices.Clone(before.views)
	for _, a := range []act{wrote(bob), does(rewritten), does(repaired), quits(alice)} {
		s.play(a)
	}
	if !slices.EqualFunc(before.views, views, func(a, b view) bool { return a.since.Equal(b.since) && a.who == b.who && a.by == b.by }) || len(before.remarks) != 0 {
		t.Errorf("the past became %+v", before)
	}
}
