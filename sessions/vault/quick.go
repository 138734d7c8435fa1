package vault

import (
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxQuickKeys = 64  // bounds the search for keys that are there twice
	maxQuickKey  = 128 // letters; YAML allows no more than 1024
)

// quickFrontmatter reads the simple YAML that Kioku writes, many times faster than the parser: lines of a
// key and a value without structure, and block lists of such values. It returns false for everything
// else, a doubt included; then [parseFrontmatter] decides. Its result is for reading only: the nodes do
// not know their places. A fuzz test holds the two against each other.
func quickFrontmatter(b []byte) (*frontmatter, bool) {
	text := string(b)
	lines := strings.Count(text, "\n") + 1
	f := &frontmatter{fields: make([]field, 0, lines)}
	nodes := make([]yaml.Node, 0, 2*lines)
	node := func(kind yaml.Kind, value, tag string) *yaml.Node {
		nodes = append(nodes, yaml.Node{Kind: kind, Value: value, Tag: tag})
		return &nodes[len(nodes)-1]
	}
	var last *yaml.Node // the value of the key before, while it may still become a list
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if item, ok := strings.CutPrefix(line, "  - "); ok && last != nil {
			value, ok := quickScalar(item)
			if !ok || value == "" {
				return nil, false
			}
			last.Kind, last.Tag = yaml.SequenceNode, "!!seq"
			last.Content = append(last.Content, node(yaml.ScalarNode, value, "!!str"))
			continue
		}
		key, rest, ok := quickKey(line)
		if !ok || len(f.fields) == maxQuickKeys || f.has(key) {
			return nil, false
		}
		value, ok := quickScalar(rest)
		if !ok {
			return nil, false
		}
		tag := "!!str"
		if last = nil; rest == "" {
			tag = "!!null"
		}
		fd := field{node(yaml.ScalarNode, key, "!!str"), node(yaml.ScalarNode, value, tag)}
		if rest == "" {
			last = fd.value
		}
		f.fields = append(f.fields, fd)
	}
	return f, true
}

func (f *frontmatter) has(key string) bool {
	for _, fd := range f.fields {
		if fd.key.Value == key {
			return true
		}
	}
	return false
}

// quickKey cuts a key of letters, digits and underscores, and the blank behind its colon.
func quickKey(line string) (key, rest string, ok bool) {
	n := 0
	for n < len(line) && (isLetter(line[n]) || n > 0 && isDigit(line[n]) || line[n] == '_') {
		n++
	}
	switch {
	case n == 0 || n > maxQuickKey || n == len(line) || line[n] != ':':
		return "", "", false
	case n+1 == len(line):
		return line[:n], "", true
	}
	rest, ok = strings.CutPrefix(line[n+1:], " ")
	return line[:n], rest, ok && rest != ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// quickScalar reads a value of printable ASCII: quoted without the quote or a backslash in it, or plain,
// beginning with a letter or digit, without anything that could end it or make it null.
func quickScalar(s string) (string, bool) {
	if s == "" {
		return "", true
	}
	if q := s[0]; q == '"' || q == '\'' {
		inner := s[1:]
		end := strings.IndexByte(inner, q)
		return inner[:max(end, 0)], end == len(inner)-1 && end > 0 && quickChars(inner[:end], "\\")
	}
	if !isLetter(s[0]) && !isDigit(s[0]) || strings.EqualFold(s, "null") || s[len(s)-1] == ' ' {
		return "", false
	}
	for i := 1; i < len(s); i++ {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ') || s[i] == '#' && s[i-1] == ' ' {
			return "", false
		}
	}
	return s, quickChars(s, "")
}

func quickChars(s, not string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || strings.IndexByte(not, s[i]) >= 0 {
			return false
		}
	}
	return true
}

// readFrontmatter is the quick way or the thorough one.
func readFrontmatter(b []byte) (*frontmatter, error) {
	if f, ok := quickFrontmatter(b); ok {
		return f, nil
	}
	return parseFrontmatter(b)
}
