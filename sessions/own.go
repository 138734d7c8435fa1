package sessions

import (
	"context"
	"fmt"
	"time"
)

// ownWrite is a write of berth's own that is under way. What changes meanwhile is kept back until it is known which of
// it is ours.
type ownWrite struct {
	rec   *Record // as it was when the write began
	trace *Trace
	row   *Session
}

// endOfWrite is how long the end of a write waits for the Index, whatever became of the caller.
const endOfWrite = 10 * time.Second

// writing tells the Index that berth is about to write in a Session. The caller must call end with what became of
// it, nil when nothing was written; end makes the Index look at the result, and fails when there is nothing to see.
func (x *Index) writing(ctx context.Context, s *Session) (end func(*Edit) error, err error) {
	err = x.ask(ctx, func(time.Time) {
		if e := x.entryOf(s); e != nil {
			x.own[e] = &ownWrite{rec: e.rec, trace: e.rec.Trace, row: e.row}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", s.Path, err)
	}
	return func(edit *Edit) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endOfWrite)
		defer cancel()
		_, err := x.Refresh(ctx, s)
		if asked := x.ask(ctx, func(now time.Time) { x.wrote(x.entryOf(s), edit, now) }); err == nil {
			err = asked
		}
		return err
	}, nil
}

func (x *Index) entryOf(s *Session) *entry {
	if st := x.storeAt(s.Root); st != nil {
		return st.entries[s.Key]
	}
	return nil
}

// wrote ends a write of ours. Foreign is what changed before it and what changed after it.
func (x *Index) wrote(e *entry, edit *Edit, now time.Time) {
	w := x.own[e]
	if w == nil {
		return
	}
	delete(x.own, e)
	if edit == nil || edit.Was == nil || edit.Left == nil {
		x.noteChanges(e, w.rec, w.trace, e.rec, x.traceOf(e), now)
	} else {
		x.noteChanges(e, w.rec, w.trace, edit.Was, edit.Was.Trace, now)
		x.noteChanges(e, edit.Left, edit.Left.Trace, e.rec, x.traceOf(e), now)
	}
	ours := edit != nil && edit.Was != nil && edit.Left != nil && !edit.Left.Open
	if news := x.tell(step{old: w.row, row: e.row, ours: ours, now: now, policy: x.cfg.Policy}); len(news) > 0 {
		x.store(e, e.row, news)
	}
}

// traceOf is the trace of the newest reading, as far as it is there.
func (x *Index) traceOf(e *entry) *Trace {
	if t := x.traces[e]; t != nil {
		return t
	}
	return e.rec.Trace
}
