package locks_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// A holder that a service saw is still live when the lock's time says otherwise.
func TestWitnessOutlivesTheClock(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSession(t, l)
	s.Witness(edited(t, l.Path, func(*locks.Record) {}))
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Live, locks.ReasonSameProcess)
	c.Kill()
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Dead, locks.ReasonNoProcess)
}

// Two services and one restart: the second process knows what the first saw.
func TestWitnessIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "witnesses.json")
	first, l := locks.NewSystem(locks.WithWitnesses(path)), sessionLock(t)
	locktest.HoldSession(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { first.SaveWitnesses(ctx, func(err error) { t.Error(err) }) })
	first.Witness(edited(t, l.Path, func(*locks.Record) {}))
	cancel()
	wg.Wait()
	second := locks.NewSystem(locks.WithWitnesses(path))
	wantVerdict(t, judgeFile(t, second, l.Path), locks.Live, locks.ReasonSameProcess)
}

func TestWitnessIgnores(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSession(t, l)
	tests := []struct {
		name string
		edit func(*locks.Record)
	}{
		{"another host", func(r *locks.Record) { r.Hostname = "old-pod" }},
		{"another namespace", func(r *locks.Record) { r.PIDNamespace = "pid:[2]" }},
		{"a lock without a token", func(r *locks.Record) { r.Token = "" }},
		{"a lock that tells its process itself", func(r *locks.Record) { r.ProcessStart = 1 }},
		{"a thread", func(r *locks.Record) { r.PID = c.ThreadID() }},
		{"a process that came after the lock and is no client", func(r *locks.Record) { r.StartedAt = r.StartedAt.Add(-time.Hour) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := edited(t, l.Path, tt.edit)
			before := s.Judge(f, time.Now())
			s.Witness(f)
			if after := s.Judge(f, time.Now()); after.Verdict != before.Verdict || after.Reason != before.Reason {
				t.Errorf("%s: %s became %s: %s", before.Verdict, before.Reason, after.Verdict, after.Reason)
			}
		})
	}
}

// The floor of a known hold is a look into a map, of a new one the facts about its process.
func BenchmarkWitness(b *testing.B) {
	path := filepath.Join(b.TempDir(), "session_1.lock")
	locktest.HoldSession(b, locktest.SessionLock{Path: path})
	f, err := locks.Read(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("known", func(b *testing.B) {
		s := locks.NewSystem()
		b.ReportAllocs()
		for b.Loop() {
			s.Witness(f)
		}
	})
	b.Run("new", func(b *testing.B) {
		s := locks.NewSystem()
		started := f.Record.StartedAt
		defer func() { f.Record.StartedAt = started }()
		b.ReportAllocs()
		for b.Loop() {
			f.Record.StartedAt = f.Record.StartedAt.Add(time.Millisecond)
			s.Witness(f)
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile("/proc/self/stat"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
