//go:build realclient && linux

package realclient

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// row is what berth says about one session, as far as the test looks at it.
type row struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	WorkDir string   `json:"work_dir"`
	Title   string   `json:"title"`
	Status  string   `json:"status"`
	Reasons []string `json:"reasons"`
	Facts   []string `json:"facts"`
	Holder  *struct {
		PID       int    `json:"pid"`
		Client    string `json:"client"`
		Where     string `json:"where"`
		Via       string `json:"via"`
		Certainty string `json:"certainty"`
	} `json:"holder"`
	LastWriter *struct {
		PID  int    `json:"pid"`
		Name string `json:"name"`
	} `json:"last_writer"`
	Evidence []string `json:"evidence"`
	Work     struct {
		Busy           bool   `json:"busy"`
		LastTurnReason string `json:"last_turn_reason"`
	} `json:"work"`
}

func (r row) has(fact string) bool { return slices.Contains(r.Facts, fact) }

// watcher is a running "berth watch --json" and all that it said so far.
type watcher struct {
	t   *testing.T
	cmd *exec.Cmd

	mu      sync.Mutex
	rows    map[string]row       // by path
	seen    map[string]time.Time // when a line first named the path
	said    []row                // every row, in the order of the lines
	changed chan struct{}        // closed at the next line
	ended   bool                 // there will be no more lines
}

// startWatch returns once the first line, the snapshot, is there. The watch ends with the test.
func startWatch(t *testing.T, cmd *exec.Cmd) *watcher {
	t.Helper()
	w := &watcher{t: t, cmd: cmd, rows: map[string]row{}, seen: map[string]time.Time{}, changed: make(chan struct{})}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := w.next()
	read := make(chan struct{})
	go func() { defer close(read); w.read(out) }()
	t.Cleanup(func() {
		cmd.Process.Signal(unix.SIGINT)
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("berth watch after an interrupt: %v", err)
		}
	})
	select {
	case <-first:
	case <-time.After(10 * time.Second):
		t.Fatal("berth watch says nothing")
	}
	return w
}

func (w *watcher) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			w.finish()
			return
		}
		w.take(line, time.Now())
	}
}

// finish wakes whoever waits: nothing more will come.
func (w *watcher) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	close(w.changed)
}

func (w *watcher) take(line []byte, now time.Time) {
	var e struct {
		Event    string
		Session  row
		Sessions []row
	}
	if err := json.Unmarshal(line, &e); err != nil {
		w.t.Errorf("berth watch printed %q: %v", line, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Event {
	case "snapshot":
		w.rows = map[string]row{}
	case "removed":
		delete(w.rows, e.Session.Path)
	default:
		e.Sessions = []row{e.Session}
	}
	for _, r := range e.Sessions {
		w.rows[r.Path] = r
		w.said = append(w.said, r)
		if w.seen[r.Path].IsZero() {
			w.seen[r.Path] = now
		}
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *watcher) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// history returns every row that was ever said of a session, in order.
func (w *watcher) history(path string) []row {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.said), func(r row) bool { return r.Path != path })
}

// all returns the present rows.
func (w *watcher) all() []row {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Values(w.rows))
}

// await waits until the session of a work folder is as ok wants it, and returns it.
func (w *watcher) await(t *testing.T, workDir, what string, limit time.Duration, ok func(row) bool) row {
	t.Helper()
	r, found := w.see(workDir, limit, ok)
	if !found && w.over() {
		t.Fatalf("berth watch ended before: %s", what)
	}
	if !found {
		t.Fatalf("not within %v: %s; it is %+v", limit, what, r)
	}
	return r
}

// see waits until the session of a work folder is as ok wants it, at most for limit. It returns it as it is then.
func (w *watcher) see(workDir string, limit time.Duration, ok func(row) bool) (row, bool) {
	var last row
	_, found := w.seeAny(workDir, limit, func(r row) bool { last = r; return ok(r) })
	return last, found
}

// seeAny waits until one of the sessions of a work folder is as ok wants it, at most for limit, and returns that.
func (w *watcher) seeAny(workDir string, limit time.Duration, ok func(row) bool) (row, bool) {
	deadline := time.After(limit)
	for {
		next := w.next()
		for _, r := range w.all() {
			if r.WorkDir == workDir && ok(r) {
				return r, true
			}
		}
		if w.over() {
			return row{}, false
		}
		select {
		case <-next:
		case <-deadline:
			return row{}, false
		}
	}
}

func (w *watcher) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// delay returns how long after its folder was made a session was first named.
func (w *watcher) delay(t *testing.T, path string) time.Duration {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[path].Sub(born(t, path))
}

// born returns when a file was made.
func born(t *testing.T, path string) time.Time {
	t.Helper()
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &s); err != nil {
		t.Fatalf("statx %s: %v", path, err)
	}
	if s.Mask&unix.STATX_BTIME == 0 {
		t.Fatalf("the file system of %s keeps no birth times; set TMPDIR to one that does", path)
	}
	return time.Unix(s.Btime.Sec, int64(s.Btime.Nsec))
}
