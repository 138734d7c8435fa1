package sessions

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/locks"
)

// noon is the moment at which the tables below ask.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// kimiRecord is an open session without a status word, last active an hour ago.
func kimiRecord(change ...func(*Record)) *Record {
	r := &Record{
		Key: "sessions/wd_p/session_a", ID: "session_a", Source: "kimi", Root: "/home/dev/.kimi",
		Path: "/home/dev/.kimi/sessions/wd_p/session_a", WorkDir: "/p", Title: "Fix login",
		UpdatedAt: ago(time.Hour), Archived: No, Open: true,
	}
	for _, c := range change {
		c(r)
	}
	return r
}

// noteRecord is a note with a status word, last active an hour ago.
func noteRecord(word string, change ...func(*Record)) *Record {
	r := &Record{
		Key: "Projects/p/sessions/a.md", ID: "019f-a", Source: "vault", Root: "/vault",
		Path: "/vault/Projects/p/sessions/a.md", StatusWord: word, Open: word == "active", UpdatedAt: ago(time.Hour),
	}
	for _, c := range change {
		c(r)
	}
	return r
}

func archived(r *Record) { r.Archived = Yes }

func idleFor(d time.Duration) func(*Record) {
	return func(r *Record) { r.UpdatedAt = ago(d) }
}

// locked gives the record a lock of pid 40.
func locked(r *Record) {
	r.Lock = &locks.File{Record: locks.Record{
		PID: 40, Hostname: "box", Client: "kimi-code-cli 2.2.0", StartedAt: ago(3 * time.Hour),
	}}
}

// inTurn leaves the journal inside a turn that began two hours ago.
func inTurn(r *Record) {
	r.OpenTurn, r.TurnSince = true, ago(2*time.Hour)
	r.Work = Work{Busy: Yes, MainTurnActive: Yes}
}

func overtaken(r *Record) { r.Overtaken = true }

func waitingForApproval(r *Record) {
	r.Work.PendingInteraction = "approval"
	r.Facts = append(r.Facts, FactWaiting)
}

var (
	lives     = locks.Judgement{Verdict: locks.Live, Evidence: []string{"pid 40 lives"}}
	dead      = locks.Judgement{Verdict: locks.Dead, Evidence: []string{"pid 40 is gone"}}
	cannotSay = locks.Judgement{Verdict: locks.Unknown, Evidence: []string{"other host"}}

	writing = Writer{Alive: Yes, PIDs: []int{50}, Holder: &Holder{PID: 50, Verdict: locks.Live, Via: ViaOnlyCandidate, Evidence: []string{"pid 50 works there"}}}
	nobody  = Writer{Alive: No, Evidence: []string{"no client process works in its folder"}}
	unseen  = Writer{Alive: Unknown, Evidence: []string{"processes cannot be listed"}}
)

// TestStatus is the Status table of the contract: first match wins.
func TestStatus(t *testing.T) {
	tests := []struct {
		name    string
		s       Situation
		want    Status
		reasons []Reason
	}{
		{"archived wins over a live lock", Situation{Record: kimiRecord(archived, locked), Lock: lives}, Archived, nil},
		{"archived wins over an open turn", Situation{Record: kimiRecord(archived, inTurn), Writer: writing}, Archived, nil},
		{"whether it is archived is unknown: not archived", Situation{Record: kimiRecord(func(r *Record) { r.Archived = Unknown })}, Active, nil},

		{"a note that is done is closed", Situation{Record: noteRecord("done")}, Closed, nil},
		{"closed wins over a live lock", Situation{Record: noteRecord("done", locked), Lock: lives}, Closed, nil},
		{"B143: a word nobody knows is not active", Situation{Record: noteRecord("paused")}, Closed, nil},
		{"B143: nor is one that only looks like active", Situation{Record: noteRecord("Active ")}, Closed, nil},
		{"a note without a word is not active", Situation{Record: noteRecord("unknown")}, Closed, nil},

		{"a lock whose holder lives", Situation{Record: kimiRecord(locked), Lock: lives}, Occupied, []Reason{ReasonLock}},
		{"a lock whose holder may live", Situation{Record: kimiRecord(locked), Lock: cannotSay}, Occupied, []Reason{ReasonLock}},
		{"a lock that nobody has judged", Situation{Record: kimiRecord(locked)}, Occupied, []Reason{ReasonLock}},
		{"an open turn whose writer lives", Situation{Record: kimiRecord(inTurn), Writer: writing}, Occupied, []Reason{ReasonOpenTurn}},
		{"a lock and an open turn", Situation{Record: kimiRecord(locked, inTurn), Lock: lives, Writer: writing}, Occupied, []Reason{ReasonLock, ReasonOpenTurn}},
		{"an open turn beside a dead lock", Situation{Record: kimiRecord(locked, inTurn), Lock: dead, Writer: writing}, Occupied, []Reason{ReasonOpenTurn}},
		{"B50: a silent turn of two hours is a turn", Situation{Record: kimiRecord(inTurn, idleFor(2*time.Hour)), Writer: writing}, Occupied, []Reason{ReasonOpenTurn}},
		{"B50: a live holder wins over age", Situation{Record: noteRecord("active", idleFor(40*time.Hour), locked), Lock: lives}, Occupied, []Reason{ReasonLock}},

		{"a dead lock", Situation{Record: kimiRecord(locked), Lock: dead}, Stale, []Reason{ReasonDeadLock}},
		{"B52: the writer of an open turn is gone", Situation{Record: kimiRecord(inTurn), Writer: nobody}, Stale, []Reason{ReasonInterrupted}},
		{"killed, resumed, and gone on with", Situation{Record: kimiRecord(inTurn, overtaken), Writer: nobody}, Active, nil},
		{"another writer's turn inside of the open one", Situation{Record: kimiRecord(inTurn, overtaken), Writer: writing}, Occupied, []Reason{ReasonOpenTurn}},
		{"a dead lock and an interrupted turn", Situation{Record: kimiRecord(locked, inTurn), Lock: dead, Writer: nobody}, Stale, []Reason{ReasonDeadLock, ReasonInterrupted}},
		{"the journal grew a moment ago", Situation{Record: kimiRecord(inTurn), Writer: nobody, Grown: ago(growthSettle - time.Millisecond)}, Active, nil},
		{"the journal has stopped to grow", Situation{Record: kimiRecord(inTurn), Writer: nobody, Grown: ago(growthSettle)}, Stale, []Reason{ReasonInterrupted}},
		{"B58: whether its writer lives cannot be seen", Situation{Record: kimiRecord(inTurn), Writer: unseen}, Active, nil},
		{"B58: nobody has looked for its writer", Situation{Record: kimiRecord(inTurn)}, Active, nil},

		{"an active note without activity for 12 h", Situation{Record: noteRecord("active", idleFor(12*time.Hour))}, Stale, []Reason{ReasonAbandoned}},
		{"an active note a second before that", Situation{Record: noteRecord("active", idleFor(12*time.Hour-time.Second))}, Active, nil},
		{"an abandoned note with a dead lock", Situation{Record: noteRecord("active", idleFor(13*time.Hour), locked), Lock: dead}, Stale, []Reason{ReasonDeadLock, ReasonAbandoned}},
		{"B58: a note whose last activity is not known", Situation{Record: noteRecord("active", func(r *Record) { r.UpdatedAt = time.Time{} })}, Active, nil},
		{"a note from the future", Situation{Record: noteRecord("active", idleFor(-24*time.Hour))}, Active, nil},
		{"B50: age alone does not make a client's session stale", Situation{Record: kimiRecord(idleFor(1000 * time.Hour))}, Active, nil},

		{"everything else that is open", Situation{Record: kimiRecord()}, Active, nil},
		{"everything else that is active", Situation{Record: noteRecord("active")}, Active, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := Classify(tt.s, noon, DefaultPolicy())
			if got.Status != tt.want || !slices.Equal(got.Reasons, tt.reasons) {
				t.Errorf("Status = %s %q, want %s %q", got.Status, got.Reasons, tt.want, tt.reasons)
			}
		})
	}
}

func TestAbandonedCanBeSwitchedOff(t *testing.T) {
	s := Situation{Record: noteRecord("active", idleFor(9000*time.Hour))}
	got, deadline := Classify(s, noon, Policy{})
	if got.Status != Active || !deadline.IsZero() {
		t.Errorf("Status = %s, deadline %v; want active and none", got.Status, deadline)
	}
}

// TestHolder says whose name stands on the door.
func TestHolder(t *testing.T) {
	tests := []struct {
		name    string
		s       Situation
		pid     int // 0: no holder
		via     Via
		verdict locks.Verdict
	}{
		{"nobody", Situation{Record: kimiRecord()}, 0, "", ""},
		{"a live lock", Situation{Record: kimiRecord(locked), Lock: lives}, 40, ViaLock, locks.Live},
		{"a lock that cannot be judged", Situation{Record: kimiRecord(locked), Lock: cannotSay}, 40, ViaLock, locks.Unknown},
		{"a dead lock still names its holder", Situation{Record: kimiRecord(locked), Lock: dead}, 40, ViaLock, locks.Dead},
		{"the lock comes before the writer", Situation{Record: kimiRecord(locked, inTurn), Lock: lives, Writer: writing}, 40, ViaLock, locks.Live},
		{"a writer that lives comes before a lock whose holder is dead", Situation{Record: kimiRecord(locked, inTurn), Lock: dead, Writer: writing}, 50, ViaOnlyCandidate, locks.Live},
		{"the writer of an open turn", Situation{Record: kimiRecord(inTurn), Writer: writing}, 50, ViaOnlyCandidate, locks.Live},
		{"the writer of an archived session's open turn", Situation{Record: kimiRecord(inTurn, archived), Writer: writing}, 50, ViaOnlyCandidate, locks.Live},
		{"an open turn without a writer", Situation{Record: kimiRecord(inTurn), Writer: nobody}, 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row, _ := Classify(tt.s, noon, DefaultPolicy())
			if tt.pid == 0 {
				if row.Holder != nil {
					t.Fatalf("Holder = %+v, want none", row.Holder)
				}
				return
			}
			if h := row.Holder; h == nil || h.PID != tt.pid || h.Via != tt.via || h.Verdict != tt.verdict {
				t.Fatalf("Holder = %+v, want pid %d via %s, %s", h, tt.pid, tt.via, tt.verdict)
			}
		})
	}
}

func TestHolderOfALock(t *testing.T) {
	row, _ := Classify(Situation{Record: kimiRecord(locked), Lock: cannotSay}, noon, DefaultPolicy())
	want := &Holder{
		PID: 40, Hostname: "box", Client: "kimi-code-cli 2.2.0", StartedAt: ago(3 * time.Hour),
		Verdict: locks.Unknown, Via: ViaLock, Certainty: Proven, Evidence: []string{"other host"},
	}
	if !reflect.DeepEqual(row.Holder, want) {
		t.Errorf("Holder = %+v, want %+v", row.Holder, want)
	}
}

// TestWork says when an unfinished turn counts as running: yes, no, or not to be seen (B52, B58).
func TestWork(t *testing.T) {
	tests := []struct {
		name string
		s    Situation
		want Tri
	}{
		{"its writer lives", Situation{Record: kimiRecord(inTurn), Writer: writing}, Yes},
		{"its lock's holder lives", Situation{Record: kimiRecord(inTurn, locked), Lock: lives, Writer: nobody}, Yes},
		{"B52: its writer is gone", Situation{Record: kimiRecord(inTurn), Writer: nobody}, No},
		{"B52: its writer and its lock's holder are gone", Situation{Record: kimiRecord(inTurn, locked), Lock: dead, Writer: nobody}, No},
		{"the lock's holder may live on another host", Situation{Record: kimiRecord(inTurn, locked), Lock: cannotSay, Writer: nobody}, Unknown},
		{"it grew a moment ago", Situation{Record: kimiRecord(inTurn), Writer: nobody, Grown: ago(time.Second)}, Unknown},
		{"B58: its writer cannot be seen", Situation{Record: kimiRecord(inTurn), Writer: unseen}, Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row, _ := Classify(tt.s, noon, DefaultPolicy())
			if row.Work.Busy != tt.want || row.Work.MainTurnActive != tt.want {
				t.Errorf("busy, main turn = %v, %v; want %v", row.Work.Busy, row.Work.MainTurnActive, tt.want)
			}
			if row.Has(FactBusy) != (tt.want == Yes) {
				t.Errorf("facts = %q, but busy is %v", row.AllFacts, tt.want)
			}
		})
	}
}

// TestWorkThatIsNotUnfinished keeps what the journal says when no writer is needed for it.
func TestWorkThatIsNotUnfinished(t *testing.T) {
	for _, w := range []Work{
		{},
		{Busy: No, MainTurnActive: No, PendingInteraction: "none", LastTurnReason: "failed"},
	} {
		row, _ := Classify(Situation{Record: kimiRecord(func(r *Record) { r.Work = w }), Writer: nobody}, noon, DefaultPolicy())
		if row.Work != w {
			t.Errorf("Work = %+v, want %+v", row.Work, w)
		}
	}
}

// TestBackgroundTask: work without an open turn occupies nothing, but is busy as long as its writer lives.
func TestBackgroundTask(t *testing.T) {
	task := func(r *Record) { r.Work = Work{Busy: Yes, MainTurnActive: No} }
	for _, tt := range []struct {
		w    Writer
		busy Tri
	}{{writing, Yes}, {nobody, No}, {unseen, Unknown}} {
		row, _ := Classify(Situation{Record: kimiRecord(task), Writer: tt.w}, noon, DefaultPolicy())
		if row.Status != Active || row.Work.Busy != tt.busy || row.Work.MainTurnActive != No {
			t.Errorf("writer %v: %s, work %+v; want active, busy %v", tt.w.Alive, row.Status, row.Work, tt.busy)
		}
	}
}

func TestFacts(t *testing.T) {
	tests := []struct {
		name string
		s    Situation
		want []Fact
	}{
		{"none", Situation{Record: kimiRecord()}, nil},
		{"those of the Source, sorted", Situation{Record: kimiRecord(func(r *Record) { r.Facts = []Fact{FactNotIndexed, FactDamaged} })}, []Fact{FactDamaged, FactNotIndexed}},
		{"ambiguous", Situation{Record: noteRecord("active"), Group: "p|client=c"}, []Fact{FactAmbiguous}},
		{"a double", Situation{Record: noteRecord("active"), SameID: true}, []Fact{FactDuplicateID}},
		{"a double that the Source knows of", Situation{Record: noteRecord("active", func(r *Record) { r.Facts = []Fact{FactDuplicateID} }), SameID: true}, []Fact{FactDuplicateID}},
		{"an orphan", Situation{Record: noteRecord("active"), ParentMissing: true}, []Fact{FactOrphan}},
		{"waits for an answer", Situation{Record: kimiRecord(inTurn, waitingForApproval), Writer: writing}, []Fact{FactBusy, FactWaiting}},
		{"waits perhaps", Situation{Record: kimiRecord(inTurn, waitingForApproval), Writer: unseen}, []Fact{FactWaiting}},
		{"waits under a lock", Situation{Record: kimiRecord(waitingForApproval, locked), Lock: lives, Writer: nobody}, []Fact{FactWaiting}},
		{"B52: nobody is left to hear the answer", Situation{Record: kimiRecord(inTurn, waitingForApproval), Writer: nobody}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row, _ := Classify(tt.s, noon, DefaultPolicy())
			if !slices.Equal(row.AllFacts, tt.want) {
				t.Errorf("facts = %q, want %q", row.AllFacts, tt.want)
			}
			for _, f := range tt.want {
				if !row.Has(f) {
					t.Errorf("Has(%s) = false", f)
				}
			}
		})
	}
}

// TestEvidence: every Status that is not plain comes with sentences that hold values.
func TestEvidence(t *testing.T) {
	tests := []struct {
		name string
		s    Situation
		want []string // parts, in order
	}{
		{"nothing to explain", Situation{Record: kimiRecord()}, nil},
		{"what the Source saw", Situation{Record: noteRecord("active", func(r *Record) { r.Evidence = []string{"linked to run 7"} })}, []string{"linked to run 7"}},
		{"a lock", Situation{Record: kimiRecord(locked), Lock: dead}, []string{"pid 40 is gone"}},
		{"an open turn", Situation{Record: kimiRecord(inTurn), Writer: writing}, []string{"inside a turn that began 2026-03-14T10:00:00Z", "pid 50 works there"}},
		{"an open turn of unknown age", Situation{Record: kimiRecord(inTurn, func(r *Record) { r.TurnSince = time.Time{} }), Writer: nobody}, []string{"the journal ends inside a turn", "no client process"}},
		{"a task", Situation{Record: kimiRecord(func(r *Record) { r.Work.Busy = Yes }), Writer: nobody}, []string{"a task that has not ended", "no client process"}},
		{"abandoned", Situation{Record: noteRecord("active", idleFor(13*time.Hour))}, []string{"no activity since 2026-03-13T23:00:00Z, longer than 12h"}},
		{"a double", Situation{Record: noteRecord("active"), SameID: true}, []string{"another session of the store has the id 019f-a too"}},
		{"an orphan", Situation{Record: noteRecord("active", func(r *Record) { r.ParentID = "019f-p" }), ParentMissing: true}, []string{"its parent 019f-p is not in the store"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row, _ := Classify(tt.s, noon, DefaultPolicy())
			if len(row.AllEvidence) != len(tt.want) {
				t.Fatalf("evidence = %q, want %d sentences", row.AllEvidence, len(tt.want))
			}
			for i, part := range tt.want {
				if !strings.Contains(row.AllEvidence[i], part) {
					t.Errorf("evidence %d = %q, want %q in it", i, row.AllEvidence[i], part)
				}
			}
		})
	}
}

// TestDeadline: when the answer may change although nothing changes on disk.
func TestDeadline(t *testing.T) {
	settle := func(d time.Duration) func(*Record) {
		return func(r *Record) { r.Settle = noon.Add(d) }
	}
	tests := []struct {
		name string
		s    Situation
		want time.Time
	}{
		{"never", Situation{Record: kimiRecord()}, time.Time{}},
		{"an active note is abandoned 12 h after its last activity", Situation{Record: noteRecord("active")}, ago(time.Hour).Add(12 * time.Hour)},
		{"an abandoned one stays so", Situation{Record: noteRecord("active", idleFor(12*time.Hour))}, time.Time{}},
		{"a closed one is never abandoned", Situation{Record: noteRecord("done")}, time.Time{}},
		{"a note of unknown age is never abandoned", Situation{Record: noteRecord("active", func(r *Record) { r.UpdatedAt = time.Time{} })}, time.Time{}},
		{"another reading is due", Situation{Record: kimiRecord(settle(3 * time.Second))}, noon.Add(3 * time.Second)},
		{"the earliest counts", Situation{Record: noteRecord("active", settle(3*time.Second))}, noon.Add(3 * time.Second)},
		{"what is past is not waited for", Situation{Record: kimiRecord(settle(-time.Second))}, time.Time{}},
		{"what is now is not waited for", Situation{Record: kimiRecord(settle(0))}, time.Time{}},
		{"growth settles", Situation{Record: kimiRecord(inTurn), Writer: nobody, Grown: ago(time.Second)}, ago(time.Second).Add(growthSettle)},
		{"growth that matters to nobody", Situation{Record: kimiRecord(), Grown: ago(time.Second)}, time.Time{}},
		{"growth under a writer that lives", Situation{Record: kimiRecord(inTurn), Writer: writing, Grown: ago(time.Second)}, time.Time{}},
		{"an interrupted turn stays so", Situation{Record: kimiRecord(inTurn), Writer: nobody, Grown: ago(time.Hour)}, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := Classify(tt.s, noon, DefaultPolicy())
			if !got.Equal(tt.want) {
				t.Errorf("deadline = %v, want %v", got, tt.want)
			}
		})
	}
}

// TestClassifyIsPure: no input is changed, and a deadline is a moment at which the answer does change or is
// asked for again at most once.
func TestClassifyIsPure(t *testing.T) {
	facts := make([]Fact, 1, 8) // room to write into, for a Classify that forgets to copy
	facts[0] = FactWaiting
	ev := append(make([]string, 0, 8), "seen")
	rec := kimiRecord(inTurn, locked, func(r *Record) { r.Facts, r.Evidence = facts, ev })
	before := *rec
	s := Situation{Record: rec, Lock: cannotSay, Writer: unseen, SameID: true, Group: "g", ParentMissing: true}
	first, _ := Classify(s, noon, DefaultPolicy())
	second, _ := Classify(s, noon, DefaultPolicy())
	if !reflect.DeepEqual(first, second) {
		t.Errorf("two answers: %+v and %+v", first, second)
	}
	if !reflect.DeepEqual(*rec, before) || facts[:2][1] != "" || ev[:2][1] != "" {
		t.Errorf("Classify changed its input: %+v", rec)
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Hour: "12h", 90 * time.Minute: "1h30m", 5 * time.Minute: "5m", 90 * time.Second: "1m30s", 0: "0s",
		time.Hour + time.Second: "1h0m1s", 10 * time.Second: "10s",
	} {
		if got := ShortDuration(d); got != want {
			t.Errorf("%d s is %q, want %q", int(d.Seconds()), got, want)
		}
	}
}
