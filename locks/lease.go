package locks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// holds are the locks that this process has taken. They belong to the process, not to a [System]: another
// program sees one holder.
var holds = struct {
	mu     sync.Mutex
	byPath map[string]*hold
}{byPath: map[string]*hold{}}

// hold is one lock of this process.
type hold struct {
	file   *File
	linked bool
	leases int // guarded by holds.mu

	lost   context.Context // ends when the file is no longer ours, or is given back
	end    context.CancelCauseFunc
	seen   os.FileInfo   // what lstat said of our file
	unseen chan struct{} // closed when watch has ended
}

func newHold(f *File, linked bool) *hold {
	h := &hold{file: f, linked: linked, unseen: make(chan struct{})}
	h.lost, h.end = context.WithCancelCause(context.Background())
	h.seen, _ = os.Lstat(f.Path) // without it the first look reads the file
	return h
}

// Lease is a share in a lock that this process holds. Its methods are safe for concurrent use.
type Lease struct {
	hold    *hold
	ctx     context.Context
	cancel  context.CancelCauseFunc
	release func() error
}

// lease needs holds.mu.
func (h *hold) lease(ctx context.Context) *Lease {
	h.leases++
	l := &Lease{hold: h}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	detach := context.AfterFunc(h.lost, func() { l.cancel(context.Cause(h.lost)) })
	l.release = sync.OnceValue(func() error {
		detach()
		l.cancel(errReleased)
		return h.giveBack()
	})
	return l
}

// File is the lock as it was published.
func (l *Lease) File() File { return *l.hold.file }

// Linked reports whether the lock was published by a hard link. Without hard links clients of today go on
// without a lock, so such a lock keeps away fewer of them, and a reader may have seen it half written.
func (l *Lease) Linked() bool { return l.hold.linked }

// Context is the context given to [Take], ended too when the lock is lost (its cause then is [ErrLost],
// noticed within [TakeConfig.Look]) and when it is released.
func (l *Lease) Context() context.Context { return l.ctx }

// Verify reads the lock again and returns [ErrLost] when it is not ours any more. To be called right
// before a write: the machine may have slept since the last look (bug B77).
func (l *Lease) Verify() error { return l.hold.verify() }

// errReleased is the cause of a Lease's context after its release.
var errReleased = errors.New("lock released")

// Release gives the share back. The last one removes the lock, after it was made sure that it is this
// one by token and inode, and syncs the folder. The error wraps [ErrLost] when another lock, or none, was
// in its place; that is left alone. Further calls return what the first did.
func (l *Lease) Release() error { return l.release() }

func (h *hold) giveBack() error {
	holds.mu.Lock()
	defer holds.mu.Unlock()
	h.leases--
	if h.leases > 0 || h.ended() {
		return nil
	}
	return h.remove()
}

// ended reports whether the lock was given back by [ReleaseAll].
func (h *hold) ended() bool { return context.Cause(h.lost) == errReleased }

// remove needs holds.mu.
func (h *hold) remove() error {
	path := h.file.Path
	if holds.byPath[path] == h {
		delete(holds.byPath, path)
	}
	err := h.verify()
	h.end(errReleased)
	<-h.unseen
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("release lock of session %s: %w", h.file.SessionID, err)
	}
	return nil
}

// ReleaseAll gives back every lock of this process, whoever has leases of it; their contexts end. It is
// for the moment before the process exits, by itself or by a signal, and may be called at any time from any
// goroutine. A process that is killed cannot call it and leaves its locks to be judged.
func ReleaseAll() error {
	holds.mu.Lock()
	defer holds.mu.Unlock()
	var errs []error
	for _, h := range holds.byPath {
		errs = append(errs, h.remove())
	}
	return errors.Join(errs...)
}

// verify compares token and inode of what is on disk with what we published.
func (h *hold) verify() error {
	if err := context.Cause(h.lost); err != nil {
		return err
	}
	f, err := Read(h.file.Path)
	if err == nil && f.Record.Token == h.file.Record.Token && f.Inode == h.file.Inode {
		return nil
	}
	words := "it is gone"
	if err == nil {
		words = fmt.Sprintf("another has its place (pid %d %s)", f.Record.PID, f.Problem)
	}
	lost := fmt.Errorf("%w: %s", ErrLost, words)
	h.end(lost)
	return lost
}

// watch looks at the lock until it is lost or given back. Only a file that changed is read.
func (h *hold) watch(every time.Duration) {
	defer close(h.unseen)
	t := time.NewTicker(every)
	defer t.Stop()
	for h.untouched() || h.verify() == nil {
		select {
		case <-h.lost.Done():
			return
		case <-t.C:
		}
	}
}

func (h *hold) untouched() bool {
	fi, err := os.Lstat(h.file.Path)
	return err == nil && h.seen != nil && os.SameFile(fi, h.seen) && fi.Size() == h.seen.Size() && fi.ModTime().Equal(h.seen.ModTime())
}
