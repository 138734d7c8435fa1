package watcher

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func writeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Bug B91: looking at the store makes no events, or each rescan would be the reason for the next.
func TestOwnReadsAreSilent(t *testing.T) {
	dir := tempRoot(t)
	mkdirs(t, dir, numbered("d%d/sub", 20)...)
	for _, name := range numbered("d%d/f", 20) {
		writeFile(t, filepath.Join(dir, name))
	}
	o := observe(t, Config{Roots: []Root{{Path: dir}}})
	for range 10 {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				_, err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	last := filepath.Join(dir, "last")
	writeFile(t, last)
	o.untilEvent(last, Create)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ops) != 1 || len(o.rescans) != 0 {
		t.Errorf("events %v, rescans %v", o.ops, o.rescans)
	}
}

// A large tree that is moved in is followed to its last directory, and what happens meanwhile elsewhere is
// not held up by it.
func TestLargeTreeMovedIn(t *testing.T) {
	dir, away := tempRoot(t), tempRoot(t)
	mkdirs(t, dir, "busy")
	for i := range 30 {
		mkdirs(t, away, numbered(fmt.Sprintf("big/b%d/s%%d/agents", i), 30)...)
	}
	o := observe(t, Config{Roots: []Root{{Path: dir}}, Quiet: time.Millisecond, Ceiling: 10 * time.Millisecond})
	if err := os.Rename(filepath.Join(away, "big"), filepath.Join(dir, "big")); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		name := filepath.Join(dir, "busy", fmt.Sprint(i))
		writeFile(t, name)
		o.untilEvent(name, Create)
	}
	o.untilStatus(dir, "all watches", func(s RootStatus) bool { return s.Watches == 2+1+30+2*900 })
	last := filepath.Join(dir, "big/b29/s29/agents/f")
	writeFile(t, last)
	o.untilEvent(last, Create)
}

// Whatever is done to a tree, and however fast: in the end every directory in it is watched, under its
// own name, and no other.
func TestChurn(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := tempRoot(t)
			mkdirs(t, dir, "a/b", "c")
			o := observe(t, Config{Roots: []Root{{Path: dir}, {Path: filepath.Join(dir, "a")}}, Quiet: time.Millisecond, Ceiling: 5 * time.Millisecond})
			churn(t, rand.New(rand.NewPCG(seed, 7)), dir)
			dirs := directories(t, dir)
			o.untilStatus(dir, fmt.Sprintf("%d watches", len(dirs)), func(s RootStatus) bool { return s.Watches == len(dirs) })
			for _, d := range dirs {
				probe := filepath.Join(d, "probe")
				writeFile(t, probe)
				o.until("probe in "+d, func() bool { return o.ops[probe] != 0 || o.rescans[dir] > 0 })
			}
		})
	}
}

// churn makes, moves and removes directories in dir at random.
func churn(t *testing.T, rnd *rand.Rand, dir string) {
	name := func() string {
		parts := make([]string, 1+rnd.IntN(3))
		for i := range parts {
			parts[i] = string(rune('a' + rnd.IntN(3)))
		}
		return filepath.Join(dir, filepath.Join(parts...))
	}
	for range 400 {
		a, b := name(), name()
		switch rnd.IntN(5) {
		case 0, 1:
			_ = os.MkdirAll(a, 0o700) // fails where a file is in the way; what counts is the outcome
		case 2:
			_ = os.Rename(a, b)
		case 3:
			_ = os.WriteFile(filepath.Join(a, "f"), nil, 0o600)
		case 4:
			if rnd.IntN(3) == 0 && a != filepath.Join(dir, "a") {
				_ = os.RemoveAll(a)
			}
		}
	}
	mkdirs(t, dir, "a") // the inner root
}

func directories(t *testing.T, dir string) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// All methods at once, for the race detector.
func TestConcurrentCalls(t *testing.T) {
	dir := tempRoot(t)
	mkdirs(t, dir, numbered("d%d/sub", 50)...)
	budgeted := func(string) Mode { return Budgeted }
	o := observe(t, Config{Roots: []Root{{Path: dir, Dir: budgeted}}, Budget: 20})
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				o.Touch(filepath.Join(dir, fmt.Sprintf("d%d", (i+worker*13)%50)))
				if s := o.Status()[0]; s.Watches > 21 {
					t.Errorf("%d watches with a budget of 20", s.Watches)
				}
			}
		})
	}
	wg.Wait()
	o.Touch(filepath.Join(dir, "d7"))
	o.untilStatus(dir, "budget in use", func(s RootStatus) bool { return s.Watches == 21 })
}

// Touch ignores what it cannot mean.
func TestTouchIgnores(t *testing.T) {
	dir := tempRoot(t)
	mkdirs(t, dir, "budgeted", "pinned", "skipped/budgeted")
	mode := func(rel string) Mode {
		switch {
		case strings.HasSuffix(rel, "budgeted"):
			return Budgeted
		case rel == "pinned":
			return Pinned
		}
		return Skip
	}
	o := observe(t, Config{Roots: []Root{{Path: dir, Dir: mode}}})
	for _, name := range []string{".", "pinned", "skipped", "skipped/budgeted", "nothing", "..", "../elsewhere"} {
		o.Touch(filepath.Join(dir, name))
	}
	o.Touch("relative")
	o.Touch("")
	writeFile(t, filepath.Join(dir, "budgeted/f"))
	o.untilEvent(filepath.Join(dir, "budgeted/f"), Create)
	if s := o.statusOf(dir); s.Watches != 3 {
		t.Errorf("status %+v", s)
	}
}
