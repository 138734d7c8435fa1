package kimi

import (
	"strings"
	"unicode"
)

// maxTitle is how many characters of a title are kept, as the client does; maxTitleBytes is how much of a
// text is looked at for it.
const (
	maxTitle      = 200
	maxTitleBytes = 1024
)

// cleanTitle returns the first line of s that is not blank, without control characters, on one line.
func cleanTitle(s string) string {
	for line := range strings.Lines(s) {
		words := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
		if len(words) > 0 {
			return clip(strings.Join(words, " "), maxTitle)
		}
	}
	return ""
}

// clip returns the first n characters of s.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.Clone(s[:i])
		}
		n--
	}
	return s
}

// baseName returns the last element of a folder's path, in the notation of either kind of system: homes are
// copied between machines.
func baseName(dir string) string {
	dir = strings.TrimRight(dir, "/")
	if windowsPath(dir) {
		dir = strings.TrimRight(dir, `/\`)
		return dir[strings.LastIndexAny(dir, `/\:`)+1:]
	}
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

// windowsPath reports whether dir begins with a drive letter or is a network path.
func windowsPath(dir string) bool {
	drive := len(dir) >= 2 && dir[1] == ':' && (dir[0]|0x20 >= 'a' && dir[0]|0x20 <= 'z')
	return drive || strings.HasPrefix(dir, `\\`)
}
