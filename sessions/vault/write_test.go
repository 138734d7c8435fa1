package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
)

// closeX closes the note x.md of noteText.
func closeX(s *Source) (*sessions.Edit, error) {
	return s.CloseSession(context.Background(), "x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
}

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Everything that forbids a close, with the words that tell the person why. The note keeps its bytes, no
// file is made, and a plan is refused alike.
func TestCloseRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		text    string
		prepare func(t *testing.T, path string)
		id      string
		want    error
		reason  string
	}{
		{"linked", noteText("run_id: run-7\n", ""), nil, "s-1", sessions.ErrRefused, "run_id: run-7"},
		{"link without a value", noteText("Attempt_ID:\n", ""), nil, "s-1", sessions.ErrRefused, "linked to a work item"},
		{"malformed", noteText("x: [\n", ""), nil, "s-1", sessions.ErrRefused, "cannot be read: line 6: "},
		{"a key twice", noteText("status: done\n", ""), nil, "s-1", sessions.ErrRefused, `the key "status" is there twice, again in line 6`},
		{"a nested key twice", noteText("p:\n  a: 1\n  a: 2\n", ""), nil, "s-1", sessions.ErrRefused, `the key "a" is there twice, again in line 8`},
		{"no closing fence", strings.TrimSuffix(noteText("", ""), "---\n"), nil, "s-1", sessions.ErrRefused, "no closing ---"},
		{"frontmatter over 1 MiB (B115)", noteText(long(2<<20), ""), nil, "s-1", sessions.ErrRefused, "1 MiB"},
		{"other id on disk (B40)", noteText("", ""), nil, "s-2", sessions.ErrRefused, `session_id is "s-1" now, not "s-2"`},
		{"an id where none was expected", noteText("", ""), nil, "", sessions.ErrRefused, `session_id is "s-1" now`},
		{"not active", strings.Replace(noteText("", ""), "active", "paused", 1), nil, "s-1", sessions.ErrClosed, `status is "paused"`},
		{"a list as status (B143)", strings.Replace(noteText("", ""), "active", "[active]", 1), nil, "s-1", sessions.ErrClosed, `status is "[active]"`},
		{"no session any more", strings.Replace(noteText("", ""), "session\n", "moc\n", 1), nil, "s-1", sessions.ErrNotFound, ""},
		{"two hard links (B118)", noteText("", ""), func(t *testing.T, path string) {
			if err := os.Link(path, path+".2"); err != nil {
				t.Fatal(err)
			}
		}, "s-1", sessions.ErrRefused, "2 hard links"},
		{"read-only file", noteText("", ""), func(t *testing.T, path string) { chmod(t, path, 0o444) }, "s-1", sessions.ErrRefused, "read-only (-r--r--r--)"},
		{"read-only folder", noteText("", ""), func(t *testing.T, path string) {
			chmod(t, filepath.Dir(path), 0o555)
			t.Cleanup(func() { chmod(t, filepath.Dir(path), 0o755) })
		}, "s-1", sessions.ErrRefused, "the folder"},
		{"gone", noteText("", ""), func(t *testing.T, path string) { remove(t, path) }, "s-1", sessions.ErrNotFound, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, "x.md", tt.text, configKey, "")
			if tt.prepare != nil {
				tt.prepare(t, s.path("x.md"))
			}
			before := treeOf(t, s.root)
			r := sessions.CloseRequest{Now: closedAt, ID: tt.id}
			_, planErr := s.PlanClose("x.md", r)
			_, err := s.CloseSession(t.Context(), "x.md", r)
			for _, err := range []error{planErr, err} {
				if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.reason) {
					t.Errorf("err = %v, want %v with %q", err, tt.want, tt.reason)
				}
			}
			if diff := differs(before, treeOf(t, s.root)); len(diff) > 0 {
				t.Errorf("files changed: %q", diff)
			}
		})
	}
}

func chmod(t testing.TB, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// Bug B116: a link stays a link and its target is written, inside the vault; everything else is refused.
func TestCloseThroughLinks(t *testing.T) {
	outside := vaultWith(t, "x.md", noteText("", ""))
	for _, tt := range []struct {
		name, to string
		want     error
		reason   string
	}{
		{"to a note of the vault", "real/x.md", nil, ""},
		{"out of the vault", outside.path("x.md"), sessions.ErrRefused, "out of the vault"},
		{"dangling", "none.md", sessions.ErrRefused, "leads nowhere"},
		{"loop", "link.md", sessions.ErrRefused, "leads nowhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, "real/x.md", noteText("", ""))
			if err := os.Symlink(tt.to, s.path("link.md")); err != nil {
				t.Fatal(err)
			}
			edit, err := s.CloseSession(t.Context(), "link.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
			if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.reason) {
				t.Fatalf("err = %v, want %v with %q", err, tt.want, tt.reason)
			}
			if to, err := os.Readlink(s.path("link.md")); err != nil || to != tt.to {
				t.Errorf("the link leads to %q, %v; want %q as before", to, err, tt.to)
			}
			if err == nil && (edit.Path != s.path("real/x.md") || content(t, edit.Path) != string(edit.After)) {
				t.Errorf("wrote %s", edit.Path)
			}
			if got := content(t, outside.path("x.md")); got != noteText("", "") {
				t.Errorf("the note outside became\n%s", got)
			}
		})
	}
	s := vaultWith(t)
	if err := os.Symlink(outside.root, s.path("folder")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CloseSession(t.Context(), "folder/x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"}); !errors.Is(err, sessions.ErrRefused) {
		t.Errorf("through a linked folder: %v, want a refusal", err)
	}
}

func TestCloseNeedsLockDir(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", ""))
	s.lockDir = ""
	if _, err := closeX(s); !errors.Is(err, sessions.ErrRefused) {
		t.Errorf("err = %v, want a refusal", err)
	}
}

// The lock that Kioku would take, computed from kioku.md's own example.
func TestKiokuLockName(t *testing.T) {
	got := kiokuLock(target{key: "Projects/demo/sessions/2026-07-18-2000-claude.md"})
	if want := kiokuLocks + "/8A87CFF99DF97C3A28344C2579C844A68986FD86D332CCCBA59AF35F01526DB3.lock"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// While Kioku writes the note we wait; when it does not end we say what is in the way (bug B148). A vault
// without a .kioku folder gets none.
func TestCloseWaitsForKioku(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", ""), configKey, "")
	release, err := locks.HoldForeign(t.Context(), s.root, filepath.FromSlash(kiokuLock(target{key: "x.md"})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = s.CloseSession(ctx, "x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
	if !errors.Is(err, sessions.ErrOccupied) || !strings.Contains(err.Error(), ".kioku") {
		t.Errorf("err = %v, want occupied, with the lock's name", err)
	}
	if got := content(t, s.path("x.md")); got != noteText("", "") {
		t.Errorf("written in spite of the lock:\n%s", got)
	}
	done := make(chan error, 1)
	go func() {
		_, err := closeX(s)
		done <- err
	}()
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after Kioku is done: %v", err)
	}
}

func TestCloseMakesNoKiokuFolder(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", ""))
	if _, err := closeX(s); err != nil {
		t.Fatal(err)
	}
	if tree := treeOf(t, s.root); len(tree) != 1 {
		t.Errorf("the vault holds %d files, want the note alone: %v", len(tree), tree)
	}
}

// meddle plans a close and then changes the note n times as another program would, without a lock.
func meddle(s *Source, n int, write func(path string)) (*sessions.Edit, error) {
	return s.change(context.Background(), "x.md", "s-1", func(nt *note) (*sessions.Edit, error) {
		edit, err := s.planClose(context.Background(), nt, sessions.CloseRequest{Now: closedAt, ID: "s-1"})
		if n--; n >= 0 && err == nil {
			write(nt.path)
		}
		return edit, err
	})
}

// A change between plan and write is kept: the close is planned anew on top of it. Who never stops makes
// us give up.
func TestCloseReplans(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", "body\n"))
	n := 0
	grow := func(path string) {
		n++
		put(t, path, noteText("", strings.Repeat("more\n", n)))
	}
	edit, err := meddle(s, 3, grow)
	if err != nil || content(t, s.path("x.md")) != ended("", strings.TrimSpace(strings.Repeat("more\n", n))+endBlock("")) {
		t.Errorf("%v\n%s", err, content(t, s.path("x.md")))
	}
	if edit != nil && n < 2 {
		t.Errorf("the note was changed %d times", n)
	}
	s = vaultWith(t, "x.md", noteText("", "body\n"))
	if _, err := meddle(s, 1000, grow); !errors.Is(err, sessions.ErrStale) {
		t.Errorf("err = %v, want ErrStale", err)
	}
}

// What the other program did decides what becomes of the close.
func TestCloseAfterMeddling(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(path string)
		want  error
	}{
		{"closed by another", func(p string) { put(t, p, strings.Replace(noteText("", ""), "active", "done", 1)) }, sessions.ErrClosed},
		{"linked by another", func(p string) { put(t, p, noteText("run_id: r\n", "")) }, sessions.ErrRefused},
		{"id changed (B40)", func(p string) { put(t, p, strings.Replace(noteText("", ""), "s-1", "s-9", 1)) }, sessions.ErrRefused},
		{"deleted", func(p string) { remove(t, p) }, sessions.ErrNotFound},
		{"replaced by a link", func(p string) {
			remove(t, p)
			if err := os.Symlink("elsewhere.md", p); err != nil {
				t.Error(err)
			}
		}, sessions.ErrRefused},
		{"made read-only", func(p string) { chmod(t, p, 0o444) }, sessions.ErrRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := vaultWith(t, "x.md", noteText("", ""))
			writes := 0
			_, err := meddle(s, 2, func(p string) {
				if writes++; writes == 2 { // the first plan is made before the locks
					tt.write(p)
				}
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
		})
	}
}

// Of many closes at once one succeeds, whoever asks under whatever key (bug B142).
func TestCloseOnceAmongGoroutines(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", "body\n"), configKey, "")
	var wg sync.WaitGroup
	results := make(chan error, 8)
	for range cap(results) {
		own := &Source{root: s.root, lockDir: s.lockDir, log: s.log}
		own.settings.Store(defaultSettings())
		wg.Go(func() {
			_, err := closeX(own)
			results <- err
		})
	}
	wg.Wait()
	wantOneSuccess(t, cap(results), func() string { return sessions.Code(<-results) })
	if got := strings.Count(content(t, s.path("x.md")), endedHeading); got != 1 {
		t.Errorf("%d end blocks, want 1", got)
	}
}

func wantOneSuccess(t *testing.T, n int, next func() string) {
	t.Helper()
	codes := map[string]int{}
	for range n {
		codes[next()]++
	}
	if codes[""] != 1 || codes["SESSION_ALREADY_CLOSED"] != n-1 {
		t.Errorf("results %v, want one success and %d SESSION_ALREADY_CLOSED", codes, n-1)
	}
}

// Different sessions do not wait for one another, and each one that says closed is closed.
func TestCloseDifferentAtOnce(t *testing.T) {
	var files []string
	for i := range 14 {
		files = append(files, fmt.Sprintf("%d.md", i), strings.Replace(noteText("", ""), "s-1", fmt.Sprint("s-", i), 1))
	}
	s := vaultWith(t, files...)
	var wg sync.WaitGroup
	for i := range 14 {
		wg.Go(func() {
			key := fmt.Sprintf("%d.md", i)
			edit, err := s.CloseSession(t.Context(), key, sessions.CloseRequest{Now: closedAt, ID: fmt.Sprint("s-", i)})
			if err != nil || content(t, s.path(key)) != string(edit.After) {
				t.Errorf("%s: %v", key, err)
			}
		})
	}
	wg.Wait()
}

func TestCloseCancelled(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CloseSession(ctx, "x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context's", err)
	}
	if content(t, s.path("x.md")) != noteText("", "") {
		t.Error("the note was written")
	}
}

// The outcome of what was found when reading back (bug B142).
func TestReadBack(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", "body\n"))
	tg, err := s.resolve("x.md")
	if err != nil {
		t.Fatal(err)
	}
	edit, err := s.PlanClose("x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, onDisk string
		want         error
		warnings     int
	}{
		{"what we wrote", string(edit.After), nil, 0},
		{"ours, with a later change of another's", string(edit.After) + "\nmore\n", nil, 1},
		{"overwritten by another", noteText("", "other\n"), sessions.ErrStale, 0},
	} {
		put(t, s.path("x.md"), tt.onDisk)
		e := *edit
		got, err := s.written(tg, &e, nil)
		if !errors.Is(err, tt.want) || err == nil && len(got.Warnings) != tt.warnings {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
	remove(t, s.path("x.md"))
	if _, err := s.written(tg, edit, nil); !errors.Is(err, sessions.ErrStale) {
		t.Errorf("gone: %v, want ErrStale", err)
	}
}

// Foreign bytes that are no UTF-8, a hole of NULs, and a large body go through untouched.
func TestCloseKeepsForeignBytes(t *testing.T) {
	body := "\xff\xfe broken \x00\x00\x00\n" + strings.Repeat("\x00", 512) + "\n" + strings.Repeat("long body\n", 200000) + "end"
	s := vaultWith(t, "x.md", noteText("", body))
	edit, err := closeX(s)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(edit.After, []byte("---\n"+body+"\n\n---\n")) {
		t.Error("the body changed")
	}
}
