package locks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// DefaultPause is how long a lock has to stay dead before it is removed without a person.
const DefaultPause = 5 * time.Second

// ReclaimConfig is what a [Reclaimer] needs.
type ReclaimConfig struct {
	System *System
	// Dir is a folder of ours for the guard and the trash; it is made when missing.
	Dir    string
	Client ClientIdentity // in the markers
	// Pause is the least time between the two verdicts of an automatic removal; zero means DefaultPause.
	Pause time.Duration
	// Audit is called once, before the call returns, for each call that changed something in a store; may
	// be nil. It may be called by several goroutines at once.
	Audit func(Outcome)
}

// Reclaimer removes dead locks and what crashes left beside them. It is safe for concurrent use, also by
// several processes and beside clients that reclaim.
type Reclaimer struct {
	cfg  ReclaimConfig
	link func(from, to string) error
	wait func(context.Context, time.Duration) error
	step func(name string) error // tests stop here, in the order of the steps below
}

// The steps of a removal, named where one is complete.
const (
	stepGuard    = "guard"    // no other berth of this user reclaims
	stepMarker   = "marker"   // no client does
	stepRead     = "read"     // it is still that lock, and still dead
	stepTrash    = "trash"    // its bytes are safe
	stepMoved    = "moved"    // it is no lock any more
	stepUnlinked = "unlinked" // it is gone
	stepSynced   = "synced"   // also after a power cut

	stepLeftover = "leftover" // a marker or temp file was found to belong to nobody; not in every removal
)

// NewReclaimer returns a Reclaimer; it changes nothing yet.
func NewReclaimer(cfg ReclaimConfig) *Reclaimer {
	if cfg.Pause <= 0 {
		cfg.Pause = DefaultPause
	}
	if cfg.Audit == nil {
		cfg.Audit = func(Outcome) {}
	}
	return &Reclaimer{cfg: cfg, link: os.Link, wait: pause, step: func(string) error { return nil }}
}

// ReclaimOptions say who wants a lock removed. The zero value is berth itself: only a lock whose
// [Judgement] is Automatic goes, after the same verdict twice with [ReclaimConfig.Pause] between.
type ReclaimOptions struct {
	// ByHand is for a person who was shown the proof: any dead lock goes. The verdict that was shown is the
	// first, so there is a pause only where something is broken or left over.
	ByHand bool
	// Force is ByHand for a lock whose holder is unknown, too. A live one never goes, nor does a lock in a
	// format that is not fully known.
	Force bool
	// Token is that of the lock that the person was shown; it must be that of the lock that is there, "" for
	// one without. Not looked at when neither ByHand nor Force is set.
	Token string
}

func (o ReclaimOptions) person() bool { return o.ByHand || o.Force }

// Outcome says what was done, for the audit trail.
type Outcome struct {
	// ID names what can be undone by [Reclaimer.Undo]; "" when nothing can.
	ID     string
	Action Action
	At     time.Time
	// File is the lock or leftover that was meant, as it was read last.
	File File
	// First and Second are the verdicts that were needed; Second is zero when it did not come to that.
	First, Second Judgement
	ByHand, Force bool
	// Cleared are the paths of leftovers that were removed on the way.
	Cleared []string
}

// Action is what an [Outcome] changed in the store.
type Action string

const (
	NoAction  Action = ""
	Reclaimed Action = "reclaimed" // a lock was removed
	Cleared   Action = "cleared"   // only leftovers were removed
	Undone    Action = "undone"    // a removed lock was put back
)

// Reclaim removes the lock f if what is known of its holder allows it, and keeps its bytes for
// [Reclaimer.Undo]. Of any number of processes that try at once one does it. A lock that appears meanwhile is
// left alone.
//
// The Outcome is filled in as far as it went, also beside an error. Errors wrap [ErrAlive], [ErrUnproved]
// (with [ErrFormat] where no option helps), [ErrChanged], [ErrBusy], or [fs.ErrNotExist] when the lock has gone already. ctx ends the pause and the
// wait for the guard; once the lock is touched, the removal is completed.
func (r *Reclaimer) Reclaim(ctx context.Context, f *File, o ReclaimOptions) (Outcome, error) {
	out := Outcome{File: *f, ByHand: o.ByHand, Force: o.Force}
	err := r.reclaim(ctx, o, &out)
	r.audit(&out)
	if err != nil {
		err = fmt.Errorf("reclaim lock of session %q: %w", f.SessionID, err)
	}
	return out, err
}

func (r *Reclaimer) audit(out *Outcome) {
	if out.Action == NoAction && len(out.Cleared) > 0 {
		out.Action = Cleared
	}
	if out.Action != NoAction {
		out.At = time.Now()
		r.cfg.Audit(*out)
	}
}

func (r *Reclaimer) reclaim(ctx context.Context, o ReclaimOptions, out *Outcome) error {
	f, now := out.File, time.Now()
	if o.person() && o.Token != f.Record.Token {
		return ErrChanged
	}
	out.First = r.cfg.System.Judge(&f, now)
	if err := permit(&f, out.First, o); err != nil {
		return err
	}
	wait := r.patience(&f, o, now)
	switch cleared, err := r.clearFirst(ctx, &f, o, out); {
	case err != nil:
		return err
	case cleared:
		wait = r.cfg.Pause
	}
	if err := r.wait(ctx, wait); err != nil {
		return err
	}
	return r.guarded(ctx, func() error {
		return r.withMarker(f.Path, o, out, func(marker *File) error { return r.remove(&f, marker, o, out) })
	})
}

// permit decides whether a lock may be removed.
func permit(f *File, j Judgement, o ReclaimOptions) error {
	switch {
	case j.Verdict == Live:
		return fmt.Errorf("%w: %s", ErrAlive, j.Reason)
	case f.otherFormat():
		return fmt.Errorf("%w: %w", ErrUnproved, ErrFormat)
	case j.Automatic, j.Verdict == Dead && o.person(), o.Force:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnproved, j.Reason)
}

// patience is the time between the verdicts. A person has seen the first, but a broken lock may be in the
// making.
func (r *Reclaimer) patience(f *File, o ReclaimOptions, now time.Time) time.Duration {
	switch {
	case !o.person():
		return r.cfg.Pause
	case f.Problem == "":
		return 0
	}
	return min(max(0, f.ModTime.Add(r.cfg.Pause).Sub(now)), r.cfg.Pause)
}

// guarded does something while no other berth of this user reclaims or undoes.
func (r *Reclaimer) guarded(ctx context.Context, do func() error) (err error) {
	release, err := Hold(ctx, filepath.Join(r.cfg.Dir, "reclaim.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := r.step(stepGuard); err != nil {
		return err
	}
	return do()
}

// remove is done under guard and marker: no other process that keeps to the protocol removes this lock or
// lets a new one take its name.
func (r *Reclaimer) remove(f, marker *File, o ReclaimOptions, out *Outcome) error {
	if err := r.reread(f, o, out); err != nil {
		return err
	}
	id, err := r.keep(&out.File)
	if err != nil {
		return err
	}
	if err := r.step(stepTrash); err != nil {
		return err
	}
	moved, err := r.unlock(&out.File, marker)
	if err != nil {
		return errors.Join(err, r.forget(id))
	}
	out.Action, out.ID = Reclaimed, id
	if err := r.step(stepMoved); err != nil {
		return err
	}
	return r.dispose(moved)
}

// reread looks whether it is the same lock, and dead as before.
func (r *Reclaimer) reread(f *File, o ReclaimOptions, out *Outcome) error {
	again, err := Read(f.Path)
	if err != nil {
		return err
	}
	if !sameLock(f, again) {
		return ErrChanged
	}
	out.File, out.Second = *again, r.cfg.System.Judge(again, time.Now())
	if err := permit(again, out.Second, o); err != nil {
		return err
	}
	if out.Second.Verdict != out.First.Verdict {
		return fmt.Errorf("%w: %s, then %s", ErrUnproved, out.First.Verdict, out.Second.Verdict)
	}
	return r.step(stepRead)
}

// sameLock compares all that a new lock would have of its own. File systems give the inode of a removed file
// to the next one, so it is not enough; a broken lock has no token, so that is not either.
func sameLock(a, b *File) bool {
	return a.Record.Token == b.Record.Token && a.Inode == b.Inode && a.Size == b.Size && a.ModTime.Equal(b.ModTime)
}

// unlock moves the lock away, after a last look at lock and marker: a client that found a dead marker may
// have removed ours by its name, and then another reclaims as well.
func (r *Reclaimer) unlock(f, marker *File) (moved string, err error) {
	if now, err := Read(marker.Path); err != nil || !sameLock(marker, now) {
		return "", errors.Join(ErrBusy, err)
	}
	now, err := Read(f.Path)
	if err != nil {
		return "", err
	}
	if !sameLock(f, now) {
		return "", ErrChanged
	}
	return r.moveAside(f)
}

// moveAside gives f a name that no client reads as a lock. A rename takes whatever has the name at that
// moment; if it was another file, it gets its name back, and the error wraps [ErrChanged].
func (r *Reclaimer) moveAside(f *File) (moved string, err error) {
	moved = freeTemp(filepath.Join(filepath.Dir(f.Path), f.SessionID+lockSuffix))
	if err := os.Rename(f.Path, moved); err != nil {
		return "", err
	}
	got, err := Read(moved)
	if err == nil && sameLock(f, got) {
		return moved, nil
	}
	return "", errors.Join(ErrChanged, err, r.putBack(moved, f.Path))
}

// freeTemp returns a name in the pattern of temp files that nothing has: only this process makes such.
func freeTemp(lock string) string {
	for {
		name := tempPath(lock)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

// putBack undoes a rename without replacing what may have come in its place.
func (r *Reclaimer) putBack(moved, path string) error {
	if err := r.link(moved, path); err != nil {
		if _, taken := os.Lstat(path); !errors.Is(taken, fs.ErrNotExist) {
			return err // the moved file stays: it is not ours to remove
		}
		return os.Rename(moved, path)
	}
	return os.Remove(moved)
}

func (r *Reclaimer) dispose(moved string) error {
	if err := os.Remove(moved); err != nil {
		return err
	}
	if err := r.step(stepUnlinked); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(moved)); err != nil {
		return err
	}
	return r.step(stepSynced)
}
