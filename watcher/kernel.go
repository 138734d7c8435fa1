package watcher

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// rawBuffer is how many raw events wait for the Watcher's goroutine while it lists a directory. The
// kernel's own queue (16,384 events by default on Linux) comes on top.
const rawBuffer = 4096

// kernel is what the system offers: watches on single directories, for names and contents, never for
// reads, so that looking at a store causes no events. Tests put their own in its place.
type kernel struct {
	events <-chan fsnotify.Event
	errors <-chan error
	add    func(path string) error
	remove func(path string) error
	close  func() error
}

// openKernel makes a new instance. The caller must close it.
func openKernel() (*kernel, error) {
	w, err := fsnotify.NewBufferedWatcher(rawBuffer)
	if err != nil {
		return nil, err
	}
	errs := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { forward(w.Errors, errs) })
	add := func(path string) error {
		return w.AddWith(path, fsnotify.WithBufferSize(windowsBufferBytes))
	}
	closed := func() error {
		defer wg.Wait()
		return w.Close()
	}
	return &kernel{events: w.Events, errors: errs, add: add, remove: w.Remove, close: closed}, nil
}

// forward takes the library's errors at once, until it closes the channel. The library (1.10.1) holds its
// lock while it sends some of them: whoever adds, removes or closes on the goroutine that should read
// them waits for ever. One error says as much as many, so the others are dropped while one waits.
func forward(from <-chan error, to chan<- error) {
	defer close(to)
	for err := range from {
		if errors.Is(err, syscall.EINVAL) {
			continue // a directory was moved and removed before its watch could be: nothing is lost
		}
		select {
		case to <- err:
		default:
		}
	}
}

// windowsBufferBytes is the memory that each watched directory costs on Windows; other systems ignore
// it. The library's default of 64 KiB would be half a gigabyte for a full budget.
const windowsBufferBytes = 8 << 10

// opOf translates the library's operations. Metadata counts as Write; where a name moved to is its own
// event.
func opOf(op fsnotify.Op) Op {
	var o Op
	if op.Has(fsnotify.Create) {
		o |= Create
	}
	if op.Has(fsnotify.Write) || op.Has(fsnotify.Chmod) {
		o |= Write
	}
	if op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename) {
		o |= Remove
	}
	return o
}

// watch is one directory that the kernel watches.
type watch struct {
	path string
	id   fileID
	// holders are the roots that want it: replaced, never changed, so that a loop over it is safe.
	holders []*root
}

// watches is the set of directories that the kernel watches, shared by all roots: roots may overlap.
type watches struct {
	kernel *kernel // nil when none could be opened
	byPath map[string]*watch
	byID   map[fileID]*watch
}

func newWatches(k *kernel) *watches {
	return &watches{kernel: k, byPath: map[string]*watch{}, byID: map[fileID]*watch{}}
}

// twin returns the watch on the same directory under another path, or nil. The kernel knows directories
// and not paths: a second watch on one directory is the first one again, and reports its path.
func (ws *watches) twin(path string, id fileID) *watch {
	if w := ws.byID[id]; w != nil && id.known() && w.path != path {
		return w
	}
	return nil
}

// hold watches path for r. The error is the system's.
func (ws *watches) hold(path string, id fileID, r *root) error {
	w := ws.byPath[path]
	if w == nil {
		if err := ws.kernel.add(path); err != nil {
			return fmt.Errorf("watch %s: %w", path, err)
		}
		w = &watch{path: path, id: id}
		ws.byPath[path] = w
		if id.known() {
			ws.byID[id] = w
		}
	}
	if !slices.Contains(w.holders, r) {
		w.holders = append(slices.Clip(w.holders), r)
	}
	return nil
}

// release ends r's interest in path, and the watch when nobody else has any. That the kernel may have
// dropped the watch already, because the directory is gone, is no error.
func (ws *watches) release(path string, r *root) {
	w := ws.byPath[path]
	if w == nil {
		return
	}
	w.holders = slices.DeleteFunc(slices.Clone(w.holders), func(h *root) bool { return h == r })
	if len(w.holders) > 0 {
		return
	}
	delete(ws.byPath, path)
	if ws.byID[w.id] == w {
		delete(ws.byID, w.id)
	}
	_ = ws.kernel.remove(path)
}

// parentOf returns the watch on the directory that path is in, or nil.
func (ws *watches) parentOf(path string) *watch { return ws.byPath[filepath.Dir(path)] }
