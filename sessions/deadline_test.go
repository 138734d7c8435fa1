package sessions

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestDeadlines sets, moves and takes out at random, and compares with a plain map.
func TestDeadlines(t *testing.T) {
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var d deadlines
		model := map[*entry]time.Time{}
		var all []*entry
		for range 200 {
			all = append(all, &entry{place: -1})
		}
		for range 2000 {
			e, at := all[rnd.IntN(len(all))], noon.Add(time.Duration(rnd.IntN(1000))*time.Second)
			if rnd.IntN(4) == 0 {
				at = time.Time{}
			}
			d.set(e, at)
			delete(model, e)
			if !at.IsZero() {
				model[e] = at
			}
		}
		checkOrder(t, &d, model)
	}
}

// checkOrder empties d, half way and then all the way.
func checkOrder(t *testing.T, d *deadlines, model map[*entry]time.Time) {
	t.Helper()
	for _, now := range []time.Time{noon.Add(500 * time.Second), noon.Add(time.Hour)} {
		var got []time.Time
		for e := d.pop(now); e != nil; e = d.pop(now) {
			if e.place != -1 {
				t.Fatalf("an entry that was taken out is at %d", e.place)
			}
			got = append(got, model[e])
			delete(model, e)
		}
		if !slices.IsSortedFunc(got, time.Time.Compare) || len(got) > 0 && got[len(got)-1].After(now) {
			t.Fatalf("popped at %v: %v", now, got)
		}
		for _, at := range model {
			if !at.After(now) || d.next().After(at) {
				t.Fatalf("%v is due, and next is %v", at, d.next())
			}
		}
	}
	if len(model) != 0 || !d.next().IsZero() {
		t.Errorf("%d are left, next is %v", len(model), d.next())
	}
}
