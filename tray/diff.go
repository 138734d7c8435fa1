package tray

import (
	"strings"

	"berth/sessions"
)

// DiffLine is one line of a preview: what stays, what goes, what comes.
type DiffLine struct {
	Op   DiffOp
	Text string // without the line's end; tabs and other control characters made visible
}

// DiffOp says what happens to a line.
type DiffOp uint8

// The operations. DiffGap stands for unchanged lines that are not shown.
const (
	DiffKeep DiffOp = iota
	DiffDelete
	DiffInsert
	DiffGap
)

// Sign is what stands in front of a line, so that colour is not the only sign.
func (o DiffOp) Sign() string { return [...]string{"  ", "- ", "+ ", "  "}[o] }

// diffContext is how many unchanged lines are shown around a change.
const diffContext = 2

// maxEdits bounds the work of a Diff: an Edit of ours changes a few lines. Beyond it everything between the
// first and the last change is shown as replaced, which is longer but still true.
const maxEdits = 400

// Diff returns what e changes, with a little context, the line ends ignored.
func Diff(e *sessions.Edit) []DiffLine {
	return withContext(compare(splitLines(e.Before), splitLines(e.After)))
}

func splitLines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// compare lines up a and b: the equal head and tail first, then the shortest script for what is between.
func compare(a, b []string) []DiffLine {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := appendLines(nil, DiffKeep, a[:head])
	out = append(out, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return appendLines(out, DiffKeep, a[len(a)-tail:])
}

func appendLines(out []DiffLine, op DiffOp, lines []string) []DiffLine {
	for _, line := range lines {
		out = append(out, DiffLine{op, line})
	}
	return out
}

// shortest is the greedy algorithm of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986). reach[d]
// keeps how far each diagonal got with d edits, so that the way back can be read off.
func shortest(a, b []string) []DiffLine {
	var reach [][]int
	v := make([]int, 2*maxEdits+3)
	const zero = maxEdits + 1
	for d := 0; d <= maxEdits; d++ {
		reach = append(reach, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			x := v[zero+k-1] + 1
			if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
				x = v[zero+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[zero+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, reach, zero)
			}
		}
	}
	return appendLines(appendLines(nil, DiffDelete, a), DiffInsert, b)
}

func walkBack(a, b []string, reach [][]int, zero int) []DiffLine {
	var rev []DiffLine
	x, y := len(a), len(b)
	for d := len(reach) - 1; d >= 0; d-- {
		v, k := reach[d], x-y
		from := k - 1
		if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
			from = k + 1
		}
		px := v[zero+from]
		py := px - from
		for x > px && y > py && x > 0 && y > 0 {
			x, y = x-1, y-1
			rev = append(rev, DiffLine{DiffKeep, a[x]})
		}
		if d == 0 {
			break
		}
		if x == px {
			y--
			rev = append(rev, DiffLine{DiffInsert, b[y]})
		} else {
			x--
			rev = append(rev, DiffLine{DiffDelete, a[x]})
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

// withContext keeps the changes and the lines near them; the rest becomes gaps.
func withContext(all []DiffLine) []DiffLine {
	near := make([]bool, len(all))
	for i, line := range all {
		if line.Op != DiffKeep {
			for j := max(0, i-diffContext); j <= min(len(all)-1, i+diffContext); j++ {
				near[j] = true
			}
		}
	}
	var out []DiffLine
	for i, line := range all {
		switch {
		case near[i]:
			out = append(out, DiffLine{line.Op, printable(line.Text)})
		case len(out) == 0 || out[len(out)-1].Op != DiffGap:
			out = append(out, DiffLine{DiffGap, "⋯"})
		}
	}
	return out
}

// printable shows a line of a note letter by letter but lets nothing in it move the cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return '·'
		}
		return r
	}, s)
}
