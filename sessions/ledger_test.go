package sessions

import (
	"testing"
	"time"

	"berth/locks"
)

func counterOf(pid int, bytes uint64) locks.Counter {
	return locks.Counter{Identity: locks.Identity{BootID: "b", PID: pid, Start: 1}, Bytes: bytes, Known: true}
}

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
				l.enter([]locks.Counter{counterOf(5, uint64(i)*100)}, noon.Add(time.Duration(ms)*time.Millisecond))
			}
			got := l.moves(noon.Add(time.Duration(tt.since) * time.Millisecond))
			if len(got) != 1 {
				t.Fatalf("got %+v", got)
			}
			if m := got[0]; m.bytes != tt.bytes || m.over != time.Duration(tt.over)*time.Millisecond || m.known != tt.known {
				t.Errorf("got %+v, want %d bytes over %d ms, known %v", m, tt.bytes, tt.over, tt.known)
			}
		})
	}
}

// TestLedgerForgets: who ended, and whose counter is not shown, is not in it.
func TestLedgerForgets(t *testing.T) {
	var l ledger
	l.enter([]locks.Counter{counterOf(5, 1), counterOf(6, 1)}, noon)
	hidden := counterOf(5, 0)
	hidden.Known = false
	l.enter([]locks.Counter{hidden}, noon.Add(time.Second))
	if got := l.moves(noon); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestLedgerIsBounded: a busy store does not fill it.
func TestLedgerIsBounded(t *testing.T) {
	var l ledger
	for i := range 100_000 {
		l.enter([]locks.Counter{counterOf(5, uint64(i))}, noon.Add(time.Duration(i)*time.Millisecond))
	}
	for id, rs := range l.of {
		if len(rs) > maxReadings || cap(rs) > 4*maxReadings {
			t.Errorf("%+v: %d readings, room for %d", id, len(rs), cap(rs))
		}
	}
}
