package sessions

import (
	"errors"
	"sync"
)

// EventKind says what an [Event] is about.
type EventKind string

const (
	// Reset: so much changed at once that the whole Snapshot should be taken anew.
	Reset   EventKind = "snapshot"
	Added   EventKind = "added"
	Changed EventKind = "changed"
	Removed EventKind = "removed"
)

// Event says that one Session changed, or (Reset) that many did.
type Event struct {
	Revision uint64    `json:"revision"` // of the first Snapshot that shows it
	Kind     EventKind `json:"event"`
	Session  *Session  `json:"session,omitempty"`  // as it is now; the last known for Removed; nil for Reset
	Previous *Session  `json:"previous,omitempty"` // as it was, for Changed
	// News is what a person should be told because of it; of a Reset, because of everything that changed. An Event
	// that has nothing but News carries the same row twice.
	News []News `json:"news,omitempty"`
}

// newsIn gathers the News of many Events.
func newsIn(events []Event) []News {
	var all []News
	for i := range events {
		all = append(all, events[i].News...)
	}
	return all
}

// ErrLagged ends a Subscription whose reader was too slow. Nothing is lost by starting over.
var ErrLagged = errors.New("subscriber was too slow; subscribe again")

// Subscription delivers every Event after its Snapshot, in order.
type Subscription struct {
	// Snapshot is the state that the first Event builds on.
	Snapshot *Snapshot
	// C is closed when the Subscription ends; Err then says why.
	C <-chan Event

	hub *hub
	c   chan Event
	mu  sync.Mutex
	err error
}

// Err returns why C was closed: ErrLagged, or nil after Close or when the Index ended.
func (s *Subscription) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close ends the Subscription. It may be called more than once.
func (s *Subscription) Close() { s.hub.drop(s, nil) }

// hub owns the current Snapshot and the Subscriptions. It never blocks on a reader.
type hub struct {
	mu      sync.Mutex
	current *Snapshot
	subs    map[*Subscription]bool
	closed  bool
}

func newHub() *hub {
	return &hub{current: &Snapshot{}, subs: map[*Subscription]bool{}}
}

func (h *hub) snapshot() *Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current
}

// subscribe returns a Subscription with room for buffer undelivered Events.
func (h *hub) subscribe(buffer int) *Subscription {
	c := make(chan Event, max(buffer, 1))
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Subscription{Snapshot: h.current, C: c, c: c, hub: h}
	if h.closed {
		close(c)
		return s
	}
	h.subs[s] = true
	return s
}

// publish makes snap the current Snapshot and offers events to every Subscription.
func (h *hub) publish(snap *Snapshot, events []Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.current = snap
	for s := range h.subs {
		if !s.offer(events) {
			h.end(s, ErrLagged)
		}
	}
}

func (s *Subscription) offer(events []Event) bool {
	for _, e := range events {
		select {
		case s.c <- e:
		default:
			return false
		}
	}
	return true
}

func (h *hub) drop(s *Subscription, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end(s, err)
}

// end must be called with mu held.
func (h *hub) end(s *Subscription, err error) {
	if !h.subs[s] {
		return
	}
	delete(h.subs, s)
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	close(s.c)
}

// close ends every Subscription without an error.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		h.end(s, nil)
	}
}
