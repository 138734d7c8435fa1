package locks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	lockSuffix   = ".lock"
	markerSuffix = lockSuffix + ".reclaim"
)

var (
	safeID   = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	tempName = regexp.MustCompile(`\.lock\.tmp-(\d{1,10})-\d+$`)
)

// LeftoverKind says what a [Leftover] was made for.
type LeftoverKind string

const (
	// Marker guards the removal of a lock: "<lock>.reclaim". It has the content of a lock, naming the
	// process that reclaims, and can be read with [Read].
	Marker LeftoverKind = "reclaim marker"
	// Temp is written before a lock is published by a hard link: "<lock>.tmp-<pid>-<n>".
	Temp LeftoverKind = "temp file"
)

// Leftover is a file beside the locks that is never a lock itself. A crash leaves it behind; a young
// one may belong to a client that is at work just now.
type Leftover struct {
	Path      string
	Kind      LeftoverKind
	SessionID string
	PID       int // of the writer of a Temp, from its name; 0 for a Marker
	ModTime   time.Time
}

// List reads every lock in dir and names the leftovers beside them, both in the order of their names.
// Files of other names are ignored, and so is a file that vanishes meanwhile. The error wraps
// [fs.ErrNotExist] when there is no such folder.
func List(dir string) ([]*File, []Leftover, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("list locks: %w", err)
	}
	var files []*File
	var leftovers []Leftover
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if l := leftover(e.Name()); l.Kind != "" {
			leftovers = appendLeftover(leftovers, l, path)
		} else if IsLockName(e.Name()) {
			files, err = appendFile(files, path)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return files, leftovers, nil
}

// IsLockName reports whether a file of this base name is a lock.
func IsLockName(name string) bool {
	return strings.HasSuffix(name, lockSuffix) && name != lockSuffix
}

// FileName returns the base name of the lock of a session. Only an id of letters, digits, dot, hyphen
// and underscore may become part of a path; any other gives [ErrUnsafeID]. Clients that mint other
// ids run without a lock.
func FileName(id string) (string, error) {
	if !safeID.MatchString(id) || id == "." || id == ".." {
		return "", fmt.Errorf("%w: %q", ErrUnsafeID, id)
	}
	return id + lockSuffix, nil
}

// leftover recognises a leftover by its base name; its Kind is "" for any other name.
func leftover(name string) Leftover {
	if id, ok := strings.CutSuffix(name, markerSuffix); ok {
		return Leftover{Kind: Marker, SessionID: id}
	}
	m := tempName.FindStringSubmatchIndex(name)
	if m == nil {
		return Leftover{}
	}
	pid, err := strconv.ParseInt(name[m[2]:m[3]], 10, 32)
	if err != nil {
		pid = 0
	}
	return Leftover{Kind: Temp, SessionID: name[:m[0]], PID: int(pid)}
}

func appendLeftover(to []Leftover, l Leftover, path string) []Leftover {
	fi, err := os.Lstat(path)
	if err != nil {
		return to // gone meanwhile, as temp files are
	}
	l.Path, l.ModTime = path, fi.ModTime()
	return append(to, l)
}

func appendFile(to []*File, path string) ([]*File, error) {
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return to, nil
	}
	if err != nil {
		return nil, err
	}
	return append(to, f), nil
}
