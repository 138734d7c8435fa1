package sessions

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"berth/locks"
)

// Janitor removes dead holders' locks without being asked, where the proof needs no person. It decides nothing: the
// Reclaimer looks twice at each lock, some time apart, and lets go of those that need a person.
type Janitor struct {
	Index     *Index
	Reclaimer Reclaimer
	Logger    *slog.Logger // nil logs nothing

	mu   sync.Mutex
	busy map[string]bool // by path and token of a lock: one look at a time
	wg   sync.WaitGroup
}

// janitorBuffer is how many Events the Janitor may be behind before it looks at everything again.
const janitorBuffer = 256

// Run watches the Index until ctx ends, and waits for what it began.
func (j *Janitor) Run(ctx context.Context) error {
	defer j.wg.Wait()
	j.busy = map[string]bool{}
	for ctx.Err() == nil {
		if !j.follow(ctx) {
			break
		}
	}
	return nil
}

// follow serves one Subscription; it returns whether to go on with another.
func (j *Janitor) follow(ctx context.Context) bool {
	sub := j.Index.Subscribe(janitorBuffer)
	defer sub.Close()
	rounds := time.NewTicker(clearEvery)
	defer rounds.Stop()
	j.clear(ctx)
	j.lookAtAll(ctx, sub.Snapshot)
	for {
		select {
		case <-rounds.C:
			j.clear(ctx)
		case e, open := <-sub.C:
			switch {
			case !open:
				return errors.Is(sub.Err(), ErrLagged)
			case e.Kind == Reset:
				j.lookAtAll(ctx, j.Index.Snapshot())
			case e.Kind != Removed:
				j.look(ctx, e.Session)
			}
		case <-ctx.Done():
			return false
		}
	}
}

// clearEvery is how often leftovers are looked for. They only matter to a client that meets a dead lock.
const clearEvery = 10 * time.Minute

// clear removes the markers and temp files that crashed clients left in the lock folders.
func (j *Janitor) clear(ctx context.Context) {
	for _, st := range j.Index.stores {
		l, ok := st.src.(Locked)
		if !ok {
			continue
		}
		_, left, _ := locks.List(l.LockDir()) // a folder that cannot be listed has nothing to clear
		for _, l := range left {
			if _, err := j.Reclaimer.Clear(ctx, l, locks.ReclaimOptions{}); err != nil {
				j.log().Debug("leftover left alone", "path", l.Path, "err", err)
			}
		}
	}
}

func (j *Janitor) log() *slog.Logger {
	if j.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return j.Logger
}

func (j *Janitor) lookAtAll(ctx context.Context, snap *Snapshot) {
	for row := range snap.All() {
		j.look(ctx, row)
	}
}

// look begins to remove the lock of row, if it is a dead one that nobody is looking at yet.
func (j *Janitor) look(ctx context.Context, row *Session) {
	if row.Lock == nil || !slices.Contains(row.Reasons, ReasonDeadLock) {
		return
	}
	key := row.Lock.Path + " " + row.Lock.Record.Token
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.busy[key] {
		return
	}
	j.busy[key] = true
	j.wg.Go(func() {
		j.reclaim(ctx, row)
		j.mu.Lock()
		delete(j.busy, key)
		j.mu.Unlock()
	})
}

func (j *Janitor) reclaim(ctx context.Context, row *Session) {
	log := j.log()
	out, err := j.Reclaimer.Reclaim(ctx, row.Lock, locks.ReclaimOptions{})
	switch {
	case errors.Is(err, locks.ErrUnproved), errors.Is(err, locks.ErrAlive), ctx.Err() != nil,
		errors.Is(err, locks.ErrBusy), errors.Is(err, locks.ErrChanged), errors.Is(err, fs.ErrNotExist): // somebody else was first
		log.Debug("dead lock left alone", "session", row, "err", err)
		return
	case err != nil:
		log.Warn("dead lock not reclaimed", "session", row, "err", err)
		return
	}
	log.Info("dead lock reclaimed", "session", row, "holder_pid", out.File.Record.PID, "reason", out.First.Reason)
	// The watcher will tell, too; this is for when nothing is watched.
	if _, err := j.Index.Refresh(ctx, row); err != nil {
		log.Debug("session not read again", "session", row, "err", err)
	}
}
