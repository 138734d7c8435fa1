package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// rootsIn returns a Config function for roots with these names.
func rootsIn(names ...string) func(dir string) Config {
	return func(dir string) Config {
		var c Config
		for _, name := range names {
			c.Roots = append(c.Roots, Root{Path: filepath.Join(dir, name)})
		}
		return c
	}
}

// budgetedIn is rootsIn with one root in which every directory is Budgeted.
func budgetedIn(name string, budget int) func(dir string) Config {
	return func(dir string) Config {
		mode := func(string) Mode { return Budgeted }
		return Config{Roots: []Root{{Path: filepath.Join(dir, name), Dir: mode}}, Budget: budget}
	}
}

func (m *machine) dir(i int) string { return m.w.roots[i].path }

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// The first batch names every root, whatever its state, when all watches are set; then there is silence
// and one check per half minute.
func TestFirstBatchThenSilence(t *testing.T) {
	onMachine(t, rootsIn("here", "missing", "foreign"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), numbered("d%d", 200)...)
		mkdirs(t, m.dir(2), "a")
		defer m.run()()
		expect(t, "first", m.seen(), []string{"0s rescan:foreign rescan:here rescan:missing"})
		if n := m.status(0).Watches; n != 201 {
			t.Errorf("%d watches", n)
		}
		time.Sleep(10 * time.Minute)
		expect(t, "later", m.seen(), nil)
		if n := at(m, func() int { return len(m.checks) }); n != 21 { // with the one at the start
			t.Errorf("%d checks in ten minutes", n)
		}
	})
}

// Bug B98: a network disk is polled, and says why.
func TestForeignFileSystemIsPolled(t *testing.T) {
	onMachine(t, rootsIn("nfs", "here"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		mkdirs(t, m.dir(1), "a")
		m.foreign[m.dir(0)] = "NFS"
		defer m.run()()
		time.Sleep(16 * time.Second)
		expect(t, "polls", m.seen(), []string{"0s rescan:here rescan:nfs", "5s rescan:nfs", "10s rescan:nfs", "15s rescan:nfs"})
		s := m.status(0)
		if s.Coverage != Polling || s.Watches != 0 || !strings.Contains(s.Reason, "NFS") || s.Remedy == "" {
			t.Errorf("status %+v", s)
		}
		if s := m.status(1); s.Coverage != Watching || s.Watches != 2 {
			t.Errorf("status of the local root %+v", s)
		}
	})
}

// Bug B92: at the limit the root is polled and its watches are left to others; the attempts become rare.
func TestWatchLimit(t *testing.T) {
	onMachine(t, rootsIn("big", "small"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), numbered("d%d", 150)...)
		mkdirs(t, m.dir(1), "a")
		m.limit = 100
		defer m.run()()
		expect(t, "first", m.seen(), []string{"0s rescan:big rescan:small"})
		s := m.status(0)
		if s.Coverage != Polling || s.Watches != 0 {
			t.Errorf("status %+v", s)
		}
		checkLimitWords(t, s)
		if s := m.status(1); s.Coverage != Watching || len(m.held()) != 2 {
			t.Errorf("status of the other root %+v, held %q", s, m.held())
		}
		m.set(func() { m.attempts = nil })
		time.Sleep(5 * time.Hour)
		var pauses []string
		var last time.Duration
		for _, when := range at(m, func() []time.Duration { return m.attempts }) {
			pauses = append(pauses, (when - last).String())
			last = when
		}
		expect(t, "pauses between attempts", pauses,
			[]string{"1m0s", "2m0s", "4m0s", "8m0s", "16m0s", "32m0s", "1h0m0s", "1h0m0s", "1h0m0s"}[:len(pauses)])
		if len(pauses) < 8 {
			t.Errorf("only %d attempts", len(pauses))
		}
	})
}

func TestWatchLimitRaised(t *testing.T) {
	onMachine(t, rootsIn("big"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), numbered("d%d", 150)...)
		m.limit = 100
		defer m.run()()
		time.Sleep(59 * time.Second)
		m.set(func() { m.limit = 1000 })
		m.seen()
		time.Sleep(time.Minute)
		expect(t, "after the attempt", m.seen(), []string{"60s rescan:big"})
		if s := m.status(0); s.Coverage != Watching || s.Watches != 151 || s.Reason != "" || s.Remedy != "" {
			t.Errorf("status %+v", s)
		}
	})
}

// Where Budgeted directories can be given up, the kernel's refusal costs some of those and no more. That
// is said, and ends.
func TestWatchLimitTakesBudgetedFirst(t *testing.T) {
	onMachine(t, budgetedIn("r", 1000), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), numbered("d%d", 150)...)
		m.limit = 100
		defer m.run()()
		s := m.status(0)
		if s.Coverage != Watching || s.Watches < 50 || s.Watches > 100 {
			t.Errorf("status %+v", s)
		}
		checkLimitWords(t, s)
		m.set(func() { m.limit = 1000 })
		time.Sleep(time.Minute)
		if s := m.status(0); s.Reason != "" {
			t.Errorf("status a minute later %+v", s)
		}
		for i := range 150 {
			m.w.Touch(filepath.Join(m.dir(0), numbered("d%d", 150)[i]))
		}
		if s := m.status(0); s.Watches != 151 {
			t.Errorf("status after touching all %+v", s)
		}
	})
}

// Bug B97: no instance at all.
func TestNoInstance(t *testing.T) {
	onMachine(t, rootsIn("r", "missing"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		m.openErr = syscall.EMFILE
		defer m.run()()
		time.Sleep(6 * time.Second)
		expect(t, "polls", m.seen(), []string{"0s rescan:missing rescan:r", "5s rescan:missing rescan:r"})
		checkLimitWords(t, m.status(0))
		m.set(func() { m.openErr = nil })
		time.Sleep(2 * time.Minute)
		if s := m.status(0); s.Coverage != Watching || s.Watches != 2 {
			t.Errorf("status %+v", s)
		}
		if s := m.status(1); s.Coverage != Missing {
			t.Errorf("status %+v", s)
		}
	})
}

// Bug B89: after an overflow every root of the instance is looked at, and the watches are set again, since
// news of directories is lost too. In a storm that becomes rare.
func TestOverflow(t *testing.T) {
	onMachine(t, rootsIn("a", "b"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "x")
		mkdirs(t, m.dir(1), "x")
		defer m.run()()
		m.seen()
		time.Sleep(10 * time.Second)
		mkdirs(t, m.dir(0), "unheard")
		m.fail(fsnotify.ErrEventOverflow)
		expect(t, "overflow", m.seen(), []string{"10s rescan:a rescan:b"})
		if n := m.status(0).Watches; n != 3 {
			t.Errorf("%d watches", n)
		}
		m.set(func() { m.opened = nil })
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			m.fail(fsnotify.ErrEventOverflow)
		}
		if opened := m.openedAt(); len(opened) < 3 || len(opened) > 7 {
			t.Errorf("restarts in a minute of overflows: %v", opened)
		}
		time.Sleep(2 * time.Minute)
		m.seen()
		if s := m.status(0); s.Coverage != Watching || s.Watches != 3 {
			t.Errorf("status after the storm %+v", s)
		}
	})
}

// Directories that were hot are so again after a new beginning, and in the same order.
func TestHotAfterRestart(t *testing.T) {
	onMachine(t, budgetedIn("r", 3), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), numbered("d%d", 10)...)
		defer m.run()()
		m.seen()
		for _, name := range []string{"d1", "d4", "d2"} {
			m.w.Touch(filepath.Join(m.dir(0), name))
			synctest.Wait()
		}
		m.fail(fsnotify.ErrEventOverflow)
		m.w.Touch(filepath.Join(m.dir(0), "d7"))
		expect(t, "watched", m.held(), []string{"d2", "d4", "d7", "r"})
	})
}

// The instance ends by itself: a new one, and no spinning on closed channels meanwhile.
func TestInstanceEnds(t *testing.T) {
	onMachine(t, rootsIn("r"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		defer m.run()()
		time.Sleep(time.Second)
		m.seen()
		close(at(m, func() chan fsnotify.Event { return m.events }))
		expect(t, "first end", m.seen(), []string{"1s rescan:r"})
		close(at(m, func() chan error { return m.errors }))
		close(at(m, func() chan fsnotify.Event { return m.events }))
		time.Sleep(5 * time.Second)
		if opened := m.openedAt(); len(opened) != 3 || m.status(0).Watches != 2 {
			t.Errorf("opened at %v, status %+v", opened, m.status(0))
		}
		m.fail(errors.New("read: input/output error"))
		time.Sleep(time.Minute)
		if opened := m.openedAt(); len(opened) != 4 || m.status(0).Watches != 2 {
			t.Errorf("opened at %v, status %+v", opened, m.status(0))
		}
	})
}

func TestWakeUp(t *testing.T) {
	onMachine(t, rootsIn("r", "missing"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		defer m.run()()
		m.seen()
		m.set(func() { m.asleep = 9 * time.Second })
		time.Sleep(time.Minute)
		expect(t, "a nap", m.seen(), nil)
		m.set(func() { m.asleep += time.Hour })
		time.Sleep(31 * time.Second)
		expect(t, "sleep", m.seen(), []string{"90s rescan:r"})
		if opened := m.openedAt(); len(opened) != 2 {
			t.Errorf("opened at %v", opened)
		}
	})
}

// What makes no event is found by the check: here the kernel says nothing at all.
func TestCheck(t *testing.T) {
	onMachine(t, rootsIn("r"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		defer m.run()()
		m.seen()
		rename(t, m.dir(0), m.dir(0)+".old")
		time.Sleep(31 * time.Second)
		expect(t, "moved with its parent", m.seen(), []string{"30s rescan:r"})
		if s := m.status(0); s.Coverage != Missing {
			t.Errorf("status %+v", s)
		}
		mkdirs(t, m.dir(0), "a", "b")
		time.Sleep(30 * time.Second)
		expect(t, "came back", m.seen(), []string{"60s rescan:r"})
		rename(t, m.dir(0), m.dir(0)+".older")
		rename(t, m.dir(0)+".old", m.dir(0))
		time.Sleep(30 * time.Second)
		expect(t, "another in its place", m.seen(), []string{"90s rescan:r"})
		if s := m.status(0); s.Coverage != Watching || s.Watches != 2 {
			t.Errorf("status %+v", s)
		}
	})
}

// A disk that does not answer holds up the others for two seconds at the start, and costs one goroutine
// however long it lasts.
func TestHungFileSystem(t *testing.T) {
	onMachine(t, rootsIn("dead", "alive"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		mkdirs(t, m.dir(1), "a")
		answer := make(chan struct{})
		m.hang[m.dir(0)] = answer
		defer m.run()()
		time.Sleep(3 * time.Second)
		expect(t, "first", m.seen(), []string{"2s rescan:alive rescan:dead"})
		if s := m.status(0); s.Coverage != Polling || s.Reason != errNoAnswer.Error() {
			t.Errorf("status %+v", s)
		}
		time.Sleep(20 * time.Hour)
		if n := at(m, func() int { return m.asked[m.dir(0)] }); n != 1 {
			t.Errorf("asked %d times", n)
		}
		close(answer)
		time.Sleep(time.Hour)
		if s := m.status(0); s.Coverage != Watching {
			t.Errorf("status after the answer %+v", s)
		}
	})
}

// An error that says nothing of limits concerns one root only.
func TestStrangeError(t *testing.T) {
	onMachine(t, rootsIn("bad", "good"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "x/y")
		mkdirs(t, m.dir(1), "x/y")
		m.addErr[filepath.Join(m.dir(0), "x/y")] = syscall.EIO
		defer m.run()()
		m.seen()
		if s := m.status(0); s.Coverage != Polling || !strings.Contains(s.Reason, "input/output error") || len(m.held()) != 3 {
			t.Errorf("status %+v, held %q", s, m.held())
		}
		if s := m.status(1); s.Coverage != Watching || s.Watches != 3 {
			t.Errorf("status %+v", s)
		}
	})
}

// Two names of one directory: the kernel would report the changes of both under one of them.
func TestSameDirectoryTwice(t *testing.T) {
	onMachine(t, rootsIn("r", "link"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "a")
		link(t, "r", m.dir(1))
		defer m.run()()
		m.seen()
		if s := m.status(0); s.Coverage != Watching || s.Watches != 2 {
			t.Errorf("status %+v", s)
		}
		if s := m.status(1); s.Coverage != Polling || !strings.Contains(s.Reason, "is the same directory as "+m.dir(0)) {
			t.Errorf("status %+v", s)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	_, err := New(Config{Roots: []Root{{Path: "rel"}, {Path: "/a"}, {Path: "/a/../a"}}, Quiet: -1, Budget: -1})
	for _, want := range []string{`root "rel" is not absolute`, `root "/a/../a" is given twice`, "quiet is negative", "budget is negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %s", err, want)
		}
	}
}

func TestRunTwice(t *testing.T) {
	o := observe(t, Config{Roots: []Root{{Path: tempRoot(t)}}})
	if err := o.Run(t.Context()); err == nil {
		t.Error("a second Run was accepted")
	}
}

// checkLimitWords checks that a status names a limit and how to raise it.
func checkLimitWords(t *testing.T, s RootStatus) {
	t.Helper()
	if s.Reason == "" {
		t.Errorf("no reason in %+v", s)
	}
	if want := "sysctl"; !strings.Contains(s.Remedy, want) || !strings.Contains(s.Reason, "max_user") {
		t.Errorf("reason %q, remedy %q", s.Reason, s.Remedy)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// say sends an event that the kernel would.
func (m *machine) say(op fsnotify.Op, path string) {
	at(m, func() chan fsnotify.Event { return m.events }) <- fsnotify.Event{Name: path, Op: op}
	synctest.Wait()
}

// A directory moved, and its new name is heard of first. A second watch on it would be the first one again
// and end with the news of the old name, so the first must be gone by then.
func TestNewNameHeardFirst(t *testing.T) {
	onMachine(t, rootsIn("r"), func(t *testing.T, m *machine) {
		before, after := filepath.Join(m.dir(0), "a/before"), filepath.Join(m.dir(0), "b/after")
		mkdirs(t, m.dir(0), "a/before/sub", "b")
		defer m.run()()
		synctest.Wait()
		rename(t, before, after)
		m.say(fsnotify.Create, after)
		expect(t, "after the new name", m.held(), []string{"a", "after", "b", "r", "sub"})
		m.say(fsnotify.Rename, before)
		expect(t, "after the old name", m.held(), []string{"a", "after", "b", "r", "sub"})
		if n := m.status(0).Watches; n != 5 {
			t.Errorf("%d watches", n)
		}
	})
}

// Another directory has the name, and that the first one left was not heard of yet.
func TestReplacedDirectoryHeardLate(t *testing.T) {
	onMachine(t, rootsIn("r"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "d/old", "spare/new")
		defer m.run()()
		synctest.Wait()
		rename(t, filepath.Join(m.dir(0), "d"), filepath.Join(m.dir(0), "moved"))
		rename(t, filepath.Join(m.dir(0), "spare"), filepath.Join(m.dir(0), "d"))
		m.say(fsnotify.Create, filepath.Join(m.dir(0), "d"))
		expect(t, "watched", m.held(), []string{"d", "new", "r"})
	})
}

// A directory is replaced by a link between its watch and its listing.
func TestListingDoesNotFollowLinks(t *testing.T) {
	onMachine(t, rootsIn("r"), func(t *testing.T, m *machine) {
		mkdirs(t, m.dir(0), "d")
		mkdirs(t, filepath.Dir(m.dir(0)), "outside/secret")
		d := filepath.Join(m.dir(0), "d")
		replaced := false
		m.added = func(path string) {
			if path == d && !replaced {
				replaced = true
				rename(t, d, d+".old")
				link(t, "../outside", d)
			}
		}
		defer m.run()()
		expect(t, "watched", m.held(), []string{"d", "r"}) // and not secret
	})
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}
