//go:build realclient && linux

package realclient

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listed is a session as the client lists it.
type listed struct {
	ID, Title, WorkDir, ForkedFrom string
	Archived                       bool
}

// list returns what the client itself lists, by id.
func (w *world) list(t *testing.T, args ...string) map[string]listed {
	t.Helper()
	out, err := w.command(t.Context(), w.kimi, append([]string{"session", "list", "--all", "--json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("kimi session list: %v\n%s", err, out)
	}
	var rows []listed
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("kimi session list: %v\n%s", err, out)
	}
	byID := map[string]listed{}
	for _, r := range rows {
		byID[r.ID] = r
	}
	return byID
}

// run runs berth and checks its exit code.
func (w *world) run(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := w.command(t.Context(), w.berth, args...)
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("berth %q ended with %d, want %d:\n%s", args, got, code, out)
	}
	return string(out)
}

// print lets the client work one turn in a folder, and returns the id of the folder's only session.
func (w *world) print(t *testing.T, folder, prompt string) string {
	t.Helper()
	w.start(t, folder, "-p", prompt).finish(t, 0)
	for id, r := range w.list(t) {
		if r.WorkDir == w.work(folder) {
			return id
		}
	}
	t.Fatalf("the client does not list its session in %s", folder)
	return ""
}

// named returns the id of the only session that the client lists under this title.
func (w *world) named(t *testing.T, title string) string {
	t.Helper()
	var found []string
	for id, r := range w.list(t) {
		if r.Title == title {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the client lists %q under the title %q", found, title)
	}
	return found[0]
}

// goesOn lets the client resume the session and work another turn in it.
func (w *world) goesOn(t *testing.T, folder, id string) {
	t.Helper()
	c := w.start(t, folder, "-S", id, "-p", "go on")
	c.finish(t, 0)
	if !strings.Contains(c.out.String(), id) {
		t.Errorf("the client did not go on with %s:\n%s", id, &c.out)
	}
}

// exports lets the client pack the session.
func (w *world) exports(t *testing.T, folder, id string) {
	t.Helper()
	zip := filepath.Join(t.TempDir(), "session.zip")
	cmd := w.command(t.Context(), w.kimi, "export", id, "-o", zip, "-y", "--no-include-global-log")
	cmd.Dir = w.work(folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("kimi export: %v\n%s", err, out)
	}
	if info, err := os.Stat(zip); err != nil || info.Size() == 0 {
		t.Errorf("kimi export made nothing: %v", err)
	}
}

// TestVerbs changes sessions of the real client, and lets it list, resume, continue and export them afterwards.
func TestVerbs(t *testing.T) {
	w := newWorld(t)
	id := w.print(t, "shop", "hello there")

	t.Run("rename", func(t *testing.T) {
		w.run(t, 0, "rename", id, "A name of mine")
		w.goesOn(t, "shop", id)
		if r := w.list(t)[id]; r.Title != "A name of mine" || r.Archived {
			t.Errorf("the client lists %+v", r)
		}
	})
	t.Run("archive and restore", func(t *testing.T) {
		w.run(t, 0, "archive", id)
		if _, there := w.list(t)[id]; there {
			t.Error("the client still lists it among the others")
		}
		if r := w.list(t, "--archived")[id]; !r.Archived || r.Title != "A name of mine" {
			t.Errorf("the client lists %+v in the archive", r)
		}
		w.goesOn(t, "shop", id)
		w.run(t, 0, "restore", id)
		w.goesOn(t, "shop", id)
		if r := w.list(t)[id]; r.Title != "A name of mine" || r.Archived {
			t.Errorf("the client lists %+v", r)
		}
		w.exports(t, "shop", id)
	})
	t.Run("a client has it", func(t *testing.T) {
		c := w.start(t, "shop", "-S", id, "-p", "wait [hold]")
		w.model.await(t, "")
		if out := w.run(t, 4, "archive", id); !strings.Contains(out, "session.occupied") {
			t.Errorf("archive said %s", out)
		}
		w.model.release("")
		c.finish(t, 0)
		w.run(t, 0, "archive", id)
		w.run(t, 0, "restore", id)
	})
	t.Run("fork", func(t *testing.T) {
		w.run(t, 0, "fork", id, "--title", "Another way")
		fork := w.named(t, "Another way")
		w.goesOn(t, "shop", fork)
		w.goesOn(t, "shop", id)
		w.exports(t, "shop", fork)
		if r := w.list(t)[id]; r.Title != "A name of mine" {
			t.Errorf("the client lists the origin as %+v", r)
		}
		w.run(t, 0, "archive", fork)
	})
	t.Run("through a server", func(t *testing.T) { w.verbsThroughServer(t, id) })
	w.goesOn(t, "shop", id)
}

// verbsThroughServer has a running server make the changes, and asks it what it knows of them.
func (w *world) verbsThroughServer(t *testing.T, id string) {
	s := w.openServer(t)
	defer func() {
		s.Process.Signal(os.Interrupt)
		s.Wait()
	}()
	if out := w.run(t, 8, "archive", id); !strings.Contains(out, "SERVER_NOT_ASKED") {
		t.Errorf("archive said %s", out)
	}
	if out := w.run(t, 0, "rename", id, "Named by the server", "--use-server"); !strings.Contains(out, "by Kimi server") {
		t.Errorf("rename said %s", out)
	}
	w.run(t, 0, "fork", id, "--title", "Forked by the server", "--use-server")
	w.named(t, "Forked by the server")
	w.run(t, 0, "archive", id, "--use-server")
	if r := w.list(t, "--archived")[id]; !r.Archived || r.Title != "Named by the server" {
		t.Errorf("the client lists %+v in the archive", r)
	}
	w.run(t, 0, "restore", id, "--use-server")
	if r := w.list(t)[id]; r.Title != "Named by the server" || r.Archived {
		t.Errorf("the client lists %+v", r)
	}
}
