package vault

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// splice replaces del bytes at an offset.
type splice struct {
	at, del int
	ins     string
}

// applySplices returns raw with the splices done. They must not overlap and come in order.
func applySplices(raw []byte, ss []splice) []byte {
	var out []byte
	from := 0
	for _, s := range ss {
		out = append(append(out, raw[from:s.at]...), s.ins...)
		from = s.at + s.del
	}
	return append(out, raw[from:]...)
}

// quote is how a scalar is written: "", "'" or `"`.
type quote string

func (q quote) wrap(text string) string { return string(q) + text + string(q) }

func quoteOf(n *yaml.Node) quote {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		return "'"
	}
	return ""
}

// errForm is a key or value in a form in which we cannot say which bytes to change.
var errForm = errors.New("is written in a form that cannot be changed safely")

// frontEdit collects changes to a note's frontmatter.
type frontEdit struct {
	n        *note
	splices  []splice
	changed  map[*yaml.Node]string // by key node, the new text
	appended [][2]string           // key and text of new keys at the end
	lines    string
}

// set gives a key a new text: in place when one of its names is there, else as a new key of the first
// name at the end. A value keeps its quotes; q is for a new one. text must be safe in every quoting.
func (e *frontEdit) set(q quote, text string, names ...string) error {
	fd, ok := e.n.front.first(names...)
	if !ok {
		return e.append(q, text, names[0])
	}
	at, err := e.n.locate(fd)
	if err != nil {
		return err
	}
	if fd.value.ShortTag() != "!!null" {
		q = quoteOf(fd.value)
	}
	at.ins += q.wrap(text)
	e.splices = append(e.splices, at)
	e.changed[fd.key] = text
	return nil
}

func (e *frontEdit) append(q quote, text, name string) error {
	root := e.n.front.root
	if root.Style&yaml.FlowStyle != 0 {
		return fmt.Errorf("the frontmatter %w: it is one {…}", errForm)
	}
	e.lines += strings.Repeat(" ", root.Content[0].Column-1) + name + ": " + q.wrap(text) + e.n.frontLineEnd()
	e.appended = append(e.appended, [2]string{name, text})
	return nil
}

// done returns the splices in order, new keys last.
func (e *frontEdit) done() []splice {
	all := slices.SortedFunc(slices.Values(e.splices), func(a, b splice) int { return a.at - b.at })
	if e.lines != "" {
		all = append(all, splice{at: e.n.closing, ins: e.lines})
	}
	return all
}

// frontLineEnd is the line ending of the line before the closing fence.
func (n *note) frontLineEnd() string {
	from := bytes.LastIndexByte(n.raw[:n.closing-1], '\n') + 1
	return lineEnd(n.raw[from:n.closing])
}

// locate returns the bytes of a field's value. Only a single-line scalar behind its key will do; a key
// without a value gets one, with a blank before it.
func (n *note) locate(fd field) (splice, error) {
	bad := fmt.Errorf("%s in line %d %w", fd.key.Value, fd.key.Line+1, errForm)
	start := lineStart(n.raw[n.yaml:n.closing], fd.key.Line)
	line, _ := cutLine(n.raw[:n.closing], n.yaml+start)
	line = bytes.TrimRight(line, "\r\n")
	at := fd.key.Column - 1
	if at > len(line) || len(bytes.TrimLeft(line[:at], " ")) > 0 {
		return splice{}, bad
	}
	key := tokenLen(line[at:], fd.key)
	colon := bytes.IndexByte(line[at+key:], ':')
	if key == 0 || colon < 0 || len(bytes.TrimSpace(line[at+key:at+key+colon])) > 0 {
		return splice{}, bad
	}
	at += key + colon + 1
	value := bytes.TrimLeft(line[at:], " \t")
	s := splice{at: n.yaml + start + at, ins: " "}
	if fd.value.Kind == yaml.ScalarNode && fd.value.Value != "" || quoteOf(fd.value) != "" {
		s.at, s.del, s.ins = s.at+len(line[at:])-len(value), tokenLen(value, fd.value), ""
		if s.del == 0 {
			return splice{}, bad
		}
	}
	if !endsLine(line[s.at+s.del-n.yaml-start:]) || fd.value.Kind != yaml.ScalarNode || fd.value.Anchor != "" {
		return splice{}, bad
	}
	return s, nil
}

// lineStart returns the offset of the line with that number, from 1, counting lines as YAML does: CR and
// the Unicode line separators end one too.
func lineStart(b []byte, line int) int {
	at := 0
	for ; line > 1 && at < len(b); at++ {
		switch {
		case b[at] == '\n', b[at] == '\r' && !bytes.HasPrefix(b[at:], []byte("\r\n")):
			line--
		case bytes.HasPrefix(b[at:], []byte("\u0085")):
			at, line = at+1, line-1
		case bytes.HasPrefix(b[at:], []byte("\u2028")), bytes.HasPrefix(b[at:], []byte("\u2029")):
			at, line = at+2, line-1
		}
	}
	return at
}

// tokenLen returns how many bytes of b the scalar n takes, 0 when it is not written there on one line.
func tokenLen(b []byte, n *yaml.Node) int {
	switch n.Style {
	case 0:
		if bytes.HasPrefix(b, []byte(n.Value)) {
			return len(n.Value)
		}
	case yaml.DoubleQuotedStyle:
		return quotedLen(b, '"', '\\')
	case yaml.SingleQuotedStyle:
		return quotedLen(b, '\'', '\'')
	}
	return 0
}

// quotedLen returns the length of a quoted scalar with its quotes. escape makes the next byte literal;
// in single quotes it is the quote itself, when another follows.
func quotedLen(b []byte, mark, escape byte) int {
	if len(b) == 0 || b[0] != mark {
		return 0
	}
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == escape && escape != mark, b[i] == mark && escape == mark && i+1 < len(b) && b[i+1] == mark:
			i++
		case b[i] == mark:
			return i + 1
		}
	}
	return 0
}

// endsLine reports whether only blanks and a comment follow a value.
func endsLine(rest []byte) bool {
	text := bytes.TrimLeft(rest, " \t")
	return len(text) == 0 || text[0] == '#' && len(text) < len(rest)
}

// verify parses the changed note again (bug B110): the keys of the edit have their new text, all others
// are what they were, and the frontmatter ends where it should.
func (e *frontEdit) verify(after []byte) error {
	grown := 0
	for _, s := range e.done() {
		grown += len(s.ins) - s.del
	}
	p := split(after, true)
	if p.shape != fenced || p.closing != e.n.closing+grown {
		return errors.New("the change would move the end of the frontmatter")
	}
	f, err := parseFrontmatter(after[p.yaml:p.closing])
	if err != nil {
		return fmt.Errorf("the change would break the frontmatter: %w", err)
	}
	return e.compare(f.root.Content)
}

func (e *frontEdit) compare(got []*yaml.Node) error {
	was := e.n.front.root.Content
	if len(got) != len(was)+2*len(e.appended) {
		return errors.New("the change would add or swallow keys")
	}
	for i := 0; i < len(was); i += 2 {
		text, ours := e.changed[was[i]]
		same := sameNode(was[i], got[i]) && (ours || sameNode(was[i+1], got[i+1]))
		if !same || ours && got[i+1].Value != text {
			return fmt.Errorf("the change would alter the key %q", was[i].Value)
		}
	}
	for i, kv := range e.appended {
		at := len(was) + 2*i
		if got[at].Value != kv[0] || got[at+1].Value != kv[1] {
			return fmt.Errorf("the change would not set %s", kv[0])
		}
	}
	return nil
}

// sameNode reports whether two nodes mean the same and are written in the same style.
func sameNode(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Style == b.Style && a.Tag == b.Tag && a.Value == b.Value && a.Anchor == b.Anchor &&
		slices.EqualFunc(a.Content, b.Content, sameNode)
}
