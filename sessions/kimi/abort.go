package kimi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"berth/sessions"
)

// The bounds of a call to a server.
const (
	serverTimeout  = 5 * time.Second
	maxAnswerBytes = 1 << 20
	maxTokenBytes  = 4 << 10
)

var _ sessions.Aborter = (*Source)(nil)

// AbortTurn asks a running server of this home to end a session's turn, by its REST API: POST
// /api/v1/sessions/{id}:abort with the home's server.token, which every server of the home shares. The token goes to
// this machine only. The server answers HTTP 200 with {code, msg, data{aborted}}, code 0 for success.
func (s *Source) AbortTurn(ctx context.Context, server sessions.Server, id string) (bool, error) {
	aborted, err := s.abortTurn(ctx, server, id)
	if err != nil {
		return false, fmt.Errorf("ask %s to abort the turn: %w", server.Name, err)
	}
	return aborted, nil
}

func (s *Source) abortTurn(ctx context.Context, server sessions.Server, id string) (bool, error) {
	data, err := s.callServer(ctx, server, sessionPath(id)+":abort", struct{}{})
	if err != nil {
		return false, err
	}
	var answer struct {
		Aborted bool `json:"aborted"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return false, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return answer.Aborted, nil
}

// sessionPath is where a session is in the REST API.
func sessionPath(id string) string { return "/api/v1/sessions/" + url.PathEscape(id) }

// callServer posts body to a server of this home and returns the data of its answer. The home's token goes to this
// machine's loopback address only, and is read for this one call.
func (s *Source) callServer(ctx context.Context, server sessions.Server, path string, body any) (json.RawMessage, error) {
	if err := onLoopback(server.Address); err != nil {
		return nil, err
	}
	token, err := s.serverToken()
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+server.Address+path, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := serverClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return readAnswer(io.LimitReader(resp.Body, maxAnswerBytes))
}

// healthy reports whether a server answers at the address of s, on loopback. It is asked without the token.
func healthy(ctx context.Context, s sessions.Server) bool {
	if onLoopback(s.Address) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Address+"/api/v1/healthz", nil)
	if err != nil {
		return false
	}
	resp, err := serverClient.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, err = readAnswer(io.LimitReader(resp.Body, maxAnswerBytes))
	return err == nil
}

// serverClient follows no redirect, which would carry the token elsewhere, and uses no proxy.
var serverClient = &http.Client{
	Transport:     &http.Transport{Proxy: nil},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// readAnswer reads the server's envelope and returns its data.
func readAnswer(body io.Reader) (json.RawMessage, error) {
	var answer struct {
		Code int             `json:"code"`
		Msg  string          `json:"msg"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("its answer cannot be read: %w", err)
	}
	if answer.Code != 0 {
		return nil, fmt.Errorf("it answers %d: %s", answer.Code, cleanTitle(answer.Msg))
	}
	return answer.Data, nil
}

// onLoopback refuses to talk to another machine.
func onLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("its address is not known")
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("it listens on %s, which is not this machine's loopback address", host)
}

// serverToken reads the home's shared secret. It is read for a call and not kept.
func (s *Source) serverToken() (string, error) {
	f, err := open(filepath.Join(s.Root(), "server.token"))
	if err != nil {
		return "", fmt.Errorf("read the token of the home's servers: %w", err)
	}
	defer f.Close()
	b := make([]byte, maxTokenBytes)
	n, err := f.ReadAt(b, 0)
	if ignoreEOF(err) != nil {
		return "", fmt.Errorf("read the token of the home's servers: %w", err)
	}
	token := string(bytes.TrimSpace(b[:n]))
	if token == "" {
		return "", errors.New("the token of the home's servers is empty")
	}
	return token, nil
}
