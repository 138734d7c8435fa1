package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/locks"
)

// sight is who was seen with a Session at some moment after the beginning.
type sight struct {
	at     time.Duration
	holder *Party // has the lock
	author *Party // has just been proven to write
}

// TestTakeover: one change of the client is told once, with both names, and a lock that blinks is none.
func TestTakeover(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	has := func(at time.Duration, p Party) sight { return sight{at: at, holder: &p} }
	writes := func(at time.Duration, p Party) sight { return sight{at: at, author: &p} }
	nobody := func(at time.Duration) sight { return sight{at: at} }
	carol := party(60, "VS Code (pid 60)")
	tests := []struct {
		name  string
		dead  []Party
		sees  []sight
		until time.Duration
		want  []string
	}{
		{name: "one client, one lock", sees: []sight{has(0, alice)}, until: time.Hour},
		{name: "its lock blinks with each turn", sees: []sight{has(0, alice), nobody(3 * s), has(9*s, alice), nobody(12 * s), has(15*s, alice)}, until: time.Hour},
		{name: "it has no lock and writes", sees: []sight{writes(0, alice), nobody(s), writes(2*s, alice)}, until: time.Hour},
		{name: "another one takes the lock", sees: []sight{has(0, alice), nobody(3 * s), has(9*s, bob)}, until: time.Hour, want: []string{"50<40"}},
		{name: "another one writes", sees: []sight{writes(0, alice), writes(9*s, bob), writes(10*s, bob)}, until: time.Hour, want: []string{"50<40"}},
		{name: "another one writes while the first has the lock", sees: []sight{has(0, alice), {at: s, holder: &alice, author: &bob}}, until: time.Hour},
		{name: "it is back before it counts", sees: []sight{has(0, alice), has(s, bob), has(s+300*ms, alice)}, until: time.Hour},
		{name: "it goes and comes back for good", sees: []sight{has(0, alice), has(20*s, bob), has(60*s, alice)}, until: time.Hour, want: []string{"50<40", "40<50"}},
		{name: "the new one was only there for a moment", sees: []sight{has(0, alice), has(s, bob), nobody(s + 100*ms)}, until: time.Hour, want: []string{"50<40"}},
		{name: "a third one is faster", sees: []sight{has(0, alice), has(s, bob), has(s+300*ms, carol)}, until: time.Hour, want: []string{"60<40"}},
		{name: "from one that ended a moment ago", dead: []Party{alice}, sees: []sight{has(0, alice), nobody(s), has(20*s, bob)}, until: time.Hour, want: []string{"50<40"}},
		{name: "from one that ended long ago", dead: []Party{alice}, sees: []sight{has(0, alice), nobody(s), has(20*time.Minute, bob)}, until: time.Hour},
		{name: "B55: the lock toggles ten times in two seconds", sees: toggles(has, alice, bob, 10, 200*ms), until: time.Hour},
		{name: "B55: and ends with the other one", sees: toggles(has, alice, bob, 11, 200*ms), until: time.Hour, want: []string{"50<40"}},
		{name: "two clients write in turns, line by line, and the first one last", sees: toggles(writes, alice, bob, 60, 900*ms), until: time.Hour, want: []string{"50<40", "40<50"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lives := func(id locks.Identity) bool {
				return !slices.ContainsFunc(tt.dead, func(p Party) bool { return p.Identity == id })
			}
			if got := play(tt.sees, tt.until, lives); !slices.Equal(got, tt.want) {
				t.Errorf("take-overs = %q, want %q", got, tt.want)
			}
		})
	}
}

// toggles is a first sight of a, and then n in turns of b and a.
func toggles(seen func(time.Duration, Party) sight, a, b Party, n int, gap time.Duration) []sight {
	all := []sight{seen(0, a)}
	for i := range n {
		all = append(all, seen(time.Duration(i+1)*gap, []Party{b, a}[i%2]))
	}
	return all
}

// play looks at each sight and at each moment at which a change becomes certain, as the Index does.
func play(sees []sight, until time.Duration, lives func(locks.Identity) bool) []string {
	var tn tenure
	var got []string
	step := func(s sight, now time.Time) {
		if s.author != nil {
			p := *s.author
			p.Seen = now
			s.author = &p
		}
		var c *takeover
		if tn, c = tn.after(s.holder, s.author, lives, now); c != nil {
			got = append(got, fmt.Sprintf("%d<%d", c.by.PID, c.from.PID))
		}
	}
	var holder *Party
	due := func(end time.Time) {
		for at := tn.certain(); !at.IsZero() && !at.After(end); at = tn.certain() {
			step(sight{holder: holder}, at)
		}
	}
	for _, s := range sees {
		due(noon.Add(s.at))
		step(s, noon.Add(s.at))
		holder = s.holder
	}
	due(noon.Add(until))
	return got
}
