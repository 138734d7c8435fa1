package localapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"berth/sessions"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// ErrNoService says that nothing answers at the address.
var ErrNoService = errors.New("no berth service is running")

// Client talks to a Server. It is a Backend itself, and safe for concurrent use.
type Client struct {
	http *http.Client
	// Health is what the service said of itself when the connection was made.
	Health Health
}

var _ Backend = (*Client)(nil)

// dialTimeout bounds the wait for a service that does not answer.
const dialTimeout = 2 * time.Second

// Dial connects to the service at address (a socket's path). It fails with ErrNoService when there is none.
func Dial(ctx context.Context, address string) (*Client, error) {
	c := &Client{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, address) },
	}}}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := c.get(ctx, pathHealth, &c.Health); err != nil {
		return nil, fmt.Errorf("%w (%v)", ErrNoService, err)
	}
	return c, nil
}

// View implements Backend.
func (c *Client) View(ctx context.Context, since uint64) (*sessions.View, error) {
	v := new(sessions.View)
	return v, c.get(ctx, pathSessions+"?since="+strconv.FormatUint(since, 10), v)
}

// Stores returns the stores that the service serves, without their sessions.
func (c *Client) Stores(ctx context.Context) ([]sessions.Store, error) {
	var stores []sessions.Store
	return stores, c.get(ctx, pathStores, &stores)
}

// Locks implements Backend.
func (c *Client) Locks(ctx context.Context) ([]sessions.LockRow, error) {
	var rows []sessions.LockRow
	return rows, c.get(ctx, pathLocks, &rows)
}

// Close implements Backend.
func (c *Client) Close(ctx context.Context, ref, summary string, dryRun bool) (*sessions.Edit, error) {
	return post[sessions.Edit](ctx, c, pathClose, editRequest{Ref: ref, Summary: summary, DryRun: dryRun})
}

// End implements Backend.
func (c *Client) End(ctx context.Context, r sessions.EndRequest) (*sessions.Edit, error) {
	return post[sessions.Edit](ctx, c, pathEnd, r)
}

// Start implements Backend.
func (c *Client) Start(ctx context.Context, r sessions.StartRequest) (*sessions.Edit, error) {
	return post[sessions.Edit](ctx, c, pathStart, r)
}

// Mark implements Backend.
func (c *Client) Mark(ctx context.Context, ref string, dryRun bool) (*sessions.Edit, error) {
	return post[sessions.Edit](ctx, c, pathMark, editRequest{Ref: ref, DryRun: dryRun})
}

// PlanResume implements Backend.
func (c *Client) PlanResume(ctx context.Context, ref, dir string) (*sessions.Launch, error) {
	return post[sessions.Launch](ctx, c, pathResume, resumeRequest{Ref: ref, Dir: dir})
}

// Unlock implements Backend.
func (c *Client) Unlock(ctx context.Context, r sessions.UnlockRequest) (*sessions.Unlocked, error) {
	return post[sessions.Unlocked](ctx, c, pathUnlock, r)
}

// Stop implements Backend.
func (c *Client) Stop(ctx context.Context, r sessions.StopRequest) (*sessions.StopOutcome, error) {
	return post[sessions.StopOutcome](ctx, c, pathStop, r)
}

// Undo implements Backend.
func (c *Client) Undo(ctx context.Context, r sessions.UndoRequest) (*sessions.Undone, error) {
	return post[sessions.Undone](ctx, c, pathUndo, r)
}

// LastUndoable implements Backend.
func (c *Client) LastUndoable(ctx context.Context) (*sessions.Undoable, error) {
	u := new(sessions.Undoable)
	return u, c.get(ctx, pathUndoable, u)
}

// Amend implements Backend.
func (c *Client) Amend(ctx context.Context, r sessions.AmendRequest) (*sessions.Edit, error) {
	return post[sessions.Edit](ctx, c, pathAmend, r)
}

// Reindex implements Backend.
func (c *Client) Reindex(ctx context.Context, r sessions.ReindexRequest) ([]sessions.IndexLine, error) {
	lines, err := post[[]sessions.IndexLine](ctx, c, pathReindex, r)
	if err != nil {
		return nil, err
	}
	return *lines, nil
}

// Fork implements Backend.
func (c *Client) Fork(ctx context.Context, r sessions.ForkRequest) (*sessions.Fork, error) {
	return post[sessions.Fork](ctx, c, pathFork, r)
}

// Watch implements Backend. It returns nil when ctx ends, and ErrNoService when the service goes away.
func (c *Client) Watch(ctx context.Context, fn func(sessions.Update) error) error {
	ws, _, err := websocket.Dial(ctx, "http://berth"+pathWS, &websocket.DialOptions{HTTPClient: c.http})
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1) // the service is trusted, and a View of many sessions is large
	for {
		var u sessions.Update
		if err := wsjson.Read(ctx, ws, &u); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("%w (%v)", ErrNoService, err)
		}
		if err := fn(u); err != nil {
			return err
		}
	}
}

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, nil, into)
}

func post[T any](ctx context.Context, c *Client, path string, in any) (*T, error) {
	b, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := c.call(ctx, http.MethodPost, path, b, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *Client) call(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://berth"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	env := envelope{Data: into}
	if err := json.NewDecoder(resp.Body).Decode(&env); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if env.Code != 0 {
		return decodeError(env)
	}
	return nil
}
