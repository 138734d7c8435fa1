package sessions

import (
	"container/heap"
	"time"
)

// deadlines holds the entries whose rows may change by the mere passing of time, by that moment. The zero value is
// empty.
type deadlines struct{ heap deadlineHeap }

// deadline is a moment at which an entry is to be derived again.
type deadline struct {
	at time.Time
	e  *entry
}

// next returns the earliest moment, zero when there is none.
func (d *deadlines) next() time.Time {
	if len(d.heap) == 0 {
		return time.Time{}
	}
	return d.heap[0].at
}

// set moves e to at; zero takes it out.
func (d *deadlines) set(e *entry, at time.Time) {
	if e.place >= 0 {
		heap.Remove(&d.heap, int(e.place))
	}
	if !at.IsZero() {
		heap.Push(&d.heap, deadline{at, e})
	}
}

// pop takes out and returns an entry that is due at now, or nil.
func (d *deadlines) pop(now time.Time) *entry {
	if len(d.heap) == 0 || d.heap[0].at.After(now) {
		return nil
	}
	return heap.Pop(&d.heap).(deadline).e
}

// deadlineHeap implements [heap.Interface] and keeps entry.place.
type deadlineHeap []deadline

func (h deadlineHeap) Len() int           { return len(h) }
func (h deadlineHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h deadlineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].e.place, h[j].e.place = int32(i), int32(j)
}

func (h *deadlineHeap) Push(v any) {
	d := v.(deadline)
	d.e.place = int32(len(*h))
	*h = append(*h, d)
}

func (h *deadlineHeap) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	(*h)[last] = deadline{} // lets go of the entry
	*h = (*h)[:last]
	d.e.place = -1
	return d
}
