package kimi

import (
	"bytes"
	"encoding/json"
	"strings"

	"berth/sessions/kimi/internal/rawjson"
)

// member is one member of a JSON object, by its places in the text.
type member struct {
	key        string
	start      int // of the key, at its quote
	value, end int // of the value
}

// membersOf returns the members of b, which must hold one object and nothing else.
func membersOf(b []byte) ([]member, bool) {
	// The parts that rawjson hands out are slices of b, so their capacities tell where they begin.
	at := func(part []byte) int { return cap(b) - cap(part) }
	var ms []member
	rest, ok := rawjson.Object(b, func(key, value []byte) {
		start := at(key) - 1
		end := start + len(key) + 2
		ms = append(ms, member{rawjson.String(b[start:end]), start, at(value), at(value) + len(value)})
	})
	return ms, ok && rawjson.Blank(rest)
}

// find returns the position of the last member of this name, which is the one that counts, or -1.
func find(ms []member, key string) int {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].key == key {
			return i
		}
	}
	return -1
}

// change is a member to be set, or to be taken out when its value is nil.
type change struct {
	key   string
	value json.RawMessage
}

// splice makes the changes in the object b, in its own style, and leaves every other byte as it is. A member that is
// not there yet comes last. b must hold one object and nothing else, or the answer is false.
func splice(b []byte, changes []change) ([]byte, bool) {
	for _, c := range changes {
		ms, ok := membersOf(b)
		if !ok {
			return nil, false
		}
		switch i := find(ms, c.key); {
		case c.value == nil:
			b = without(b, ms, c.key)
		case i >= 0:
			b = replaced(b, ms[i].value, ms[i].end, string(c.value))
		default:
			b = added(b, ms, c)
		}
	}
	return b, true
}

// replaced returns a copy of b with text in the place of b[from:to].
func replaced(b []byte, from, to int, text string) []byte {
	return bytes.Join([][]byte{b[:from], []byte(text), b[to:]}, nil)
}

// without takes out every member of this name, each with one of the commas beside it.
func without(b []byte, ms []member, key string) []byte {
	i := find(ms, key)
	if i < 0 {
		return b
	}
	from, to := ms[i].start, ms[i].end
	switch {
	case i+1 < len(ms):
		to = ms[i+1].start
	case i > 0:
		from = ms[i-1].end
	}
	b = replaced(b, from, to, "")
	ms, _ = membersOf(b)
	return without(b, ms, key)
}

// added puts a member behind the last one, spaced like the first.
func added(b []byte, ms []member, c change) []byte {
	open := bytes.IndexByte(b, '{') + 1
	if len(ms) == 0 {
		return replaced(b, open, open, jsonText(c.key)+":"+string(c.value))
	}
	first, last := ms[0], ms[len(ms)-1]
	colon := string(b[first.start:first.value])
	colon = colon[strings.LastIndexByte(colon, '"')+1:]
	return replaced(b, last.end, last.end, ","+string(b[open:first.start])+jsonText(c.key)+colon+string(c.value))
}

// jsonText writes s as the client does, without escapes for HTML.
func jsonText(s string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string is never refused
	return strings.TrimSuffix(out.String(), "\n")
}

// sameBut reports whether two objects have the same members, in the same order and byte for byte, but for those that
// changes are about.
func sameBut(a, b []byte, changes []change) bool {
	rest := func(b []byte) (kept [][2]string, ok bool) {
		ms, ok := membersOf(b)
		for _, m := range ms {
			if !about(changes, m.key) {
				kept = append(kept, [2]string{m.key, string(b[m.value:m.end])})
			}
		}
		return kept, ok
	}
	was, ok1 := rest(a)
	is, ok2 := rest(b)
	if !ok1 || !ok2 || len(was) != len(is) {
		return false
	}
	for i := range was {
		if was[i] != is[i] {
			return false
		}
	}
	return true
}

func about(changes []change, key string) bool {
	for _, c := range changes {
		if c.key == key {
			return true
		}
	}
	return false
}
