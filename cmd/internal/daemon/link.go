package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"berth/sessions"
	"berth/sessions/localapi"
)

// Link is a lasting connection to the service of this user, whoever runs it: a running one, or, when there is
// none, one in this process. When the running one ends, this process takes over.
type Link struct {
	opts Options

	mu      sync.Mutex
	backend localapi.Backend // nil while offline
}

// NewLink returns a Link that is offline until Run.
func NewLink(o Options) *Link { return &Link{opts: o} }

// LinkUpdate is what a Link tells: an update of the sessions, or that it is offline.
type LinkUpdate struct {
	sessions.Update
	Own     bool  // the service runs in this process
	Offline error // why nothing can be told now; the Update is empty then
}

// ErrOffline says that there is no service to ask at the moment.
var ErrOffline = errors.New("berth is not connected to its service")

// Backend is where verbs go. It fails with ErrOffline while there is no service.
func (l *Link) Backend() (localapi.Backend, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.backend == nil {
		return nil, ErrOffline
	}
	return l.backend, nil
}

// The pauses between attempts to get a service.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Run keeps the Link until ctx ends, and calls fn, from one goroutine, with everything that it learns. It returns
// fn's error, and nil when ctx ended.
func (l *Link) Run(ctx context.Context, fn func(LinkUpdate) error) error {
	pause := firstRetry
	for {
		var failed error
		told := false
		err := l.attempt(ctx, func(u LinkUpdate) error {
			told = true
			failed = fn(u)
			return failed
		})
		if failed != nil || ctx.Err() != nil {
			return failed
		}
		if told {
			pause = firstRetry
		}
		if err == nil {
			err = ErrOffline
		}
		if ferr := fn(LinkUpdate{Offline: err}); ferr != nil {
			return ferr
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		pause = min(2*pause, lastRetry)
	}
}

// attempt gets a service and follows it until it ends.
func (l *Link) attempt(ctx context.Context, fn func(LinkUpdate) error) error {
	d, err := New(l.opts)
	switch {
	case err == nil:
		return d.RunWith(ctx, func(ctx context.Context) error { return l.follow(ctx, d.Service, true, fn) })
	case !errors.Is(err, ErrRunning):
		return err
	}
	c, err := localapi.Dial(ctx, l.opts.Paths.Socket())
	if err != nil {
		return err
	}
	return l.follow(ctx, c, false, fn)
}

func (l *Link) follow(ctx context.Context, b localapi.Backend, own bool, fn func(LinkUpdate) error) error {
	l.set(b)
	defer l.set(nil)
	return b.Watch(ctx, func(u sessions.Update) error { return fn(LinkUpdate{Update: u, Own: own}) })
}

func (l *Link) set(b localapi.Backend) {
	l.mu.Lock()
	l.backend = b
	l.mu.Unlock()
}
