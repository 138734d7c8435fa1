package watcher

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestScripts runs testdata/script/*.txt, one subtest per file. A script is a list of lines; # begins a
// comment. Paths are relative to a new directory, and the first name in each is a root's.
//
//	root NAME             watch this one; it need not exist
//	mode MODE PATTERN     how directories are covered: skip, pinned or budgeted; the first match of the
//	                      path in its root counts, and no match means pinned
//	ignore PATTERN        files with such a name are noise
//	budget N
//	watch                 start; what is above prepares, what is below is watched
//
//	mkdir PATH            with its parents
//	write PATH            make or overwrite a file, in place
//	append PATH
//	replace PATH TEMP     write TEMP and rename it to PATH
//	mv FROM TO
//	rm PATH               with all that is in it
//	link TARGET PATH      symbolic link
//	chmod MODE PATH
//	touch PATH            call Touch
//	sync PATH OP          wait for an event before going on
//	rescanned ROOT        wait for a Rescan before going on, and forget all that was seen
//
//	event PATH OP         must be seen in the end: create, write, remove or several with |
//	maybe PATH            may be seen: systems differ
//	rescan ROOT           must be seen in the end
//	maybe-rescan ROOT
//	watches ROOT N        so many directories are watched in the end
//	coverage ROOT WORD
//
// In the end all that must be seen was seen, in whatever order, and nothing else.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{t: t, top: tempRoot(t), budget: 1000, allowed: map[string]bool{}}
			for i, line := range strings.Split(string(text), "\n") {
				line, _, _ = strings.Cut(line, "#")
				if words := strings.Fields(line); len(words) > 0 {
					s.at = fmt.Sprintf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
					s.run(words[0], words[1:])
				}
			}
			s.end()
		})
	}
}

type script struct {
	t      *testing.T
	top    string
	at     string // the line being run, for messages
	roots  []string
	modes  []modeRule
	ignore []string
	budget int

	o       *observer
	allowed map[string]bool // paths and roots that may be reported
	musts   []func()
}

type modeRule struct {
	mode    Mode
	pattern string
}

// run runs one line.
func (s *script) run(verb string, args []string) {
	s.t.Helper()
	switch {
	case s.declare(verb, args), s.change(verb, args), s.expect(verb, args):
	default:
		s.t.Fatalf("%s: unknown command", s.at)
	}
}

func (s *script) declare(verb string, args []string) bool {
	switch verb {
	case "root":
		s.roots = append(s.roots, s.path(args[0]))
	case "mode":
		m := map[string]Mode{"skip": Skip, "pinned": Pinned, "budgeted": Budgeted}[args[0]]
		s.modes = append(s.modes, modeRule{m, args[1]})
	case "ignore":
		s.ignore = append(s.ignore, args[0])
	case "budget":
		s.budget = s.number(args[0])
	case "watch":
		s.watch()
	default:
		return false
	}
	return true
}

func (s *script) watch() {
	c := Config{Quiet: 10 * time.Millisecond, Ceiling: 50 * time.Millisecond, Budget: s.budget}
	for _, root := range append(s.roots, s.path("sentinel")) {
		c.Roots = append(c.Roots, Root{Path: root, Dir: s.mode, Ignore: s.ignored})
	}
	s.must(os.Mkdir(s.path("sentinel"), 0o700))
	s.o = observe(s.t, c)
}

func (s *script) mode(rel string) Mode {
	for _, r := range s.modes {
		if ok, err := path.Match(r.pattern, rel); ok && err == nil {
			return r.mode
		}
	}
	return Pinned
}

func (s *script) ignored(rel string) bool {
	for _, pattern := range s.ignore {
		if ok, err := path.Match(pattern, path.Base(rel)); ok && err == nil {
			return true
		}
	}
	return false
}

// change runs a line that changes files or talks to the Watcher.
func (s *script) change(verb string, args []string) bool {
	s.t.Helper()
	switch verb {
	case "mkdir":
		s.must(os.MkdirAll(s.path(args[0]), 0o700))
	case "write":
		s.must(os.WriteFile(s.path(args[0]), []byte(s.at), 0o600))
	case "append":
		s.append(s.path(args[0]))
	case "replace":
		s.must(os.WriteFile(s.path(args[1]), []byte(s.at), 0o600))
		s.must(os.Rename(s.path(args[1]), s.path(args[0])))
	case "mv":
		s.must(os.Rename(s.path(args[0]), s.path(args[1])))
	case "rm":
		s.must(os.RemoveAll(s.path(args[0])))
	case "link":
		s.must(os.Symlink(args[0], s.path(args[1])))
	case "chmod":
		mode, err := strconv.ParseUint(args[0], 8, 32)
		s.must(err)
		s.must(os.Chmod(s.path(args[1]), fs.FileMode(mode)))
	case "touch":
		s.o.Touch(s.path(args[0]))
	case "sync":
		s.o.untilEvent(s.path(args[0]), s.op(args[1]))
	case "rescanned":
		s.o.untilRescan(s.path(args[0]))
		s.o.forget()
	default:
		return false
	}
	return true
}

func (s *script) append(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	s.must(err)
	_, err = f.WriteString(s.at)
	s.must(err)
	s.must(f.Close())
}

// expect notes what must be seen.
func (s *script) expect(verb string, args []string) bool {
	name := s.path(args[0])
	switch verb {
	case "event":
		op := s.op(args[1])
		s.allowed[name] = true
		s.musts = append(s.musts, func() { s.o.untilEvent(name, op) })
	case "maybe":
		s.allowed[name] = true
	case "maybe-rescan":
		s.allowed[name+" rescan"] = true
	case "rescan":
		s.allowed[name+" rescan"] = true
		s.musts = append(s.musts, func() { s.o.untilRescan(name) })
	case "watches":
		n := s.number(args[1])
		s.musts = append(s.musts, func() {
			s.o.untilStatus(name, args[1]+" watches", func(st RootStatus) bool { return st.Watches == n })
		})
	case "coverage":
		s.musts = append(s.musts, func() {
			s.o.untilStatus(name, args[1], func(st RootStatus) bool { return string(st.Coverage) == args[1] })
		})
	default:
		return false
	}
	return true
}

// end checks that what must be seen was seen. Then it makes one more change: the event of it comes after
// those of all changes before, so that what has not been seen by then does not come.
func (s *script) end() {
	for _, must := range s.musts {
		must()
	}
	last := s.path("sentinel/last")
	s.must(os.WriteFile(last, nil, 0o600))
	s.o.untilEvent(last, Create)
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	for name, op := range s.o.ops {
		if name != last && !s.allowed[name] {
			s.t.Errorf("unexpected %s of %s", op, name)
		}
	}
	for root := range s.o.rescans {
		if !s.allowed[root+" rescan"] {
			s.t.Errorf("unexpected rescan of %s", root)
		}
	}
}

func (s *script) path(rel string) string { return filepath.Join(s.top, filepath.FromSlash(rel)) }

func (s *script) op(words string) Op {
	var op Op
	for word := range strings.SplitSeq(words, "|") {
		for _, o := range []Op{Create, Write, Remove} {
			if o.String() == word {
				op |= o
			}
		}
	}
	return op
}

func (s *script) number(word string) int {
	n, err := strconv.Atoi(word)
	s.must(err)
	return n
}

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
}
