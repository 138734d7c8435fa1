package vault

import "bytes"

// shape says what the beginning of a file looks like.
type shape uint8

const (
	plain  shape = iota // the first line is no fence: there is no frontmatter
	open                // a fence opens and none closes it
	fenced              // frontmatter between two fences
)

// parts says where the pieces of a note lie in its bytes. Only shape is set unless it is fenced.
type parts struct {
	shape   shape
	yaml    int // the first byte after the opening fence
	closing int // the first byte of the closing fence; the YAML ends here
	body    int // the first byte after the closing fence
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// split finds the pieces of a note by Kioku's rules (kioku.md section 6). b may be the beginning of a
// longer file; then eof is false, and a last line without an end is not yet believed to be a fence.
func split(b []byte, eof bool) parts {
	at := 0
	if bytes.HasPrefix(b, byteOrderMark) {
		at = len(byteOrderMark)
	}
	line, next := cutLine(b, at)
	if next == len(b) && !bytes.HasSuffix(line, []byte("\n")) || !isFence(line) {
		return parts{}
	}
	p := parts{shape: open, yaml: next}
	for at = next; at < len(b); at = next {
		line, next = cutLine(b, at)
		whole := eof || next < len(b) || line[len(line)-1] == '\n'
		if whole && isFence(line) {
			return parts{shape: fenced, yaml: p.yaml, closing: at, body: next}
		}
	}
	return p
}

// cutLine returns the line that begins at from, with its end, and where the next one begins.
func cutLine(b []byte, from int) (line []byte, next int) {
	if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
		return b[from : from+i+1], from + i + 1
	}
	return b[from:], len(b)
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r\n\v\f")) == 0
}

// lineEnd returns how the line ends: "\r\n", "\n", or "" for a last line without an end.
func lineEnd(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}

// mainLineEnd returns the line ending that most lines of the file have, "\n" when none has any.
func mainLineEnd(b []byte) string {
	if crlf := bytes.Count(b, []byte("\r\n")); 2*crlf > bytes.Count(b, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}
