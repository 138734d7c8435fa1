package kimi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"

	"berth/locks"
	"berth/sessions"
)

// Config says which home to read.
type Config struct {
	Home   string       // see [Home]; need not exist
	Logger *slog.Logger // nil logs nothing
	// System takes locks, and knows the running clients, for what writes in the home; nil refuses all of that.
	System *locks.System
}

// Source reads one home. Its methods may be called concurrently.
type Source struct {
	root    string
	log     *slog.Logger
	system  *locks.System
	census  census // system, but for tests
	writing sync.Mutex
	lockDir string // with a separator at its end
	index   *index
	folders folders
	servers serverFiles
	turns   keySet
	buffers sync.Pool
}

var (
	_ sessions.Source   = (*Source)(nil)
	_ sessions.Served   = (*Source)(nil)
	_ sessions.Foldered = (*Source)(nil)
	_ sessions.Locked   = (*Source)(nil)
)

// New returns a reader for the home c.Home. It reads nothing yet.
func New(c Config) *Source {
	root, err := filepath.Abs(c.Home)
	if err != nil {
		root = filepath.Clean(c.Home)
	}
	log := c.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Source{root: root, log: log, index: newIndex(root, log), system: c.System}
	if c.System != nil {
		s.census = c.System
	}
	s.lockDir = s.path(locksRel) + string(filepath.Separator)
	s.servers.dir = s.path(serversRel)
	s.buffers.New = func() any {
		b := make([]byte, 2*windowBytes)
		return &b
	}
	return s
}

// Name is "kimi".
func (s *Source) Name() string { return "kimi" }

// Root is the home.
func (s *Source) Root() string { return s.root }

// Folder is the session's own folder. Its journals lie two levels below it, in agents/<agent>.
func (s *Source) Folder(r *sessions.Record) string { return r.Path }

// LockDir is where the client keeps its locks.
func (s *Source) LockDir() string { return s.path(locksRel) }

// Servers lists the servers that have a file in the home, living or not, by pid.
func (s *Source) Servers() []sessions.Server { return s.servers.current() }

// IndexProblems returns what is wrong with the client's own index, for a diagnosis.
func (s *Source) IndexProblems() []string { return s.index.problems() }

// path returns the absolute path of rel, which is slash-separated and relative to the home.
func (s *Source) path(rel string) string {
	return filepath.Join(s.root, filepath.FromSlash(rel))
}

// List emits every folder in a bucket that may be a session. It reads the names of two levels of folders and
// nothing else; whether a folder is a session is for Load to say.
func (s *Source) List(ctx context.Context, emit func(key string)) error {
	s.index.refresh()
	var buckets []string
	err := entries(s.path(sessionsRel), func(e entry) bool {
		if e.isDir() && !stray(e.name) {
			buckets = append(buckets, e.name)
		}
		return ctx.Err() == nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list sessions: %w", err)
	}
	for _, bucket := range buckets {
		err := s.listBucket(bucket, func(key string) bool {
			emit(key)
			return ctx.Err() == nil
		})
		if err != nil && !gone(err) {
			s.log.Warn("cannot list bucket", "path", s.path(sessionsRel+"/"+bucket), "err", err)
		}
	}
	return context.Cause(ctx)
}

// listBucket calls visit with the key of each folder in a bucket, until visit returns false.
func (s *Source) listBucket(bucket string, visit func(key string) bool) error {
	prefix := sessionsRel + "/" + bucket + "/"
	return entries(s.path(sessionsRel+"/"+bucket), func(e entry) bool {
		if !e.isDir() || stray(e.name) {
			return true
		}
		return visit(prefix + e.name)
	})
}

// Stamp returns the identity of the session's files.
func (s *Source) Stamp(key string) (sessions.Stamp, error) {
	v, err := s.look(key, false)
	if err != nil {
		return 0, err
	}
	defer v.close()
	return v.stamp(), nil
}

// keySet is a set of keys that is safe for concurrent use.
type keySet struct {
	mu sync.Mutex
	m  map[string]bool
}

// set puts key in or takes it out.
func (k *keySet) set(key string, in bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !in {
		delete(k.m, key)
		return
	}
	if k.m == nil {
		k.m = map[string]bool{}
	}
	k.m[key] = true
}

func (k *keySet) keys() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return keysOf(k.m)
}
