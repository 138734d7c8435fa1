package vault

import (
	"strings"
	"time"
)

// stampLayout is .NET's round-trip format in UTC, which Kioku writes: always seven digits and Z.
const stampLayout = "2006-01-02T15:04:05.0000000Z"

// formatTime returns t as Kioku writes it.
func formatTime(t time.Time) string { return t.UTC().Format(stampLayout) }

// tick is the resolution of a .NET time, and so of what we write.
const tick = 100 * time.Nanosecond

// dates and clocks are the forms that .NET's invariant culture reads and people write, in Go's notation.
// Fractions of a second need no form of their own.
var (
	dates  = []string{"2006-1-2", "2006/1/2", "1/2/2006", "2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "Mon, 2 Jan 2006", "20060102"}
	clocks = []string{"", "15:04:05", "15:04", "3:04:05 PM", "3:04 PM"}
	zones  = []string{"", "Z07:00", " Z07:00", "Z0700", " -0700", " MST"}
)

// layouts are all combinations, the usual ones first.
var layouts = func() []string {
	var all []string
	for _, d := range dates {
		for _, c := range clocks {
			for _, z := range zones {
				if c != "" {
					all = append(all, d+" "+c+z)
				} else if z == "" {
					all = append(all, d)
				}
			}
		}
	}
	return all
}()

// parseTime reads a time as leniently as Kioku does (kioku.md section 1.6): no offset means UTC.
func parseTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UTC(), true
	}
	if len(s) > 64 {
		return time.Time{}, false
	}
	s = spaced(s)
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && knownZone(t) {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// spaced replaces the T between date and time by a blank, so that one set of layouts does for both.
func spaced(s string) string {
	for i := 1; i+1 < len(s); i++ {
		if (s[i] == 'T' || s[i] == 't') && isDigit(s[i-1]) && isDigit(s[i+1]) {
			s = s[:i] + " " + s[i+1:]
			break
		}
	}
	return strings.TrimSuffix(strings.ToUpper(s), " ")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// knownZone rejects a zone name that Go does not know and would take for UTC.
func knownZone(t time.Time) bool {
	name, offset := t.Zone()
	return offset != 0 || name == "UTC" || name == "GMT" || name == ""
}
