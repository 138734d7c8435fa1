// Package kimitest makes homes of the Kimi Code client for tests: copies of real ones, and small ones of its own
// making. It writes what the clients write, record for record, as far as a reader of Sessions can tell.
package kimitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Settled is how long ago the files of a copied or made home were written, so that nothing in them counts as in
// flight.
const Settled = time.Hour

// Copy copies the home at src to dst as if the client had filled it there: paths of the old home inside the
// files name the new one. The home's old place is read from its index.
func Copy(t testing.TB, src, dst string) {
	t.Helper()
	old := oldHome(t, src)
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dst, rel), 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if name := d.Name(); name == "state.json" || name == "session_index.jsonl" {
			b = bytes.ReplaceAll(b, []byte(`"`+old+"/"), []byte(`"`+filepath.ToSlash(dst)+"/"))
		}
		Write(t, filepath.Join(dst, rel), b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// oldHome returns where the home at src was when the client filled it.
func oldHome(t testing.TB, src string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(src, "session_index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var e struct {
		SessionDir string `json:"sessionDir"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	home, _, _ := strings.Cut(e.SessionDir, "/sessions/")
	return home
}

// Write puts a file, and the folders above it, into a home. The file is Settled.
func Write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	Age(t, path, Settled)
}

// Age makes the file look as if it was written so long ago.
func Age(t testing.TB, path string, age time.Duration) {
	t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// Append adds text to a file as the client does, in one write.
func Append(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Session is a session to be made.
type Session struct {
	Bucket  string
	ID      string
	WorkDir string
	// State are members of state.json beside id, version, cwd, createdAt, updatedAt, archived, agents and custom,
	// or instead of them; nil takes one out.
	State map[string]any
	// Wire is the content of agents/main/wire.jsonl.
	Wire string
	// Unlisted leaves it out of the client's index.
	Unlisted bool
}

// Began is when the sessions made here were created.
var Began = time.Date(2026, 11, 29, 15, 41, 28, 0, time.UTC)

// Key returns the session's key.
func (s Session) Key() string { return "sessions/" + s.Bucket + "/" + s.ID }

// Dir returns the session's folder in home.
func (s Session) Dir(home string) string { return filepath.Join(home, filepath.FromSlash(s.Key())) }

// WirePath returns the path of the main agent's journal in home.
func (s Session) WirePath(home string) string {
	return filepath.Join(s.Dir(home), "agents", "main", "wire.jsonl")
}

// Make writes the session into home and returns its key.
func (s Session) Make(t testing.TB, home string) string {
	t.Helper()
	Write(t, filepath.Join(s.Dir(home), "state.json"), s.state(t, home))
	Write(t, s.WirePath(home), []byte(s.Wire))
	if !s.Unlisted {
		line := fmt.Sprintf(`{"sessionId":%q,"sessionDir":%q,"workDir":%q}`, s.ID, filepath.ToSlash(s.Dir(home)), s.WorkDir)
		Append(t, filepath.Join(home, "session_index.jsonl"), line+"\n")
	}
	return s.Key()
}

func (s Session) state(t testing.TB, home string) []byte {
	t.Helper()
	ms := Began.UnixMilli()
	m := map[string]any{
		"id": s.ID, "version": 2, "cwd": s.WorkDir, "createdAt": ms, "updatedAt": ms, "archived": false,
		"agents": map[string]any{"main": map[string]any{"homedir": s.Dir(home) + "/agents/main", "type": "main"}},
		"custom": map[string]any{}, "isCustomTitle": false,
	}
	for k, v := range s.State {
		if v == nil {
			delete(m, k)
		} else {
			m[k] = v
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Header is the first line of a journal of the given protocol.
func Header(protocol string) string {
	return fmt.Sprintf(`{"type":"metadata","protocol_version":%q,"created_at":%d}`+"\n", protocol, Began.UnixMilli())
}

// Prompt is the beginning of a turn as client 2.x writes it, the given seconds after the session began.
func Prompt(turn, seconds int, text string) string {
	const prompt = `{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":%q}],"origin":{"kind":"user"},"turnId":%d,`
	return record(seconds, prompt, text, turn) + record(seconds, `{"turnId":%d,"origin":{"kind":"user"},"type":"agent.turn.started","kind":"event",`, turn)
}

// Step is one step of a turn, which ends for finish: "end_turn", "tool_use".
func Step(turn, seconds int, finish string) string {
	const event = `{"type":"context.append_loop_event","agentId":"main","event":{"type":%q,"uuid":"u","turnId":"%d","step":1`
	return record(seconds, event+`},`, "step.begin", turn) +
		record(seconds, event+`,"finishReason":%q,"usage":{"output":12}},`, "step.end", turn, finish)
}

// End is the end of a turn: "completed", "cancelled" or "failed".
func End(turn, seconds int, reason string) string {
	outcome := map[string]string{"completed": "done", "cancelled": "aborted", "failed": "failed"}[reason]
	return record(seconds, `{"turnId":%d,"outcome":%q,"type":"agent.turn.ended","kind":"event",`, turn, outcome) +
		record(seconds, `{"type":"turn.ended","agentId":"main","turnId":%d,"reason":%q,"durationMs":68,`, turn, reason)
}

// Turn is a whole turn that completed.
func Turn(turn, seconds int, text string) string {
	return Prompt(turn, seconds, text) + Step(turn, seconds+1, "end_turn") + End(turn, seconds+2, "completed")
}

// Record is one line of a journal: members, an object without its closing brace but with a comma at its end, and
// the time.
func Record(seconds int, members string) string { return record(seconds, "%s", members) }

func record(seconds int, format string, args ...any) string {
	at := Began.Add(time.Duration(seconds) * time.Second).UnixMilli()
	return fmt.Sprintf(format, args...) + fmt.Sprintf(`"time":%d}`+"\n", at)
}
