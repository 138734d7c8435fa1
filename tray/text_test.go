package tray

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Fix login", "Fix login"},
		{"empty", "", ""},
		{"several lines", "first\nsecond\r\nthird", "first second third"},
		{"runs of space", "  a \t b  ", "a b"},
		{"escape sequences cannot act", "\x1b[31mred\x07", "[31mred"},
		{"NUL (bug B07)", "a\x00b", "a b"},
		{"direction override", "txt.\u202eexe", "txt.exe"},
		{"isolates and marks", "\u2066a\u2069\u200fb", "ab"},
		{"byte order mark", "\ufefftitle", "title"},
		{"C1 control", "a\u0085b\u009bc", "a b c"},
		{"line separator", "a\u2028b", "a b"},
		{"Chinese stays", "修复登录", "修复登录"},
		{"joined emoji stay", "👩\u200d💻 work", "👩\u200d💻 work"},
		{"underscores are text", "my_proj_x", "my_proj_x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		width int
		want  string
	}{
		{"fits", "short", 10, "short"},
		{"fits exactly", "0123456789", 10, "0123456789"},
		{"one too long", "0123456789a", 10, "012345678…"},
		{"Chinese takes two columns each", "支持自定义登录", 8, "支持自…"},
		{"no half of a wide character", "支持自定义登录", 9, "支持自定…"},
		{"an emoji of several code points is one", "👩\u200d💻👩\u200d💻👩\u200d💻", 5, "👩\u200d💻👩\u200d💻…"},
		{"accents written apart stay with their letter", "e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Truncate(tt.in, tt.width); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Titles are bytes that anybody may have written.
func FuzzTitles(f *testing.F) {
	for _, s := range []string{"", "Fix login", "支持\u202e自定义\x00", "\xff\xfe", "👩\u200d💻", "a\u0301\n"} {
		f.Add(s, 12)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + max(width, -width)%80
		clean := Clean(s)
		if Clean(clean) != clean {
			t.Errorf("cleaning %q twice gives %q", clean, Clean(clean))
		}
		if strings.ContainsAny(clean, "\x00\n\r\t\x1b\u202e\u2028") {
			t.Errorf("%q is left in a title", clean)
		}
		short := Truncate(clean, width)
		if w := columns.StringWidth(short); w > width && utf8.ValidString(s) {
			t.Errorf("%q takes %d columns of %d", short, w, width)
		}
	})
}
