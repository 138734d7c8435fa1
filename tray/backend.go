package tray

import (
	"context"

	"berth/sessions"
)

// Feed is where the Sessions come from: the service in this process, or a connection to a running one.
type Feed interface {
	// Run hands over the present state and then every later one, until ctx is done or the connection is
	// lost; it returns why. deliver never blocks and may be called from any goroutine, but not after Run
	// returned. The Presenter calls Run again, with growing pauses.
	Run(ctx context.Context, deliver func(Update)) error
	// Refresh asks the service to look at every store again, now. It does not wait for the result.
	Refresh(ctx context.Context) error
}

// Verbs are what a person can do with a Session. They may block (disk, sockets) and are called from any
// goroutine but the drawing one. Errors are *sessions.Error where the service could say what blocks.
type Verbs interface {
	// PlanClose returns exactly what Close would write at this moment, and writes nothing.
	PlanClose(ctx context.Context, t Target, summary string) (*sessions.Edit, error)
	// Close ends the work session and returns what was written.
	Close(ctx context.Context, t Target, summary string) (*sessions.Edit, error)
	// Resume opens the Session in its client, in the user's terminal.
	Resume(ctx context.Context, t Target) error
}

// Backend is everything that the tray needs from the service.
type Backend interface {
	Feed
	Verbs
}
