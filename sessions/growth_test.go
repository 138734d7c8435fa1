package sessions

import (
	"strings"
	"testing"
	"time"
)

// suspectOf is a client whose counter was read a moment ago and moved by bytes since.
func suspectOf(pid int, bytes uint64, change ...func(*suspect)) suspect {
	s := suspect{client: client(pid, "/p", noon), move: move{bytes: bytes, over: 300 * time.Millisecond, known: true}}
	for _, c := range change {
		c(&s)
	}
	return s
}

func named(s *suspect)    { s.named = true }
func old(s *suspect)      { s.move.over = freshFor + time.Millisecond }
func hasEnded(s *suspect) { s.move, s.ended = move{}, true }
func unread(s *suspect)   { s.move = move{} }
func atLimit(s *suspect)  { s.move.over = freshFor }

// TestAttribute says who wrote a growth of 2022 bytes.
func TestAttribute(t *testing.T) {
	const grew = 2022
	tests := []struct {
		name     string
		suspects []suspect
		pid      int // 0: nobody is proven
		via      Via
		open     int
		why      string
	}{
		{name: "nobody is known", open: 0},
		{name: "a stranger was there too", suspects: []suspect{suspectOf(5, 2110), {}}, open: 2},
		{name: "a stranger, and a client that did not write", suspects: []suspect{suspectOf(5, 12), {}}, open: 1},
		{name: "the only one wrote a little more", suspects: []suspect{suspectOf(5, 2110)}, pid: 5, via: ViaWriteCounter, open: 1,
			why: "pid 5 wrote 2110 bytes while the journal grew by 2022"},
		{name: "the only one wrote as much", suspects: []suspect{suspectOf(5, grew)}, pid: 5, via: ViaWriteCounter, open: 1},
		{name: "the only one wrote less", suspects: []suspect{suspectOf(5, grew-1)}, open: 0},
		{name: "the other wrote a few bytes", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, 12)}, pid: 5, via: ViaWriteCounter, open: 1,
			why: "the others wrote less: pid 6 12"},
		{name: "the other wrote almost as much", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, grew-1)}, pid: 5, via: ViaWriteCounter, open: 1},
		{name: "both wrote enough", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, 40_000)}, open: 2},
		{name: "a reading as old as may be", suspects: []suspect{suspectOf(5, 2110, atLimit)}, pid: 5, via: ViaWriteCounter, open: 1},
		{name: "what an old reading says may be of other work", suspects: []suspect{suspectOf(5, 2110, old)}, open: 1},
		{name: "an old reading still clears who wrote nothing", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, 0, old)}, pid: 5, via: ViaWriteCounter, open: 1},
		{name: "but not who did", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, 9000, old)}, open: 2},
		{name: "a client that just started was not read before", suspects: []suspect{suspectOf(5, 0, unread)}, open: 1},
		{name: "nor does it leave another alone", suspects: []suspect{suspectOf(5, 2110), suspectOf(6, 0, unread)}, open: 2},

		{name: "a temp name", suspects: []suspect{suspectOf(5, 0, unread, named)}, pid: 5, via: ViaTempName, open: 1, why: "by the name of its temp file"},
		{name: "a temp name among several that wrote", suspects: []suspect{suspectOf(5, 2110, named), suspectOf(6, 40_000)}, pid: 5, via: ViaTempName, open: 2},
		{name: "a temp name beside a counter that was not read", suspects: []suspect{suspectOf(5, 2110, named), suspectOf(6, 0, unread)}, pid: 5, via: ViaTempName, open: 2},
		{name: "a temp name of one who cannot be read, while another wrote", suspects: []suspect{suspectOf(5, 0, unread, named), suspectOf(6, 2110)}, open: 2},
		{name: "a temp name of one who cannot be read, another may have written long ago", suspects: []suspect{suspectOf(5, 0, unread, named), suspectOf(6, 2110, old)},
			pid: 5, via: ViaTempName, open: 2},
		{name: "a temp name of one who has ended, while another may have gone on", suspects: []suspect{suspectOf(5, 0, hasEnded, named), suspectOf(6, 2110, old)}, open: 2},
		{name: "a temp name of one who has ended, and nobody else", suspects: []suspect{suspectOf(5, 0, hasEnded, named), suspectOf(6, 12, old)},
			pid: 5, via: ViaTempName, open: 1},
		{name: "two temp names", suspects: []suspect{suspectOf(5, 2110, named), suspectOf(6, 2110, named)}, open: 2},
		{name: "two temp names, one of which is cleared", suspects: []suspect{suspectOf(5, 2110, old, named), suspectOf(6, 400, named)}, pid: 5, via: ViaTempName, open: 1},
		{name: "a temp name of one who did not write so much, another did", suspects: []suspect{suspectOf(5, 400, named), suspectOf(6, 2110)},
			pid: 6, via: ViaWriteCounter, open: 1},
		{name: "a temp name of one who did not write so much, and nobody else", suspects: []suspect{suspectOf(5, 400, named)}, open: 0},
		{name: "a temp name and the counter say the same", suspects: []suspect{suspectOf(5, 2110, named), suspectOf(6, 0)}, pid: 5, via: ViaWriteCounter, open: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := attribute(growth{bytes: grew, suspects: tt.suspects})
			pid := 0
			if c.by != nil {
				pid = c.by.client.PID
			}
			if pid != tt.pid || c.via != tt.via || c.open != tt.open {
				t.Fatalf("pid %d via %q, %d open; want %d via %q, %d", pid, c.via, c.open, tt.pid, tt.via, tt.open)
			}
			if !strings.Contains(c.why, tt.why) {
				t.Errorf("why = %q, want %q in it", c.why, tt.why)
			}
		})
	}
}
