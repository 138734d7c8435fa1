package watcher

import (
	"errors"
	"os"
	"time"
)

// This file sets and gives up single watches, within what the budget and the kernel allow.

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
