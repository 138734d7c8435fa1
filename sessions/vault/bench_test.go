package vault

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sessions/vault/vaulttest"
)

// benchNotes is the size of the benchmarks' vaults.
const benchNotes = 10_000

// benchVault makes a vault of benchNotes in 100 folders. Every sessionEvery-th note is a session as Kioku
// writes it, the others are of another type.
func benchVault(b *testing.B, sessionEvery int) string {
	b.Helper()
	dir := b.TempDir()
	text := vaulttest.Notes()[0].Text
	plain := strings.Replace(text, "type: session", "type: note", 1)
	for i := range benchNotes {
		content := plain
		if i%sessionEvery == 0 {
			content = strings.Replace(text, vaulttest.IDStarted, fmt.Sprintf("id-%d", i), 1)
		}
		path := filepath.Join(dir, fmt.Sprintf("Projects/p%02d/sessions/%05d.md", i%100, i))
		put(b, path, content)
		age(b, path, time.Now().Add(-time.Hour))
	}
	return dir
}

// walkAndRead is the floor: every name, and the first 4 KiB of every note.
func walkAndRead(b *testing.B, dir string) {
	buf := make([]byte, firstRead)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Read(buf); err != io.EOF {
			return err
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkFloor(b *testing.B) {
	dir := benchVault(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		walkAndRead(b, dir)
	}
}

// BenchmarkCold is List and Load of everything by a new Source, on one goroutine.
func BenchmarkCold(b *testing.B) {
	for _, every := range []int{1, 10} {
		b.Run(fmt.Sprintf("sessions=%d", benchNotes/every), func(b *testing.B) {
			dir := benchVault(b, every)
			b.ReportAllocs()
			for b.Loop() {
				if n := loadAll(b, openVault(b, dir)); n != benchNotes/every {
					b.Fatalf("%d sessions", n)
				}
			}
		})
	}
}

func loadAll(b *testing.B, s *Source) (n int) {
	now := time.Now()
	err := s.List(context.Background(), func(key string) {
		if _, err := s.Load(key, now); err == nil {
			n++
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkSweep is List and Stamp when nothing changed, as every sweep does.
func BenchmarkSweep(b *testing.B) {
	s := openVault(b, benchVault(b, 10))
	loadAll(b, s)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		err := s.List(context.Background(), func(key string) {
			if _, err := s.Stamp(key); err == nil {
				n++
			}
		})
		if err != nil || n != benchNotes/10 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkLoad is one session note, as after an event.
func BenchmarkLoad(b *testing.B) {
	s := vaultWith(b, "x.md", vaulttest.Notes()[0].Text)
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Load("x.md", now); err != nil {
			b.Fatal(err)
		}
	}
}
