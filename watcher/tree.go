package watcher

import "path/filepath"

// dir is a directory of a root that is watched, or has one below it that is.
type dir struct {
	path  string
	up    *dir // nil for the root itself
	below []*dir
	pos   int // index in up.below
	mode  Mode

	watched bool
	// partial means that a directory below was given up since this one was listed.
	partial bool
	// cut means that the directory left the tree; work that is queued for it is void.
	cut bool
	// use is the directory's place among the Budgeted ones; nil when it is not hot.
	use *use
}

// tree holds the directories of one root. It knows nothing of the kernel, and no operation costs more
// than what it touches.
type tree struct {
	top  string
	dirs map[string]*dir
}

func newTree(top string) *tree {
	return &tree{top: top, dirs: map[string]*dir{}}
}

// get returns the directory at path, or nil.
func (t *tree) get(path string) *dir { return t.dirs[path] }

// put returns the directory at path, which must be inside the tree, and makes it and its missing
// parents if need be. Parents made on the way are not watched.
func (t *tree) put(path string, mode Mode) *dir {
	d := t.dirs[path]
	if d == nil {
		d = &dir{path: path}
		t.dirs[path] = d
		if path != t.top {
			t.hang(d, filepath.Dir(path))
		}
	}
	d.mode = mode
	return d
}

func (t *tree) hang(d *dir, parent string) {
	up := t.dirs[parent]
	if up == nil {
		up = t.put(parent, Skip)
	}
	d.up, d.pos = up, len(up.below)
	up.below = append(up.below, d)
}

// cutAt takes the directory at path and everything below it out of the tree and returns them, the
// lowest first. Parents that are not watched and have nothing left below them go too, unreported.
func (t *tree) cutAt(path string) []*dir {
	d := t.dirs[path]
	if d == nil {
		return nil
	}
	var gone []*dir
	var fell func(d *dir)
	fell = func(d *dir) {
		for _, b := range d.below {
			fell(b)
		}
		d.cut = true
		delete(t.dirs, d.path)
		gone = append(gone, d)
	}
	fell(d)
	t.unhang(d)
	return gone
}

// prune takes d out if it serves no purpose any more.
func (t *tree) prune(d *dir) {
	if d == nil || d.watched || len(d.below) > 0 {
		return
	}
	d.cut = true
	delete(t.dirs, d.path)
	t.unhang(d)
}

// unhang removes d from its parent's list, and the parent if that was its last purpose.
func (t *tree) unhang(d *dir) {
	up := d.up
	if up == nil {
		return
	}
	last := up.below[len(up.below)-1]
	up.below[d.pos], last.pos = last, d.pos
	up.below[len(up.below)-1] = nil
	up.below = up.below[:len(up.below)-1]
	d.up = nil
	t.prune(up)
}
