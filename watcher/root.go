package watcher

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// root is one tree, as the Watcher's goroutine sees it. Only status and count are read by others.
type root struct {
	Root
	path  string // Root.Path, cleaned; Root.Path itself is the name the reader knows
	below string // the beginning of every path inside

	tree *tree
	id   fileID // of the root directory when its watches were set
	// promised means that a Rescan will be sent when the watches are set: until then events are
	// covered by it, and are not sent.
	promised bool
	queued   bool // waits to be armed
	absent   bool // the reader was told that it is missing

	// While the root is missing, anchor is its nearest existing parent, which is watched, and awaited
	// is the path that has to appear next. Both are empty otherwise.
	anchor, awaited string

	retry   backoff
	retryAt time.Time // zero when nothing is to be retried
	told    string    // the reason that was logged last
	short   limit     // why fewer directories are watched than wanted; zero when all are
	asked   chan facts

	status atomic.Pointer[RootStatus]
	count  atomic.Int64
}

func newRoot(spec Root, path string) *root {
	r := &root{Root: spec, path: path, below: path, tree: newTree(path), retry: retries()}
	if !strings.HasSuffix(path, string(filepath.Separator)) {
		r.below += string(filepath.Separator)
	}
	r.set(Starting, limit{})
	return r
}

func (r *root) set(c Coverage, why limit) {
	r.status.Store(&RootStatus{Path: r.Path, Coverage: c, Reason: why.reason, Remedy: why.remedy})
}

func (r *root) coverage() Coverage { return r.status.Load().Coverage }

// rel returns the slash-separated path inside the root; ok is false when path is not inside.
func (r *root) rel(path string) (rel string, ok bool) {
	if path == r.path {
		return ".", true
	}
	rel, ok = strings.CutPrefix(path, r.below)
	return filepath.ToSlash(rel), ok
}

// mode says how the directory at path is covered, given that its parent is.
func (r *root) mode(path string, parent Mode) Mode {
	rel, ok := r.rel(path)
	switch {
	case !ok:
		return Skip
	case rel == ".":
		return Pinned
	case r.Dir == nil:
		return parent
	}
	m := r.Dir(rel)
	if m == Pinned && parent == Budgeted {
		return Budgeted
	}
	return m
}

// modeFromTop is mode for a path whose parents may be unknown.
func (r *root) modeFromTop(path string) Mode {
	rel, ok := r.rel(path)
	if !ok {
		return Skip
	}
	m := Pinned
	at := r.path
	for name := range strings.SplitSeq(rel, "/") {
		at = filepath.Join(at, name)
		if m = r.mode(at, m); m == Skip {
			return Skip
		}
	}
	return m
}

// branch returns the highest Budgeted directory that path is in, or path itself.
func (r *root) branch(path string) string {
	for {
		up := r.tree.get(filepath.Dir(path))
		if up == nil || up.mode != Budgeted {
			return path
		}
		path = up.path
	}
}

// ignores reports whether the reader does not want to hear of path.
func (r *root) ignores(path string) bool {
	if r.Ignore == nil {
		return false
	}
	rel, _ := r.rel(path)
	return r.Ignore(rel)
}
