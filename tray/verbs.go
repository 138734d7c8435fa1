package tray

import (
	"context"

	"berth/sessions"
)

// Target is the Session that a verb acts on.
type Target struct {
	Path string // sessions.Record.Path
	ID   string // "" for a legacy note
}

// Ref is how the service finds the Session: by the identity that the user saw (bug B40), which for a legacy note
// is its path.
func (t Target) Ref() string {
	if t.ID != "" {
		return t.ID
	}
	return t.Path
}

// Verbs are what a person can do with a Session. They may block (disk, sockets) and are called from any
// goroutine but the drawing one. Errors are *sessions.Error where the service could say what blocks.
type Verbs interface {
	// PlanClose returns exactly what Close would write at this moment, and writes nothing.
	PlanClose(ctx context.Context, t Target, summary string) (*sessions.Edit, error)
	// Close ends the work session and returns what was written.
	Close(ctx context.Context, t Target, summary string) (*sessions.Edit, error)
	// Resume opens the Session in its client, in the user's terminal. dir is the folder of a note's project,
	// remembered from then on, or "" for the one that is known; sessions.ErrNoFolder asks for one. The warnings are for the user, although it
	// worked.
	Resume(ctx context.Context, t Target, dir string) (warnings []string, err error)
}
