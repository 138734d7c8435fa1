package kimi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"berth/sessions"
)

// seeds adds every real file of this name in testdata, and its halves.
func seeds(f *testing.F, pattern string) {
	paths, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds like %s: %v", pattern, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint(len(b)/2))
	}
}

// scanned is everything that a journal can tell.
type scanned struct {
	open, waiting, tasks int
	reason, twoWriters   string
	prompt               string
	newest               time.Time
	damaged              int
	compacting           bool
}

func outcomeOf(j *journal) scanned {
	return scanned{len(j.turns), len(j.waiting), len(j.tasks), j.reason, j.twoWriters, j.prompt, j.newest, j.damaged, j.compacting}
}

// FuzzWire: no input panics; a journal read in two parts tells what it tells in one; a prefix of it has a prefix of its
// problems; what is kept is bounded by what was read.
func FuzzWire(f *testing.F) {
	seeds(f, "kimi-home-*/sessions/*/*/agents/main/wire.jsonl")
	f.Add([]byte("{\"type\":\"task.started\",\"out\":\"ab{\"type\":\"x\"}\n\x00\x00\n{}{}\n"), uint(20))
	written := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := written.Add(time.Hour)
	f.Fuzz(func(t *testing.T, b []byte, cut uint) {
		read := func(b []byte) *journal {
			j, err := readJournal(bytes.NewReader(b), wireName, int64(len(b)), written, now, make([]byte, 2*windowBytes))
			if err != nil {
				t.Fatal(err)
			}
			j.running(time.Time{}, now)
			if lines := bytes.Count(b, []byte("\n")); len(j.turns)+len(j.waiting)+len(j.tasks)+len(j.prompted) > len(b)/2 || lines > 0 && len(j.problems) > maxProblems {
				t.Fatalf("%d bytes keep %+v", len(b), outcomeOf(j))
			}
			return j
		}
		whole := read(b)
		read(append(append(bytes.Clone(b), bytes.Repeat([]byte("x"), 2*windowBytes)...), b...))
		if len(b) > 2*windowBytes || len(b) == 0 {
			return
		}
		at := bytes.LastIndexByte(b[:cut%uint(len(b))], '\n') + 1
		parts := &journal{name: wireName, fold: fold{legacy: true}}
		parts.scan(segment{b: b[:at], line: 1}, &parts.fold, written, now)
		head := slices.Clone(parts.problems)
		parts.scan(segment{b: b[at:], offset: int64(at), line: 1 + bytes.Count(b[:at], []byte("\n")), last: true}, &parts.fold, written, now)
		if got, want := outcomeOf(parts), outcomeOf(whole); got != want {
			t.Fatalf("in two parts %+v, in one %+v", got, want)
		}
		if prefix := read(b[:at]); !slices.Equal(prefix.problems, head) || !slices.Equal(head, whole.problems[:len(head)]) {
			t.Fatalf("problems of a prefix %q, of the whole %q", prefix.problems, whole.problems)
		}
	})
}

// FuzzState: no input panics; what encoding/json takes for an object is read, anything else is an error; what is kept
// is clean and bounded.
func FuzzState(f *testing.F) {
	seeds(f, "kimi-home-*/sessions/*/*/state.json")
	f.Add([]byte(`{"title":"a\u0000\u001b[2J\nb","agents":{"x":7},"createdAt":1e400,"custom":[]}`), uint(3))
	f.Fuzz(func(t *testing.T, b []byte, cut uint) {
		for _, b := range [][]byte{b, b[:min(int(cut%1024), len(b))]} {
			s, err := parseState(b)
			var m map[string]json.RawMessage
			if valid := json.Unmarshal(b, &m) == nil && m != nil; valid != (err == nil) && !bytes.Contains(b, bytes.Repeat([]byte("["), 100)) {
				t.Fatalf("encoding/json: %v, here: %v", valid, err)
			}
			if err != nil {
				continue
			}
			for _, text := range []string{s.title, s.customTitle, s.prompt} {
				if utf8.RuneCountInString(text) > maxTitle || strings.ContainsFunc(text, unicode.IsControl) {
					t.Fatalf("title %q", text)
				}
			}
			if len(s.agents) > min(s.agentCount, sessions.MaxAgents) {
				t.Fatalf("%d agents of %d", len(s.agents), s.agentCount)
			}
		}
	})
}

// FuzzIndex: no input panics; a file that is read as it grows gives what it gives when it is read at once; no entry
// leads out of the home.
func FuzzIndex(f *testing.F) {
	seeds(f, "kimi-home-*/session_index.jsonl")
	f.Add([]byte(`{"sessionId":"a","sessionDir":"/h/sessions/b/a"}{"sessionId":"b","deleted":true}`+"\n{"), uint(60))
	f.Fuzz(func(t *testing.T, b []byte, cut uint) {
		if len(b) > maxIndexLine || len(b) == 0 {
			return
		}
		fresh := func() *indexLog {
			return &indexLog{name: indexName, sessions: []string{"/home/dev/.kimi-code/sessions"}, entries: map[string]indexEntry{}}
		}
		read := func(l *indexLog, b []byte) {
			err := l.read(bytes.NewReader(b), func(id string, e indexEntry) { l.entries[id] = e })
			if err != nil || l.offset > int64(len(b)) || len(l.problems) > maxIndexProblems {
				t.Fatalf("offset %d of %d, problems %q, %v", l.offset, len(b), l.problems, err)
			}
		}
		whole, grown := fresh(), fresh()
		read(whole, b)
		read(grown, b[:cut%uint(len(b))])
		read(grown, b)
		if !reflect.DeepEqual(whole.entries, grown.entries) || whole.offset != grown.offset || whole.lines != grown.lines {
			t.Fatalf("at once %v, grown %v", whole.entries, grown.entries)
		}
	})
}
