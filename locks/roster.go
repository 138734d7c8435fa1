package locks

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxKnown bounds how many client processes are known at a time; nobody runs as many.
const maxKnown = 256

// roster is the table of the client processes that are known to run. Nothing happens in it while nobody asks. It is
// safe for concurrent use.
type roster struct {
	mu     sync.Mutex
	known  map[int]*known // by pid
	looked time.Time      // see [System.Clients]
	full   bool           // some did not find room
}

// known is a client in the table.
type known struct {
	Client
	handle  *handle
	byDeed  bool // what it did says that it is a client; no look at it does
	counter *counter
	refused bool // the kernel does not show its counter
}

// find returns the client with this pid and start stamp, false when it is not known.
func (r *roster) find(pid int, start uint64) (Client, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.known[pid]; k != nil && k.Start == start {
		return k.Client, true
	}
	return Client{}, false
}

func (r *roster) enter(c Client, byDeed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(c, byDeed)
}

// put enters c. Whoever had its pid before must have ended.
func (r *roster) put(c Client, byDeed bool) {
	if k := r.known[c.PID]; k != nil {
		if k.Identity == c.Identity {
			return
		}
		r.drop(k)
	}
	if len(r.known) >= maxKnown {
		r.full = true
		return
	}
	if r.known == nil {
		r.known = map[int]*known{}
	}
	r.known[c.PID] = &known{Client: c, handle: openHandle(c.Identity), byDeed: byDeed}
}

func (r *roster) drop(k *known) {
	k.handle.close()
	if k.counter != nil {
		k.counter.close()
	}
	delete(r.known, k.PID)
}

// identities are those of all that are known.
func (r *roster) identities() map[Identity]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make(map[Identity]bool, len(r.known))
	for _, k := range r.known {
		ids[k.Identity] = true
	}
	return ids
}

// replace takes over what a look at the whole process table found, which began at began, when those of before were
// known. Of them, who was not found has ended.
func (r *roster) replace(found []Client, began time.Time, before map[Identity]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = false
	for _, k := range r.known {
		there := slices.ContainsFunc(found, func(c Client) bool { return c.Identity == k.Identity })
		if !there && !k.byDeed && before[k.Identity] {
			r.drop(k)
		}
	}
	for _, c := range found {
		r.put(c, false)
	}
	r.looked = began
}

// Clients returns the client processes of this user that are known by now and still run, by pid, and when the whole
// process table was last looked through: every client that ran then, and still does, is among them. The time is zero
// before the first [System.Look], and where the table cannot be read, which includes a sandbox. On Linux it costs one
// system call.
func (s *System) Clients() (known []Client, looked time.Time) {
	r := &s.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range s.ended(slices.Collect(maps.Values(r.known))) {
		r.drop(k)
	}
	return r.list()
}

// list is what [System.Clients] returns, of those who have not been dropped.
func (r *roster) list() (known []Client, looked time.Time) {
	for _, k := range r.known {
		known = append(known, k.Client)
	}
	slices.SortFunc(known, func(a, b Client) int { return cmp.Compare(a.PID, b.PID) })
	if r.full {
		return known, time.Time{}
	}
	return known, r.looked
}

// Look looks through the whole process table for clients, which takes some milliseconds: not for the path of an
// event. It does nothing where that cannot be seen.
func (s *System) Look() {
	if s.fixed.Sandboxed {
		return
	}
	began, before := time.Now(), s.roster.identities()
	if found := s.scanClients(); found != nil {
		s.roster.replace(found, began, before)
	}
}

// Meet looks at one process that did something only a client of program does, such as giving its pid to the name of
// a temp file in a store, and enters it among the known clients. It costs some ten microseconds for a process that
// is known already. It returns false when there is no such process any more or it cannot be examined.
func (s *System) Meet(pid int, program string) (Client, bool) {
	id, ok := s.Identify(pid)
	if !ok {
		return Client{}, false
	}
	if c, ok := s.roster.find(id.PID, id.Start); ok {
		return c, true
	}
	c, recognised := s.examine(pid)
	if c.Identity != id {
		c, recognised = Client{Identity: id}, false
	}
	if !recognised || c.Program != program {
		c.Program, recognised = program, false
	}
	s.roster.enter(c, !recognised)
	return c, true
}

// Counter is the reading of a client's write counter: how many bytes it has written since it began, to files and to
// everything else. It only grows.
type Counter struct {
	Client
	Bytes uint64
	Known bool // false where the kernel does not tell
}

// Counters reads the write counters of the known clients of program, by pid, at a few microseconds each, and forgets
// those that have ended.
func (s *System) Counters(program string) []Counter {
	r := &s.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Counter, 0, len(r.known))
	for _, k := range r.known {
		if k.Program != program {
			continue
		}
		c := Counter{Client: k.Client}
		var over bool
		c.Bytes, c.Known, over = k.read()
		if over {
			r.drop(k)
			continue
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Counter) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

// read reads k's counter, opening it first; over says that the process has ended.
func (k *known) read() (n uint64, ok, over bool) {
	if k.refused {
		return 0, false, false
	}
	if k.counter == nil {
		c, err := openCounter(k.Identity)
		if err != nil {
			k.refused = true
			return 0, false, false
		}
		k.counter = c
	}
	n, err := k.counter.read()
	if err != nil {
		return 0, false, true
	}
	return n, true, false
}
