package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var (
	errNotMapping = errors.New("the frontmatter is not a list of keys")
	errSeveral    = errors.New("the frontmatter holds several YAML documents")
)

// frontmatter is the root mapping of a note's YAML, as nodes that know where they came from.
type frontmatter struct {
	fields []field
	root   *yaml.Node // nil when there is no YAML at all
}

// field is one key with a plain name. Both nodes belong to the parser and are not to be changed.
type field struct {
	key, value *yaml.Node
}

// parseFrontmatter reads the bytes between the fences. It fails where Kioku would see no metadata: on
// bad syntax, a root that is no mapping, several documents, and a key that is there twice, at any depth.
func parseFrontmatter(b []byte) (f *frontmatter, err error) {
	// The parser is not ours and its input is not either; a fault of it may spoil one note only.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("the YAML parser gave up: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err == io.EOF {
		return &frontmatter{}, nil
	} else if err != nil {
		return nil, inFile(err)
	}
	if err := dec.Decode(&second); err == nil {
		return nil, errSeveral
	} else if err != io.EOF {
		return nil, inFile(err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	if err := checkUnique(root); err != nil {
		return nil, err
	}
	return newFrontmatter(root), nil
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+)`)

// inFile makes the parser's error count lines from the top of the file, where the fence is the first.
func inFile(err error) error {
	text := yamlLine.ReplaceAllStringFunc(err.Error(), func(s string) string {
		n, _ := strconv.Atoi(s[len("yaml: line "):])
		return fmt.Sprintf("line %d", n+1)
	})
	return errors.New(text)
}

func newFrontmatter(root *yaml.Node) *frontmatter {
	f := &frontmatter{root: root}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Kind == yaml.ScalarNode {
			f.fields = append(f.fields, field{root.Content[i], root.Content[i+1]})
		}
	}
	return f
}

// checkUnique fails on a key that a mapping at or below n has twice, in the same spelling.
func checkUnique(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind == yaml.ScalarNode && seen[k.Value] {
				return fmt.Errorf("the key %q is there twice, again in line %d", k.Value, k.Line+1)
			}
			seen[k.Value] = seen[k.Value] || k.Kind == yaml.ScalarNode
		}
	}
	for _, c := range n.Content {
		if err := checkUnique(c); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first key that has one of the names, without regard to case. So Kioku reads type,
// status and dates, and so it finds the key to write.
func (f *frontmatter) first(names ...string) (field, bool) {
	for _, fd := range f.fields {
		for _, name := range names {
			if strings.EqualFold(fd.key.Value, name) {
				return fd, true
			}
		}
	}
	return field{}, false
}

// last returns the last key of that name. So Kioku reads all other keys.
func (f *frontmatter) last(name string) (field, bool) {
	for i := len(f.fields) - 1; i >= 0; i-- {
		if strings.EqualFold(f.fields[i].key.Value, name) {
			return f.fields[i], true
		}
	}
	return field{}, false
}

// scalar returns the text of a plain or quoted value; false for lists, mappings and null.
func scalar(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", false
	}
	return n.Value, true
}

// asWritten returns a value for people: a scalar's text, a list or mapping in flow style. depth bounds
// what hostile nesting can cost.
func asWritten(n *yaml.Node, depth int) string {
	switch {
	case n.Kind == yaml.ScalarNode:
		return n.Value
	case n.Kind == yaml.AliasNode:
		return "*" + n.Value
	case depth == 0:
		return "…"
	}
	var parts []string
	for i := 0; i < min(len(n.Content), 8); i++ {
		text := asWritten(n.Content[i], depth-1)
		if n.Kind == yaml.MappingNode && i+1 < len(n.Content) {
			i++
			text += ": " + asWritten(n.Content[i], depth-1)
		}
		parts = append(parts, text)
	}
	if n.Kind == yaml.MappingNode {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
