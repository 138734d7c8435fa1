package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// session is one session in a Kimi home, as the process with this pid writes it: the second generation
// of the layout (client 2.1.0), plus the occupancy lock that newer clients are to have.
type session struct {
	home    string // absolute
	id      string
	workDir string // absolute
	pid     int
}

// bucket names the folder of a work folder's sessions: the last segment made harmless, and the start of
// a hash over the whole path, so that two folders of one name stay apart.
func bucket(workDir string) string {
	normal := strings.TrimRight(strings.ReplaceAll(workDir, `\`, "/"), "/")
	slug := strings.ToLower(normal[strings.LastIndexByte(normal, '/')+1:])
	slug = strings.Trim(unsafeInSlug.ReplaceAllString(slug, "-"), "-")
	const maxSlugBytes = 40
	if len(slug) > maxSlugBytes {
		slug = strings.Trim(slug[:maxSlugBytes], "-")
	}
	if slug == "" || slug == "." || slug == ".." {
		slug = "workspace"
	}
	sum := sha256.Sum256([]byte(normal))
	return fmt.Sprintf("wd_%s_%x", slug, sum[:6])
}

var unsafeInSlug = regexp.MustCompile(`[^a-z0-9._-]+`)

func (s session) dir() string   { return filepath.Join(s.home, "sessions", bucket(s.workDir), s.id) }
func (s session) agent() string { return filepath.Join(s.dir(), "agents", "main") }
func (s session) wire() string  { return filepath.Join(s.agent(), "wire.jsonl") }
func (s session) state() string { return filepath.Join(s.dir(), "state.json") }
func (s session) lock() string  { return filepath.Join(s.home, "locks", "sessions", s.id+".lock") }

// object is a JSON object; its keys are those of the client's files.
type object = map[string]any

// begin starts a turn, in a new session if there is none yet.
func (s session) begin(prompt string, now time.Time) error {
	state, err := s.read()
	isNew := errors.Is(err, fs.ErrNotExist)
	if isNew {
		state, err = s.create(prompt, now)
	}
	if err != nil {
		return err
	}
	delete(state, "lastTurnReason")
	state["lastPrompt"], state["updatedAt"] = prompt, now.UnixMilli()
	if err := s.write(state); err != nil {
		return err
	}
	turn, err := s.turns()
	if err != nil {
		return err
	}
	err = s.record(now,
		object{"type": "turn.prompt", "agentId": "main", "turnId": turn, "origin": object{"kind": "user"},
			"input": []object{{"type": "text", "text": prompt}}},
		object{"type": "agent.turn.started", "kind": "event", "turnId": turn})
	if err == nil && isNew {
		err = s.index(object{"sessionId": s.id, "sessionDir": s.dir(), "workDir": s.workDir})
	}
	return errors.Join(err, s.mark(now))
}

// end finishes the turn that was begun last.
func (s session) end(now time.Time) error {
	turns, err := s.turns()
	if err != nil {
		return err
	}
	err = s.record(now,
		object{"type": "agent.turn.ended", "kind": "event", "turnId": turns - 1, "outcome": "done"},
		object{"type": "turn.ended", "agentId": "main", "turnId": turns - 1, "reason": "completed"})
	if err != nil {
		return err
	}
	return s.change(now, object{"lastTurnReason": "completed", "updatedAt": now.UnixMilli()})
}

// ask puts a question to the person; the turn waits for the answer.
func (s session) ask(question string, now time.Time) error {
	return s.record(now, object{"type": "interaction.request", "agentId": "main", "id": "ask-1", "kind": "question",
		"toolCallId": "call-1", "request": object{"questions": []object{{"question": question}}}})
}

// answer resolves what ask asked.
func (s session) answer(text string, now time.Time) error {
	return s.record(now, object{"type": "interaction.resolved", "agentId": "main", "id": "ask-1",
		"response": object{"answers": []string{text}}})
}

// archive puts the session away.
func (s session) archive(now time.Time) error {
	return s.change(now, object{"archived": true, "archivedAt": now.UnixMilli()})
}

// remove deletes the session and its lock, as the server does: the folder goes, a tombstone stays.
func (s session) remove() error {
	return errors.Join(s.release(), os.RemoveAll(s.dir()), s.index(object{"sessionId": s.id, "deleted": true}))
}

// take claims the session for this process. It fails when there is a lock already.
func (s session) take(now time.Time) error {
	if err := os.MkdirAll(filepath.Dir(s.lock()), 0o700); err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	content, err := json.Marshal(object{
		"version": 1, "token": rand.Text(), "pid": s.pid, "hostname": host, "startedAt": now.UnixMilli(),
		"clientIdentity": object{"productName": "kimi-code-cli", "version": "2.2.0", "platform": "kimi_code_cli"},
	})
	if err != nil {
		return err
	}
	// A link never replaces, so of two clients one wins.
	temp := fmt.Sprintf("%s.tmp-%d-1", s.lock(), s.pid)
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Link(temp, s.lock()), os.Remove(temp))
}

// release gives the claim up; without one it does nothing.
func (s session) release() error {
	err := os.Remove(s.lock())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s session) create(title string, now time.Time) (object, error) {
	if err := os.MkdirAll(s.agent(), 0o700); err != nil {
		return nil, err
	}
	metadata := object{"type": "metadata", "protocol_version": "1.5", "created_at": now.UnixMilli()}
	if err := appendLines(s.wire(), metadata); err != nil {
		return nil, err
	}
	return object{
		"id": s.id, "version": 2, "cwd": s.workDir, "createdAt": now.UnixMilli(), "archived": false,
		"title": title, "titleKind": "replaceable", "isCustomTitle": false, "custom": object{},
		"agents": object{"main": object{"homedir": s.agent(), "type": "main"}},
	}, nil
}

func (s session) read() (object, error) {
	content, err := os.ReadFile(s.state())
	if err != nil {
		return nil, err
	}
	var state object
	if err := json.Unmarshal(content, &state); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.state(), err)
	}
	return state, nil
}

// write replaces state.json by way of a temp file that carries the writer's pid, which is what gives
// the writer away to whoever watches the folder.
func (s session) write(state object) error {
	content, err := json.Marshal(state)
	if err != nil {
		return err
	}
	var suffix [4]byte
	rand.Read(suffix[:])
	temp := fmt.Sprintf("%s.tmp.%d.%x", s.state(), s.pid, suffix)
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, s.state())
}

// change sets some keys of state.json and leaves the others alone.
func (s session) change(now time.Time, keys object) error {
	state, err := s.read()
	if err != nil {
		return err
	}
	for k, v := range keys {
		state[k] = v
	}
	return errors.Join(s.write(state), s.mark(now))
}

// turns counts the turns that were ever begun; the next one has that number.
func (s session) turns() (int, error) {
	content, err := os.ReadFile(s.wire())
	return bytes.Count(content, []byte(`"type":"turn.prompt"`)), err
}

// record appends to the journal of the main agent.
func (s session) record(now time.Time, records ...object) error {
	for _, r := range records {
		r["time"] = now.UnixMilli()
	}
	return appendLines(s.wire(), records...)
}

func (s session) index(entry object) error {
	return appendLines(filepath.Join(s.home, "session_index.jsonl"), entry)
}

// mark leaves the empty file that tells a running client about a changed state.json.
func (s session) mark(now time.Time) error {
	dir := filepath.Join(s.home, "sessions", ".index-dirty")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.%d", s.id, now.UnixMilli())), nil, 0o600)
}

// appendLines writes one JSON object a line, all in one write.
func appendLines(path string, objects ...object) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, o := range objects {
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines.Bytes())
	return errors.Join(err, f.Close())
}
