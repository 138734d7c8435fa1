package locks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

func judgeFile(t *testing.T, s *locks.System, path string) locks.Judgement {
	t.Helper()
	f, err := locks.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	j := s.Judge(f, time.Now())
	t.Logf("%s: %s %q", j.Verdict, j.Reason, j.Evidence)
	return j
}

func wantVerdict(t *testing.T, j locks.Judgement, v locks.Verdict, reason string) {
	t.Helper()
	if j.Verdict != v || j.Reason != reason {
		t.Errorf("got %s: %s, want %s: %s\nevidence %q", j.Verdict, j.Reason, v, reason, j.Evidence)
	}
}

// edit rewrites one field of a lock's record as if another process had written it.
func edited(t *testing.T, path string, edit func(*locks.Record)) *locks.File {
	t.Helper()
	f, err := locks.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	edit(&f.Record)
	return f
}

func sessionLock(t *testing.T) locktest.SessionLock {
	return locktest.SessionLock{Path: filepath.Join(t.TempDir(), "locks", "sessions", "session_1.lock")}
}

func TestKilledHolderIsDead(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSession(t, l)
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Live, locks.ReasonAlive)
	c.Kill()
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Dead, locks.ReasonNoProcess)
}

func TestKilledHolderWithOwnFieldsIsDead(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	l.Own = true
	l.At = time.Date(2001, 9, 9, 0, 0, 0, 0, time.UTC) // the clock was wrong when the lock was taken
	c := locktest.HoldSession(t, l)
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Live, locks.ReasonSameProcess)
	c.Kill()
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Dead, locks.ReasonNoProcess)
}

func TestZombieIsDead(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSession(t, l)
	id, ok := s.Identify(c.PID)
	if !ok {
		t.Fatal("child cannot be identified")
	}
	c.KillUncollected()
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Dead, locks.ReasonZombie)
	if got := s.Alive(id); got != locks.Dead {
		t.Errorf("zombie's identity is %s", got)
	}
	if _, ok := s.Identify(c.PID); ok {
		t.Error("zombie can be identified")
	}
}

// The main thread of a process may end before the others. It looks like a zombie then and is none.
func TestProcessWithoutMainThreadIsNoZombie(t *testing.T) {
	s := locks.NewSystem()
	c := locktest.WithoutMainThread(t)
	id, ok := s.Identify(c.PID)
	if !ok || s.Alive(id) != locks.Live {
		t.Errorf("identified %v, %s", ok, s.Alive(id))
	}
}

func TestThreadIDIsUnknown(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSession(t, l)
	tid := c.ThreadID()
	f := edited(t, l.Path, func(r *locks.Record) { r.PID = tid })
	wantVerdict(t, s.Judge(f, time.Now()), locks.Unknown, locks.ReasonThread)
	if _, ok := s.Identify(tid); ok {
		t.Error("a thread can be identified")
	}
}

// Reuse of a pid cannot be waited for: our own pid under another start is the same.
func TestReusedPIDIsDead(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	l.Own = true
	locktest.HoldSession(t, l)
	f := edited(t, l.Path, func(r *locks.Record) { r.ProcessStart-- })
	wantVerdict(t, s.Judge(f, time.Now()), locks.Dead, locks.ReasonReused)
	f = edited(t, l.Path, func(r *locks.Record) { r.BootID = "11111111-2222-3333-4444-555555555555" })
	wantVerdict(t, s.Judge(f, time.Now()), locks.Dead, locks.ReasonBeforeBoot)
}

// A lock of today's clients knows no start stamp. That the process is no client is then a witness, but
// not one that removes anything alone.
func TestReusedPIDByTimesIsLeftToPeople(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	l.At = time.Now().Add(-time.Minute)
	locktest.HoldSession(t, l)
	j := judgeFile(t, s, l.Path)
	wantVerdict(t, j, locks.Dead, locks.ReasonReused)
	if j.Automatic {
		t.Error("may be removed without a person")
	}
}

func TestForeignHostIsUnknown(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	other := "other-box"
	l.Hostname = &other
	locktest.HoldSession(t, l).Kill()
	wantVerdict(t, judgeFile(t, s, l.Path), locks.Unknown, locks.ReasonOtherHost)
}

// A holder in a pid namespace below ours writes a pid that means nothing here, under our host name.
func TestHolderInNamespaceIsFound(t *testing.T) {
	s, l := locks.NewSystem(), sessionLock(t)
	c := locktest.HoldSessionInNamespace(t, l)
	f, err := locks.Read(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	holder := s.Namesake(f)
	if holder == 0 || holder == f.Record.PID {
		t.Errorf("namesake of pid %d is %d", f.Record.PID, holder)
	}
	if j := s.Judge(f, time.Now()); j.Verdict == locks.Dead {
		t.Errorf("living holder is dead by %q", j.Evidence)
	}
	c.Kill() // and with it the whole namespace
	if got := locks.NewSystem().Namesake(f); got != 0 {
		t.Errorf("namesake %d after the namespace ended", got)
	}
}

func TestAlive(t *testing.T) {
	s := locks.NewSystem()
	own, ok := s.Identify(os.Getpid())
	if !ok {
		t.Fatal("this process cannot be identified")
	}
	with := func(edit func(*locks.Identity)) locks.Identity {
		id := own
		edit(&id)
		return id
	}
	gone := locktest.Live(t)
	goneID, ok := s.Identify(gone.PID)
	if !ok {
		t.Fatal("child cannot be identified")
	}
	gone.Kill()
	tests := []struct {
		name string
		id   locks.Identity
		want locks.Verdict
	}{
		{"this process", own, locks.Live},
		{"one tick later (B44)", with(func(id *locks.Identity) { id.Start++ }), locks.Dead},
		{"another boot", with(func(id *locks.Identity) { id.BootID = "x" }), locks.Dead},
		{"boot not known", with(func(id *locks.Identity) { id.BootID = "" }), locks.Unknown},
		{"start not known", with(func(id *locks.Identity) { id.Start = 0 }), locks.Unknown},
		{"no pid", with(func(id *locks.Identity) { id.PID = 0 }), locks.Unknown},
		{"killed", goneID, locks.Dead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.Alive(tt.id); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

const patience = 20 * time.Second

// awaitExit runs AwaitExit in a goroutine and fails the test when it takes too long.
func awaitExit(t *testing.T, ctx context.Context, s *locks.System, id locks.Identity) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.AwaitExit(ctx, id) }()
	return done
}

func receive(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("still waiting")
		return nil
	}
}

func TestAwaitExit(t *testing.T) {
	s := locks.NewSystem()
	c := locktest.Live(t)
	id, ok := s.Identify(c.PID)
	if !ok {
		t.Fatal("child cannot be identified")
	}
	done := awaitExit(t, t.Context(), s, id)
	killed := time.Now()
	c.KillUncollected()
	if err := receive(t, done); err != nil {
		t.Errorf("got %v", err)
	}
	// Far below the interval of a poll.
	if d := time.Since(killed); d > 5*time.Second {
		t.Errorf("noticed after %v", d)
	}
	c.Kill()
	if err := receive(t, awaitExit(t, t.Context(), s, id)); err != nil {
		t.Errorf("process long gone: got %v", err)
	}
}

func TestAwaitExitOfAnotherProcessWithThatPID(t *testing.T) {
	s := locks.NewSystem()
	id, _ := s.Identify(os.Getpid())
	id.Start--
	if err := receive(t, awaitExit(t, t.Context(), s, id)); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAwaitExitCancelled(t *testing.T) {
	s := locks.NewSystem()
	id, _ := s.Identify(os.Getpid())
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := awaitExit(t, ctx, s, id)
	cancel(enough)
	if err := receive(t, done); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
}

func TestAwaitExitNotSupported(t *testing.T) {
	if err := locks.NewSystem().AwaitExit(t.Context(), locks.Identity{PID: os.Getpid()}); !errors.Is(err, locks.ErrNotSupported) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkSystemJudge(b *testing.B) {
	s := locks.NewSystem()
	path := filepath.Join(b.TempDir(), "session_1.lock")
	locktest.HoldSession(b, locktest.SessionLock{Path: path})
	f, err := locks.Read(path)
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		s.Judge(f, now)
	}
}
