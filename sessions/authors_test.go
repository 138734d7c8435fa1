package sessions

import (
	"slices"
	"testing"
	"time"
)

// TestAuthorsFollow plays readings and temp names, and says who then has which open turn. Turns are named by the
// millisecond after noon in which they began, processes by their pid, 0 for nobody.
func TestAuthorsFollow(t *testing.T) {
	type reading struct {
		open []int
		by   int
	}
	type named reading // its author known by a temp name at noon
	type sole reading  // the same, and all others are cleared
	type name int      // a temp name of this pid
	tests := []struct {
		name  string
		steps []any
		want  []int // author of each open turn
	}{
		{"a turn begins, its author is proven", []any{reading{[]int{1}, 5}}, []int{5}},
		{"a turn begins, nobody is proven", []any{reading{[]int{1}, 0}}, []int{0}},
		{"the author stays, whoever else writes", []any{reading{[]int{1}, 5}, reading{[]int{1}, 6}}, []int{5}},
		{"proven at its second growth", []any{reading{[]int{1}, 0}, reading{[]int{1}, 5}}, []int{5}},
		{"a second turn inside the first", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 6}}, []int{5, 6}},
		{"and the first goes on", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 6}, reading{[]int{1, 2}, 5}}, []int{5, 6}},
		{"the inner one has ended", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 6}, reading{[]int{1}, 6}}, []int{5}},
		{"the end of an inner turn is no work on the outer one", []any{reading{[]int{1}, 0}, reading{[]int{1, 2}, 6}, reading{[]int{1}, 6}}, []int{0}},
		{"one process runs one turn at a time", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 5}}, []int{5, 0}},
		{"so the second is the other's, when that shows itself", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 0}, reading{[]int{1, 2}, 6}}, []int{5, 6}},
		{"two turns appear at once: whose is which?", []any{reading{[]int{1, 2}, 5}}, []int{0, 0}},
		{"two turns of nobody: which does it go on with?", []any{reading{[]int{1, 2}, 0}, reading{[]int{1, 2}, 5}}, []int{0, 0}},
		{"all is ended", []any{reading{[]int{1}, 5}, reading{nil, 5}}, nil},
		{"a temp name a moment after the turn appeared", []any{reading{[]int{1}, 0}, name(5)}, []int{5}},
		{"a temp name before the turn appears decides nothing yet", []any{name(5), reading{[]int{1}, 0}}, []int{0}},
		{"a temp name much later may be of anything", []any{reading{[]int{1}, 0}, time.Minute, name(5)}, []int{0}},
		{"a temp name, and a turn that began after it", []any{name(5), 400 * time.Millisecond, named{[]int{400}, 5}}, []int{0}},
		{"a temp name, and a turn that began after it, which nobody else can have written", []any{name(5), sole{[]int{400}, 5}}, []int{5}},
		{"a temp name, and a turn that had begun then", []any{name(5), 400 * time.Millisecond, named{[]int{1}, 5}}, []int{5}},
		{"a temp name while two turns are nobody's", []any{reading{[]int{1}, 0}, reading{[]int{1, 2}, 0}, name(5)}, []int{0, 0}},
		{"one's turn ended, another's began, both at once", []any{reading{[]int{1}, 5}, reading{[]int{2}, 6}}, []int{0}},
		{"its own turn ended and the next began, which may be another's", []any{reading{[]int{1}, 5}, reading{[]int{2}, 5}}, []int{0}},
		{"until it goes on with that", []any{reading{[]int{1}, 5}, reading{[]int{2}, 5}, reading{[]int{2}, 5}}, []int{5}},
		{"a temp name of the author of another turn", []any{reading{[]int{1}, 5}, reading{[]int{1, 2}, 0}, name(5)}, []int{5, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var as authors
			now := noon
			follow := func(r reading, via Via, sole bool) {
				var open []time.Time
				for _, ms := range r.open {
					open = append(open, noon.Add(time.Duration(ms)*time.Millisecond))
				}
				var by *author
				if r.by != 0 {
					by = writerOf(r.by)
					by.via, by.Seen, by.sole = via, noon, sole
				}
				as.follow(open, by, now)
			}
			for _, step := range tt.steps {
				switch s := step.(type) {
				case time.Duration:
					now = now.Add(s)
				case name:
					by := writerOf(int(s))
					by.Seen = now
					as.name(by, now)
				case reading:
					follow(s, ViaWriteCounter, true)
				case named:
					follow(reading(s), ViaTempName, false)
				case sole:
					follow(reading(s), ViaTempName, true)
				}
			}
			var got []int
			for _, o := range as.turns {
				pid := 0
				if o.by != nil {
					pid = o.by.PID
				}
				got = append(got, pid)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("authors = %v, want %v", got, tt.want)
			}
		})
	}
}
