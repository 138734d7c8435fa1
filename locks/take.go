package locks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// TakeConfig says which lock to take, and in whose name.
type TakeConfig struct {
	// Dir is where the store keeps its locks: <home>/locks/sessions. It is made when missing, with mode
	// 0700, but not <home>.
	Dir       string
	SessionID string
	Client    ClientIdentity
	System    *System

	// Look is how often it is made sure that the lock is still there; zero means every second.
	Look time.Duration

	link func(from, to string) error // tests put their own in; nil means os.Link
}

// defaultLook bounds for how long work may go on under a lock that somebody took away.
const defaultLook = time.Second

// takeTries is how often a lock that went away while it was read is tried for.
const takeTries = 3

// Take takes the lock of a session in the way of the Kimi client (see the package documentation) and does
// not wait: when there is a lock, whoever has it and be it a dead one, the error is a [*HeldError]. Within
// this process holds are shared: who takes a lock that this process has gets a further [Lease] of the same
// hold, and the lock stays until the last is released. Ids that cannot be file names give [ErrUnsafeID],
// sandboxes that hide our pid [ErrNotSupported]; any other error means that there is no lock either, never
// that the work may go on without one.
//
// The lock outlives a process that is killed. A program that takes locks therefore calls [ReleaseAll]
// before it exits and when a signal ends it.
func Take(ctx context.Context, cfg TakeConfig) (*Lease, error) {
	l, err := take(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("take lock of session %q: %w", cfg.SessionID, err)
	}
	return l, nil
}

func take(ctx context.Context, cfg TakeConfig) (*Lease, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	path, err := cfg.prepare()
	if err != nil {
		return nil, err
	}
	holds.mu.Lock()
	defer holds.mu.Unlock()
	if h := holds.byPath[path]; h != nil && h.verify() == nil {
		return h.lease(ctx), nil
	}
	h, err := cfg.hold(path)
	if err != nil {
		return nil, err
	}
	holds.byPath[path] = h
	return h.lease(ctx), nil
}

// prepare fills in what was left out, makes the folder, and returns the one path by which the lock goes in
// this process.
func (cfg *TakeConfig) prepare() (string, error) {
	if cfg.link == nil {
		cfg.link = os.Link
	}
	if cfg.Look <= 0 {
		cfg.Look = defaultLook
	}
	name, err := FileName(cfg.SessionID)
	if err != nil {
		return "", err
	}
	if err := makeLockDir(cfg.Dir); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(cfg.Dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	return filepath.Join(dir, name), err
}

// makeLockDir makes the folder of the locks in a home that exists: one that was unmounted is not made up.
func makeLockDir(dir string) error {
	home := filepath.Dir(filepath.Dir(filepath.Clean(dir)))
	if _, err := os.Stat(home); err != nil {
		return err
	}
	return os.MkdirAll(dir, ownFolderMode)
}

// hold publishes the lock.
func (cfg *TakeConfig) hold(path string) (*hold, error) {
	for try := 1; ; try++ {
		h, err := cfg.publish(path)
		if err == nil {
			return h, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, gone := Read(path)
		if gone == nil {
			return nil, &HeldError{File: f, Judgement: cfg.System.Judge(f, time.Now())}
		}
		if try == takeTries {
			return nil, errors.Join(ErrHeld, gone)
		}
	}
}

func (cfg *TakeConfig) publish(path string) (*hold, error) {
	b, token, err := cfg.System.claim(cfg.Client, time.Now())
	if err != nil {
		return nil, err
	}
	linked, err := publisher{cfg.link}.publish(path, path, b)
	if err != nil {
		return nil, err
	}
	f, err := Read(path)
	if err == nil && f.Record.Token != token {
		err = ErrLost
	}
	if err != nil {
		return nil, err
	}
	h := newHold(f, linked)
	go h.watch(cfg.Look) // until the last Release, which waits for it
	return h, nil
}
