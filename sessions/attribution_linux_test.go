package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// maxAttribution is what finding out who wrote a growth may cost with twenty clients.
const maxAttribution = 200 * time.Microsecond

// BenchmarkAttribution is what a growth of an open turn costs beside reading the Session, with twenty real client
// processes in the Session's folder: their counters before and after the reading, the decision, and who holds it.
func BenchmarkAttribution(b *testing.B) {
	for _, clients := range []int{1, 20} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			x, e := crowdedSession(b, clients)
			st, size := e.store, int64(0)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				size += 2000
				now := time.Now()
				st.authorsOf(e.rec.Key).reading(now)
				x.count(st)
				before := e.rec.WireBytes
				e.rec.WireBytes = size
				x.followReading(e, before, now)
				x.creditAll(now)
				x.writer(e, now)
				took = append(took, time.Since(now))
			}
			// The median: what else runs on the machine may stop any one of them for longer.
			slices.Sort(took)
			each := took[len(took)/2]
			b.ReportMetric(float64(each.Nanoseconds()), "p50-ns/op")
			if each > maxAttribution {
				b.Errorf("%v for each growth, more than %v", each, maxAttribution)
			}
		})
	}
}

// crowdedSession is a Session with an open turn, in the folder of so many client processes.
func crowdedSession(b *testing.B, clients int) (*Index, *entry) {
	sys := locks.NewSystem()
	var dir string
	for range clients {
		c, ok := sys.Meet(locktest.Titled(b, "kimi-code").PID, "kimi")
		if !ok {
			b.Fatal("a child cannot be met")
		}
		dir = c.Dir
	}
	d := newDisk("kimi", "/home")
	x := NewIndex(IndexConfig{Sources: []Source{d}, Prober: sys, Policy: DefaultPolicy(), Sweep: -1})
	rec := session("a", func(r *Record) {
		r.Source, r.WorkDir = "kimi", dir
		r.OpenTurn, r.TurnSince = true, time.Now()
		r.OpenTurns = []time.Time{r.TurnSince}
	})
	x.add(x.stores[0], rec, time.Now())
	return x, x.stores[0].entries["a"]
}
