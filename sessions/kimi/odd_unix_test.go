//go:build unix

package kimi_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func pipe(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOddFiles puts things of other kinds where files are expected. None is followed, waited for, or read.
func TestOddFiles(t *testing.T) {
	secret := filepath.Join(realTemp(t), "secret.json")
	write(t, secret, `{"id":"secret","title":"secret","cwd":"/secret"}`)
	link := func(t testing.TB, path, target string) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, problem string
		do            func(t testing.TB, dir string)
	}{
		{"state.json is a link", "metadata unreadable: state.json is not a regular file",
			func(t testing.TB, dir string) { link(t, dir+"/state.json", secret) }},
		{"state.json is a dangling link", "metadata unreadable: state.json is not a regular file",
			func(t testing.TB, dir string) { link(t, dir+"/state.json", "nowhere") }},
		{"state.json is a folder", "metadata unreadable: state.json is not a regular file",
			func(t testing.TB, dir string) {
				os.Remove(dir + "/state.json")
				os.Mkdir(dir+"/state.json", 0o700)
			}},
		{"state.json is a pipe without a writer", "metadata unreadable: state.json is not a regular file",
			func(t testing.TB, dir string) { pipe(t, dir+"/state.json") }},
		{"a journal is a pipe without a writer", "agents/main/wire.jsonl is not a regular file",
			func(t testing.TB, dir string) { pipe(t, dir+"/agents/main/wire.jsonl") }},
		{"a journal is a link", "agents/main/wire.jsonl is not a regular file",
			func(t testing.TB, dir string) { link(t, dir+"/agents/main/wire.jsonl", secret) }},
		{"a journal is a link to itself", "agents/main/wire.jsonl is not a regular file",
			func(t testing.TB, dir string) { link(t, dir+"/agents/main/wire.jsonl", "wire.jsonl") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, home, s := oneSession(t)
			c.do(t, s.Dir(home))
			r := mustLoad(t, src, s.Key(), time.Now().Add(time.Hour))
			if !slices.Contains(r.Problems, c.problem) || r.ID != "session_a" || r.Title == "secret" {
				t.Errorf("problems %q, id %q, title %q", r.Problems, r.ID, r.Title)
			}
		})
	}
	t.Run("a folder of an agent is a link", func(t *testing.T) {
		src, home, s := oneSession(t)
		link(t, filepath.Join(s.Dir(home), "agents", "agent-1"), filepath.Join(s.Dir(home), "agents", "main"))
		if r := mustLoad(t, src, s.Key(), time.Now()); r.AgentCount != 1 {
			t.Errorf("%d agents, want 1", r.AgentCount)
		}
	})
	t.Run("the session is a link", func(t *testing.T) {
		src, home, s := oneSession(t)
		link(t, s.Dir(home)+"_2", s.Dir(home))
		if r, err := src.Load(s.Key()+"_2", time.Now()); err == nil {
			t.Errorf("loaded %+v", r)
		}
	})
}
