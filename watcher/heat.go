package watcher

import (
	"container/heap"
	"container/list"
)

// use is one Budgeted directory that is watched.
type use struct {
	root *root
	dir  *dir
	elem *list.Element
}

// heat orders the Budgeted directories that are watched, the one used last in front.
type heat struct{ order list.List }

// add makes d hot: as the one used last, or, behind is set, as the one used first of all.
func (h *heat) add(r *root, d *dir, behind bool) {
	d.use = &use{root: r, dir: d}
	if behind {
		d.use.elem = h.order.PushBack(d.use)
	} else {
		d.use.elem = h.order.PushFront(d.use)
	}
}

// refresh notes that d is used now. Its parents are too: they are one thing to the reader.
func (h *heat) refresh(d *dir) {
	for ; d != nil && d.mode == Budgeted; d = d.up {
		if d.use != nil {
			h.order.MoveToFront(d.use.elem)
		}
	}
}

func (h *heat) drop(d *dir) {
	if d.use != nil {
		h.order.Remove(d.use.elem)
		d.use = nil
	}
}

func (h *heat) len() int { return h.order.Len() }

// coldest returns the one to give up next. There must be one.
func (h *heat) coldest() *use { return h.order.Back().Value.(*use) }

// candidates lists what is hot, to make it hot again after everything was dropped: the one used last
// has the highest rank.
func (h *heat) candidates() []candidate {
	var all []candidate
	for e := h.order.Front(); e != nil; e = e.Next() {
		u := e.Value.(*use)
		all = append(all, candidate{root: u.root, path: u.dir.path})
	}
	return all
}

// allowance is how many Budgeted directories may be watched. limit is what the system allows a user in
// all, 0 when unknown; other programs need watches too, so half of it stays untouched, as far as that
// is ours to decide: pinned directories are watched in any case.
func allowance(budget, limit, pinned int) int {
	if limit > 0 {
		budget = min(budget, limit/2-pinned)
	}
	return max(budget, 0)
}

// candidate is a Budgeted directory that may be made hot when a root starts.
type candidate struct {
	root    *root
	path    string
	changed int64 // mtime in nanoseconds
}

// newest keeps the candidates that changed last, at most as many as there is room for. It is a heap
// with the oldest in front.
type newest []candidate

func (n newest) Len() int           { return len(n) }
func (n newest) Less(i, j int) bool { return n[i].changed < n[j].changed }
func (n newest) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *newest) Push(x any)        { *n = append(*n, x.(candidate)) }

func (n *newest) Pop() any {
	old := *n
	c := old[len(old)-1]
	old[len(old)-1] = candidate{}
	*n = old[:len(old)-1]
	return c
}

// offer keeps c if it is among the room newest.
func (n *newest) offer(c candidate, room int) {
	switch {
	case room <= 0:
	case len(*n) < room:
		heap.Push(n, c)
	case c.changed > (*n)[0].changed:
		(*n)[0] = c
		heap.Fix(n, 0)
	}
}

// take empties n and returns the candidates, the newest last.
func (n *newest) take() []candidate {
	sorted := make([]candidate, 0, len(*n))
	for len(*n) > 0 {
		sorted = append(sorted, heap.Pop(n).(candidate))
	}
	return sorted
}
