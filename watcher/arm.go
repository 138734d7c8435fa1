package watcher

import (
	"context"
	"errors"
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
	const reason = "there is no directory at this path"
	r.promised = false
	r.set(Missing, limit{reason: reason})
	if !r.absent {
		r.absent = true
		e.tell(r, reason)
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

// errNoRoom says that the budget has no room for a Budgeted directory.
var errNoRoom = errors.New("no room in the budget")

// watch watches the directory at path for r and puts it into the tree. Budgeted directories beyond the
// budget are given up for it, the one used longest ago first.
func (e *engine) watch(r *root, path string, mode Mode, id fileID, p purpose) (*dir, error) {
	if mode == Budgeted && !e.makeRoom(r, path, p) {
		return nil, errNoRoom
	}
	if err := e.hold(r, path, id); err != nil {
		return nil, err
	}
	d := r.tree.put(path, mode)
	if !d.watched {
		d.watched = true
		r.count.Add(1)
		if mode == Budgeted {
			e.hot.add(r, d, p == refill)
		}
	}
	for e.hot.len() > e.allowance() {
		e.giveUp(e.hot.coldest())
	}
	return d, nil
}

// makeRoom gives up Budgeted directories until there is room for the one at path. A branch that is
// larger than the budget does not push out its own directories, unless for new ones: a reader that
// touches the branch after each report of it would never come to rest.
func (e *engine) makeRoom(r *root, path string, p purpose) bool {
	branch := r.branch(path)
	for e.hot.len() >= e.allowance() {
		if e.hot.len() == 0 {
			return false
		}
		u := e.hot.coldest()
		if p != fresh && u.root == r && r.branch(u.dir.path) == branch {
			return false
		}
		e.giveUp(u)
	}
	return true
}

// hold sets the watch itself. What we believe to know about the directory under another path, or about
// another directory under this path, is checked and dropped first: the events that say so may still be
// on their way, and setting one watch on top of the other would lose both.
func (e *engine) hold(r *root, path string, id fileID) error {
	if twin := e.watches.twin(path, id); twin != nil {
		if e.stillAt(twin) {
			return &twinError{path, twin.path}
		}
		e.vanished(twin.path)
	}
	if w := e.watches.byPath[path]; w != nil && w.id != id {
		e.vanished(path)
	}
	for {
		err := e.watches.hold(path, id, r)
		if err == nil || judge(err) != exhausted || !e.squeeze(r, err) {
			return err
		}
	}
}

// stillAt reports whether w's directory can still be found at w's path.
func (e *engine) stillAt(w *watch) bool {
	stat := os.Lstat
	for _, r := range w.holders {
		if w.path == r.path || w.path == r.anchor {
			stat = os.Stat // roots may be symbolic links
		}
	}
	info, err := stat(w.path)
	return err == nil && identify(info) == w.id
}

// allowance is how many Budgeted directories may be watched now.
func (e *engine) allowance() int {
	n := allowance(e.budget, e.limit, len(e.watches.byPath)-e.hot.len())
	if e.squeezed >= 0 {
		n = min(n, e.squeezed)
	}
	return n
}

// giveUp stops watching a Budgeted directory.
func (e *engine) giveUp(u *use) {
	e.unwatch(u.root, u.dir)
	if u.dir.up != nil {
		u.dir.up.partial = true
	}
	u.root.tree.prune(u.dir)
}

// squeeze makes room for r when the kernel refuses another watch, by giving up a quarter of the
// Budgeted directories. It returns false when there are none.
func (e *engine) squeeze(r *root, err error) bool {
	if e.hot.len() == 0 {
		return false
	}
	why := reasonFor(err)
	e.shorten(r, why)
	e.squeezed = e.hot.len() * 3 / 4
	for e.hot.len() > e.squeezed {
		u := e.hot.coldest()
		e.shorten(u.root, why)
		e.giveUp(u)
	}
	now := time.Now()
	if e.liftAt.IsZero() {
		e.liftAt = now.Add(e.lifts.next(now))
	}
	return true
}

// shorten notes that r has fewer watches than it wants.
func (e *engine) shorten(r *root, why limit) {
	if r.short == why {
		return
	}
	r.short = why
	e.tell(r, why.reason)
	if r.coverage() == Watching {
		r.set(Watching, why)
	}
}

// lift ends what squeeze began: perhaps there is room now.
func (e *engine) lift() {
	e.liftAt, e.squeezed = time.Time{}, -1
	for _, r := range e.roots {
		r.short = limit{}
		if r.coverage() == Watching {
			r.set(Watching, limit{})
		}
	}
}

// unwatchable handles that a directory of r, not the root itself, cannot be watched.
func (e *engine) unwatchable(r *root, path string, err error) {
	if judge(err) == passing {
		e.log.Debug("directory not watched", "path", path, "err", err)
		return
	}
	e.fallBack(r, reasonFor(err))
}
