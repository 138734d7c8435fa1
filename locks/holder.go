package locks

import "time"

// Identity names one process for the length of one boot. Two Identities are the same process if and
// only if all three fields are equal.
type Identity struct {
	BootID string `json:"boot_id,omitempty"`
	PID    int    `json:"pid"`
	// Start is the kernel's own start stamp: clock ticks since boot on Linux, microseconds on macOS,
	// 100 ns units on Windows. Only equality means anything.
	Start uint64 `json:"start,omitempty"`
}

// Verdict is what can be proved about the process behind a claim.
type Verdict string

const (
	Live    Verdict = "live"
	Dead    Verdict = "dead"
	Unknown Verdict = "unknown"
)

// Judgement is a Verdict with its reason and the evidence for it.
type Judgement struct {
	Verdict Verdict
	// Reason is a short phrase, stable enough to test: "no such process", "other host".
	Reason string
	// Evidence are sentences with values, for people.
	Evidence []string
	// Automatic reports whether a dead lock may be removed without asking: same host, same
	// namespace, proof that needs no person. Only ever true for Dead.
	Automatic bool
}

// Record is the content of a lock file as far as it could be read. Fields that the file does not have,
// or has in another shape, are zero.
type Record struct {
	Version   int
	Token     string
	PID       int
	Hostname  string
	StartedAt time.Time // when the lock was taken, not when the process began
	Client    string    // clientIdentity in words, such as "kimi-code-cli 2.2.0"

	// Fields of our own; other clients do not write them.
	BootID       string
	ProcessStart uint64
	PIDNamespace string
}

// File is a lock file as found on disk.
type File struct {
	Path      string
	SessionID string // from the file's name, or that of its folder
	Record    Record
	// Shape is the way in which the lock is kept: "" for the client's lock file, or [ShapeLease].
	Shape string
	// Problem says why the content cannot be relied on ("empty", "torn", "not a regular file",
	// "version 2 is not known"), or is "" for a well-formed lock.
	Problem string

	// What lstat said; UID is -1 where the platform has none.
	UID     int
	Inode   uint64
	Size    int64
	ModTime time.Time
	// Remote reports that other machines may share the file system (NFS, SMB, 9p, FUSE), so that an
	// equal host name does not prove that the holder ran here.
	Remote bool
}

// Client is a running process of a known client, found by executable, command name or title.
type Client struct {
	Identity
	Program string // which client: "kimi", "claude", "codex", "vscode"
	Name    string // "Kimi in a terminal", "Kimi", "Kimi server"
	Dir     string // its working directory, "" when it cannot be read
	// Anywhere says that it may work in other folders too: a server, or part of an editor. A client that a person
	// started in a terminal, or for one prompt, does not.
	Anywhere bool
	TTY      string    // "pts/2", or ""
	Started  time.Time // wall clock, for people
}
