package vault

import (
	"bytes"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The headings that resume and close append (kioku.md sections 1.9 and 1.10), before a time.
const (
	resumedHeading = "## Session resumed — "
	endedHeading   = "## Session ended — "
)

// lastMark returns the time in the last line of tail that begins with heading. Kioku 2.x wrote times
// without a date; they are not found.
func lastMark(tail []byte, heading string) (time.Time, bool) {
	i := bytes.LastIndex(tail, []byte("\n"+heading))
	if i < 0 {
		return time.Time{}, false
	}
	line, _ := cutLine(tail, i+1)
	return parseTime(string(line[len(heading):]))
}

const (
	titlePrefix = "Work Session — "
	maxTitle    = 120 // characters; longer headings are prose
)

// unnamed is the title that Kioku gives a session without a name (kioku.md section 1.8): its start and its
// agent, the same for every session of one agent and minute.
var unnamed = regexp.MustCompile(`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} \(.*\)$`)

// The line of the body that says what a session is for, and what Kioku writes where nobody said.
const (
	goalMark = "**Goal:** "
	noGoal   = "_(not specified)_"
)

// title returns what the body calls the session: its first heading, without Kioku's prefix. A session that was
// given no name is called by its goal, since its heading is a time like many others. It is "" when the body does
// not begin with a heading of level 1 or it is too long for a name.
func title(body []byte) string {
	start := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	line, next := cutLine(body, start)
	text, ok := strings.CutPrefix(string(line), "# ")
	if !ok {
		return ""
	}
	text = oneLine(strings.TrimPrefix(strings.TrimSpace(text), titlePrefix))
	if unnamed.MatchString(text) {
		if g := goal(body[next:]); g != "" {
			return g
		}
	}
	if utf8.RuneCountInString(text) > maxTitle {
		return ""
	}
	return text
}

// goal returns what the session is for, cut to the length of a title; "" when the part in front of the first
// section does not say.
func goal(body []byte) string {
	for at := 0; at < len(body); {
		var line []byte
		line, at = cutLine(body, at)
		if bytes.HasPrefix(line, []byte("## ")) {
			return ""
		}
		if text, ok := strings.CutPrefix(string(line), goalMark); ok {
			return shorten(oneLine(text))
		}
	}
	return ""
}

// shorten cuts a goal to maxTitle characters.
func shorten(text string) string {
	if text == noGoal {
		return ""
	}
	if r := []rune(text); len(r) > maxTitle {
		return strings.TrimSpace(string(r[:maxTitle-1])) + "…"
	}
	return text
}

// oneLine makes text from a file fit for one line of a list: composed characters (bug B28), no control
// characters, no broken UTF-8.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(norm.NFC.String(s))
}

// codeFence follows a body line by line and knows what is inside a fenced code block.
type codeFence struct {
	mark byte // '`' or '~', 0 outside
	size int
}

// inside reports whether line belongs to a code block, its fences included.
func (c *codeFence) inside(line []byte) bool {
	mark, size, rest := fenceMark(line)
	switch {
	case c.mark == 0 && size >= 3 && (mark != '`' || !bytes.ContainsRune(rest, '`')):
		c.mark, c.size = mark, size
		return true
	case c.mark != 0 && mark == c.mark && size >= c.size && len(bytes.TrimSpace(rest)) == 0:
		c.mark = 0
		return true
	}
	return c.mark != 0
}

// fenceMark returns the run of fence characters that a line begins with, after up to three blanks.
func fenceMark(line []byte) (mark byte, size int, rest []byte) {
	rest = bytes.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || len(rest) == 0 || (rest[0] != '`' && rest[0] != '~') {
		return 0, 0, nil
	}
	mark = rest[0]
	for size < len(rest) && rest[size] == mark {
		size++
	}
	return mark, size, rest[size:]
}
