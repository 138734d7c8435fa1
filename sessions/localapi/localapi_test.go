package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
)

// backend answers from its fields.
type backend struct {
	view    *sessions.View
	err     error
	updates chan sessions.Update
	asked   []any
}

func (b *backend) View(_ context.Context, since uint64) (*sessions.View, error) {
	b.asked = append(b.asked, since)
	return b.view, b.err
}
func (b *backend) Stores(context.Context) ([]sessions.Store, error) { return b.view.Stores, b.err }
func (b *backend) Locks(context.Context) ([]sessions.LockRow, error) {
	return []sessions.LockRow{{SessionID: "s1"}}, b.err
}
func (b *backend) Close(_ context.Context, ref, summary string, dryRun bool) (*sessions.Edit, error) {
	b.asked = append(b.asked, ref, summary, dryRun)
	return &sessions.Edit{Path: "/v/n.md", Before: []byte("a\r\n"), After: []byte("b\x00"), Message: "Session closed: n.md"}, b.err
}
func (b *backend) Mark(_ context.Context, ref string, dryRun bool) (*sessions.Edit, error) {
	b.asked = append(b.asked, ref, dryRun)
	return &sessions.Edit{}, b.err
}
func (b *backend) End(_ context.Context, r sessions.EndRequest) (*sessions.Edit, error) {
	b.asked = append(b.asked, r)
	return &sessions.Edit{Path: "/v/end.md", Result: json.RawMessage(`{"z":1,"a":null}`)}, b.err
}
func (b *backend) Start(_ context.Context, r sessions.StartRequest) (*sessions.Edit, error) {
	b.asked = append(b.asked, r)
	return &sessions.Edit{Path: "/v/new.md"}, b.err
}
func (b *backend) PlanResume(_ context.Context, ref, dir string) (*sessions.Launch, error) {
	b.asked = append(b.asked, ref, dir)
	return &sessions.Launch{SessionID: ref, Dir: "/w", Argv: []string{"kimi", "-S", ref}}, b.err
}
func (b *backend) Unlock(_ context.Context, r sessions.UnlockRequest) (*sessions.Unlocked, error) {
	b.asked = append(b.asked, r)
	return &sessions.Unlocked{Action: "act", SessionID: r.Ref}, b.err
}
func (b *backend) Stop(_ context.Context, r sessions.StopRequest) (*sessions.StopOutcome, error) {
	b.asked = append(b.asked, r)
	return &sessions.StopOutcome{Client: "Kimi", Stopped: &locks.Stopped{Result: locks.StillRunning, Signal: "SIGTERM"}}, b.err
}
func (b *backend) Undo(_ context.Context, r sessions.UndoRequest) (*sessions.Undone, error) {
	b.asked = append(b.asked, r)
	return &sessions.Undone{Lock: &sessions.Unlocked{SessionID: "s"}}, b.err
}
func (b *backend) LastUndoable(context.Context) (*sessions.Undoable, error) {
	return &sessions.Undoable{Action: "act", Message: "Session closed: n.md"}, b.err
}
func (b *backend) Watch(ctx context.Context, fn func(sessions.Update) error) error {
	for {
		select {
		case u, open := <-b.updates:
			if !open {
				return nil
			}
			if err := fn(u); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func aView() *sessions.View {
	at := time.Date(2026, 7, 18, 20, 0, 0, 0, time.UTC)
	return &sessions.View{
		Revision: 7,
		Stores:   []sessions.Store{{Source: "kimi", Root: "/h", Sessions: 1}},
		Sessions: []*sessions.Session{{
			Record: &sessions.Record{ID: "session_1", Source: "kimi", Root: "/h", Path: "/h/sessions/b/session_1", Title: "日本語 <b>",
				UpdatedAt: at, Archived: sessions.No},
			Status: sessions.Occupied, Reasons: []sessions.Reason{sessions.ReasonOpenTurn}, AllFacts: []sessions.Fact{sessions.FactBusy},
			Work:   sessions.Work{Busy: sessions.Yes},
			Holder: &sessions.Holder{PID: 12, Client: "Kimi", Verdict: locks.Live, Via: sessions.ViaOnlyCandidate},
		}},
	}
}

// serve starts a server for b on a socket of its own and returns a connected client.
func serve(t *testing.T, b Backend) (*Client, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "api") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "run", "api.sock")
	ln, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- (&Server{Backend: b, Version: "1.2.3"}).Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	c, err := Dial(context.Background(), socket)
	if err != nil {
		t.Fatal(err)
	}
	return c, socket
}

func TestViewArrivesAsItWas(t *testing.T) {
	b := &backend{view: aView()}
	c, _ := serve(t, b)
	got, err := c.View(t.Context(), 6)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, b.view) {
		t.Errorf("got %+v, want %+v", got.Sessions[0], b.view.Sessions[0])
	}
	if b.asked[0] != uint64(6) {
		t.Errorf("the server was asked for a revision above %v, want 6", b.asked[0])
	}
	if c.Health.Version != "1.2.3" || c.Health.PID != os.Getpid() {
		t.Errorf("health = %+v", c.Health)
	}
}

func TestVerbsCarryTheirArguments(t *testing.T) {
	b := &backend{view: aView()}
	c, _ := serve(t, b)
	ctx := t.Context()
	edit, err := c.Close(ctx, "abc", "done & \"dusted\"\n", true)
	if err != nil {
		t.Fatal(err)
	}
	if string(edit.Before) != "a\r\n" || string(edit.After) != "b\x00" {
		t.Errorf("bytes changed on the way: %q, %q", edit.Before, edit.After)
	}
	if _, err := c.Mark(ctx, "m", false); err != nil {
		t.Fatal(err)
	}
	end := sessions.EndRequest{Selector: sessions.Selector{Project: "p", Agent: "a", Client: "c"}, Summary: "s", DryRun: true}
	if e, err := c.End(ctx, end); err != nil || e.Path != "/v/end.md" || fmt.Sprintf("%s", e.Result) != `{"z":1,"a":null}` {
		t.Fatalf("ended %+v, %v", e, err)
	}
	begin := sessions.StartRequest{Vault: "/v", Project: "p", Name: "n", Goal: "g", Agent: "a", Client: "c", Parent: "i", DryRun: true}
	if e, err := c.Start(ctx, begin); err != nil || e.Path != "/v/new.md" {
		t.Fatalf("started %+v, %v", e, err)
	}
	l, err := c.PlanResume(ctx, "r", "/dir")
	if err != nil || l.Argv[2] != "r" {
		t.Fatalf("launch = %+v, %v", l, err)
	}
	unlock := sessions.UnlockRequest{Ref: "u", Token: "t", Force: true}
	if u, err := c.Unlock(ctx, unlock); err != nil || u.Action != "act" || u.SessionID != "u" {
		t.Fatalf("unlocked %+v, %v", u, err)
	}
	stop := sessions.StopRequest{Ref: "s", PID: 7, Server: true}
	if o, err := c.Stop(ctx, stop); err != nil || o.String() != "Kimi is still running after SIGTERM" {
		t.Fatalf("stopped %+v, %v", o, err)
	}
	if u, err := c.LastUndoable(ctx); err != nil || u.Action != "act" {
		t.Fatalf("can be undone: %+v, %v", u, err)
	}
	if u, err := c.Undo(ctx, sessions.UndoRequest{Action: "act", DryRun: true}); err != nil || u.Lock.SessionID != "s" {
		t.Fatalf("undone %+v, %v", u, err)
	}
	rows, err := c.Locks(ctx)
	if err != nil || len(rows) != 1 {
		t.Fatalf("locks = %+v, %v", rows, err)
	}
	if want := []any{"abc", "done & \"dusted\"\n", true, "m", false, end, begin, "r", "/dir", unlock, stop, sessions.UndoRequest{Action: "act", DryRun: true}}; !reflect.DeepEqual(b.asked, want) {
		t.Errorf("asked %q, want %q", b.asked, want)
	}
}

func TestErrorsKeepTheirMeaning(t *testing.T) {
	candidate := aView().Sessions[0]
	for _, cause := range []error{sessions.ErrNotFound, sessions.ErrOccupied, sessions.ErrAmbiguous, sessions.ErrStale,
		sessions.ErrClosed, sessions.ErrRefused, sessions.ErrNotCapable, sessions.ErrNoFolder} {
		want := &sessions.Error{Err: cause, Session: "s", Detail: "because", Hint: "do that", Candidates: []*sessions.Session{candidate}, Diff: "-a\n+b"}
		c, _ := serve(t, &backend{view: aView(), err: want})
		_, err := c.Close(t.Context(), "s", "", false)
		var got *sessions.Error
		if !errors.Is(err, cause) || !errors.As(err, &got) {
			t.Errorf("%v arrived as %v", cause, err)
			continue
		}
		if got.Detail != want.Detail || got.Hint != want.Hint || len(got.Candidates) != 1 || got.Diff != want.Diff || sessions.Code(err) != sessions.Code(want) {
			t.Errorf("%v arrived as %+v", cause, got)
		}
	}
	c, _ := serve(t, &backend{view: aView(), err: errors.New("disk on fire")})
	if _, err := c.View(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("an unknown error arrived as %v", err)
	}
}

func TestWatchDeliversInOrderUntilTheServiceEnds(t *testing.T) {
	b := &backend{updates: make(chan sessions.Update)}
	c, _ := serve(t, b)
	got := make(chan sessions.Update)
	ended := make(chan error, 1)
	go func() {
		ended <- c.Watch(t.Context(), func(u sessions.Update) error { got <- u; return nil })
	}()
	b.updates <- sessions.Update{View: aView()}
	if u := <-got; u.View == nil || u.View.Revision != 7 {
		t.Fatalf("first update = %+v, want the view", u)
	}
	for n := uint64(8); n < 12; n++ {
		b.updates <- sessions.Update{Event: &sessions.Event{Revision: n, Kind: sessions.Changed, Session: aView().Sessions[0]}}
		if u := <-got; u.Event == nil || u.Event.Revision != n {
			t.Fatalf("update = %+v, want event %d", u, n)
		}
	}
	close(b.updates)
	if err := <-ended; !errors.Is(err, ErrNoService) {
		t.Errorf("watch ended with %v, want ErrNoService", err)
	}
}

func TestNoService(t *testing.T) {
	dir := t.TempDir()
	dead := filepath.Join(dir, "dead.sock")
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{filepath.Join(dir, "none.sock"), dead} {
		if _, err := Dial(t.Context(), address); !errors.Is(err, ErrNoService) {
			t.Errorf("%s: err = %v, want ErrNoService", address, err)
		}
	}
}

func FuzzDecodeError(f *testing.F) {
	f.Add(40401, "m", "SESSION_NOT_FOUND", "s", "d", "h")
	f.Add(0, "", "", "", "", "")
	f.Fuzz(func(t *testing.T, code int, msg, word, session, detail, hint string) {
		if err := decodeError(envelope{Code: code, Msg: msg, Details: &failure{Code: word, Session: session, Detail: detail, Hint: hint}}); err == nil {
			t.Error("a failure was decoded as success")
		}
	})
}
