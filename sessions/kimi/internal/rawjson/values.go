package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// String returns the text of a raw string value, "" for anything else. The result shares no memory with v.
func String(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v[1 : len(v)-1])
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// Prefix is String, but decodes no more than about max bytes of a long string; more reports that there is
// more of it.
func Prefix(v []byte, max int) (s string, more bool) {
	if len(v) <= max+2 || v[0] != '"' {
		return String(v), false
	}
	cut := v[:1+max]
	// The cut may go through an escape; a pair of surrogates has twelve bytes.
	if i := bytes.LastIndexByte(cut, '\\'); i > 0 && i > len(cut)-12 {
		for i > 0 && cut[i-1] == '\\' {
			i--
		}
		cut = cut[:i]
	}
	s = String(append(bytes.Clone(cut), '"'))
	return strings.TrimRight(s, "\uFFFD"), true
}

// Is reports whether v is the string s.
func Is(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// Int returns a whole number, also one written as a string of digits, as the other tool does in some places.
func Int(v []byte) (int, bool) {
	if n, ok := whole(v); ok {
		return int(n), true
	}
	if len(v) > 2 && v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	n, err := strconv.Atoi(string(v))
	return n, err == nil
}

// Time returns a moment given in epoch milliseconds or as an ISO 8601 string, and the zero time for anything
// else and for moments outside of the years 1970 to 9999.
func Time(v []byte) time.Time {
	if len(v) > 0 && v[0] == '"' {
		t, err := time.Parse(time.RFC3339Nano, String(v))
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	const year9999 = 253402300799000
	ms, ok := whole(v)
	if !ok {
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil || !(f < year9999) {
			return time.Time{}
		}
		ms = int64(f)
	}
	if ms <= 0 || ms > year9999 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// whole returns the number that v is the digits of. Every record has a time, and this is ten times as fast as the
// general way.
func whole(v []byte) (n int64, ok bool) {
	if len(v) == 0 || len(v) > 18 {
		return 0, false
	}
	for _, c := range v {
		if !digit(c) {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// True reports whether v is the literal true.
func True(v []byte) bool { return string(v) == "true" }
