package tray

import (
	"slices"
	"strings"
	"time"

	"berth/sessions"
)

// The menu is for a glance: about a dozen rows, those at the bottom included.
const (
	menuRowBudget = 10 // headings and Sessions
	sectionRows   = 3  // Sessions of one section, until there is room to spare
)

// MenuSpec is the whole menu of the icon as plain data.
type MenuSpec struct{ Rows []MenuRow }

// Equal reports whether both would look and act the same, so that nothing needs to be rebuilt.
func (m MenuSpec) Equal(o MenuSpec) bool { return slices.Equal(m.Rows, o.Rows) }

// MenuRow is one row. Two rows are the same when they are equal by value.
type MenuRow struct {
	Kind   RowKind
	Label  string // "" for a separator; underscores and ampersands are as in the title
	Intent Intent
}

// RowKind says how a MenuRow looks.
type RowKind uint8

// The kinds of row. A heading cannot be clicked.
const (
	RowHeading RowKind = iota
	RowSession
	RowCommand
	RowSeparator
)

// Intent is what the user wants when a row is clicked.
type Intent struct {
	Do   IntentKind
	Path string // of the Session, for DoShow and DoClose
}

// IntentKind is a kind of Intent.
type IntentKind uint8

// The kinds of Intent. DoClose opens the window on the Session with the question whether to close it.
const (
	DoNothing IntentKind = iota
	DoOpen
	DoShow
	DoClose
	DoQuit
)

// FirstMenu is the menu before anything is known; a View starts with it by itself.
func FirstMenu(l Lang) MenuSpec { return buildMenu(&survey{}, l, time.UTC) }

// buildMenu writes the menu of v; times in it are told in loc.
func buildMenu(v *survey, l Lang, loc *time.Location) MenuSpec {
	parts := []menuPart{
		{v.attention, MsgAttention, DoShow, 1},
		{v.occupied, MsgOccupied, DoShow, 1},
		{v.ambiguous, MsgAmbiguous, DoClose, 2}, // one alone says nothing
		{v.recent, MsgRecent, DoShow, 0},
	}
	var rows []MenuRow
	for i, n := range allot(parts) {
		if n > 0 {
			rows = append(rows, parts[i].rows(n, l, loc)...)
			rows = append(rows, MenuRow{Kind: RowSeparator})
		}
	}
	return MenuSpec{append(rows,
		MenuRow{RowCommand, l.Text(MsgOpenBerth), Intent{Do: DoOpen}},
		MenuRow{RowCommand, l.Text(MsgQuit), Intent{Do: DoQuit}})}
}

// menuPart is a section, its heading, and what a click on one of its rows does.
type menuPart struct {
	section
	heading Msg
	do      IntentKind
	least   int // rows; 0 for what takes only what is left
}

// allot shares out the rows. First come those that say something is the matter, each with its heading and the
// least that makes sense, then up to sectionRows of each; what is recent takes what is left.
func allot(parts []menuPart) []int {
	given := make([]int, len(parts))
	left := menuRowBudget
	give := func(i, rows int) {
		rows = min(rows, len(parts[i].first))
		cost := rows - given[i]
		if given[i] == 0 {
			cost++ // the heading
		}
		if rows > given[i] && cost <= left {
			given[i], left = rows, left-cost
		}
	}
	for i, p := range parts {
		give(i, p.least)
	}
	for rows := 2; rows <= menuSessions; rows++ {
		for i, p := range parts {
			if rows <= sectionRows || p.least == 0 {
				give(i, rows)
			}
		}
	}
	return given
}

func (p menuPart) rows(n int, l Lang, loc *time.Location) []MenuRow {
	heading := l.phrase(p.heading)
	if strings.Contains(heading, "%d") {
		heading = l.Text(p.heading, p.count)
	}
	rows := []MenuRow{{Kind: RowHeading, Label: heading}}
	for _, r := range p.first[:n] {
		rows = append(rows, MenuRow{RowSession, menuLabel(r, p.heading, l, loc), Intent{p.do, r.Path}})
	}
	return rows
}

// menuLabel is "● Fix login — Kimi, pid 3988": the shape of the Status, the title, and what one wants to know
// in that section.
func menuLabel(r ranked, heading Msg, l Lang, loc *time.Location) string {
	label := string(glyph(r.Session)) + " " + Truncate(title(r.Session), menuTitleColumns)
	if note := Truncate(menuNote(r, heading, l, loc), menuNoteColumns); note != "" {
		label += " — " + note
	}
	return label
}

func menuNote(r ranked, heading Msg, l Lang, loc *time.Location) string {
	switch heading {
	case MsgAttention:
		return l.Text(r.tag)
	case MsgOccupied:
		return holderName(r.Holder, l)
	case MsgAmbiguous:
		return strings.Join(nonEmpty(clientName(r.Session), place(r.Session), begun(r.Session, loc)), " · ")
	}
	return place(r.Session)
}

// begun says when s began, which tells apart what has the same title. It does not depend on the time of day, so
// that the menu stays equal.
func begun(s *sessions.Session, loc *time.Location) string {
	if s.CreatedAt.IsZero() {
		return ""
	}
	return s.CreatedAt.In(loc).Format("01-02 15:04")
}

func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}
