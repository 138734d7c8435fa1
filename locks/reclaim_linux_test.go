package locks_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/locks/locktest"
)

// yard is a store with one session, and a Reclaimer of ours beside it.
type yard struct {
	t     *testing.T
	s     *locks.System
	lock  string
	state string
	r     *locks.Reclaimer
	audit []locks.Outcome
}

func newYard(t *testing.T) *yard {
	y := &yard{t: t, s: locks.NewSystem(), lock: sessionLock(t).Path, state: filepath.Join(t.TempDir(), "state")}
	if err := os.MkdirAll(filepath.Dir(y.lock), 0o700); err != nil {
		t.Fatal(err)
	}
	y.r = y.reclaimer(y.state)
	return y
}

func (y *yard) reclaimer(state string) *locks.Reclaimer {
	return locks.NewReclaimer(locks.ReclaimConfig{
		System: y.s, Dir: state, Pause: time.Millisecond, Audit: func(o locks.Outcome) { y.audit = append(y.audit, o) },
	})
}

func (y *yard) read() *locks.File {
	y.t.Helper()
	f, err := locks.Read(y.lock)
	if err != nil {
		y.t.Fatal(err)
	}
	return f
}

// left lists the folder of the locks.
func (y *yard) left() string {
	y.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(y.lock))
	if err != nil {
		y.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func (y *yard) write(path, content string) {
	y.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		y.t.Fatal(err)
	}
}

// dead leaves the lock of a killed berth behind and returns its bytes.
func (y *yard) dead() string {
	y.t.Helper()
	locktest.TakeSession(y.t, y.lock).Kill()
	b, err := os.ReadFile(y.lock)
	if err != nil {
		y.t.Fatal(err)
	}
	return string(b)
}

// live is a lock of this process as another program would have published it.
func (y *yard) live(token string) string {
	h := y.s.Host()
	id, _ := y.s.Identify(os.Getpid())
	return fmt.Sprintf(`{"version":1,"token":%q,"pid":%d,"hostname":%q,"startedAt":%d,"bootId":%q,"processStart":%d,"pidNamespace":%q}`,
		token, id.PID, h.Hostname, time.Now().UnixMilli(), id.BootID, id.Start, h.PIDNamespace)
}

func TestReclaimDead(t *testing.T) {
	y := newYard(t)
	content := y.dead()
	out, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Action != locks.Reclaimed || out.First.Verdict != locks.Dead || out.Second.Verdict != locks.Dead || out.ID == "" {
		t.Errorf("got %+v", out)
	}
	if len(y.audit) != 1 || y.audit[0].ID != out.ID {
		t.Errorf("audited %+v", y.audit)
	}
	if y.left() != "" {
		t.Errorf("left %s", y.left())
	}
	undone, err := y.r.Undo(t.Context(), out.ID)
	if err != nil || undone.Action != locks.Undone {
		t.Fatal(undone, err)
	}
	if b, err := os.ReadFile(y.lock); string(b) != content || y.left() != "session_1.lock" {
		t.Errorf("undone to %s, folder has %s (%v)", b, y.left(), err)
	}
	if _, err := y.r.Undo(t.Context(), out.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("undone twice: %v", err)
	}
	if len(y.audit) != 2 {
		t.Errorf("audited %+v", y.audit)
	}
}

func TestUndoReplacesNothing(t *testing.T) {
	y := newYard(t)
	y.dead()
	out, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{})
	if err != nil {
		t.Fatal(err)
	}
	y.write(y.lock, y.live("newer"))
	var held *locks.HeldError
	if _, err := y.r.Undo(t.Context(), out.ID); !errors.As(err, &held) || held.Judgement.Verdict != locks.Live {
		t.Errorf("got %v", err)
	}
	if y.read().Record.Token != "newer" {
		t.Error("the newer lock is gone")
	}
}

func TestUndoRefusesPaths(t *testing.T) {
	if _, err := newYard(t).r.Undo(t.Context(), "../../x"); !errors.Is(err, locks.ErrUnsafeID) {
		t.Errorf("got %v", err)
	}
}

// lockText is a lock as a client writes it.
func lockText(version int, token string, pid int, host string, taken time.Time) string {
	return fmt.Sprintf(`{"version":%d,"token":%q,"pid":%d,"hostname":%q,"startedAt":%d}`, version, token, pid, host, taken.UnixMilli())
}

func TestReclaimPermission(t *testing.T) {
	auto, hand := locks.ReclaimOptions{}, locks.ReclaimOptions{ByHand: true, Token: "t"}
	force := locks.ReclaimOptions{Force: true, Token: "t"}
	tokenless := locks.ReclaimOptions{Force: true}
	gonePID := locktest.Live(t)
	gonePID.Kill()
	s := locks.NewSystem()
	lock := func(version, pid int, host string) string { return lockText(version, "t", pid, host, time.Now()) }
	own := s.Host().Hostname
	tests := []struct {
		name    string
		content string
		options locks.ReclaimOptions
		want    error
	}{
		{"live", lock(1, os.Getpid(), own), auto, locks.ErrAlive},
		{"live by hand", lock(1, os.Getpid(), own), hand, locks.ErrAlive},
		{"live by force", lock(1, os.Getpid(), own), force, locks.ErrAlive},
		{"dead, host likely", lock(1, gonePID.PID, ""), auto, locks.ErrUnproved},
		{"dead, host likely, by hand", lock(1, gonePID.PID, ""), hand, nil},
		{"dead by hand, another token than shown (B86)", lock(1, gonePID.PID, own), locks.ReclaimOptions{ByHand: true, Token: "x"}, locks.ErrChanged},
		{"other host (B68)", lock(1, gonePID.PID, "old-pod"), auto, locks.ErrUnproved},
		{"other host by hand", lock(1, gonePID.PID, "old-pod"), hand, locks.ErrUnproved},
		{"other host by force (B76)", lock(1, gonePID.PID, "old-pod"), force, nil},
		{"other host by force, another token than shown", lock(1, gonePID.PID, "old-pod"), tokenless, locks.ErrChanged},
		{"torn", `{"version":1,"tok`, auto, locks.ErrUnproved},
		{"torn by hand", `{"version":1,"tok`, locks.ReclaimOptions{ByHand: true}, locks.ErrUnproved},
		{"torn by force", `{"version":1,"tok`, tokenless, nil},
		{"version 99 by force (B88)", lock(99, gonePID.PID, own), force, locks.ErrUnproved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			y := newYard(t)
			y.write(y.lock, tt.content)
			_, err := y.r.Reclaim(t.Context(), y.read(), tt.options)
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			want := "session_1.lock"
			if tt.want == nil {
				want = ""
			}
			if y.left() != want {
				t.Errorf("left %q", y.left())
			}
			if changed := len(y.audit) > 0; changed != (tt.want == nil) {
				t.Errorf("audited %+v", y.audit)
			}
		})
	}
}

func TestReclaimFollowsNoLink(t *testing.T) { // B70
	y := newYard(t)
	if err := os.Symlink("/etc/passwd", y.lock); err != nil {
		t.Fatal(err)
	}
	if _, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{Force: true}); !errors.Is(err, locks.ErrUnproved) {
		t.Errorf("got %v", err)
	}
	if y.left() != "session_1.lock" {
		t.Errorf("left %s", y.left())
	}
}

func TestReclaimOfNothing(t *testing.T) {
	y := newYard(t)
	y.dead()
	f := y.read()
	if err := os.Remove(y.lock); err != nil {
		t.Fatal(err)
	}
	if _, err := y.r.Reclaim(t.Context(), f, locks.ReclaimOptions{}); !errors.Is(err, fs.ErrNotExist) || y.left() != "" {
		t.Errorf("got %v, left %s", err, y.left())
	}
}

// A live lock that takes the place of the dead one at any step before the last look is left alone.
func TestReclaimLeavesANewerLock(t *testing.T) {
	for _, step := range []string{"guard", "marker"} {
		t.Run(step, func(t *testing.T) {
			y := newYard(t)
			y.dead()
			f := y.read()
			y.at(step, func() error {
				return errors.Join(os.Remove(y.lock), os.WriteFile(y.lock, []byte(y.live("newer")), 0o600))
			})
			if _, err := y.r.Reclaim(t.Context(), f, locks.ReclaimOptions{}); !errors.Is(err, locks.ErrChanged) {
				t.Errorf("got %v", err)
			}
			if y.left() != "session_1.lock" || y.read().Record.Token != "newer" || len(y.audit) != 0 {
				t.Errorf("left %s, audited %v", y.left(), y.audit)
			}
		})
	}
}

// at runs do when a Reclaimer comes to a step.
func (y *yard) at(step string, do func() error) {
	y.r.AtStep(func(at string) error {
		if at == step {
			return do()
		}
		return nil
	})
}

// A newer lock may have all but the token in common with the old one.
func TestReclaimComparesTokens(t *testing.T) {
	y := newYard(t)
	content := y.dead()
	f := y.read()
	other := strings.Replace(content, f.Record.Token, strings.Repeat("A", len(f.Record.Token)), 1)
	y.at("marker", func() error {
		return errors.Join(os.WriteFile(y.lock, []byte(other), 0o600), os.Chtimes(y.lock, f.ModTime, f.ModTime))
	})
	if _, err := y.r.Reclaim(t.Context(), f, locks.ReclaimOptions{}); !errors.Is(err, locks.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if y.left() != "session_1.lock" {
		t.Errorf("left %s", y.left())
	}
}

// A client that had read a dead marker removes ours by its name; then another may reclaim as well.
func TestReclaimGivesWayWithoutItsMarker(t *testing.T) {
	tests := map[string]func(y *yard) error{
		"removed":  func(y *yard) error { return os.Remove(y.lock + ".reclaim") },
		"replaced": func(y *yard) error { return os.WriteFile(y.lock+".reclaim", []byte(y.live("theirs")), 0o600) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			content := y.dead()
			y.at("trash", func() error { return change(y) })
			if _, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{}); !errors.Is(err, locks.ErrBusy) {
				t.Errorf("got %v", err)
			}
			if b, err := os.ReadFile(y.lock); string(b) != content || len(y.audit) != 0 {
				t.Errorf("lock is %q (%v), audited %v", b, err, y.audit)
			}
			if theirs := strings.Contains(y.left(), ".reclaim"); theirs != (name == "replaced") {
				t.Errorf("left %s", y.left())
			}
		})
	}
}

// A marker that another published after ours is not ours to remove.
func TestReclaimLeavesTheMarkerOfAnother(t *testing.T) {
	y := newYard(t)
	y.dead()
	y.at("synced", func() error { return os.WriteFile(y.lock+".reclaim", []byte(y.live("theirs")), 0o600) })
	if _, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{}); err != nil {
		t.Error(err)
	}
	if y.left() != "session_1.lock.reclaim" {
		t.Errorf("left %s", y.left())
	}
}

// What was unknown when a person decided is dead now: that is another question.
func TestReclaimWantsTheSameVerdict(t *testing.T) {
	y := newYard(t)
	c := locktest.Live(t)
	y.write(y.lock, fmt.Sprintf(`{"version":1,"token":"t","pid":%d,"hostname":%q}`, c.PID, y.s.Host().Hostname))
	y.at("marker", func() error { c.Kill(); return nil })
	out, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{Force: true, Token: "t"})
	if !errors.Is(err, locks.ErrUnproved) || out.First.Verdict != locks.Unknown || out.Second.Verdict != locks.Dead {
		t.Errorf("got %v after %s, %s", err, out.First.Verdict, out.Second.Verdict)
	}
	if y.left() != "session_1.lock" {
		t.Errorf("left %s", y.left())
	}
}

// Between the bytes and the rename there is one more look.
func TestReclaimLooksOnceMore(t *testing.T) {
	y := newYard(t)
	y.dead()
	y.at("trash", func() error {
		return errors.Join(os.Remove(y.lock), os.WriteFile(y.lock, []byte(y.live("newer")), 0o600))
	})
	if _, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{}); !errors.Is(err, locks.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if y.left() != "session_1.lock" || y.read().Record.Token != "newer" || len(y.audit) != 0 {
		t.Errorf("left %s, audited %v", y.left(), y.audit)
	}
	if kept, err := os.ReadDir(filepath.Join(y.state, "reclaimed")); err != nil || len(kept) != 0 {
		t.Errorf("trash has %v (%v)", kept, err)
	}
}

// A failure at any step leaves no marker, and the lock or its bytes.
func TestReclaimFailsAtEachStep(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, step := range locks.Steps {
		t.Run(step, func(t *testing.T) {
			y := newYard(t)
			content := y.dead()
			y.at(step, func() error { return broken })
			out, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{})
			if !errors.Is(err, broken) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(y.left(), ".reclaim") {
				t.Errorf("left %s", y.left())
			}
			if out.Action == locks.Reclaimed {
				y.r.AtStep(func(string) error { return nil })
				if _, err := y.r.Undo(t.Context(), out.ID); err != nil {
					t.Error(err)
				}
			}
			if b, err := os.ReadFile(y.lock); string(b) != content {
				t.Errorf("%q (%v)", b, err)
			}
		})
	}
}

func TestReclaimWithoutHardLinks(t *testing.T) {
	y := newYard(t)
	content := y.dead()
	y.r.Link(func(string, string) error { return fs.ErrPermission })
	out, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{})
	if err != nil || y.left() != "" {
		t.Fatalf("left %s: %v", y.left(), err)
	}
	if _, err := y.r.Undo(t.Context(), out.ID); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(y.lock); string(b) != content {
		t.Errorf("%q (%v)", b, err)
	}
}

// B83: what a crash left beside the lock. Old files are given an old time.
func TestReclaimMeetsLeftovers(t *testing.T) {
	torn := `{"version":1,"tok`
	const marker, temp = "session_1.lock.reclaim", "session_1.lock.tmp-%d-1"
	dead, young := locktest.Live(t), locktest.Live(t)
	dead.Kill()
	tests := []struct {
		name    string
		file    string
		content func(y *yard, deadLock string) string
		old     bool
		want    error
		left    string
	}{
		{"dead marker", marker, func(_ *yard, l string) string { return l }, false, nil, ""},
		{"torn marker, old", marker, func(*yard, string) string { return torn }, true, nil, ""},
		{"torn marker, young", marker, func(*yard, string) string { return torn }, false, locks.ErrBusy, "session_1.lock session_1.lock.reclaim"},
		{"marker of a live process", marker, func(y *yard, _ string) string { return y.live("m") }, true, locks.ErrBusy, "session_1.lock session_1.lock.reclaim"},
		{"marker of another host", marker, func(*yard, string) string { return `{"version":1,"token":"m","pid":4242,"hostname":"old-pod"}` }, true, locks.ErrBusy, "session_1.lock session_1.lock.reclaim"},
		{"marker of a later version", marker, func(*yard, string) string { return `{"version":99}` }, true, locks.ErrBusy, "session_1.lock session_1.lock.reclaim"},
		{"temp file of a dead process", fmt.Sprintf(temp, dead.PID), func(_ *yard, l string) string { return l }, false, nil, ""},
		{"torn temp file of a dead process, old", fmt.Sprintf(temp, dead.PID), func(*yard, string) string { return torn }, true, nil, ""},
		{"torn temp file of a dead process, young", fmt.Sprintf(temp, dead.PID), func(*yard, string) string { return torn }, false, nil, fmt.Sprintf(temp, dead.PID)},
		{"torn temp file of a live process, old", fmt.Sprintf(temp, young.PID), func(*yard, string) string { return torn }, true, nil, fmt.Sprintf(temp, young.PID)},
		{"temp file of a live process", fmt.Sprintf(temp, os.Getpid()), func(y *yard, _ string) string { return y.live("m") }, true, nil, fmt.Sprintf(temp, os.Getpid())},
		{"temp file of another session", "session_2.lock.tmp-4242-1", func(_ *yard, l string) string { return l }, true, nil, "session_2.lock.tmp-4242-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			y := newYard(t)
			path := filepath.Join(filepath.Dir(y.lock), tt.file)
			y.write(path, tt.content(y, y.dead()))
			if tt.old {
				hourAgo := time.Now().Add(-time.Hour)
				if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
					t.Fatal(err)
				}
			}
			_, err := y.r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{})
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if y.left() != tt.left {
				t.Errorf("left %q, want %q", y.left(), tt.left)
			}
		})
	}
}

func TestClearLeftovers(t *testing.T) {
	y := newYard(t)
	content := y.dead()
	for _, name := range []string{".reclaim", ".tmp-4242-1"} {
		y.write(y.lock+name, content)
	}
	y.write(y.lock, y.live("t"))
	_, found, err := locks.List(filepath.Dir(y.lock))
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	for _, l := range found {
		if out, err := y.r.Clear(t.Context(), l, locks.ReclaimOptions{}); err != nil || out.Action != locks.Cleared {
			t.Errorf("%s: %+v %v", l.Path, out, err)
		}
	}
	if y.left() != "session_1.lock" || len(y.audit) != 2 {
		t.Errorf("left %s, audited %d", y.left(), len(y.audit))
	}
}

// Removals wait until the pause has shown that nothing changes.
func TestReclaimWaits(t *testing.T) {
	y := newYard(t)
	y.dead()
	r := locks.NewReclaimer(locks.ReclaimConfig{System: y.s, Dir: y.state, Pause: 50 * time.Millisecond})
	began := time.Now()
	if _, err := r.Reclaim(t.Context(), y.read(), locks.ReclaimOptions{}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d < 50*time.Millisecond {
		t.Errorf("removed after %v", d)
	}
}
