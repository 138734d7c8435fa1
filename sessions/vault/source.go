package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"berth/sessions"
)

// Config says which vault to read and how to write into it.
type Config struct {
	// Path is the vault's folder, absolute. It need not exist: a missing vault is empty.
	Path string
	// LockDir is a folder of ours, outside of every store, for the lock files that serialise our own
	// writers. It is made when needed. Without it the Source only reads; closing is refused.
	LockDir string
	// Recheck is how long after a write the note is looked at again, and written again when a writer that had read
	// before us undid it. The verb takes that much longer. Zero means that nobody looks.
	Recheck time.Duration
	// Logger may be nil.
	Logger *slog.Logger
}

// Source is one vault. It implements [sessions.Source], [sessions.Starter], [sessions.Closer], [sessions.Marker],
// [sessions.Selecter] and [sessions.Restorer]; all methods may be called concurrently.
type Source struct {
	root    string
	lockDir string
	log     *slog.Logger
	plain   plainNotes
	pause   func(context.Context) bool // before the look after a write, false when there is to be none; may be nil

	refreshing sync.Mutex // guards configSeen
	configSeen fileState
	settings   atomic.Pointer[settings]
}

var (
	_ sessions.Source   = (*Source)(nil)
	_ sessions.Closer   = (*Source)(nil)
	_ sessions.Marker   = (*Source)(nil)
	_ sessions.Restorer = (*Source)(nil)
	_ sessions.Starter  = (*Source)(nil)
	_ sessions.Selecter = (*Source)(nil)
)

// New returns a reader and writer of the vault at c.Path. It touches nothing on disk.
func New(c Config) (*Source, error) {
	if !filepath.IsAbs(c.Path) {
		return nil, fmt.Errorf("open vault %q: the path is not absolute", c.Path)
	}
	s := &Source{root: filepath.Clean(c.Path), lockDir: c.LockDir, log: c.Logger, pause: sleeper(c.Recheck)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.plain.seen = map[sessions.Stamp]uint32{}
	s.settings.Store(defaultSettings())
	return s, nil
}

// Name is "vault".
func (s *Source) Name() string { return "vault" }

// Root is the vault's folder.
func (s *Source) Root() string { return s.root }

// refresh reads Kioku's configuration again when its file changed, and reports whether it did.
func (s *Source) refresh() bool {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	path := s.path(configKey)
	seen := stateOf(path)
	if seen == s.configSeen {
		return false
	}
	s.configSeen = seen
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	set, bad := parseSettings(b)
	if err = errors.Join(err, bad); err != nil {
		s.log.Warn("kioku configuration is not fully readable", "path", path, "err", err)
	}
	s.settings.Store(set)
	return true
}

// current returns the settings, reading them first when nobody has yet.
func (s *Source) current() *settings {
	s.refreshing.Lock()
	unread := s.configSeen == fileState{}
	s.refreshing.Unlock()
	if unread {
		s.refresh()
	}
	return s.settings.Load()
}

// path returns the absolute path of a key.
func (s *Source) path(key string) string { return filepath.Join(s.root, filepath.FromSlash(key)) }

// key returns the key of an absolute path, and false for what is not inside the vault.
func (s *Source) key(path string) (string, bool) {
	rel, err := filepath.Rel(s.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// isNote reports whether Kioku would index a file of that key.
func isNote(set *settings, key string) bool {
	return strings.HasSuffix(key, ".md") && fs.ValidPath(key) && filepath.IsLocal(filepath.FromSlash(key)) && !set.hides(key)
}

// List emits every note that is not known to be something else than a session. Which of the new ones
// are sessions only Load knows; it remembers the others by their stamp, so that they are read once.
func (s *Source) List(ctx context.Context, emit func(key string)) error {
	s.refresh()
	round := s.plain.begin()
	err := s.walk(ctx, ".", func(key string, d fs.DirEntry) {
		if s.plain.empty() {
			emit(key)
		} else if fi, err := d.Info(); err == nil && !s.plain.knows(noteStamp(key, fi), round) {
			emit(key)
		}
	})
	if err != nil {
		return err
	}
	s.plain.forget(round)
	return nil
}

// walk visits every note below the folder. A folder that cannot be read is passed over, except the first
// one; when that is missing, there is nothing to visit.
func (s *Source) walk(ctx context.Context, dir string, visit func(key string, d fs.DirEntry)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list notes: %w", err)
	}
	set := s.settings.Load()
	for _, d := range entries {
		key := d.Name()
		if dir != "." {
			key = dir + "/" + key
		}
		switch {
		case strings.HasPrefix(d.Name(), ".") || set.excludes(key):
		case d.IsDir():
			if err := s.walk(ctx, key, visit); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				s.log.Debug("folder passed over", "path", s.path(key), "err", err)
			}
		case d.Type().IsRegular() && strings.HasSuffix(key, ".md"):
			visit(key, d)
		}
	}
	return nil
}

// Stamp returns the identity of a note's file as it is now.
func (s *Source) Stamp(key string) (sessions.Stamp, error) {
	set := s.current()
	if !isNote(set, key) {
		return 0, sessions.ErrNotFound
	}
	fi, err := os.Lstat(s.path(key))
	if gone(err) || err == nil && !fi.Mode().IsRegular() {
		return 0, sessions.ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("stat note: %w", err)
	}
	return withSettings(noteStamp(key, fi), set), nil
}

// Load reads one note. A note that Kioku would not index, and one that is no session, is not found.
func (s *Source) Load(key string, now time.Time) (*sessions.Record, error) {
	set := s.current()
	if !isNote(set, key) {
		return nil, sessions.ErrNotFound
	}
	h, err := readHead(s.path(key))
	switch {
	case gone(err):
		return nil, sessions.ErrNotFound
	case errors.Is(err, fs.ErrPermission) && len(set.projectsOf(key)) > 0:
		return s.unreadable(set, key, err)
	case err != nil:
		return nil, fmt.Errorf("read note: %w", err)
	}
	defer h.free()
	stamp := noteStamp(key, h.info)
	rec := s.record(set, key, h, now)
	if rec == nil {
		if now.Sub(h.info.ModTime()) > freshness {
			s.plain.add(stamp)
		}
		return nil, sessions.ErrNotFound
	}
	rec.Stamp = withSettings(stamp, set)
	return rec, nil
}

// freshness is how long a file may still be in the making, and how long an equal modification time
// does not prove equal content: the coarsest file systems have steps of two seconds.
const freshness = 2 * time.Second
