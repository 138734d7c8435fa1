package tray

import (
	"strings"

	"berth/sessions"
)

// DiffLine is one line of a preview: what stays, what goes, what comes.
type DiffLine struct {
	Op   DiffOp
	Text string // with its sign in front, so that colour is not the only one
}

// DiffOp says what happens to a line.
type DiffOp uint8

// The operations. DiffGap stands between two places of the file.
const (
	DiffKeep DiffOp = iota
	DiffDelete
	DiffInsert
	DiffGap
)

// Preview returns what e changes, with a little context. It is empty when e changes nothing.
func Preview(e *sessions.Edit) []DiffLine {
	text := strings.TrimSuffix(sessions.Diff(e.Before, e.After), "\n")
	if text == "" {
		return nil
	}
	var out []DiffLine
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, diffLine(strings.ReplaceAll(line, "\t", "    ")))
	}
	return out
}

// diffLine reads a line of a unified diff: sign and text; a space between them is easier to read.
func diffLine(line string) DiffLine {
	ops := map[byte]DiffOp{'-': DiffDelete, '+': DiffInsert, '@': DiffGap, '\\': DiffGap}
	if line == "" {
		return DiffLine{}
	}
	op := ops[line[0]]
	if op == DiffGap { // line numbers mean nothing to who never saw the file as lines
		return DiffLine{op, "⋯"}
	}
	return DiffLine{op, line[:1] + " " + line[1:]}
}
