// Package rawjson walks over JSON text without decoding it: it checks the grammar and hands out the raw
// bytes of the members of one object. It exists because a reader of journals looks at three members of a
// record and wants to know of the rest only whether it is whole.
//
// It accepts what encoding/json accepts, but for values nested deeper than 512. The results are slices of
// the input; nothing is copied.
package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds the recursion on hostile input. Real records are nested less than 20 deep.
const maxDepth = 512

// bad is the position that stands for "this is not JSON".
const bad = -1

// Object reads the object at the beginning of b, after white space, and calls visit with the raw bytes of
// each member: key without its quotes and with its escapes as they are, value without white space around it.
// It returns what follows the object; ok is false, and rest meaningless, when b does not begin with a whole
// object. Members that come before the fault have been visited by then. visit may be nil.
func Object(b []byte, visit func(key, value []byte)) (rest []byte, ok bool) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, false
	}
	if i = object(b, i, 0, visit); i == bad {
		return nil, false
	}
	return b[i:], true
}

// Elements reads b, which must hold one array and nothing else, and calls visit with the raw bytes of each
// element until visit returns false.
func Elements(b []byte, visit func(value []byte) bool) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return
	}
	for i = space(b, i+1); i < len(b) && b[i] != ']'; i = space(b, i) {
		start := i
		if i = value(b, i, 1); i == bad || !visit(b[start:i]) {
			return
		}
		if i = space(b, i); i < len(b) && b[i] == ',' {
			i++
		}
	}
}

// Blank reports whether b holds white space only.
func Blank(b []byte) bool { return space(b, 0) == len(b) }

// space returns the position of the first byte at or after i that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// value returns the position after the value that begins at b[i].
func value(b []byte, i, depth int) int {
	if i >= len(b) {
		return bad
	}
	switch c := b[i]; c {
	case '"':
		return text(b, i)
	case '{':
		return object(b, i, depth, nil)
	case '[':
		return array(b, i, depth)
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	default:
		return number(b, i)
	}
}

func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) || string(b[i:i+len(w)]) != w {
		return bad
	}
	return i + len(w)
}

func object(b []byte, i, depth int, visit func(key, value []byte)) int {
	if depth >= maxDepth {
		return bad
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key := i
		if i >= len(b) || b[i] != '"' {
			return bad
		}
		if i = text(b, i); i == bad {
			return bad
		}
		keyEnd := i
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return bad
		}
		start := space(b, i+1)
		if i = value(b, start, depth+1); i == bad {
			return bad
		}
		if visit != nil {
			visit(b[key+1:keyEnd-1], b[start:i])
		}
		var more bool
		if i, more = next(b, i, '}'); !more {
			return i
		}
	}
}

func array(b []byte, i, depth int) int {
	if depth >= maxDepth {
		return bad
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = value(b, i, depth+1); i == bad {
			return bad
		}
		var more bool
		if i, more = next(b, i, ']'); !more {
			return i
		}
	}
}

// next steps over the comma after a member, or over the closing bracket, or says bad.
func next(b []byte, i int, closing byte) (_ int, more bool) {
	i = space(b, i)
	if i >= len(b) {
		return bad, false
	}
	switch b[i] {
	case ',':
		return space(b, i+1), true
	case closing:
		return i + 1, false
	}
	return bad, false
}

// text returns the position after the string whose opening quote is b[i]. It looks at eight bytes at a time:
// journals consist of strings for the most part.
func text(b []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i++
	for i < len(b) {
		if i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			// The lowest high bit that is set marks the first quote, backslash or control
			// character; those above it may be set wrongly by the borrow.
			hit := ((w - ones*' ') &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
			if hit &= highs; hit == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(hit) / 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escape(b, i+1); i == bad {
				return bad
			}
		case c < ' ':
			return bad
		default:
			i++ // among the last seven bytes of b
		}
	}
	return bad
}

// escape returns the position after the escape whose backslash is before b[i].
func escape(b []byte, i int) int {
	if i >= len(b) {
		return bad
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if len(b)-i < 5 {
			return bad
		}
		for _, c := range b[i+1 : i+5] {
			if !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return bad
			}
		}
		return i + 5
	}
	return bad
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func digits(b []byte, i int) int {
	for i < len(b) && digit(b[i]) {
		i++
	}
	return i
}

// number returns the position after the number that begins at b[i].
func number(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || !digit(b[i]):
		return bad
	case b[i] == '0':
		i++
	default:
		i = digits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		start := i + 1
		if i = digits(b, start); i == start {
			return bad
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start := i
		if i = digits(b, start); i == start {
			return bad
		}
	}
	return i
}
