package kimi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/sessions"
)

// kimiServer is a server that answers like the captured one, and a Source of its home.
func kimiServer(t *testing.T, answer string) (src *Source, server sessions.Server, asked *[]string) {
	t.Helper()
	asked = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		if answer == "redirect" {
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
			return
		}
		w.Write([]byte(answer))
	}))
	t.Cleanup(srv.Close)
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "server.token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return New(Config{Home: home}), sessions.Server{PID: 1, Name: "Kimi server", Address: strings.TrimPrefix(srv.URL, "http://")}, asked
}

func TestAbortTurn(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		aborted      bool
		fails        string
	}{
		{"as captured", `{"code":0,"msg":"success","data":{"aborted":true},"request_id":"01M8KZHWAFWY76F6Q79K6AD8PQ"}`, true, ""},
		{"no turn ran", `{"code":0,"msg":"success","data":{"aborted":false}}`, false, ""},
		{"an error comes with HTTP 200", `{"code":40401,"msg":"session not found\u001b[31m","data":null}`, false, "it answers 40401: session not found"},
		{"not JSON", `<html>`, false, "cannot be read"},
		{"a redirect is not followed", "redirect", false, "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, server, asked := kimiServer(t, tt.answer)
			aborted, err := src.AbortTurn(t.Context(), server, "session_1/x")
			if aborted != tt.aborted || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %v, %v; want %v, %q", aborted, err, tt.aborted, tt.fails)
			}
			if want := "POST /api/v1/sessions/session_1%2Fx:abort Bearer secret"; len(*asked) != 1 || (*asked)[0] != want {
				t.Errorf("asked %q, want %q once", *asked, want)
			}
		})
	}
}

// TestTokenStaysHere: the home's secret is sent to no other machine, and nothing is asked without it.
func TestTokenStaysHere(t *testing.T) {
	src, server, asked := kimiServer(t, "{}")
	for _, address := range []string{"", "192.0.2.1:58627", "example.org:80", "0.0.0.0:58627", "nonsense"} {
		if _, err := src.AbortTurn(context.Background(), sessions.Server{Name: "Kimi server", Address: address}, "s"); err == nil {
			t.Errorf("asked a server at %q", address)
		}
	}
	if err := os.Truncate(filepath.Join(src.Root(), "server.token"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := src.AbortTurn(t.Context(), server, "s"); err == nil || len(*asked) != 0 {
		t.Errorf("asked without a token: %v, %q", err, *asked)
	}
	if err := os.Remove(filepath.Join(src.Root(), "server.token")); err != nil {
		t.Fatal(err)
	}
	if _, err := src.AbortTurn(t.Context(), server, "s"); err == nil {
		t.Error("no token and no error")
	}
}

func TestServerAddress(t *testing.T) {
	for text, want := range map[string]string{
		`{"pid":25890,"host":"127.0.0.1","port":58711,"started_at":1795966952122}`: "127.0.0.1:58711",
		`{"pid":25890,"host":"::1","port":58711}`:                                  "[::1]:58711",
		`{"pid":25890,"port":58711}`:                                               "",
		`{"pid":25890,"host":"127.0.0.1","port":70000}`:                            "",
	} {
		if s, ok := parseServer([]byte(text)); !ok || s.Address != want {
			t.Errorf("%s: %q, want %q", text, s.Address, want)
		}
	}
}
