package watcher

import "strings"

// Op is a set of things that happened to a path.
type Op uint8

// The operations an [Event] can carry. After a merge several bits are set.
const (
	Create Op = 1 << iota // appeared, or was renamed to this name
	Write                 // content or metadata changed
	Remove                // gone, or was renamed away
)

// String returns the operations in words, as in "create|write".
func (o Op) String() string {
	var words []string
	for i, word := range []string{"create", "write", "remove"} {
		if o&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, "|")
}

// Event says that something happened at Path, which is absolute and inside Root.
type Event struct {
	Root string // the Path of the Root that covers it
	Path string
	Op   Op
}

// Batch is what the Watcher sends: changed paths, and roots that need a full look.
type Batch struct {
	Events []Event  // at most one per root and path
	Rescan []string // root paths; no order, no repeats
}

// Mode says how a directory is covered.
type Mode uint8

const (
	Skip     Mode = iota // never watched; nothing below it is reported
	Pinned               // always watched; below a Budgeted directory it counts as Budgeted
	Budgeted             // watched while hot, within the budget
)

// Root is one tree to watch.
type Root struct {
	// Path is absolute. It need not exist yet: its nearest existing parent is watched until it does.
	// It may be a symbolic link; links below it are not followed.
	Path string

	// Dir says how the directory at rel is covered; rel is slash-separated and relative to Path. The
	// root itself (".") is Pinned whatever Dir says. nil means that every directory is Pinned. It is
	// called from the Watcher's goroutine and must not block.
	Dir func(rel string) Mode

	// Ignore reports whether changes of the file at rel are noise. nil ignores nothing. Same rules
	// as Dir. The Watcher itself never guesses: names of temporary files are reported.
	Ignore func(rel string) bool
}

// Coverage says how a root is kept in view at the moment.
type Coverage string

const (
	Starting Coverage = "starting" // its watches are being set; a Rescan of it follows
	Watching Coverage = "watching" // the kernel reports changes
	Polling  Coverage = "polling"  // named in Rescan every Config.Poll; see RootStatus.Reason
	Missing  Coverage = "missing"  // the root does not exist; waiting for it
)

// RootStatus is the state of one root, for people.
type RootStatus struct {
	Path     string   `json:"path"`
	Coverage Coverage `json:"coverage"`
	Reason   string   `json:"reason,omitempty"` // why it is not Watching, or why fewer directories are than wanted
	Remedy   string   `json:"remedy,omitempty"` // what the user can do about it, a command where there is one
	Watches  int      `json:"watches"`          // directories watched under this root
}
