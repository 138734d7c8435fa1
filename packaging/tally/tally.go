package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of "go test -json"; the fields are those of "go doc test2json" and, for the
// build-… actions, of "go help buildjson".
type event struct {
	Action     string
	Package    string
	Test       string
	Output     string
	ImportPath string
	Elapsed    float64 // seconds
}

// Counts says how many tests, subtests included, ended in which way.
type Counts struct{ Passed, Skipped, Failed int }

// String gives the counts in words.
func (c Counts) String() string {
	return fmt.Sprintf("%d passed, %d skipped, %d failed", c.Passed, c.Skipped, c.Failed)
}

// subject is a test, or a whole package when Test is empty.
type subject struct{ Package, Test string }

// tally keeps the output of each subject until its result is known.
type tally struct {
	Counts
	w      io.Writer
	output map[subject]string
	failed map[string]bool // packages with a failure that has been counted
}

func newTally(w io.Writer) *tally {
	return &tally{w: w, output: map[subject]string{}, failed: map[string]bool{}}
}

func (t *tally) add(e event) {
	s := subject{e.Package, e.Test}
	switch e.Action {
	case "output":
		t.output[s] += e.Output
	case "build-output":
		fmt.Fprint(t.w, e.Output)
	case "pass", "skip", "fail":
		if e.Test == "" {
			t.endPackage(s, e)
		} else {
			t.endTest(s, e.Action)
		}
		delete(t.output, s)
	}
}

func (t *tally) endTest(s subject, action string) {
	switch action {
	case "pass":
		t.Passed++
	case "skip":
		t.Skipped++
		fmt.Fprintf(t.w, "skip  %s %s: %s\n", s.Package, s.Test, reason(t.output[s]))
	case "fail":
		t.fail(s)
	}
}

func (t *tally) endPackage(s subject, e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(t.w, "ok    %s %.1fs\n", s.Package, e.Elapsed)
	case "fail":
		for _, open := range t.unfinished(s.Package) {
			t.fail(open)
		}
		if t.failed[s.Package] {
			fmt.Fprint(t.w, t.output[s])
		} else {
			t.fail(s)
		}
	}
}

// fail counts a failure and shows all that it printed.
func (t *tally) fail(s subject) {
	t.Failed++
	t.failed[s.Package] = true
	fmt.Fprintf(t.w, "FAIL  %s %s\n%s", s.Package, s.Test, t.output[s])
	delete(t.output, s)
}

// unfinished lists the tests of a package that began and never ended: the process ended under them.
func (t *tally) unfinished(pkg string) []subject {
	var open []subject
	for s := range t.output {
		if s.Package == pkg && s.Test != "" {
			open = append(open, s)
		}
	}
	slices.SortFunc(open, func(a, b subject) int { return strings.Compare(a.Test, b.Test) })
	return open
}

// reason finds what a skipped test said, in one line: its output without the lines of the framework.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}
