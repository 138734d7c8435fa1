package sessions

import (
	"context"
	"time"

	"berth/watcher"
)

// Source reads one store: one vault, or one Kimi home. Its methods may be called concurrently.
//
// A Source is bounded and forgiving: it reads heads and tails only, and a broken file spoils its own
// Record (Problems, FactDamaged), never the list.
type Source interface {
	// Name is "kimi" or "vault"; Root is the store's absolute path. Both never change.
	Name() string
	Root() string

	// Watch says which directories matter and which changes are noise.
	Watch() watcher.Root

	// List calls emit with the Key of each thing that may be a Session, reading as little as possible:
	// names, and for a vault the notes that are new or changed. It stops at the first error that makes
	// the store as a whole unreadable. A store that does not exist is empty.
	List(ctx context.Context, emit func(key string)) error

	// Stamp returns the current identity of key's files without reading them, or ErrNotFound.
	Stamp(key string) (Stamp, error)

	// Load reads one Session. now is used for what is in flight ([Record.Settle]). It returns
	// ErrNotFound when key is gone or is no Session. The Record is the caller's: the Source keeps no
	// reference to it.
	Load(key string, now time.Time) (*Record, error)

	// Changed says what a changed path inside the root means. It may update the Source's own caches
	// (an index file), and must not block for long.
	Changed(e watcher.Event) Change
}

// Change is what an event at a path means for a Source.
type Change struct {
	Keys []string // these may have changed, appeared or gone
	IDs  []string // Sessions with these ids may have changed, wherever they are
	All  bool     // everything may have changed: list again
	// Writer is the pid that a temp file name gave away as the writer of Keys, or 0. Without Keys it is that of a
	// client that has the store open, and has not written in a Session yet.
	Writer int
	// Late says that the temp file was made up to a second ago, and its making was perhaps not seen.
	Late bool
}

// Server is a running server process of a store that may hold any of its Sessions.
type Server struct {
	PID       int
	Name      string // "Kimi server"
	Where     string // "port 58627", or ""
	StartedAt time.Time
	Address   string // "127.0.0.1:58627", or "" when the store does not say
}

// Served is implemented by a Source whose store can be open in server processes.
type Served interface {
	// Servers lists the servers that the store names; whether they live is the caller's question.
	Servers() []Server
}

// Foldered is implemented by a Source whose Sessions are folders of their own, too many to watch all
// the time.
type Foldered interface {
	// Folder is the directory to keep watched while the Session is in use.
	Folder(r *Record) string
}

// Locked is implemented by a Source whose store has lock files.
type Locked interface {
	// LockDir is the folder of the lock files. It need not exist.
	LockDir() string
}

// Aborter is implemented by a Source whose servers can be asked to end a turn.
type Aborter interface {
	// AbortTurn asks the server s to end the running turn of the Session with this id. It returns false when no
	// turn ran. The caller has made sure that s lives.
	AbortTurn(ctx context.Context, s Server, id string) (bool, error)
}
