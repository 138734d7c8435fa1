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
// it answers is told by words in the newest prompt: "[hold]" answers only after release, "[tool]" runs a
// command first, "[fail]" refuses; anything else gets a few words.
type model struct {
	*httptest.Server

	mu   sync.Mutex
	gate chan struct{} // closed by release
}

func newModel(t *testing.T) *model {
	m := &model{gate: make(chan struct{})}
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.release()
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// release lets the answers go that are held back now; later ones are held again.
func (m *model) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.gate)
	m.gate = make(chan struct{})
}

func (m *model) held() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gate
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
	gate := m.held()
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
	if strings.Contains(prompt, "[hold]") {
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
