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

// settled is the age at which a broken marker or temp file is taken for left behind. Writing one takes
// milliseconds.
const settled = 30 * time.Second

// withMarker does something while the store's own marker keeps clients from reclaiming the lock at path, and
// then clears what crashes left beside that lock. The marker goes on every path.
func (r *Reclaimer) withMarker(path string, o ReclaimOptions, out *Outcome, do func(marker *File) error) (err error) {
	marker, err := r.mark(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmark(marker)) }()
	if err := r.step(stepMarker); err != nil {
		return err
	}
	if err := do(marker); err != nil {
		return err
	}
	return r.clearTemps(path, o, out)
}

// markerPath returns where the marker of a lock is.
func markerPath(lock string) string { return lock + markerSuffix[len(lockSuffix):] }

// clearFirst removes a leftover marker, and reports that it did. Clients that have read one remove it by its
// name; a marker of ours in its place would go with it. So the pause comes after this: whoever has read the old
// one is done with it by the end.
func (r *Reclaimer) clearFirst(ctx context.Context, f *File, o ReclaimOptions, out *Outcome) (cleared bool, err error) {
	marker := markerPath(f.Path)
	if _, err := os.Lstat(marker); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	before := len(out.Cleared)
	err = r.guarded(ctx, func() error { return r.clearMarker(marker, o, out) })
	return len(out.Cleared) > before, err
}

// mark publishes our marker, as clients publish theirs.
func (r *Reclaimer) mark(path string) (*File, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, err // nothing to guard: leave no trace
	}
	marker := markerPath(path)
	b, token, err := r.cfg.System.claim(r.cfg.Client, time.Now())
	if err != nil {
		return nil, err
	}
	_, err = publisher{r.link}.publish(path, marker, b)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, err
	}
	f, err := Read(marker)
	if err == nil && f.Record.Token != token {
		err = ErrBusy
	}
	return f, err
}

// unmark removes our marker, and no other.
func unmark(marker *File) error {
	f, err := Read(marker.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && f.Record.Token != marker.Record.Token {
		return nil // taken for a leftover by somebody
	}
	return errors.Join(err, os.Remove(marker.Path), syncDir(filepath.Dir(marker.Path)))
}

// clearMarker removes a marker whose process is dead. One that may be in use is [ErrBusy].
func (r *Reclaimer) clearMarker(path string, o ReclaimOptions, out *Outcome) error {
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now := time.Now()
	j := r.cfg.System.Judge(f, now)
	if !f.leftBehind(j, o, now) {
		return fmt.Errorf("%w: its marker is %s: %s", ErrBusy, j.Verdict, j.Reason)
	}
	return r.clear(f, out)
}

// leftBehind decides whether a marker, or a temp file that can be read, belongs to nobody any more.
func (f *File) leftBehind(j Judgement, o ReclaimOptions, now time.Time) bool {
	switch f.Problem {
	case "":
		return j.Automatic || j.Verdict == Dead && o.person()
	case problemEmpty, problemTorn, problemNUL, problemNotJSON:
		return now.Sub(f.ModTime) >= settled
	}
	return false // of another format, or no file at all
}

// clear removes a leftover. It is moved first: what is removed then is what was judged, even if another
// process replaced it meanwhile.
func (r *Reclaimer) clear(f *File, out *Outcome) error {
	if err := r.step(stepLeftover); err != nil {
		return err
	}
	moved, err := r.moveAside(f)
	if err != nil {
		return err
	}
	out.Cleared = append(out.Cleared, f.Path)
	return os.Remove(moved)
}

// clearTemps removes temp files of the lock at path that dead writers left. What cannot be told stays.
func (r *Reclaimer) clearTemps(path string, o ReclaimOptions, out *Outcome) error {
	dir, id := filepath.Dir(path), sessionID(filepath.Base(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		l := leftover(e.Name())
		if l.Kind != Temp || l.SessionID != id {
			continue
		}
		l.Path = filepath.Join(dir, e.Name())
		if err := r.clearTemp(l, o, out); err != nil && !stays(err) {
			return err
		}
	}
	return nil
}

// stays reports whether err says that a temp file is in use, or went away by itself.
func stays(err error) bool {
	return errors.Is(err, ErrUnproved) || errors.Is(err, ErrChanged) || errors.Is(err, fs.ErrNotExist)
}

func (r *Reclaimer) clearTemp(l Leftover, o ReclaimOptions, out *Outcome) error {
	f, err := Read(l.Path)
	if err != nil {
		return err
	}
	now := time.Now()
	judged := *f
	if f.Problem != "" && f.leftBehind(Judgement{}, o, now) {
		// Half of a lock does not say who wrote it, its name does. The host is a guess that a shared folder
		// or name turns into doubt.
		h := r.cfg.System.Host()
		judged.Problem, judged.Record = "", Record{PID: l.PID, Hostname: h.Hostname}
	}
	j := r.cfg.System.Judge(&judged, now)
	if !judged.leftBehind(j, o, now) {
		return fmt.Errorf("%w: %s", ErrUnproved, j.Reason)
	}
	return r.clear(f, out)
}

// Clear removes a marker or temp file that a crash left behind, whether or not there is a lock beside it: with
// the marker there the next client that meets a dead lock fails once. Only what berth may remove by itself
// goes, or with ByHand what a dead process left; Force and Token mean nothing here. Errors are those of
// [Reclaimer.Reclaim]; a leftover cannot be put back.
func (r *Reclaimer) Clear(ctx context.Context, l Leftover, o ReclaimOptions) (Outcome, error) {
	out := Outcome{File: File{Path: l.Path, SessionID: l.SessionID}, ByHand: o.ByHand}
	o.Force = false
	err := r.guarded(ctx, func() error {
		if l.Kind == Marker {
			return r.clearMarker(l.Path, o, &out)
		}
		return r.clearTemp(l, o, &out)
	})
	r.audit(&out)
	if err != nil {
		err = fmt.Errorf("clear %s: %w", l.Path, err)
	}
	return out, err
}
