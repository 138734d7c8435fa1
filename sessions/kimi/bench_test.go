package kimi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
)

// workers is how many goroutines read at once, here and in the Index.
const workers = 2

// bigHome makes n sessions in n/50 buckets, each with a real journal of two turns (12.7 KB).
func bigHome(b testing.TB, n int) string {
	b.Helper()
	home := filepath.Join(realTemp(b), "home")
	const real = "testdata/kimi-home-2.1.0/sessions/wd_beta_1c2e11363998/session_d2629321-7236-4822-ba57-067fc68dc8d1"
	wire, err := os.ReadFile(filepath.Join(real, "agents", "main", "wire.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		kimitest.Session{
			Bucket: fmt.Sprintf("wd_project-%d_0123456789ab", i/50), ID: fmt.Sprintf("session_00000000-0000-4000-8000-%012d", i),
			WorkDir: fmt.Sprintf("/home/dev/work/project-%d", i/50), Wire: string(wire), Unlisted: true,
			State: map[string]any{"lastTurnReason": "completed"},
		}.Make(b, home)
	}
	return home
}

// readCold lists and loads everything, as the Index does when it starts.
func readCold(b *testing.B, home string, want int) {
	src := kimi.New(kimi.Config{Home: home})
	keys := make(chan string, 256)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for range workers {
		wg.Go(func() {
			n := 0
			for key := range keys {
				if r, err := src.Load(key, time.Now()); err == nil && len(r.Problems) == 0 {
					n++
				}
			}
			mu.Lock()
			got += n
			mu.Unlock()
		})
	}
	err := src.List(b.Context(), func(key string) { keys <- key })
	close(keys)
	wg.Wait()
	if err != nil || got != want {
		b.Fatalf("%d sessions, %v, want %d", got, err, want)
	}
}

// readFloor does the least that any reader has to: list two levels of folders, parse each state.json, and read the
// last 4 KiB of each journal.
func readFloor(b *testing.B, home string, want int) {
	dirs := make(chan string, 256)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			tail := make([]byte, 4096)
			for dir := range dirs {
				if err := floorOf(dir, tail); err != nil {
					b.Error(err)
				}
			}
		})
	}
	got := 0
	for _, bucket := range readDir(b, home+"/sessions") {
		for _, dir := range readDir(b, bucket) {
			dirs <- dir
			got++
		}
	}
	close(dirs)
	wg.Wait()
	if got != want {
		b.Fatalf("%d sessions, want %d", got, want)
	}
}

func readDir(b *testing.B, dir string) []string {
	ds, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	var paths []string
	for _, d := range ds {
		paths = append(paths, dir+"/"+d.Name())
	}
	return paths
}

func floorOf(dir string, tail []byte) error {
	state, err := os.ReadFile(dir + "/state.json")
	if err != nil {
		return err
	}
	var m map[string]any
	if err := json.Unmarshal(state, &m); err != nil {
		return err
	}
	f, err := os.Open(dir + "/agents/main/wire.jsonl")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.ReadAt(tail, max(0, info.Size()-int64(len(tail))))
	return err
}

// BenchmarkCold compares a cold reading of 10,000 sessions (files in the page cache) with its floor. Both take
// turns and the best round of each counts: what else the machine does only ever makes a round slower.
func BenchmarkCold(b *testing.B) {
	const n = 10_000
	home := bigHome(b, n)
	ours, floor := time.Duration(1<<62), time.Duration(1<<62)
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		readFloor(b, home, n)
		middle := time.Now()
		readCold(b, home, n)
		floor = min(floor, middle.Sub(start))
		ours = min(ours, time.Since(middle))
	}
	b.ReportMetric(float64(ours.Nanoseconds())/n/1000, "µs/session")
	b.ReportMetric(float64(floor.Nanoseconds())/n/1000, "floor-µs/session")
	b.ReportMetric(float64(ours)/float64(floor), "×floor")
}

// BenchmarkLoad reads one session.
func BenchmarkLoad(b *testing.B) {
	src, home := copyOf(b, "kimi-home-2.1.0")
	_ = home
	for _, key := range []string{
		"sessions/wd_beta_1c2e11363998/session_d2629321-7236-4822-ba57-067fc68dc8d1",
		"sessions/wd_alpha_9055c9f99979/session_ac471a93-f85c-4b85-be02-85941f0ef66c",
	} {
		b.Run(filepath.Base(key)[8:16], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := src.Load(key, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStamp looks at one session without reading it.
func BenchmarkStamp(b *testing.B) {
	src, _ := copyOf(b, "kimi-home-2.1.0")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := src.Stamp("sessions/wd_beta_1c2e11363998/session_d2629321-7236-4822-ba57-067fc68dc8d1"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWireSize loads sessions whose journals differ in size only. Both have the same real records at either
// end and a hole between them.
func BenchmarkWireSize(b *testing.B) {
	home := filepath.Join(realTemp(b), "home")
	for _, size := range []int64{2 << 20, 2 << 30} {
		key := holed(b, home, size)
		src := kimi.New(kimi.Config{Home: home})
		b.Run(fmt.Sprintf("%d-MiB", size>>20), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := src.Load(key, time.Now())
				if err != nil || r.Work.LastTurnReason != "completed" {
					b.Fatalf("%+v, %v", r, err)
				}
			}
		})
	}
}

// holed makes a session with a journal of about the given size: whole turns at the beginning, a hole, whole turns
// at the end.
func holed(t testing.TB, home string, size int64) string {
	t.Helper()
	turns := ""
	for i := range 200 {
		turns += kimitest.Turn(i, 10*i, "do something, please")
	}
	s := kimitest.Session{
		Bucket: "wd_big_000000000000", ID: fmt.Sprintf("session_%d", size), WorkDir: "/home/dev/work/big",
		Wire: kimitest.Header("1.5") + turns,
	}
	key := s.Make(t, home)
	if err := os.Truncate(s.WirePath(home), size); err != nil {
		t.Fatal(err)
	}
	kimitest.Append(t, s.WirePath(home), "\n"+turns)
	kimitest.Age(t, s.WirePath(home), kimitest.Settled)
	return key
}

// BenchmarkMemory reports the bytes that one Record keeps, in a home of 10,000.
func BenchmarkMemory(b *testing.B) {
	const n = 10_000
	home := bigHome(b, n)
	var kept []*sessions.Record
	for b.Loop() {
		src := kimi.New(kimi.Config{Home: home})
		before := heap()
		kept = make([]*sessions.Record, 0, n)
		err := src.List(b.Context(), func(key string) {
			if r, err := src.Load(key, time.Now()); err == nil {
				kept = append(kept, r)
			}
		})
		if err != nil || len(kept) != n {
			b.Fatal(len(kept), err)
		}
		b.ReportMetric(float64(heap()-before)/n, "B/session")
	}
	runtime.KeepAlive(kept)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
