package kimi

import (
	"fmt"
	"slices"
	"time"
)

// noTurn stands for a turn without an id: protocol 1.4 gives its turns none.
const noTurn = -1

// turn is a turn that has not ended as far as the records read so far say.
type turn struct {
	id    int
	begun time.Time // zero when its beginning was not read
	last  time.Time // its newest record
	again time.Time // when another process began a turn with the same id, zero if none did

	// Each turn is written twice, by two families of records that interleave: turn.prompt and
	// turn.ended, agent.turn.started and agent.turn.ended. An id occurs several times when two
	// processes number their turns alike, so each family is counted.
	prompts, starts, ends, outcomes int

	order int  // when it began or was first seen, counted in turns
	seen  bool // its beginning was read
	rests bool // its beginning was not, and its last step is one after which nothing follows
}

func (t *turn) begins() int { return max(t.prompts, t.starts, 1) }
func (t *turn) over() bool  { return max(t.ends, t.outcomes) >= t.begins() }

// interaction is a question to a person that has no answer yet.
type interaction struct {
	id, kind string
	turn     int
}

// fold takes the records of one journal in file order and keeps what they amount to. The zero fold is ready.
type fold struct {
	legacy bool // the header says that turns have no end of their own (protocol below 1.5)

	turns      []turn
	orders     int
	endedOrder int       // the youngest of the turns that ended
	endedBegun time.Time // and when it began
	prompted   []int     // ids of turn.prompt records, to find those that repeat
	endedIDs   []int

	saw        bool   // some record told of a turn
	reason     string // of the last turn that ended: completed, cancelled, failed, ""
	waiting    []interaction
	tasks      []string
	compacting bool
	twoWriters string // evidence that two processes wrote here, or ""
	newest     time.Time
}

// open returns the open turn with this id, nil when there is none.
func (f *fold) open(id int) *turn {
	for i := range f.turns {
		if f.turns[i].id == id {
			return &f.turns[i]
		}
	}
	return nil
}

// add opens a turn.
func (f *fold) add(id int) *turn {
	f.orders++
	f.turns = append(f.turns, turn{id: id, order: f.orders})
	return &f.turns[len(f.turns)-1]
}

// begin handles the beginning of turn id, which its other family of records may have told already.
func (f *fold) begin(id int, at time.Time) *turn {
	f.saw, f.reason, f.compacting = true, "", false
	if id != noTurn {
		// A turn of protocol 1.4 that is still open was cut off before the client was upgraded.
		f.drop(noTurn)
	}
	t := f.open(id)
	if t == nil {
		t = f.add(id)
		f.endedIDs = slices.DeleteFunc(f.endedIDs, func(e int) bool { return e == id })
	}
	if !t.seen || id == noTurn {
		t.begun, t.seen, t.rests = at, true, false
	}
	t.last = at
	return t
}

// drop forgets the open turn id.
func (f *fold) drop(id int) {
	f.turns = slices.DeleteFunc(f.turns, func(t turn) bool { return t.id == id })
}

// prompt is a turn.prompt. An id that was used before, and not freed by an undo, was given by a process that
// did not see the first. Id 0 proves nothing: imported sessions carry it twice.
func (f *fold) prompt(id int, at time.Time) {
	t := f.begin(id, at)
	t.prompts++
	if id == noTurn {
		return
	}
	if t.prompts > 1 && t.prompts > t.starts {
		t.again = at
	}
	if id != 0 && slices.Contains(f.prompted, id) {
		f.twoWriters = fmt.Sprintf("turn %d began twice", id)
	}
	f.prompted = append(f.prompted, id)
}

// started is an agent.turn.started.
func (f *fold) started(id int, at time.Time) {
	t := f.begin(id, at)
	if t.starts++; t.starts > 1 && t.starts > t.prompts {
		t.again = at
	}
}

// ended is a turn.ended, outcome an agent.turn.ended. The beginning of either may lie before what was read.
func (f *fold) ended(id int, reason string, at time.Time) {
	if t := f.touch(id, at); t != nil {
		t.ends++
	}
	f.end(id, reason)
}

func (f *fold) outcome(id int, reason string, at time.Time) {
	if t := f.touch(id, at); t != nil {
		t.outcomes++
	}
	f.end(id, reason)
}

// touch notes a sign of life of the open turn id. A turn that goes on after a younger one began and ended
// has another writer than that one.
func (f *fold) touch(id int, at time.Time) *turn {
	t := f.open(id)
	if t == nil {
		return nil
	}
	if t.last.Before(at) {
		t.last = at
	}
	if f.endedOrder > t.order && id != noTurn {
		f.interleaved(id)
	}
	return t
}

// end notes the reason, and closes the turn if it is over.
func (f *fold) end(id int, reason string) {
	f.saw, f.reason = true, reason
	if t := f.open(id); t != nil {
		if !t.over() {
			return
		}
		if t.order > f.endedOrder {
			f.endedOrder, f.endedBegun = t.order, t.begun
		}
		f.drop(id)
		f.endedIDs = append(f.endedIDs, id)
	}
	f.compacting = f.compacting && len(f.turns) > 0
	f.waiting = slices.DeleteFunc(f.waiting, func(w interaction) bool {
		return w.turn == id || w.turn == noTurn && len(f.turns) == 0
	})
}

// step is a context.append_loop_event, part of turn id. last reports a step.end after which the turn has no
// further step; finish is how it ended.
func (f *fold) step(id int, last bool, finish string, at time.Time) {
	if f.isLegacy() {
		f.legacyStep(last, finish, at)
		return
	}
	if slices.Contains(f.endedIDs, id) {
		return
	}
	f.saw = true
	t := f.touch(id, at)
	if t == nil {
		f.reason = ""
		t = f.add(id)
		t.last = at
		if len(f.endedIDs) > 0 && id < slices.Min(f.endedIDs) {
			f.interleaved(id)
		}
	}
	t.rests = last && finish == "completed" && !t.seen
}

// interleaved notes that turn id went on after a younger one began and ended: two writers.
func (f *fold) interleaved(id int) {
	if f.twoWriters == "" {
		f.twoWriters = fmt.Sprintf("another turn began and ended inside of turn %d", id)
	}
}

// isLegacy reports whether steps belong to a turn without an id: one is open, or the header says so and no
// turn with an id has been seen.
func (f *fold) isLegacy() bool {
	return f.open(noTurn) != nil || f.legacy && len(f.prompted) == 0
}

// legacyStep closes a turn of protocol 1.4 with its last step; nothing else does.
func (f *fold) legacyStep(last bool, finish string, at time.Time) {
	if !last {
		if f.touch(noTurn, at) == nil {
			f.saw, f.reason = true, ""
			f.add(noTurn).last = at
		}
		return
	}
	if t := f.touch(noTurn, at); t != nil {
		t.ends = t.begins()
	}
	f.end(noTurn, finish)
}

// cancel is a turn.cancel: the end of a turn of protocol 1.4. With an id its turn.ended follows.
func (f *fold) cancel(id int, at time.Time) {
	if id == noTurn && f.open(noTurn) != nil {
		f.legacyStep(true, "cancelled", at)
	}
}

// undone frees the ids from from on: after a restart the client counts on from what was kept.
func (f *fold) undone(from int) {
	f.saw, f.reason = true, ""
	f.prompted = slices.DeleteFunc(f.prompted, func(id int) bool { return id >= from })
}

// ask and answer are interaction.request and interaction.resolved.
func (f *fold) ask(w interaction) { f.waiting = append(f.waiting, w) }

func (f *fold) answer(id string) {
	f.waiting = slices.DeleteFunc(f.waiting, func(w interaction) bool { return w.id == id })
}

// run and stop are task.started and task.terminated.
func (f *fold) run(task string) {
	if !slices.Contains(f.tasks, task) {
		f.tasks = append(f.tasks, task)
	}
}

func (f *fold) stop(task string) {
	f.tasks = slices.DeleteFunc(f.tasks, func(t string) bool { return t == task })
}

// heard notes the time of a record. Times are not in file order.
func (f *fold) heard(at time.Time) {
	if at.After(f.newest) {
		f.newest = at
	}
}

// abandonAfter is how long an open turn must have been silent to be taken for dead once a later turn has begun
// and ended: a client that is killed inside a turn never ends it, not even when the session is resumed and goes
// on. Another writer's turn may be silent while its model thinks or a tool runs, for minutes, not for this long.
const abandonAfter = 10 * time.Minute

// running is what is open at some moment.
type running struct {
	turns     []turn
	overtaken bool      // there are some, and later turns have begun and ended since the last sign of any
	settle    time.Time // when the answer may change by itself, zero if it will not
}

// running returns the open turns that may still run at now. later is when the youngest turn of the session
// began that has ended, as far as that is known from elsewhere.
func (f *fold) running(later, now time.Time) running {
	if f.endedBegun.After(later) {
		later = f.endedBegun
	}
	var r running
	current := 0
	for _, t := range f.turns {
		overtaken := !t.last.IsZero() && t.last.Before(later)
		dies := t.last.Add(abandonAfter)
		switch {
		case t.rests, overtaken && !now.Before(dies):
			continue
		case overtaken:
			r.settle = earliest(r.settle, dies)
		default:
			current++
		}
		r.turns = append(r.turns, t)
	}
	r.overtaken = len(r.turns) > 0 && current == 0
	return r
}

// pending returns what a person is asked for, approval before question, by the turns in open; zero for nothing.
func (f *fold) pending(open []turn) interaction {
	var asked interaction
	for _, w := range f.waiting {
		runs := slices.ContainsFunc(open, func(t turn) bool { return t.id == w.turn })
		dead := w.turn != noTurn && f.open(w.turn) != nil && !runs
		if !dead && asked.kind != "approval" && (w.kind == "approval" || w.kind == "question") {
			asked = w
		}
	}
	return asked
}

// earliest returns the earlier of two moments, of which the zero one means never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
