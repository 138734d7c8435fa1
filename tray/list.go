package tray

import (
	"slices"
	"strings"
	"time"

	"berth/sessions"
)

// List is the filtered and sorted list. Its rows are put into words when they are asked for, so that a
// list of 10,000 costs no more to show than the part of it on screen. It may be read from any goroutine.
type List struct {
	rows []ranked
	now  time.Time
	lang Lang
}

// Len returns how many rows there are.
func (li List) Len() int { return len(li.rows) }

// Path returns the identity of row i.
func (li List) Path(i int) string { return li.rows[i].Path }

// Index returns which row has this path, or -1.
func (li List) Index(path string) int {
	return slices.IndexFunc(li.rows, func(r ranked) bool { return r.Path == path })
}

// Row puts row i into words.
func (li List) Row(i int) Row {
	s := li.rows[i].Session
	return Row{
		Path: s.Path, Glyph: glyph(s), Tone: toneOf(li.rows[i]),
		Status: strings.Join(nonEmpty(rowStatus(s, li.lang), tag(li.rows[i], li.lang)), " · "),
		Title:  title(s), Place: place(s), Client: clientName(s), Age: ago(s.UpdatedAt, li.now, li.lang),
	}
}

// Row is one line of the list in words; any but Status and Title may be empty. Nothing in it is cut: how much
// fits is for the drawing side to say.
type Row struct {
	Path   string // identity
	Glyph  Glyph
	Tone   Tone
	Status string // "Stale · interrupted"
	Title  string
	Place  string // the project, else the folder's name
	Client string // who works, or last worked, in it
	Age    string // "3 min ago"
}

// Tone is the meaning of a row's colour; the Glyph says the same by its shape.
type Tone uint8

// The tones.
const (
	ToneNormal Tone = iota
	ToneAttention
	ToneOccupied
	ToneStale
	ToneFaded
)

func toneOf(r ranked) Tone {
	switch {
	case r.tag != noTag:
		return ToneAttention
	case r.Status == sessions.Occupied:
		return ToneOccupied
	case r.Status == sessions.Stale:
		return ToneStale
	case !isOpen(r.Session):
		return ToneFaded
	}
	return ToneNormal
}

// tag is the most telling reason or fact of r in a word or two, or "". The details have all of them.
func tag(r ranked, l Lang) string {
	s := r.Session
	switch r.tag {
	case MsgTagWaiting:
		return "" // the label says it
	case noTag:
	default:
		return l.Text(r.tag)
	}
	for _, r := range s.Reasons {
		if m, ok := reasonTags[r]; ok {
			return l.Text(m)
		}
	}
	for _, t := range factTags {
		if s.Has(t.fact) {
			return l.Text(t.msg)
		}
	}
	return ""
}
