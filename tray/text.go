package tray

import (
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// Widths in columns: a Latin letter takes one, a Chinese character or an emoji two.
const (
	menuTitleColumns = 36
	menuNoteColumns  = 34
	nameColumns      = 48 // a title inside a sentence
)

// columns measures as most proportional fonts draw; it does not depend on the user's locale as the
// package's own default does, so equal input gives equal menus everywhere.
var columns = &runewidth.Condition{StrictEmojiNeutral: true}

// Truncate shortens s to at most width columns, with "…" in place of what was cut. It never cuts inside
// what the reader sees as one character.
func Truncate(s string, width int) string {
	return columns.Truncate(s, width, "…")
}

// Clean makes a title safe to show on one line: control characters and those that change the direction of
// text are gone, runs of white space are one space. Joiners inside emoji stay.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}

// plain reports whether s needs no cleaning; it spares the common title an allocation.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// visible maps what moves the cursor to a space and drops what is never drawn but misleads: overrides of
// direction (a title could show "exe.txt" for "txt.exe") and byte order marks.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' '
	case unicode.Is(directional, r), r == '\ufeff':
		return -1
	}
	return r
}

// directional are the characters that change the direction of the text around them (Unicode TR 9).
var directional = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x061c, Hi: 0x061c, Stride: 1},
	{Lo: 0x200e, Hi: 0x200f, Stride: 1},
	{Lo: 0x202a, Hi: 0x202e, Stride: 1},
	{Lo: 0x2066, Hi: 0x2069, Stride: 1},
}}
