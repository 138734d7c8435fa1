package vault

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
)

// armed are pairs of characters that something acts on when it meets them in a note: Templater and
// Kioku's templates, comments of Obsidian and HTML that would hide the rest, inline code of Dataview.
var armed = map[[2]byte]bool{{'<', '%'}: true, {'{', '{'}: true, {'%', '%'}: true, {'<', '!'}: true, {'`', '$'}: true}

// disarm puts a backslash between such pairs. Markdown does not show it.
func disarm(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && armed[[2]byte{s[i-1], s[i]}] {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// structural matches lines that mean more than text in Markdown: headings, rules and underlines, fences.
var structural = regexp.MustCompile("^[ \t]*(#|```|~~~|(-[ \t]*){3,}$|(_[ \t]*){3,}$|(\\*[ \t]*){3,}$|=+[ \t]*$|-+[ \t]*$)")

// cleanSummary makes a summary safe to put into a note, line by line: line ends of any kind are kept as
// such, runs of empty lines become one, control characters go, and nothing in it begins a heading, a
// rule, a code block, a comment or a template. No lines mean no summary.
func cleanSummary(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").
		Replace(strings.ToValidUTF8(s, "\uFFFD"))
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRightFunc(strings.Map(dropControl, line), unicode.IsSpace)
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, escapeLine(disarm(line)))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		lines[0] = strings.TrimSpace(lines[0])
	}
	return lines
}

func dropControl(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// escapeLine takes a line's meaning for the note's structure away with a backslash.
func escapeLine(line string) string {
	if !structural.MatchString(line) {
		return line
	}
	text := strings.TrimLeft(line, " ")
	return line[:len(line)-len(text)] + `\` + text
}

// summaryHeading begins the section that Kioku's readers show.
var summaryHeading = []byte("## summary")

// summarySection returns the splice that puts the summary below the first "## Summary" heading, none
// without such a heading. A placeholder gives way: nothing, or one paragraph of one line in italics. All
// else that somebody wrote there stays, below the summary.
func (n *note) summarySection(lines []string) []splice {
	at, end, ok := n.findSummary()
	if !ok || len(lines) == 0 {
		return nil
	}
	eol := mainLineEnd(n.raw)
	ins := eol + eol + strings.Join(lines, eol)
	if end < n.trimmed() {
		ins += eol + eol
	} else {
		end = n.trimmed()
	}
	return []splice{{at: at, del: end - at, ins: ins}}
}

// findSummary returns the end of the heading's text, and the end of the placeholder and the empty lines
// around it.
func (n *note) findSummary() (at, end int, ok bool) {
	var code codeFence
	for from := n.body; from < len(n.raw); {
		line, next := cutLine(n.raw, from)
		if !code.inside(line) && bytes.EqualFold(bytes.TrimRight(line, " \t\r\n"), summaryHeading) {
			return from + len(bytes.TrimRight(line, " \t\r\n")), n.skipPlaceholder(next), true
		}
		from = next
	}
	return 0, 0, false
}

// skipPlaceholder returns where the section's own text begins.
func (n *note) skipPlaceholder(from int) int {
	from = n.skipBlank(from)
	line, next := cutLine(n.raw, from)
	after := n.skipBlank(next)
	alone := after > next || after == len(n.raw) || n.raw[after] == '#'
	if isPlaceholder(line) && alone {
		return after
	}
	return from
}

func (n *note) skipBlank(from int) int {
	for from < len(n.raw) {
		line, next := cutLine(n.raw, from)
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		from = next
	}
	return from
}

// isPlaceholder reports whether a line is wholly in italics, as the placeholders of Kioku's templates.
func isPlaceholder(line []byte) bool {
	text := bytes.TrimSpace(line)
	if len(text) < 3 || text[0] != text[len(text)-1] || text[0] != '_' && text[0] != '*' {
		return false
	}
	inner := text[1 : len(text)-1]
	return bytes.IndexByte(inner, text[0]) < 0 && len(bytes.TrimSpace(inner)) == len(inner)
}
