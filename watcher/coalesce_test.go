package watcher

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	testQuiet   = 100 * time.Millisecond
	testCeiling = 450 * time.Millisecond
)

// coalescing is a coalescer in a bubble, with the times at which its batches arrive.
type coalescing struct {
	in    chan change
	out   chan Batch
	start time.Time
	c     *coalescer
}

// coalesce runs test in a bubble. The clock moves only when everything waits.
func coalesce(t *testing.T, limit int, test func(t *testing.T, c *coalescing)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &coalescing{in: make(chan change), out: make(chan Batch), start: time.Now(), c: newCoalescer(testQuiet, testCeiling, limit)}
		var wg sync.WaitGroup
		wg.Go(func() { c.c.run(ctx, c.in, c.out) })
		test(t, c)
		cancel()
		wg.Wait()
	})
}

// write says that path changed, after a pause.
func (c *coalescing) write(pause time.Duration, path string) {
	time.Sleep(pause)
	c.in <- change{event: Event{Root: "/r", Path: path, Op: Write}}
}

// log reads batches for a while and returns them, one a line: milliseconds since the start, and paths.
func (c *coalescing) log(until time.Duration) []string {
	var lines []string
	end := time.After(until - time.Since(c.start))
	for {
		select {
		case b := <-c.out:
			lines = append(lines, fmt.Sprintf("%d %s", time.Since(c.start).Milliseconds(), describe(b)))
		case <-end:
			return lines
		}
	}
}

// describe prints a batch in a fixed order.
func describe(b Batch) string {
	var words []string
	for _, e := range b.Events {
		words = append(words, e.Path+":"+e.Op.String())
	}
	for _, r := range b.Rescan {
		words = append(words, "rescan:"+r)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestCoalescing(t *testing.T) {
	const ms = time.Millisecond
	type change struct {
		pause time.Duration // before it
		path  string
	}
	// steady is a path that changes every 40 ms, n times.
	steady := func(n int) []change {
		return slices.Repeat([]change{{40 * ms, "/r/a"}}, n)
	}
	tests := []struct {
		name    string
		changes []change
		want    []string
	}{
		{"the first change goes out at once", []change{{0, "/r/a"}}, []string{"0 /r/a:write"}},
		{"the second one when the path is quiet", []change{{0, "/r/a"}, {30 * ms, "/r/a"}},
			[]string{"0 /r/a:write", "130 /r/a:write"}},
		{"the third one makes the second wait", []change{{0, "/r/a"}, {30 * ms, "/r/a"}, {60 * ms, "/r/a"}},
			[]string{"0 /r/a:write", "190 /r/a:write"}},
		{"paths do not wait for each other", []change{{0, "/r/a"}, {30 * ms, "/r/a"}, {10 * ms, "/r/b"}},
			[]string{"0 /r/a:write", "40 /r/b:write", "130 /r/a:write"}},
		{"after the quiet time a change goes out at once again", []change{{0, "/r/a"}, {100 * ms, "/r/a"}, {200 * ms, "/r/a"}},
			[]string{"0 /r/a:write", "100 /r/a:write", "300 /r/a:write"}},
		{"also after held ones", []change{{0, "/r/a"}, {30 * ms, "/r/a"}, {101 * ms, "/r/a"}},
			[]string{"0 /r/a:write", "130 /r/a:write", "131 /r/a:write"}},
		{"a path that never is quiet goes out at the ceiling", steady(25),
			[]string{"40 /r/a:write", "530 /r/a:write", "1010 /r/a:write"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			coalesce(t, 100, func(t *testing.T, c *coalescing) {
				var wg sync.WaitGroup
				wg.Go(func() {
					for _, ch := range tt.changes {
						c.write(ch.pause, ch.path)
					}
				})
				got := c.log(2 * time.Second)
				wg.Wait()
				if !slices.Equal(got, tt.want) {
					t.Errorf("got  %q\nwant %q", got, tt.want)
				}
			})
		})
	}
}

func TestOperationsMerge(t *testing.T) {
	coalesce(t, 100, func(t *testing.T, c *coalescing) {
		for _, op := range []Op{Create, Write, Remove} {
			c.in <- change{event: Event{Root: "/r", Path: "/r/a", Op: op}}
		}
		c.in <- change{event: Event{Root: "/s", Path: "/r/a", Op: Write}} // roots may overlap
		want := []string{"0 /r/a:create|write|remove /r/a:write"}
		if got := c.log(time.Second); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// While the reader does something else, changes are taken and merged, and what it gets then is whole.
func TestSlowReader(t *testing.T) {
	coalesce(t, 100, func(t *testing.T, c *coalescing) {
		for i := range 50 {
			c.write(10*time.Millisecond, fmt.Sprintf("/r/%d", i%5))
		}
		c.in <- change{rescan: []string{"/s"}}
		time.Sleep(time.Hour)
		got := c.log(2 * time.Hour)
		want := []string{"3600500 /r/0:write /r/1:write /r/2:write /r/3:write /r/4:write rescan:/s"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Too many paths become one full look, and other roots keep theirs.
func TestCollapse(t *testing.T) {
	coalesce(t, 10, func(t *testing.T, c *coalescing) {
		c.in <- change{event: Event{Root: "/s", Path: "/s/kept", Op: Create}}
		for i := range 1000 {
			c.write(0, fmt.Sprintf("/r/%d", i))
		}
		c.in <- change{event: Event{Root: "/s", Path: "/s/kept", Op: Write}}
		if n := len(c.c.entries); n > 12 {
			t.Errorf("%d entries kept", n)
		}
		got := <-c.out
		if want := "/s/kept:create|write rescan:/r"; describe(got) != want {
			t.Errorf("got %s, want %s", describe(got), want)
		}
		c.write(0, "/r/after")
		if got := describe(<-c.out); got != "/r/after:write" {
			t.Errorf("after the rescan was taken: got %s", got)
		}
	})
}

// A storm that goes on asks for one full look per ceiling, not for one after the other (bug B91).
func TestRescansAreMerged(t *testing.T) {
	coalesce(t, 10, func(t *testing.T, c *coalescing) {
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 100 {
				time.Sleep(7 * time.Millisecond)
				c.in <- change{rescan: []string{"/r"}}
			}
		})
		got := c.log(2 * time.Second)
		wg.Wait()
		want := []string{"7 rescan:/r", "464 rescan:/r", "800 rescan:/r"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A storm of new paths with a reader that keeps up leaves no mountain behind, and nothing at all when it
// is over.
func TestMemoryIsBounded(t *testing.T) {
	coalesce(t, 10, func(t *testing.T, c *coalescing) {
		for i := range 1000 {
			c.write(0, fmt.Sprintf("/r/%d", i))
			<-c.out
		}
		synctest.Wait()
		if n := len(c.c.entries); n > 41 {
			t.Errorf("%d entries kept during the storm", n)
		}
		c.write(0, "/r/last")
		<-c.out
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(c.c.entries) + len(c.c.queue); n != 0 {
			t.Errorf("%d entries kept after it", n)
		}
		for root, n := range c.c.owed {
			if n != 0 {
				t.Errorf("%s owes %d paths", root, n)
			}
		}
	})
}

// Whatever happens when: no change is lost, none is held beyond the ceiling while the reader waits, and
// nothing is said that did not happen.
func TestNoChangeIsLost(t *testing.T) {
	for seed := range uint64(200) {
		coalesce(t, 8, func(t *testing.T, c *coalescing) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			owed := map[string]time.Time{} // oldest change that was not reported
			take := func(b Batch) {
				for _, e := range b.Events {
					if _, ok := owed[e.Path]; !ok {
						t.Errorf("seed %d: %s reported without a change", seed, e.Path)
					}
					delete(owed, e.Path)
				}
				if len(b.Rescan) > 0 {
					clear(owed)
				}
			}
			for range 200 {
				select {
				case b := <-c.out:
					take(b)
				case <-time.After(time.Duration(rnd.IntN(60)) * time.Millisecond):
					for range rnd.IntN(4) {
						path := fmt.Sprintf("/r/%d", rnd.IntN(12))
						if _, ok := owed[path]; !ok {
							owed[path] = time.Now()
						}
						c.write(0, path)
					}
				}
				for path, since := range owed {
					if held := time.Since(since); held > testCeiling+60*time.Millisecond {
						t.Fatalf("seed %d: %s held for %v", seed, path, held)
					}
				}
			}
			for len(owed) > 0 {
				take(<-c.out)
			}
		})
	}
}

// A burst of raw events on the way through. The floor is the same burst through a channel alone.
func BenchmarkBurst(b *testing.B) {
	const events = 100_000
	for _, paths := range []int{64, events} {
		burst := make([]change, events)
		for i := range burst {
			burst[i].event = Event{Root: "/r", Path: fmt.Sprintf("/r/bucket/session/%d", i%paths), Op: Write}
		}
		b.Run(fmt.Sprintf("paths=%d", paths), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				throughCoalescer(b, burst)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
		})
	}
	b.Run("floor", func(b *testing.B) {
		burst := make([]change, events)
		for b.Loop() {
			in := make(chan change, 256)
			var wg sync.WaitGroup
			wg.Go(func() {
				for range in {
				}
			})
			for _, ch := range burst {
				in <- ch
			}
			close(in)
			wg.Wait()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
	})
}

// throughCoalescer sends the burst and one last change, and waits until the reader has that one.
func throughCoalescer(b *testing.B, burst []change) {
	ctx, cancel := context.WithCancel(b.Context())
	in, out := make(chan change, 256), make(chan Batch)
	var wg sync.WaitGroup
	wg.Go(func() { newCoalescer(DefaultQuiet, DefaultCeiling, maxPending).run(ctx, in, out) })
	wg.Go(func() {
		defer cancel()
		for batch := range out {
			if slices.ContainsFunc(batch.Events, func(e Event) bool { return e.Root == "/last" }) {
				return
			}
		}
	})
	for _, ch := range burst {
		in <- ch
	}
	in <- change{event: Event{Root: "/last", Path: "/last/f", Op: Write}}
	wg.Wait()
}
