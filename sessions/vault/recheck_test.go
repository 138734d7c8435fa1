package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
	"berth/sessions/internal/atomicfile"
)

// lateKioku writes as Kioku does what it made of a reading from before: under its lock, through a temp file, without
// comparing (kioku.md section 5.2).
func lateKioku(t *testing.T, s *Source, key, text string) {
	t.Helper()
	release, err := locks.HoldForeign(t.Context(), s.root, filepath.FromSlash(kiokuLock(target{key: key})))
	if err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(filepath.Dir(s.path(key)), atomicfile.TempName(filepath.Base(key)))
	put(t, temp, text)
	if err := errors.Join(os.Rename(temp, s.path(key)), release()); err != nil {
		t.Fatal(err)
	}
}

// pauses makes the look after a write come at once, after each of the acts in turn.
func pauses(s *Source, acts ...func()) {
	s.pause = func(context.Context) bool {
		if len(acts) > 0 {
			acts[0]()
			acts = acts[1:]
		}
		return true
	}
}

// Hazard 29: what a writer with an old reading took away is written again, on top of what it wrote.
func TestLateWriter(t *testing.T) {
	old := noteText("", "body\n")
	resumed := noteText("", "body\n\n---\n\n## Session resumed — 2026-07-18T20:05:00.0000000Z\n")
	for _, tt := range []struct {
		name    string
		writes  []string
		want    string
		warning string
		err     error
	}{
		{"nobody", nil, ended("", "body"+endBlock("")), "", nil},
		{"a resume", []string{resumed}, ended("", strings.TrimRight(resumed[strings.Index(resumed, "body"):], "\n")+endBlock("")), "changed again", nil},
		{"twice", []string{old, resumed}, ended("", strings.TrimRight(resumed[strings.Index(resumed, "body"):], "\n")+endBlock("")), "changed again", nil},
		{"who adds to ours", []string{ended("", "body"+endBlock("")+"more\n")}, ended("", "body"+endBlock("")+"more\n"), "", nil},
		{"who ends it, too", []string{strings.Replace(old, "active", "done", 1)}, strings.Replace(old, "active", "done", 1), "right afterwards", nil},
		{"who links it", []string{noteText("run_id: r\n", "")}, noteText("run_id: r\n", ""), "", sessions.ErrStale},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, "x.md", old, configKey, "")
			var acts []func()
			for _, text := range tt.writes {
				acts = append(acts, func() { lateKioku(t, s, "x.md", text) })
			}
			pauses(s, acts...)
			edit, err := closeX(s)
			if !errors.Is(err, tt.err) || content(t, s.path("x.md")) != tt.want {
				t.Fatalf("%v; the note is\n%s\nwant\n%s", err, content(t, s.path("x.md")), tt.want)
			}
			if err == nil && !strings.Contains(strings.Join(edit.Warnings, "; "), tt.warning) {
				t.Errorf("warnings %q, want %q", edit.Warnings, tt.warning)
			}
		})
	}
}

// An undo that is undone by a late writer is made again; a note that somebody went on with is theirs.
func TestLateWriterAfterUndo(t *testing.T) {
	for name, tt := range map[string]struct{ write, want string }{
		"writes the closed note back": {ended("", "body"+endBlock("")), noteText("", "body\n")},
		"goes on":                     {noteText("", "body\nmore\n"), noteText("", "body\nmore\n")},
	} {
		t.Run(name, func(t *testing.T) {
			s := vaultWith(t, "x.md", noteText("", "body\n"), configKey, "")
			closed, err := closeX(s)
			if err != nil {
				t.Fatal(err)
			}
			pauses(s, func() { lateKioku(t, s, "x.md", tt.write) })
			if _, err := s.Restore(t.Context(), "x.md", restoreOf(closed)); err != nil || content(t, s.path("x.md")) != tt.want {
				t.Errorf("%v; the note is\n%s", err, content(t, s.path("x.md")))
			}
		})
	}
}

func TestSleeper(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sleeper(0) != nil || sleeper(time.Hour)(ctx) || !sleeper(time.Nanosecond)(t.Context()) {
		t.Error("the wait is not what it should be")
	}
}
