package vault

import (
	"errors"
	"os"
	"strings"
	"testing"

	"berth/sessions"
)

// restoreOf is the request that takes an edit of noteText back.
func restoreOf(e *sessions.Edit) sessions.RestoreRequest {
	return sessions.RestoreRequest{ID: "s-1", From: e.After, To: e.Before}
}

// A close is taken back byte for byte, and the undo as well, whatever the note looked like.
func TestRestore(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           noteText("# c\nx:  1 # d\n", "body \t\n\n"),
		"CRLF and mark":   "\ufeff" + strings.ReplaceAll(noteText("", "body\n"), "\n", "\r\n"),
		"no end of line":  strings.TrimSuffix(noteText("", ""), "\n"),
		"summary section": noteText("", "## Summary\n\n_(later)_\n\n## Log\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := vaultWith(t, "x.md", text, configKey, "")
			chmod(t, s.path("x.md"), 0o640)
			closed, err := s.CloseSession(t.Context(), "x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1", Summary: "Done."})
			if err != nil {
				t.Fatal(err)
			}
			undone, err := s.Restore(t.Context(), "x.md", restoreOf(closed))
			if err != nil || content(t, s.path("x.md")) != text {
				t.Fatalf("%v\n%q", err, content(t, s.path("x.md")))
			}
			if fi, err := os.Stat(s.path("x.md")); err != nil || fi.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", fi.Mode(), err)
			}
			if _, err := s.Restore(t.Context(), "x.md", restoreOf(undone)); err != nil || content(t, s.path("x.md")) != string(closed.After) {
				t.Errorf("undo of the undo: %v", err)
			}
		})
	}
}

// Whatever became of the note since is not lost, and the refusal shows it.
func TestRestoreRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		meddle func(t *testing.T, path, closed string)
		want   error
		reason string
	}{
		{"a line was added", func(t *testing.T, p, c string) { put(t, p, c+"mine\n") }, sessions.ErrStale, "+mine"},
		{"opened again by hand", func(t *testing.T, p, c string) { put(t, p, strings.Replace(c, "done", "active", 1)) }, sessions.ErrStale, "+status: active"},
		{"broken since", func(t *testing.T, p, c string) { put(t, p, strings.Replace(c, "type:", "x: [", 1)) }, sessions.ErrStale, "+x: ["},
		{"no session any more", func(t *testing.T, p, c string) { put(t, p, "mine\n") }, sessions.ErrStale, "+mine"},
		{"gone", func(t *testing.T, p, _ string) { remove(t, p) }, sessions.ErrNotFound, ""},
		{"read-only", func(t *testing.T, p, _ string) { chmod(t, p, 0o444) }, sessions.ErrRefused, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, "x.md", noteText("", "body\n"), configKey, "")
			closed, err := closeX(s)
			if err != nil {
				t.Fatal(err)
			}
			tt.meddle(t, s.path("x.md"), string(closed.After))
			before := treeOf(t, s.root)
			_, err = s.Restore(t.Context(), "x.md", restoreOf(closed))
			var e *sessions.Error
			if !errors.Is(err, tt.want) || !errors.As(err, &e) || !strings.Contains(e.Diff, tt.reason) {
				t.Errorf("err = %v with %q, want %v with %q", err, e.Diff, tt.want, tt.reason)
			}
			if diff := differs(before, treeOf(t, s.root)); len(diff) > 0 {
				t.Errorf("files changed: %q", diff)
			}
		})
	}
}
