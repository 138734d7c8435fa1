package sessions

import (
	"testing"
	"time"

	"berth/locks"
)

// TestLedgerMoves enters 100 bytes at each of the given times (in milliseconds), and asks at the last.
func TestLedgerMoves(t *testing.T) {
	tests := []struct {
		name  string
		at    []int
		since int
		bytes uint64
		over  int
		known bool
	}{
		{"one reading", []int{1000}, 900, 0, 0, false},
		{"the reading before", []int{0, 1000}, 900, 100, 1000, true},
		{"the newest that is old enough", []int{0, 500, 1000}, 900, 100, 500, true},
		{"one of that very moment", []int{0, 500, 1000}, 500, 100, 500, true},
		{"none is old enough", []int{500, 1000}, 400, 0, 0, false},
		{"a reading too close to its neighbours gave way", []int{0, 10, 15, 1000}, 900, 100, 985, true},
		{"after a silence the last one is still there", []int{0, 600_000}, 599_800, 100, 600_000, true},
		{"of what is too old, no more than that", []int{0, 1000, 600_000, 600_100}, 500, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l ledger
			for i, ms := range tt.at {
				l.count(uint64(i)*100, noon.Add(time.Duration(ms)*time.Millisecond), 5)
			}
			m := l.all()[0].since(noon.Add(time.Duration(tt.since) * time.Millisecond))
			if m.bytes != tt.bytes || m.over != time.Duration(tt.over)*time.Millisecond || m.known != tt.known {
				t.Errorf("got %+v, want %d bytes over %d ms, known %v", m, tt.bytes, tt.over, tt.known)
			}
		})
	}
}

// count enters that exactly these processes run, and that each has written so much.
func (l *ledger) count(bytes uint64, now time.Time, pids ...int) {
	var counters []locks.Counter
	for _, pid := range pids {
		counters = append(counters, locks.Counter{Client: client(pid, "/p", noon), Bytes: bytes, Known: true})
	}
	l.enter(counters, now)
}

// TestLedgerOfTheEnded: who has ended is known for a while, because what it wrote last may be seen only then. How much
// that was nobody can tell.
func TestLedgerOfTheEnded(t *testing.T) {
	var l ledger
	l.count(100, noon, 5, 6)
	l.count(200, noon.Add(time.Second), 6)
	if c, ok := l.former(5); !ok || c.PID != 5 || !l.all()[0].ended.Equal(noon.Add(time.Second)) {
		t.Errorf("a moment after its end: %+v, %v, %+v", c, ok, l.all()[0])
	}
	if m := l.all()[0].since(noon); m.known {
		t.Errorf("what it wrote is known: %+v", m)
	}
	if !l.all()[1].ended.IsZero() {
		t.Error("6 runs")
	}
	l.count(200, noon.Add(ledgerSpan+time.Second), 6)
	if _, ok := l.former(5); ok || len(l.all()) != 1 {
		t.Errorf("later: %d accounts", len(l.all()))
	}
}

// TestLedgerOfTheHidden: a client whose counter is not shown is known, and no more.
func TestLedgerOfTheHidden(t *testing.T) {
	var l ledger
	for i := range 3 {
		l.enter([]locks.Counter{{Client: client(5, "/p", noon)}}, noon.Add(time.Duration(i)*time.Second))
	}
	if all := l.all(); len(all) != 1 || all[0].since(noon).known {
		t.Errorf("got %+v", all)
	}
}

// TestLedgerIsBounded: a busy store does not fill it.
func TestLedgerIsBounded(t *testing.T) {
	var l ledger
	for i := range 100_000 {
		l.count(uint64(i), noon.Add(time.Duration(i)*time.Millisecond), 5)
	}
	if rs := l.all()[0].readings; len(rs) > maxReadings || cap(rs) > 4*maxReadings {
		t.Errorf("%d readings, room for %d", len(rs), cap(rs))
	}
}
