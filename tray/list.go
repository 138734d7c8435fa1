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
		Path: s.Path, Glyph: glyph(s), Tone: toneOf(li.rows[i]), Status: rowStatus(s, li.lang),
		Title: title(s), Tags: strings.Join(tags(s, li.lang), " · "),
		Place: place(s), Client: clientName(s), Age: ago(s.UpdatedAt, li.now, li.lang),
	}
}

// Row is one line of the list in words; any but Status and Title may be empty. Nothing in it is cut: how much
// fits is for the drawing side to say.
type Row struct {
	Path   string // identity
	Glyph  Glyph
	Tone   Tone
	Status string
	Title  string
	Tags   string // "busy · two writers"
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
	case r.rank == rankAttention:
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

// tags are the reasons and facts of s in a word or two each. Those that the Status label already says are
// left out.
func tags(s *sessions.Session, l Lang) []string {
	var out []string
	for _, r := range s.Reasons {
		if m, ok := reasonTags[r]; ok {
			out = append(out, l.Text(m))
		}
	}
	for _, f := range s.AllFacts {
		if m, ok := factTags[f]; ok {
			out = append(out, l.Text(m))
		}
	}
	return out
}
