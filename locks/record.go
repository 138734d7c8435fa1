package locks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// knownVersion is the only version whose meaning is known. The discussion of the format does not
// state its value; 1 is assumed.
const knownVersion = 1

// maxMillis is the end of year 9999, the last moment that [time.RFC3339] can write.
const maxMillis = 253402300799999

// What a lock looks like that a crash or a power cut broke.
const (
	problemEmpty   = "empty"
	problemTorn    = "torn"
	problemNUL     = "contains NUL bytes"
	problemNotJSON = "not JSON"
)

const problemNoVersion = "no version"

// parse reads the content of a lock leniently: keys it does not know are ignored, a field of another
// shape is zero. The Problem says why the content as a whole cannot be relied on; the Record then
// still has what could be read, for people.
func parse(b []byte) (Record, string) {
	fields, problem := parseObject(b)
	if problem != "" {
		return Record{}, problem
	}
	r := Record{
		Version:      int(number(fields["version"])),
		Token:        text(fields["token"]),
		PID:          pid(fields["pid"]),
		Hostname:     text(fields["hostname"]),
		StartedAt:    moment(fields["startedAt"]),
		Client:       clientWords(fields["clientIdentity"]),
		BootID:       text(fields["bootId"]),
		ProcessStart: stamp(fields["processStart"]),
		PIDNamespace: text(fields["pidNamespace"]),
	}
	return r, versionProblem(fields["version"], r.Version)
}

func parseObject(b []byte) (map[string]json.RawMessage, string) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, problemEmpty
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, problemNUL
	}
	var fields map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&fields); err != nil {
		return nil, jsonProblem(err)
	}
	if fields == nil {
		return nil, "not a JSON object"
	}
	if len(bytes.TrimSpace(b[d.InputOffset():])) > 0 {
		return nil, "more than one JSON value"
	}
	return fields, ""
}

func jsonProblem(err error) string {
	var shape *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problemTorn
	case errors.As(err, &shape):
		return "not a JSON object"
	}
	return problemNotJSON
}

func versionProblem(raw json.RawMessage, version int) string {
	switch {
	case version == knownVersion:
		return ""
	case raw == nil:
		return problemNoVersion
	case version == 0:
		return "version is not a whole number"
	}
	return fmt.Sprintf("version %d is not known", version)
}

// text returns a JSON string, "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// number returns a whole JSON number that a float64 holds exactly, 0 for anything else.
func number(raw json.RawMessage) int64 {
	var v float64
	if json.Unmarshal(raw, &v) != nil || v != math.Trunc(v) || math.Abs(v) >= 1<<53 {
		return 0
	}
	return int64(v)
}

// pid returns a process id, 0 when it is none. A larger number would be cut to 32 bits by the kernel
// and name a process that the lock does not mean.
func pid(raw json.RawMessage) int {
	n := number(raw)
	if n <= 0 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}

// stamp returns a start stamp of ours. Windows stamps exceed 2^53, so digits are read, not a float.
func stamp(raw json.RawMessage) uint64 {
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// moment returns startedAt, which is epoch milliseconds; text is accepted as well.
func moment(raw json.RawMessage) time.Time {
	var ms float64
	if json.Unmarshal(raw, &ms) == nil {
		return fromMillis(ms)
	}
	s := text(raw)
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return fromMillis(float64(t.UnixMilli()))
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return fromMillis(float64(n))
	}
	return time.Time{}
}

func fromMillis(ms float64) time.Time {
	if !(ms > 0 && ms <= maxMillis) {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// clientWords turns clientIdentity into words. Its shape is not stated; client 2.1.0 knows an object
// of that name with productName and version.
func clientWords(raw json.RawMessage) string {
	var id map[string]json.RawMessage
	if json.Unmarshal(raw, &id) != nil {
		return text(raw)
	}
	return strings.TrimSpace(text(id["productName"]) + " " + text(id["version"]))
}
