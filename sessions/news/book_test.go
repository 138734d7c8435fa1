package news

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T, path string) *Book {
	t.Helper()
	b, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func closed(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOnce: a key is new once, whatever ends the run in between (bug B134).
func TestOnce(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *Book){"ended": closed, "killed": func(*testing.T, *Book) {}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "berth", "news.jsonl")
			before := time.Now()
			b := open(t, path)
			if !b.LastRun().IsZero() {
				t.Errorf("the first run has a last run %v", b.LastRun())
			}
			if !b.First("a|b|1") || b.First("a|b|1") || !b.First("a|b|2") {
				t.Error("within one run")
			}
			end(t, b)
			for range 5 {
				b = open(t, path)
				if b.First("a|b|1") || b.First("a|b|2") {
					t.Error("told again after a restart")
				}
				if last := b.LastRun(); last.Before(before.Truncate(time.Millisecond)) || last.After(time.Now()) {
					t.Errorf("last run %v", last)
				}
				end(t, b)
			}
		})
	}
}

// TestDamaged: a torn line, lines of nonsense and one that is very long lose nothing else.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "news.jsonl")
	text := `{"at":"2026-03-14T12:00:00Z","key":"one"}` + "\nnonsense\n\x00\x00\n" + strings.Repeat("x", 1<<20) + "\n" + `{"at":"2026-03-14T12:00:01Z","key":"two"}` + "\n" + `{"at":"2026-03`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	if b.First("one") || b.First("two") || !b.First("three") {
		t.Error("not what the file says")
	}
	if want := time.Date(2026, 3, 14, 12, 0, 1, 0, time.UTC); !b.LastRun().Equal(want) {
		t.Errorf("last run %v, want %v", b.LastRun(), want)
	}
	closed(t, b)
	b = open(t, path)
	if b.First("three") {
		t.Error("what follows a torn line is lost")
	}
	closed(t, b)
}

// TestBounded: the file and the memory stay small, and the latest keys are the ones that stay.
func TestBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "news.jsonl")
	for run := range 3 {
		b := open(t, path)
		for i := range maxKeys {
			b.First(fmt.Sprint(run, "|", i))
		}
		if len(b.keys) > maxKeys || len(b.told) > maxKeys {
			t.Errorf("%d keys, %d told", len(b.keys), len(b.told))
		}
		closed(t, b)
	}
	b := open(t, path)
	defer closed(t, b)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > maxKeys {
		t.Errorf("%d lines after a start", n)
	}
	if b.First(fmt.Sprint("2|", maxKeys-1)) || !b.First("0|0") {
		t.Error("the latest keys are not the ones that were kept")
	}
}

func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "news.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, maxBytes+1); err != nil {
		t.Fatal(err)
	}
	if b, err := Open(path, nil); err == nil {
		closed(t, b)
		t.Error("opened")
	}
}

// TestUnwritable: what cannot be kept is remembered for this run.
func TestUnwritable(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "news.jsonl"))
	if err := b.file.Close(); err != nil {
		t.Fatal(err)
	}
	if !b.First("a") || b.First("a") || !b.First("b") || b.file != nil {
		t.Error("it gave up, or did not notice")
	}
	closed(t, b)
}

// FuzzParse: no file makes it fail, or remember more than it may; and a book that is written anew says the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"at":"2026-03-14T12:00:00Z","key":"one"}` + "\n" + `{"at":"2026-03-14T12:00:00Z"}` + "\n{"))
	f.Add([]byte("\n\n{}\nnull\n[1]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b := &Book{told: map[string]bool{}}
		b.parse(text)
		if len(b.keys) > maxKeys || len(b.told) != len(b.keys) {
			t.Fatalf("%d keys, %d told", len(b.keys), len(b.told))
		}
		again := &Book{told: map[string]bool{}}
		again.parse(b.text())
		if len(again.keys) != len(b.keys) {
			t.Fatalf("%d keys, written anew %d", len(b.keys), len(again.keys))
		}
	})
}

// BenchmarkFirst is what one piece of news costs, beside the floor: the write alone.
func BenchmarkFirst(b *testing.B) {
	book, err := Open(filepath.Join(b.TempDir(), "news.jsonl"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	b.Run("floor", func(b *testing.B) {
		text := encode(line{At: time.Now(), Key: "kimi:session_a|interrupted|2026-03-14T12:00:00Z"})
		for b.Loop() {
			if _, err := book.file.Write(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			book.First(fmt.Sprint("kimi:session_a|interrupted|", i))
		}
	})
}
