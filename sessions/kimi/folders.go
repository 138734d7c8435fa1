package kimi

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"berth/sessions"
)

// folderFresh is how long an answer about a work folder is good for: long enough for a scan to ask once per
// folder instead of once per session.
const folderFresh = 5 * time.Second

// maxFolders bounds the answers that are kept.
const maxFolders = 4096

// folders knows which work folders are there. It is safe for concurrent use.
type folders struct {
	mu   sync.Mutex
	seen map[string]folderSeen
}

type folderSeen struct {
	dir   string
	there sessions.Tri
	at    time.Time
}

// look says whether dir is a folder, and returns dir as a string that all sessions of the folder share. What
// cannot be looked at from here is Unknown: a relative path, one of another system, one behind a closed door.
func (f *folders) look(dir string, now time.Time) (string, sessions.Tri) {
	f.mu.Lock()
	old, ok := f.seen[dir]
	f.mu.Unlock()
	if age := now.Sub(old.at); ok && age >= 0 && age < folderFresh {
		return old.dir, old.there
	}
	if ok {
		dir = old.dir
	}
	there := isFolder(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil || len(f.seen) >= maxFolders {
		f.seen = map[string]folderSeen{}
	}
	f.seen[dir] = folderSeen{dir, there, now}
	return dir, there
}

func isFolder(dir string) sessions.Tri {
	if !filepath.IsAbs(dir) {
		return sessions.Unknown
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil:
		return sessions.TriOf(info.IsDir())
	case gone(err):
		return sessions.No
	}
	return sessions.Unknown
}
