package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// latencyDirs is how many directories are watched while the latency is measured.
const latencyDirs = 10_000

// BenchmarkLatency measures the time from the start of a write until the reader has it: through the
// Watcher, and through the notification library alone, which is the floor. Writes are 2 ms apart, and
// each is to a file that was quiet, as a rule.
func BenchmarkLatency(b *testing.B) {
	dir := tempRoot(b)
	mkdirs(b, dir, numbered("b%d", 100)...)
	files := make([]string, latencyDirs)
	for i := range files {
		d := filepath.Join(dir, fmt.Sprintf("b%d/s%d", i%100, i))
		mkdirs(b, d, ".")
		files[i] = filepath.Join(d, "wire.jsonl")
		writeFile(b, files[i])
	}
	b.Run("watcher", func(b *testing.B) {
		got, stop := watcherReader(b, dir)
		defer stop()
		measure(b, files, got)
	})
	b.Run("floor", func(b *testing.B) {
		got, stop := notifyReader(b, files)
		defer stop()
		measure(b, files, got)
	})
}

// measure writes to one file after the other and reports how long it took to hear of it.
func measure(b *testing.B, files []string, got <-chan string) {
	var took []time.Duration
	i := 0
	for b.Loop() {
		name := files[i*7919%len(files)]
		i++
		time.Sleep(2 * time.Millisecond) // the pace, not a wait for anything
		start := time.Now()
		writeFile(b, name)
		for heard := range got {
			if heard == name {
				break
			}
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	ms := func(share float64) float64 {
		return took[int(share*float64(len(took)-1))].Seconds() * 1000
	}
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(ms(1), "max-ms")
}

func watcherReader(b *testing.B, dir string) (<-chan string, func()) {
	w, err := New(Config{Roots: []Root{{Path: dir}}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.Run(ctx) })
	<-w.Batches()
	if n := w.Status()[0].Watches; n < latencyDirs {
		b.Fatalf("%d watches", n)
	}
	got := make(chan string, 1024)
	wg.Go(func() {
		for batch := range w.Batches() {
			for _, e := range batch.Events {
				got <- e.Path
			}
		}
	})
	return got, func() { cancel(); wg.Wait() }
}

func notifyReader(b *testing.B, files []string) (<-chan string, func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		if err := w.Add(filepath.Dir(f)); err != nil {
			b.Fatal(err)
		}
	}
	got := make(chan string, 1024)
	var wg sync.WaitGroup
	wg.Go(func() {
		for e := range w.Events {
			got <- e.Name
		}
	})
	return got, func() { _ = w.Close(); wg.Wait() }
}

// BenchmarkStart measures the time until the first batch with 30,000 directories. The floor is a walk that
// adds the same watches.
func BenchmarkStart(b *testing.B) {
	dir := tempRoot(b)
	for i := range 100 {
		mkdirs(b, dir, numbered(fmt.Sprintf("b%d/s%%d", i), 299)...)
	}
	b.Run("watcher", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			startOnce(b, dir)
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			addOnce(b, dir)
		}
	})
}

func startOnce(b *testing.B, dir string) {
	w, err := New(Config{Roots: []Root{{Path: dir}}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.Run(ctx) })
	<-w.Batches()
	if n := w.Status()[0].Watches; n != 30_001 {
		b.Fatalf("%d watches", n)
	}
	cancel()
	wg.Wait()
}

func addOnce(b *testing.B, dir string) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		b.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return w.Add(path)
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
