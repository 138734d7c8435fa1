package locks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// found returns the client with this pid among those that are known.
func found(t *testing.T, s *locks.System, pid int) (locks.Client, bool) {
	t.Helper()
	all, _ := s.Clients()
	i := slices.IndexFunc(all, func(c locks.Client) bool { return c.PID == pid })
	if i < 0 {
		return locks.Client{}, false
	}
	return all[i], true
}

// wantClient checks that c is a child titled as the Kimi client, which works where the tests do.
func wantClient(t *testing.T, s *locks.System, c locks.Client, pid int) {
	t.Helper()
	id, ok := s.Identify(pid)
	dir, err := os.Getwd()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	name := "Kimi"
	if c.TTY != "" {
		name = "Kimi in a terminal" // the tests were started in one
	}
	if c.Identity != id || c.Program != "kimi" || c.Name != name || c.Dir != dir || time.Since(c.Started) > time.Minute {
		t.Errorf("got %+v, want %q in %s with %+v", c, name, dir, id)
	}
}

func TestLook(t *testing.T) {
	c := locktest.Titled(t, "kimi-code")
	s := locks.NewSystem()
	if got, looked := s.Clients(); got != nil || !looked.IsZero() {
		t.Fatalf("before the first look: %+v at %v", got, looked)
	}
	before := time.Now()
	s.Look()
	if _, looked := s.Clients(); looked.Before(before) || looked.After(time.Now()) {
		t.Errorf("looked at %v", looked)
	}
	got, ok := found(t, s, c.PID)
	if !ok {
		t.Fatalf("pid %d is not known", c.PID)
	}
	wantClient(t, s, got, c.PID)

	c.Kill()
	s.Look()
	if got, ok := found(t, s, c.PID); ok {
		t.Errorf("after its end %+v is known", got)
	}
}

// TestMeet: a process that gave its pid away is known without a look at the others.
func TestMeet(t *testing.T) {
	c, stranger := locktest.Titled(t, "kimi-code"), locktest.Live(t)
	s := locks.NewSystem()
	for range 2 {
		got, ok := s.Meet(c.PID, "kimi")
		if !ok {
			t.Fatal("not met")
		}
		wantClient(t, s, got, c.PID)
	}
	got, ok := s.Meet(stranger.PID, "kimi")
	if !ok || got.Program != "kimi" || got.Dir == "" {
		t.Errorf("a process that does what only a client does: %+v, %v", got, ok)
	}
	s.Look()
	if _, ok := found(t, s, stranger.PID); !ok {
		t.Error("a look, which does not recognise it, forgot it")
	}
	stranger.Kill()
	if got, ok := s.Meet(stranger.PID, "kimi"); ok {
		t.Errorf("met %+v after its end", got)
	}
}

// TestClientsEnd: who has ended is not among the clients, also while nobody has collected it.
func TestClientsEnd(t *testing.T) {
	s := locks.NewSystem()
	for name, end := range map[string]func(*locktest.Child){"killed": (*locktest.Child).Kill, "a zombie": (*locktest.Child).KillUncollected} {
		t.Run(name, func(t *testing.T) {
			c := locktest.Titled(t, "kimi-code")
			if _, ok := s.Meet(c.PID, "kimi"); !ok {
				t.Fatal("not met")
			}
			if _, ok := found(t, s, c.PID); !ok {
				t.Error("not known")
			}
			end(c)
			if got, ok := found(t, s, c.PID); ok {
				t.Errorf("after its end: %+v", got)
			}
		})
	}
}

// counter returns the reading for pid.
func counter(s *locks.System, pid int) (locks.Counter, bool) {
	all := s.Counters("kimi")
	i := slices.IndexFunc(all, func(c locks.Counter) bool { return c.PID == pid })
	if i < 0 {
		return locks.Counter{}, false
	}
	return all[i], true
}

func TestCounters(t *testing.T) {
	s, self := locks.NewSystem(), os.Getpid()
	if _, ok := s.Meet(self, "kimi"); !ok {
		t.Fatal("this process cannot be met")
	}
	before, ok := counter(s, self)
	if !ok || !before.Known {
		t.Fatalf("got %+v, %v", before, ok)
	}
	const size = 100_000
	if err := os.WriteFile(filepath.Join(t.TempDir(), "f"), make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	after, _ := counter(s, self)
	if d := after.Bytes - before.Bytes; d < size || d > 2*size {
		t.Errorf("moved by %d, want %d and little more", d, size)
	}
	if others := s.Counters("claude"); len(others) != 0 {
		t.Errorf("of another program: %+v", others)
	}
}

func TestCountersForgetTheDead(t *testing.T) {
	s, c := locks.NewSystem(), locktest.Titled(t, "kimi-code")
	for name, read := range map[string]bool{"read before": true, "never read": false} {
		t.Run(name, func(t *testing.T) {
			s.Meet(c.PID, "kimi")
			if read {
				counter(s, c.PID)
			}
			c.Kill()
			if got, ok := counter(s, c.PID); ok && got.Known {
				t.Errorf("got %+v", got)
			}
		})
		c = locktest.Titled(t, "kimi-code")
	}
}

func BenchmarkLook(b *testing.B) {
	s := locks.NewSystem()
	b.ReportAllocs()
	for b.Loop() {
		s.Look()
	}
}

// BenchmarkCounters reads the counters of twenty clients.
func BenchmarkCounters(b *testing.B) {
	s := locks.NewSystem()
	for range 20 {
		s.Meet(locktest.Titled(b, "kimi-code").PID, "kimi")
	}
	b.ReportAllocs()
	for b.Loop() {
		if n := len(s.Counters("kimi")); n != 20 {
			b.Fatalf("%d counters", n)
		}
	}
}
