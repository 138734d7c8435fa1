package sessions

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	diffContext = 3    // equal lines around a change
	maxDiffCost = 1000 // differing lines that are matched; beyond, everything between the ends is one change
)

// Diff returns what changed between two versions of a file as unified hunks without file names, for
// people: "" when nothing did. Line ends are not shown, and control characters become U+FFFD, so that
// the result can be printed on a terminal whatever the files hold.
func Diff(before, after []byte) string {
	script := diffLines(splitLines(before), splitLines(after))
	var b strings.Builder
	for from := 0; from < len(script); {
		first := slices.IndexFunc(script[from:], diffOp.changes)
		if first < 0 {
			break
		}
		end := hunkEnd(script, from+first)
		writeHunk(&b, script, max(from, from+first-diffContext), end)
		from = end
	}
	return b.String()
}

// diffOp is a line with what happens to it: ' ' stays, '-' goes, '+' comes. a and b are how many lines of
// the two versions precede it.
type diffOp struct {
	kind byte
	line string
	a, b int
}

func (op diffOp) changes() bool { return op.kind != ' ' }

// hunkEnd returns where the hunk ends whose first change is at i: before the first run of equal lines that
// is too long to be context on both sides.
func hunkEnd(script []diffOp, i int) int {
	last := i
	for j := i; j < len(script) && j-last <= 2*diffContext+1; j++ {
		if script[j].changes() {
			last = j
		}
	}
	return min(len(script), last+1+diffContext)
}

func writeHunk(b *strings.Builder, script []diffOp, from, end int) {
	removed, added := 0, 0
	for _, op := range script[from:end] {
		if op.kind != '+' {
			removed++
		}
		if op.kind != '-' {
			added++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(script[from].a, removed), lineRange(script[from].b, added))
	for _, op := range script[from:end] {
		b.WriteByte(op.kind)
		b.WriteString(printable(op.line))
		b.WriteByte('\n')
		if !strings.HasSuffix(op.line, "\n") {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// lineRange is "first,count" as diff counts: an empty range names the line before it.
func lineRange(before, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}

func printable(line string) string {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// splitLines cuts text behind every line end.
func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// diffLines returns a script that turns a into b, a shortest one unless that is too long to look for.
func diffLines(a, b []string) []diffOp {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var s []diffOp
	for _, line := range a[:head] {
		s = append(s, diffOp{kind: ' ', line: line})
	}
	s = append(s, diffMiddle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		s = append(s, diffOp{kind: ' ', line: line})
	}
	return numbered(s)
}

func numbered(s []diffOp) []diffOp {
	a, b := 0, 0
	for i := range s {
		s[i].a, s[i].b = a, b
		if s[i].kind != '+' {
			a++
		}
		if s[i].kind != '-' {
			b++
		}
	}
	return s
}

func diffMiddle(a, b []string) []diffOp {
	if trace := diffTrace(a, b); trace != nil {
		return diffBack(a, b, trace)
	}
	var s []diffOp
	for _, line := range a {
		s = append(s, diffOp{kind: '-', line: line})
	}
	for _, line := range b {
		s = append(s, diffOp{kind: '+', line: line})
	}
	return s
}

// diffTrace is the forward half of Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986). For
// each number of edits d it keeps how far one gets in a on each diagonal -d-1 … d+1 before that edit;
// nil when more than maxDiffCost edits are needed.
func diffTrace(a, b []string) (trace [][]int) {
	const mid = maxDiffCost + 1
	reach := make([]int, 2*mid+1)
	for d := 0; d <= maxDiffCost; d++ {
		trace = append(trace, slices.Clone(reach[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := reach[mid+k-1] + 1
			if goesDown(trace[d], d, k) {
				x = reach[mid+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[mid+k] = x
			if x >= len(a) && x-k >= len(b) {
				return trace
			}
		}
	}
	return nil
}

// goesDown reports whether the d-th edit on diagonal k inserts a line of b rather than drops one of a.
func goesDown(reach []int, d, k int) bool {
	return k == -d || k != d && reach[d+k] < reach[d+k+2]
}

// diffBack walks the trace from its end to the script.
func diffBack(a, b []string, trace [][]int) []diffOp {
	var s []diffOp
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		k := x - y
		down := goesDown(trace[d], d, k)
		start := trace[d][d+k] + 1
		if down {
			start = trace[d][d+k+2]
		}
		for x > start {
			x, y = x-1, y-1
			s = append(s, diffOp{kind: ' ', line: a[x]})
		}
		switch {
		case d == 0:
		case down:
			y--
			s = append(s, diffOp{kind: '+', line: b[y]})
		default:
			x--
			s = append(s, diffOp{kind: '-', line: a[x]})
		}
	}
	slices.Reverse(s)
	return s
}
