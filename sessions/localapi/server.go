package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"berth/sessions"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
)

// Backend is what the server offers to the outside. *sessions.Service is one.
type Backend interface {
	View(ctx context.Context, since uint64) (*sessions.View, error)
	Stores(ctx context.Context) ([]sessions.Store, error)
	Watch(ctx context.Context, fn func(sessions.Update) error) error
	Locks(ctx context.Context) ([]sessions.LockRow, error)
	Close(ctx context.Context, ref, summary string, dryRun bool) (*sessions.Edit, error)
	End(ctx context.Context, r sessions.EndRequest) (*sessions.Edit, error)
	Start(ctx context.Context, r sessions.StartRequest) (*sessions.Edit, error)
	Mark(ctx context.Context, ref string, dryRun bool) (*sessions.Edit, error)
	PlanResume(ctx context.Context, ref, dir string) (*sessions.Launch, error)
	Unlock(ctx context.Context, r sessions.UnlockRequest) (*sessions.Unlocked, error)
	Stop(ctx context.Context, r sessions.StopRequest) (*sessions.StopOutcome, error)
	Amend(ctx context.Context, r sessions.AmendRequest) (*sessions.Edit, error)
	Reindex(ctx context.Context, r sessions.ReindexRequest) ([]sessions.IndexLine, error)
	Fork(ctx context.Context, r sessions.ForkRequest) (*sessions.Fork, error)
	Undo(ctx context.Context, r sessions.UndoRequest) (*sessions.Undone, error)
	LastUndoable(ctx context.Context) (*sessions.Undoable, error)
}

// Server answers the local API.
type Server struct {
	Backend Backend
	Version string
	Logger  *slog.Logger // nil logs nothing
}

// maxRequest bounds a request's body in bytes.
const maxRequest = 1 << 20

// Serve answers on ln until ctx ends, then closes ln and every connection.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) handler() http.Handler {
	b := s.Backend
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathHealth, s.answer(func(*http.Request) (any, error) {
		return Health{Version: s.Version, PID: os.Getpid()}, nil
	}))
	mux.HandleFunc("GET "+pathSessions, s.answer(func(r *http.Request) (any, error) {
		since, err := parseSince(r)
		if err != nil {
			return nil, err
		}
		return b.View(r.Context(), since)
	}))
	mux.HandleFunc("GET "+pathStores, s.answer(func(r *http.Request) (any, error) { return b.Stores(r.Context()) }))
	mux.HandleFunc("GET "+pathLocks, s.answer(func(r *http.Request) (any, error) { return b.Locks(r.Context()) }))
	verb(s, mux, pathClose, func(ctx context.Context, q editRequest) (*sessions.Edit, error) {
		return b.Close(ctx, q.Ref, q.Summary, q.DryRun)
	})
	verb(s, mux, pathEnd, b.End)
	verb(s, mux, pathStart, b.Start)
	verb(s, mux, pathMark, func(ctx context.Context, q editRequest) (*sessions.Edit, error) {
		return b.Mark(ctx, q.Ref, q.DryRun)
	})
	verb(s, mux, pathResume, func(ctx context.Context, q resumeRequest) (*sessions.Launch, error) {
		return b.PlanResume(ctx, q.Ref, q.Dir)
	})
	verb(s, mux, pathUnlock, b.Unlock)
	verb(s, mux, pathStop, b.Stop)
	verb(s, mux, pathAmend, b.Amend)
	verb(s, mux, pathReindex, b.Reindex)
	verb(s, mux, pathFork, b.Fork)
	verb(s, mux, pathUndo, b.Undo)
	mux.HandleFunc("GET "+pathUndoable, s.answer(func(r *http.Request) (any, error) { return b.LastUndoable(r.Context()) }))
	mux.HandleFunc("GET "+pathWS, s.watch)
	return mux
}

// verb serves one action: its request is the body, its result the data.
func verb[In, Out any](s *Server, mux *http.ServeMux, path string, do func(context.Context, In) (Out, error)) {
	mux.HandleFunc("POST "+path, s.answer(func(r *http.Request) (any, error) {
		q, err := body[In](r)
		if err != nil {
			return nil, err
		}
		return do(r.Context(), q)
	}))
}

// badRequest marks an error as the caller's.
type badRequest struct{ error }

func parseSince(r *http.Request) (uint64, error) {
	text := r.URL.Query().Get("since")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, badRequest{err}
	}
	return n, nil
}

func body[T any](r *http.Request) (T, error) {
	var v T
	dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxRequest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return v, badRequest{err}
	}
	return v, nil
}

// answer wraps do's result in the envelope.
func (s *Server) answer(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := do(r)
		env := envelope{Msg: "ok", Data: data}
		if err != nil {
			env = encodeError(err)
			if errors.As(err, new(badRequest)) {
				env.Code = codeValidation
			}
		}
		env.RequestID = uuid.NewString()
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if err := writeEnvelope(w, env); err != nil {
			s.log().Debug("answer not delivered", "err", err)
		}
	}
}

func (s *Server) log() *slog.Logger {
	if s.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Logger
}

// writeTimeout ends the connection of a watcher that does not read.
const writeTimeout = 30 * time.Second

// watch sends one sessions.Update a frame until either side goes away.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.log().Debug("no websocket", "err", err)
		return
	}
	defer c.CloseNow()
	ctx := c.CloseRead(r.Context())
	err = s.Backend.Watch(ctx, func(u sessions.Update) error {
		ctx, cancel := context.WithTimeout(ctx, writeTimeout)
		defer cancel()
		return wsjson.Write(ctx, c, u)
	})
	if err != nil {
		s.log().Debug("watcher went away", "err", err)
		return
	}
	c.Close(websocket.StatusGoingAway, "the service ends")
}
