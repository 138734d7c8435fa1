package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
)

// stage is where the play happens: the two stores, and the clients that run. It is not safe for
// concurrent use.
type stage struct {
	dir     string
	program string // this program under the clients' name
	out     io.Writer
	begun   time.Time

	clients map[string]*client // by role
	ids     map[string]string  // session ids by their name in the story
	pair    []string           // paths of the notes that cannot be told apart
}

func (st *stage) home() string  { return filepath.Join(st.dir, "kimi-home") }
func (st *stage) vault() string { return filepath.Join(st.dir, "vault") }

// owned is the file that says that a folder is the demo's. Nothing is removed from a folder without it.
const owned = ".berth-demo"

// build makes the stores anew, as they are before anybody works.
func build(dir string, out io.Writer, now time.Time) (*stage, error) {
	if err := empty(dir); err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(dir) // clients see physical paths
	if err != nil {
		return nil, err
	}
	program, err := costume(filepath.Join(dir, "bin"))
	if err != nil {
		return nil, fmt.Errorf("prepare the clients: %w", err)
	}
	st := &stage{dir: dir, program: program, out: out, begun: now, clients: map[string]*client{}, ids: map[string]string{}}
	return st, errors.Join(st.buildHome(now), st.buildVault(now))
}

// empty clears the demo's folder, or makes it.
func empty(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, owned)); len(names) > 0 && err != nil {
		return fmt.Errorf("%s is not empty and not the demo's (it has no file %s): name another folder", dir, owned)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, owned), nil, 0o600)
}

// buildHome leaves one finished and one archived session from yesterday.
func (st *stage) buildHome(now time.Time) error {
	yesterday := now.Add(-24 * time.Hour)
	past := func(folder string) session {
		return session{home: st.home(), id: newSessionID(), workDir: st.workDir(folder), pid: os.Getpid()}
	}
	finished, archived := past("notes"), past("attic")
	if err := errors.Join(os.MkdirAll(finished.workDir, 0o755), os.MkdirAll(archived.workDir, 0o755)); err != nil {
		return err
	}
	return errors.Join(
		finished.begin("Draft the release notes", yesterday), finished.end(yesterday.Add(time.Minute)),
		archived.begin("An idea that came to nothing", yesterday), archived.end(yesterday.Add(time.Minute)),
		archived.archive(yesterday.Add(time.Hour)))
}

func (st *stage) buildVault(now time.Time) error {
	// The folder by which Obsidian knows a vault.
	if err := os.MkdirAll(filepath.Join(st.vault(), ".obsidian"), 0o755); err != nil {
		return err
	}
	for _, n := range pastNotes(now) {
		if err := n.write(st.vault()); err != nil {
			return err
		}
	}
	return st.completePair(now)
}

// completePair sees to it that two notes are open that nobody can tell apart: whoever closed one gets
// another at the next round.
func (st *stage) completePair(now time.Time) error {
	var open []string
	for _, path := range st.pair {
		if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte("\nstatus: active\n")) {
			open = append(open, path)
		}
	}
	for len(open) < 2 {
		n := pairNote(now)
		if err := n.write(st.vault()); err != nil {
			return err
		}
		st.say("an agent starts a session in the vault: %s", n.path())
		open = append(open, filepath.Join(st.vault(), n.path()))
	}
	st.pair = open
	return nil
}

func newSessionID() string { return "session_" + uuid.NewString() }

func (st *stage) workDir(folder string) string { return filepath.Join(st.dir, "work", folder) }

// id returns the id of a session of the story, a new one at its first mention.
func (st *stage) id(name string) string {
	if st.ids[name] == "" {
		st.ids[name] = newSessionID()
	}
	return st.ids[name]
}

// run plays rounds until ctx ends, then sends all clients away. A step that does not work (somebody
// ended a client, or closed what it worked on) is told and does not end the play.
func (st *stage) run(ctx context.Context) error {
	defer st.dismiss()
	for {
		for _, s := range round {
			if !sleep(ctx, s.after) {
				return nil
			}
			if err := st.play(s); err != nil && ctx.Err() == nil {
				st.say("%v", err)
			}
		}
		if !sleep(ctx, pause) {
			return nil
		}
		if err := st.reset(time.Now()); err != nil {
			return err
		}
	}
}

// sleep reports whether d passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}

// play lets one step happen and says so. A client that is gone has no part in the steps that follow.
func (st *stage) play(s step) error {
	if s.does == "enter" {
		c, err := hire(st.program, st.home(), st.workDir(roles[s.role].folder))
		if err != nil {
			return err
		}
		st.clients[s.role] = c
	}
	c := st.clients[s.role]
	if c == nil {
		return nil
	}
	err := st.act(s, c)
	if s.does == "leave" || s.does == "die" || err != nil {
		delete(st.clients, s.role)
	}
	if err == nil {
		st.say("%s", caption(s, c.pid()))
	}
	return err
}

func (st *stage) act(s step, c *client) error {
	switch s.does {
	case "enter":
		return nil
	case "leave":
		return c.quit()
	case "die":
		return c.kill()
	}
	return c.do(s.does, st.id(roles[s.role].session), s.text)
}

// caption describes a step for the person who watches.
func caption(s step, pid int) string {
	what := map[string]string{
		"enter":   "starts in work/" + roles[s.role].folder,
		"leave":   "ends",
		"die":     "is killed (SIGKILL) in the middle of its turn",
		"take":    "takes the lock",
		"release": "gives the lock back",
		"begin":   "begins a turn: " + s.text,
		"ask":     "asks and waits: " + s.text,
		"answer":  "gets an answer: " + s.text,
		"end":     "ends its turn",
	}[s.does]
	return fmt.Sprintf("%s (pid %d) %s", clientName, pid, what)
}

// say prints a line with the time since the demo began.
func (st *stage) say(format string, args ...any) {
	t := time.Since(st.begun).Truncate(time.Second)
	fmt.Fprintf(st.out, "demo %d:%02d  %s\n", int(t.Minutes()), int(t.Seconds())%60, fmt.Sprintf(format, args...))
}

// reset prepares the next round.
func (st *stage) reset(now time.Time) error {
	for _, r := range roles {
		id := st.ids[r.session]
		if !slices.Contains(crashed, r.session) || id == "" {
			continue
		}
		if err := (session{home: st.home(), id: id, workDir: st.workDir(r.folder)}).remove(); err != nil {
			return err
		}
		delete(st.ids, r.session)
	}
	// Clients take their marks away when they have read them; these have no reader.
	if err := os.RemoveAll(filepath.Join(st.home(), "sessions", ".index-dirty")); err != nil {
		return err
	}
	st.say("the two broken sessions are deleted; the next round begins")
	return st.completePair(now)
}

// dismiss ends every client that still runs. An error has no one left to matter to.
func (st *stage) dismiss() {
	for _, c := range st.clients {
		_ = c.quit()
	}
	st.clients = nil
}
