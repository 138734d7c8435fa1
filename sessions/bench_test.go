package sessions

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/watcher"
)

// crowd is a Source of n sessions that are made up when they are read, as large and as varied as those of a real
// home, so that a benchmark measures the Index and not the disk or the test.
type crowd struct {
	*disk
	n       int
	version atomic.Uint64 // changes every session
}

func newCrowd(n int) *crowd { return &crowd{disk: newDisk("kimi", "/home/dev/.kimi-code"), n: n} }

// crowdKey names a session as the client does, a hundred to a bucket.
func crowdKey(i int) string {
	return fmt.Sprintf("sessions/wd_project%04d_0123456789ab/session_%08x-7200-7a11-8c3e-%012x", i/100, i, i)
}

func (c *crowd) List(ctx context.Context, emit func(key string)) error {
	for i := range c.n {
		emit(crowdKey(i))
	}
	return ctx.Err()
}

func (c *crowd) Stamp(key string) (Stamp, error) {
	return Stamp(len(key)) + Stamp(c.version.Load())<<8, nil
}

func (c *crowd) Load(key string, _ time.Time) (*Record, error) {
	dir, id := filepath.Split(key)
	project := strings.TrimSuffix(strings.TrimPrefix(dir, "sessions/wd_"), "_0123456789ab/")
	i, err := strconv.ParseInt(id[len("session_"):len("session_")+8], 16, 64)
	if err != nil {
		return nil, err
	}
	created := noon.Add(-time.Duration(i) * time.Minute)
	stamp, err := c.Stamp(key)
	return &Record{
		Key: key, Stamp: stamp, ID: strings.Clone(id), Source: c.name, Root: c.root, Path: filepath.Join(c.root, key),
		WorkDir: "/home/dev/work/" + project, Title: fmt.Sprintf("Fix the login page of customer %d, again", i),
		CreatedAt: created, UpdatedAt: created.Add(time.Hour), Archived: No, Open: true,
		Work:   Work{Busy: No, MainTurnActive: No, PendingInteraction: "none", LastTurnReason: "completed"},
		Agents: []Agent{{ID: "main", Type: "main"}}, AgentCount: 1,
	}, err
}

// runIndex starts an Index over src and returns how to stop it.
func runIndex(x *Index) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx) }()
	return func() {
		cancel()
		<-done
	}
}

// BenchmarkColdIndex lists 10,000 sessions. The floor reads the same ones, with as many workers, into a map.
func BenchmarkColdIndex(b *testing.B) {
	const n = 10_000
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got := len(readAll(newCrowd(n))); got != n {
				b.Fatal(got)
			}
		}
	})
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x := NewIndex(IndexConfig{Sources: []Source{newCrowd(n)}, Prober: newProcs(), Policy: DefaultPolicy(), Sweep: -1})
			stop := runIndex(x)
			<-x.Ready()
			if got := x.Snapshot().Len(); got != n {
				b.Fatal(got)
			}
			stop()
		}
	})
}

// readAll is the least that a listing has to do.
func readAll(src Source) map[string]*Record {
	keys := make(chan string, partSize)
	records := map[string]*Record{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for key := range keys {
				rec, err := src.Load(key, noon)
				if err == nil {
					mu.Lock()
					records[key] = rec
					mu.Unlock()
				}
			}
		})
	}
	if err := src.List(context.Background(), func(key string) { keys <- key }); err != nil {
		return nil
	}
	close(keys)
	wg.Wait()
	return records
}

// BenchmarkRescan looks at 10,000 sessions that have not changed.
func BenchmarkRescan(b *testing.B) {
	src := newCrowd(10_000)
	x, batches, stop := watchedIndex(b, src)
	defer stop()
	b.ReportAllocs()
	for b.Loop() {
		before := x.Snapshot()
		batches <- watcher.Batch{Rescan: []string{src.root}}
		for x.Snapshot() == before {
			runtime.Gosched()
		}
	}
}

// watchedIndex is an Index that has listed src and now hears of changes through the channel.
func watchedIndex(b *testing.B, src *crowd) (*Index, chan watcher.Batch, func()) {
	batches := make(chan watcher.Batch)
	x := NewIndex(IndexConfig{Sources: []Source{src}, Prober: newProcs(), Policy: DefaultPolicy(), Sweep: -1, Batches: batches})
	stop := runIndex(x)
	batches <- watcher.Batch{Rescan: []string{src.root}}
	<-x.Ready()
	if got := x.Snapshot().Len(); got != src.n {
		b.Fatal(got)
	}
	return x, batches, stop
}

// BenchmarkOneChange is the time from the Watcher's Batch to a subscriber's Event, for one session among many. It
// must not depend on how many.
func BenchmarkOneChange(b *testing.B) {
	for _, n := range []int{1, 10_000, 100_000} {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			src := newCrowd(n)
			x, batches, stop := watchedIndex(b, src)
			defer stop()
			sub := x.Subscribe(maxSingleEvents)
			defer sub.Close()
			hint := watcher.Batch{Events: []watcher.Event{{Root: src.root, Path: filepath.Join(src.root, crowdKey(n/2))}}}
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				src.version.Add(1)
				start := time.Now()
				batches <- hint
				if e := <-sub.C; e.Kind != Changed {
					b.Fatal(e.Kind)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}

// BenchmarkMemory reports what one row costs in a listed Index at rest, beside the floor: the Records alone.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("floor/sessions=%d", n), func(b *testing.B) {
			for b.Loop() {
				before := heapInUse()
				records := readAll(newCrowd(n))
				b.ReportMetric(float64(heapInUse()-before)/float64(n), "B/row")
				runtime.KeepAlive(records)
			}
		})
		b.Run(fmt.Sprintf("index/sessions=%d", n), func(b *testing.B) {
			for b.Loop() {
				before := heapInUse()
				x, _, stop := watchedIndex(b, newCrowd(n))
				b.ReportMetric(float64(heapInUse()-before)/float64(n), "B/row")
				stop()
				runtime.KeepAlive(x)
			}
		})
	}
}

// heapInUse returns the bytes in use after a garbage collection.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkFind looks a session up by the beginning of its id among 100,000.
func BenchmarkFind(b *testing.B) {
	x, _, stop := watchedIndex(b, newCrowd(100_000))
	defer stop()
	snap := x.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := snap.Find("0000c350"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAllAlike lists 10,000 open notes that are copies of one: the worst case for facts that depend on
// others.
func BenchmarkAllAlike(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		x := NewIndex(IndexConfig{Sources: []Source{copies{newCrowd(10_000)}}, Prober: newProcs(), Policy: DefaultPolicy(), Sweep: -1})
		stop := runIndex(x)
		<-x.Ready()
		stop()
	}
}

// copies is a crowd of notes with one id and one parent, by one client.
type copies struct{ *crowd }

func (c copies) Load(key string, now time.Time) (*Record, error) {
	rec, err := c.crowd.Load(key, now)
	if err == nil {
		rec.ID, rec.ParentID, rec.StatusWord = "twin", "twin", "active"
		rec.Groups = []string{"demo|client=claude-code", "demo|agent=claude"}
	}
	return rec, err
}

// BenchmarkClassify is the pure part of one derivation.
func BenchmarkClassify(b *testing.B) {
	s := Situation{Record: kimiRecord()}
	b.ReportAllocs()
	for b.Loop() {
		Classify(s, noon, DefaultPolicy())
	}
}
