//go:build realclient && linux

package realclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// model is a chat server in the protocol that the client calls "openai", on the loopback interface. What
// it answers is told by words in the newest prompt: "[hold]" answers only after release, "[hold:NAME]" only after
// that of NAME, "[tool]" runs a command first, "[fail]" refuses; anything else gets a few words.
type model struct {
	*httptest.Server

	mu      sync.Mutex
	gates   map[string]chan struct{} // of the answers that are held back, by name; closed by release
	arrived map[string]chan struct{} // by name; closed when an answer is held back
	free    map[string]bool          // names that were released before anything was held back
}

func newModel(t *testing.T) *model {
	m := &model{gates: map[string]chan struct{}{}, arrived: map[string]chan struct{}{}, free: map[string]bool{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.mu.Lock()
		for _, gate := range m.gates {
			close(gate)
		}
		m.gates = map[string]chan struct{}{}
		m.mu.Unlock()
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// release lets the answers go that are held back under this name, "" for those without one, or the next one when there
// are none; later ones are held again.
func (m *model) release(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if gate := m.gates[name]; gate != nil {
		close(gate)
		delete(m.gates, name)
		delete(m.arrived, name)
		return
	}
	m.free[name] = true
}

// await waits until an answer is held back under this name.
func (m *model) await(t *testing.T, name string) {
	t.Helper()
	m.mu.Lock()
	arrived := m.arrivedAt(name)
	m.mu.Unlock()
	select {
	case <-arrived:
	case <-time.After(start):
		t.Fatalf("no client asked for %q", name)
	}
}

// arrivedAt must be called with mu held.
func (m *model) arrivedAt(name string) chan struct{} {
	if m.arrived[name] == nil {
		m.arrived[name] = make(chan struct{})
	}
	return m.arrived[name]
}

// held returns what is closed when the answer may go.
func (m *model) held(name string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free[name] {
		delete(m.free, name)
		open := make(chan struct{})
		close(open)
		return open
	}
	if m.gates[name] == nil {
		m.gates[name] = make(chan struct{})
		close(m.arrivedAt(name))
	}
	return m.gates[name]
}

// chat is the part of a request that matters here.
type chat struct {
	Stream   bool
	Messages []struct {
		Role    string
		Content json.RawMessage // text, or a list of parts
	}
}

// ServeHTTP answers POST …/chat/completions.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c chat
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, `{"error":{"message":"not a chat request"}}`, http.StatusNotFound)
		return
	}
	prompt, answered := c.prompt()
	hold := holds.FindStringSubmatch(prompt)
	var gate <-chan struct{}
	if hold != nil {
		gate = m.held(hold[1])
	}
	if strings.Contains(prompt, "[fail]") {
		http.Error(w, `{"error":{"message":"refused by the fake model","type":"fake"}}`, http.StatusBadRequest)
		return
	}
	reply := completion(strings.Contains(prompt, "[tool]") && !answered)
	if !c.Stream {
		json.NewEncoder(w).Encode(map[string]any{"id": "fake", "object": "chat.completion", "model": "echo",
			"choices": []any{map[string]any{"index": 0, "message": reply.delta, "finish_reason": reply.finish}}, "usage": usage})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send(w, map[string]any{"role": "assistant", "content": ""}, nil)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	send(w, reply.delta, nil)
	send(w, map[string]any{}, reply.finish)
	io.WriteString(w, "data: [DONE]\n\n")
}

var (
	usage    = map[string]int{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	holds    = regexp.MustCompile(`\[hold(?::(\w+))?\]`)
	reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)
)

// prompt returns what a person asked last, without what the client adds by itself under the same role,
// and whether a tool has answered since.
func (c chat) prompt() (text string, toolAnswered bool) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		switch msg := c.Messages[i]; msg.Role {
		case "tool":
			toolAnswered = true
		case "user":
			text := strings.TrimSpace(reminder.ReplaceAllString(words(msg.Content), ""))
			if text != "" {
				return text, toolAnswered
			}
		}
	}
	return "", toolAnswered
}

func words(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	json.Unmarshal(content, &parts) // another shape has no words
	for _, p := range parts {
		text += p.Text + "\n"
	}
	return text
}

type answer struct {
	delta  map[string]any
	finish string
}

func completion(tool bool) answer {
	if !tool {
		return answer{map[string]any{"role": "assistant", "content": "A few words from the fake model."}, "stop"}
	}
	call := map[string]any{"index": 0, "id": fmt.Sprintf("call_%d", time.Now().UnixNano()), "type": "function",
		"function": map[string]any{"name": "Bash", "arguments": `{"command":"echo hello"}`}}
	return answer{map[string]any{"role": "assistant", "tool_calls": []any{call}}, "tool_calls"}
}

// send writes one piece of a streamed answer.
func send(w http.ResponseWriter, delta map[string]any, finish any) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": finish}
	piece := map[string]any{"id": "fake", "object": "chat.completion.chunk", "model": "echo", "choices": []any{choice}}
	if finish != nil {
		piece["usage"] = usage
	}
	b, _ := json.Marshal(piece)
	fmt.Fprintf(w, "data: %s\n\n", b)
	w.(http.Flusher).Flush()
}
