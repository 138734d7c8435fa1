package watcher

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// This file takes a root through its states: Starting, then Watching, Polling or Missing.

// rearm drops what is watched for r and has it armed anew. Its events are covered by the Rescan that
// follows.
func (e *engine) rearm(r *root) {
	if r.queued {
		return
	}
	r.queued, r.promised = true, true
	e.strip(r)
	r.set(Starting, limit{})
	e.walk.arms = append(e.walk.arms, r)
}

// strip drops every watch of r.
func (e *engine) strip(r *root) {
	e.cut(r, r.path)
	if r.anchor != "" {
		e.watches.release(r.anchor, r)
		r.anchor, r.awaited = "", ""
	}
}

// cut drops the directory of r at path and what is below it.
func (e *engine) cut(r *root, path string) {
	for _, d := range r.tree.cutAt(path) {
		if d.watched {
			e.unwatch(r, d)
		}
	}
}

func (e *engine) unwatch(r *root, d *dir) {
	e.hot.drop(d)
	d.watched = false
	r.count.Add(-1)
	e.watches.release(d.path, r)
}

// vanished handles that the directory at path is not there any more, for every root that has it watched.
func (e *engine) vanished(path string) {
	w := e.watches.byPath[path]
	if w == nil {
		return
	}
	for _, r := range w.holders {
		if path == r.path || path == r.anchor {
			e.rearm(r)
		} else {
			e.cut(r, path)
		}
	}
}

// arm finds out what is at r's path, and begins to watch, to wait or to poll.
func (e *engine) arm(r *root) {
	r.queued = false
	r.retryAt = time.Time{}
	f := e.look(r)
	switch {
	case f.err != nil:
		e.fallBack(r, reasonFor(f.err))
	case f.exists && f.foreign != "":
		e.fallBack(r, limit{
			reason: f.foreign + " does not report changes that others make",
			remedy: "keep it on a local disk",
		})
	case e.refused != nil:
		e.fallBack(r, reasonFor(e.refused))
	case f.exists:
		e.begin(r, f.id)
	default:
		e.await(r)
	}
}

// begin watches the root directory itself; the rest of the tree follows step by step.
func (e *engine) begin(r *root, id fileID) {
	r.id = id
	d, err := e.watch(r, r.path, Pinned, id, census)
	switch {
	case err == nil:
		e.walk.push(listing{root: r, dir: d, purpose: census})
	case missing(err):
		e.await(r)
	default:
		e.fallBack(r, reasonFor(err))
	}
}

// await watches the nearest existing parent of a root that does not exist. Where even that fails, the
// regular check finds the root when it appears.
func (e *engine) await(r *root) {
	r.promised = false
	r.set(Missing, limit{reason: "there is no directory at this path"})
	if !r.absent {
		r.absent = true
		e.log.Info("waiting for a missing root", "path", r.path)
		e.rescan(r)
	}
	for range 8 { // parents that come and go meanwhile are no reason to stay here for ever
		parent, next := nearest(r.path)
		info, err := os.Stat(parent)
		if err == nil {
			err = e.hold(r, parent, identify(info))
		}
		if err != nil {
			e.log.Debug("parent of a missing root not watched", "path", parent, "err", err)
			return
		}
		r.anchor, r.awaited = parent, next
		info, err = os.Stat(next)
		if err != nil || !info.IsDir() {
			return
		}
		if next == r.path {
			e.rearm(r)
			return
		}
		e.strip(r)
	}
}

// fallBack gives up watching r, leaves the watches to others, and polls. It is tried again later.
func (e *engine) fallBack(r *root, why limit) {
	now := time.Now()
	e.strip(r)
	r.promised, r.absent = false, false
	r.set(Polling, why)
	r.retryAt = now.Add(r.retry.next(now))
	if e.pollAt.IsZero() {
		e.pollAt = now.Add(e.poll)
	}
	e.tell(r, why.reason)
	e.rescan(r)
}

// tell logs why r is not watched, or not in full: loud when that is news.
func (e *engine) tell(r *root, reason string) {
	level := slog.LevelWarn
	if r.told == reason {
		level = slog.LevelDebug
	}
	r.told = reason
	e.log.Log(context.Background(), level, "not fully watched", "path", r.path, "reason", reason)
}

// tryAgain arms a root that is polled.
func (e *engine) tryAgain(r *root) {
	if e.watches.kernel == nil {
		e.openKernel()
	}
	e.rearm(r)
}

// settle is called when no work is left: what was armed is watched now.
func (e *engine) settle() {
	var armed []*root
	for _, r := range e.roots {
		if r.promised {
			r.promised, r.absent = false, false
			if r.set(Watching, r.short); r.short == (limit{}) {
				r.told = ""
			}
			armed = append(armed, r)
			e.log.Info("watching", "path", r.path, "directories", r.count.Load())
		}
	}
	if e.starting {
		e.starting = false
		armed = e.roots
	}
	e.rescan(armed...)
}

// unwatchable handles that a directory of r, not the root itself, cannot be watched.
func (e *engine) unwatchable(r *root, path string, err error) {
	if judge(err) == passing {
		e.log.Debug("directory not watched", "path", path, "err", err)
		return
	}
	e.fallBack(r, reasonFor(err))
}
