//go:build realclient && linux

package realclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// terminal is the client's own interface in a terminal of a tmux server of ours.
type terminal struct {
	w      *world
	socket string
	pid    int
}

// openTerminal starts the client in a work folder and waits until it takes input.
func (w *world) openTerminal(t *testing.T, folder string) *terminal {
	t.Helper()
	if err := os.MkdirAll(w.work(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	// The path of a socket may not be longer than 108 bytes.
	dir, err := os.MkdirTemp("", "berth")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	tm := &terminal{w: w, socket: filepath.Join(dir, "s")}
	tm.tmux(t, "new-session", "-d", "-x", "120", "-y", "40", "-c", w.work(folder), "exec "+w.kimi)
	t.Cleanup(func() { tm.command("kill-server").Run() }) // it may have ended with its only client
	tm.pid, err = strconv.Atoi(tm.tmux(t, "display", "-p", "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	tm.awaitText(t, "Trust this folder?", func() {})
	tm.tmux(t, "send-keys", "Enter")
	tm.awaitText(t, "Welcome to Kimi Code", func() {})
	return tm
}

func (tm *terminal) command(args ...string) *exec.Cmd {
	cmd := tm.w.command(context.Background(), "tmux", append([]string{"-S", tm.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	return cmd
}

func (tm *terminal) tmux(t *testing.T, args ...string) string {
	t.Helper()
	out, err := tm.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// awaitText waits until the screen shows text, and does again again whenever it does not.
func (tm *terminal) awaitText(t *testing.T, text string, again func()) {
	t.Helper()
	deadline := time.Now().Add(start)
	for {
		again()
		screen := tm.tmux(t, "capture-pane", "-p")
		if strings.Contains(screen, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the terminal does not show %q:\n%s", text, screen)
		}
		time.Sleep(200 * time.Millisecond) // a screen tells nobody that it changed
	}
}

// ask types a prompt and sends it. Keys that come too fast the client takes for something pasted, a line end among
// them, so it is pressed until the prompt stands among what was said.
func (tm *terminal) ask(t *testing.T, prompt string) {
	t.Helper()
	tm.tmux(t, "send-keys", "-l", prompt)
	tm.awaitText(t, "✨ "+prompt, func() { tm.tmux(t, "send-keys", "Enter") })
}

// server is the client's own server.
type server struct {
	*client
	url, token string
}

// openServer starts it and waits until it is there.
func (w *world) openServer(t *testing.T) *server {
	t.Helper()
	s := &server{client: w.start(t, "server", "web", "--no-open", "--port", "0")}
	deadline := time.Now().Add(start)
	for time.Now().Before(deadline) {
		if s.url = w.serverURL(s.Process.Pid); s.url != "" {
			token, err := os.ReadFile(filepath.Join(w.home(), "server.token"))
			if err != nil {
				t.Fatal(err)
			}
			s.token = strings.TrimSpace(string(token))
			return s
		}
		time.Sleep(50 * time.Millisecond) // until its file is there
	}
	t.Fatalf("the server does not come up:\n%s", &s.out)
	return nil
}

// serverURL returns where the server with this pid listens, as its file says, or "".
func (w *world) serverURL(pid int) string {
	files, err := filepath.Glob(filepath.Join(w.home(), "server", "instances", "*.json"))
	if err != nil {
		return ""
	}
	for _, file := range files {
		var s struct{ PID, Port int }
		b, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(b, &s) == nil && s.PID == pid && s.Port != 0 {
			return fmt.Sprintf("http://127.0.0.1:%d", s.Port)
		}
	}
	return ""
}

// call posts to the server and returns the data of its answer.
func (s *server) call(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Code int
		Msg  string
		Data map[string]any
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Code != 0 {
		t.Fatalf("POST %s: %v, %+v", path, err, answer)
	}
	return answer.Data
}

// create makes a session in a work folder and returns its id.
func (s *server) create(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	id, _ := s.call(t, "/api/v1/sessions", map[string]any{"metadata": map[string]string{"cwd": dir}})["id"].(string)
	if id == "" {
		t.Fatal("the server made a session without an id")
	}
	return id
}

func (s *server) ask(t *testing.T, id, prompt string) {
	t.Helper()
	s.call(t, "/api/v1/sessions/"+id+"/prompts", map[string]any{
		"content": []any{map[string]string{"type": "text", "text": prompt}}, "model": "fake/echo", "profile": "agent",
	})
}
