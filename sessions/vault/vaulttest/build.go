package vaulttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Effect is what closing a note of the sample does.
type Effect string

const (
	Closes  Effect = "closes"       // an active session that we may end
	Ended   Effect = "ended"        // a session that is not active: SESSION_ALREADY_CLOSED
	Refused Effect = "refused"      // a session that we must not touch
	Nothing Effect = "not-found"    // no session, or one that Kioku does not index
	Twice   Effect = "duplicate-id" // closes by itself, but another note has its id
)

// Note is one file of the sample.
type Note struct {
	Name   string // a short name that stays: "crlf", "linked"
	Key    string // its path, slash-separated, relative to the vault
	ID     string // its session_id, if any
	Text   string // its bytes
	Effect Effect
	// Age is how long before the making of the vault the file was last changed.
	Age time.Duration
	// HardLink, when set, makes this a second name of the note with that key. Text is empty then.
	HardLink string
}

// Sample is a vault that [Write] made.
type Sample struct {
	Dir   string
	Notes map[string]Note // by Note.Name
}

// Write makes the sample vault at dir for a test, which ends when that fails.
func Write(t testing.TB, dir string) Sample {
	t.Helper()
	if err := Build(dir); err != nil {
		t.Fatal(err)
	}
	s := Sample{Dir: dir, Notes: map[string]Note{}}
	for _, n := range Notes() {
		s.Notes[n.Name] = n
	}
	return s
}

// Path returns the absolute path of the note with that name.
func (s Sample) Path(name string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(s.Notes[name].Key))
}

// Build makes the sample vault at dir, which is created when missing. Notes of an earlier Build get their
// first content back.
func Build(dir string) error {
	now := time.Now()
	for _, n := range append(Notes(), config) {
		if err := n.write(dir, now); err != nil {
			return fmt.Errorf("build sample vault: %w", err)
		}
	}
	return nil
}

func (n Note) write(dir string, now time.Time) error {
	path := filepath.Join(dir, filepath.FromSlash(n.Key))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if n.HardLink != "" {
		err := os.Link(filepath.Join(dir, filepath.FromSlash(n.HardLink)), path)
		if errors.Is(err, fs.ErrExist) {
			err = nil // built here before
		}
		return err
	}
	if err := os.WriteFile(path, []byte(n.Text), 0o644); err != nil {
		return err
	}
	at := now.Add(-n.Age)
	return os.Chtimes(path, at, at)
}
