package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"berth/sessions"

	"github.com/mattn/go-runewidth"
)

// clean makes foreign text safe for a terminal: control characters (escape sequences among them) become "?"
// and lines become one.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return '?'
		}
		return r
	}, s)
}

// ago is a relative time for people; the columns of a list are no place for full dates.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := now.Sub(t)
	switch {
	case d < 0 && d > -time.Minute:
		return "now"
	case d < 0:
		return t.Local().Format("2006-01-02 15:04")
	case d < 10*time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
	return t.Local().Format("2006-01-02")
}

// minID is the least number of characters of an id that are shown.
const minID = 8

// names are what people type to name a session among others.
type names map[string]string

// nameSessions finds, for every id, the shortest beginning that no other id shares. The ids of one minute share
// their front, which is a clock, so a fixed length would not do.
func nameSessions(all []*sessions.Session) names {
	var ids []string
	for _, s := range all {
		if s.ID != "" {
			ids = append(ids, bareID(s.ID))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := names{}
	for i, id := range ids {
		n := minID
		if i > 0 {
			n = max(n, shared(id, ids[i-1])+1)
		}
		if i+1 < len(ids) {
			n = max(n, shared(id, ids[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

func bareID(id string) string { return strings.TrimPrefix(id, "session_") }

// add names a session that came later. Those that were named before keep their names.
func (n names) add(s *sessions.Session) {
	id := bareID(s.ID)
	if _, named := n[id]; named || id == "" {
		return
	}
	length := minID
	for other := range n {
		length = max(length, shared(id, other)+1)
	}
	n[id] = id[:min(length, len(id))]
}

// shared is the length of the front that a and b have in common.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// of is the short id of a session, or the path of a note without an id. A session that was not among the named
// ones is shown with its whole id.
func (n names) of(s *sessions.Session) string {
	if s.ID == "" {
		return s.Rel()
	}
	if short, ok := n[bareID(s.ID)]; ok {
		return short
	}
	return bareID(s.ID)
}

// Colours by ANSI code; the word beside each says the same.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// statusColour marks what needs a person.
func statusColour(s sessions.Status) string {
	switch s {
	case sessions.Occupied:
		return cyan
	case sessions.Stale:
		return yellow
	case sessions.Active:
		return green
	}
	return dim
}

// cell is a piece of text in a table.
type cell struct{ text, colour string }

// table prints aligned columns. Widths are counted in terminal cells, so that wide characters align.
type table struct {
	head   []string
	rows   [][]cell
	flex   int // the column that gives way when the terminal is too narrow
	width  int // of the terminal; 0 means unlimited
	colour bool
}

func (t *table) add(cells ...cell) {
	for i := range cells {
		cells[i].text = clean(cells[i].text)
	}
	t.rows = append(t.rows, cells)
}

// minFlex is the least width that is left to the flexible column.
const minFlex = 12

func (t *table) print(w io.Writer) error {
	widths := t.widths()
	head := make([]cell, len(t.head))
	for i, h := range t.head {
		head[i] = cell{h, bold}
	}
	for _, row := range append([][]cell{head}, t.rows...) {
		if _, err := io.WriteString(w, t.line(row, widths)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) widths() []int {
	widths := make([]int, len(t.head))
	for i, h := range t.head {
		widths[i] = runewidth.StringWidth(h)
		for _, row := range t.rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i].text))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	if over := total - t.width; t.width > 0 && over > 0 {
		widths[t.flex] = max(widths[t.flex]-over, minFlex)
	}
	return widths
}

func (t *table) line(row []cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := runewidth.Truncate(c.text, widths[i], "…")
		pad := widths[i] - runewidth.StringWidth(text)
		if t.colour && c.colour != plain {
			text = "\x1b[" + c.colour + "m" + text + "\x1b[0m"
		}
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", pad+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// newTable returns a table for the app's output, coloured only on a terminal and only when NO_COLOR is unset.
func (a *app) newTable(flex int, head ...string) *table {
	width, is := terminalOf(a.stdout)
	return &table{head: head, flex: flex, width: width, colour: is && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"}
}
