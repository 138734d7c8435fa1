package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// listChunk is how many names of a directory are handled before events get their turn again.
const listChunk = 64

// purpose says for what a directory is listed, and so what is done with what is in it.
type purpose uint8

const (
	census  purpose = iota // the root starts: Pinned directories are watched, Budgeted ones counted
	refill                 // the root starts, and there is room in the budget: watch, as used first of all
	touched                // the reader asked: watch, and say so
	fresh                  // the directory is new: watch, and report all that is in it
)

// listing is a directory that is watched and waits to be listed.
type listing struct {
	root    *root
	dir     *dir
	purpose purpose
}

// walk is the work that is done step by step, with events handled in between. The order is that of the
// fields.
type walk struct {
	arms    []*root
	current listing // when open is not nil
	open    *os.File
	queue   []listing // the last one is next, which keeps it short
	kept    []candidate
	newest  newest
	chosen  []candidate // taken out of newest, the next one last
	touched []string
	// unsettled means that something was done since the last time all was done.
	unsettled bool
}

func (w *walk) push(l listing) { w.queue = append(w.queue, l) }

var always = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// pending returns a channel that is ready while there is work.
func (w *walk) pending() <-chan struct{} {
	if w.unsettled || w.open != nil || len(w.arms)+len(w.queue)+len(w.touched) > 0 {
		w.unsettled = true
		return always
	}
	return nil
}

func (w *walk) closeOpen() {
	if w.open != nil {
		_ = w.open.Close() // it was only read
		w.open = nil
	}
}

// step does a small piece of work.
func (e *engine) step() {
	w := &e.walk
	switch {
	case len(w.arms) > 0:
		r := w.arms[0]
		w.arms = w.arms[1:]
		e.arm(r)
	case w.open != nil || len(w.queue) > 0:
		e.list()
	case len(w.kept)+len(w.newest)+len(w.chosen) > 0:
		e.refill()
	case len(w.touched) > 0:
		path := w.touched[0]
		w.touched = w.touched[1:]
		e.touch(path)
	default:
		w.unsettled = false
		e.settle()
	}
}

// list reads the next names of the directory at hand.
func (e *engine) list() {
	w := &e.walk
	if w.open == nil && !e.openNext() {
		return
	}
	l := w.current
	names, err := w.open.ReadDir(listChunk)
	for _, name := range names {
		if l.dir.cut {
			break
		}
		e.listed(l, name)
	}
	if err != nil || l.dir.cut {
		w.closeOpen()
	}
}

// openNext opens the directory that is next. One that left the tree, or cannot be opened, has had its
// turn with that.
func (e *engine) openNext() bool {
	w := &e.walk
	l := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	if l.dir.cut {
		return false
	}
	f, err := e.openWatched(l.dir.path)
	if err != nil {
		e.log.Debug("directory not listed", "path", l.dir.path, "err", err)
		return false
	}
	w.open, w.current = f, l
	return true
}

// openWatched opens the directory that is watched under path. Another one that took its place, perhaps
// through a symbolic link, is not listed: its own event follows.
func (e *engine) openWatched(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && identify(info) != e.watches.byPath[path].id {
		err = fmt.Errorf("open %s: replaced by another directory", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// listed handles one name in a directory that is listed.
func (e *engine) listed(l listing, name fs.DirEntry) {
	path := filepath.Join(l.dir.path, name.Name())
	if l.purpose == fresh {
		e.report(l.root, path, Create)
	}
	if !name.IsDir() { // which a symbolic link is not, wherever it leads
		return
	}
	mode := l.root.mode(path, l.dir.mode)
	if mode == Skip {
		return
	}
	info, err := name.Info()
	if err != nil {
		return // gone again
	}
	if l.purpose == census && mode == Budgeted {
		c := candidate{root: l.root, path: path, changed: info.ModTime().UnixNano()}
		e.walk.newest.offer(c, e.allowance())
		return
	}
	e.follow(l.root, path, mode, identify(info), l.purpose)
}

// discover handles a path that appeared or became readable in the watched directory d.
func (e *engine) discover(r *root, d *dir, path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return
	}
	if mode := r.mode(path, d.mode); mode != Skip {
		e.follow(r, path, mode, identify(info), fresh)
	}
}

// follow watches a directory and has it listed, unless that was done before. First the watch, then the
// list: what is made in between shows up in one of them at least.
func (e *engine) follow(r *root, path string, mode Mode, id fileID, p purpose) {
	if d := r.tree.get(path); d != nil && d.watched && e.watches.byPath[path].id == id {
		e.refresh(r, d)
		return
	}
	d, err := e.watch(r, path, mode, id, p)
	if err != nil {
		e.unwatchable(r, path, err)
		return
	}
	if p == touched {
		e.report(r, path, Write)
	}
	e.walk.push(listing{root: r, dir: d, purpose: p})
}

// refresh notes the use of a directory, if it is hot, and of those below it. Where some were given up,
// they are looked for again.
func (e *engine) refresh(r *root, d *dir) {
	if d.use == nil {
		return
	}
	for _, b := range d.below {
		e.refresh(r, b)
	}
	e.hot.refresh(d)
	if d.partial {
		d.partial = false
		e.walk.push(listing{root: r, dir: d, purpose: touched})
	}
}

// touch makes the Budgeted directory at path hot, in every root that has it.
func (e *engine) touch(path string) {
	for _, r := range e.roots {
		e.heat(r, path, touched)
	}
}

// heat watches the Budgeted directory of r at path. It does nothing when r itself is not watched.
func (e *engine) heat(r *root, path string, p purpose) {
	if r.tree.get(r.path) == nil || r.modeFromTop(path) != Budgeted {
		return
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return
	}
	e.follow(r, path, Budgeted, identify(info), p)
}

// refill uses the room in the budget for one more directory of those that were hot before a new
// beginning, then of those that changed last.
func (e *engine) refill() {
	w := &e.walk
	if e.hot.len() >= e.allowance() {
		w.kept, w.newest, w.chosen = nil, nil, nil
		return
	}
	if len(w.kept) > 0 {
		c := w.kept[0]
		w.kept = w.kept[1:]
		e.heat(c.root, c.path, refill)
		return
	}
	if len(w.chosen) == 0 {
		w.chosen = w.newest.take()
	}
	c := w.chosen[len(w.chosen)-1]
	w.chosen = w.chosen[:len(w.chosen)-1]
	e.heat(c.root, c.path, refill)
}
