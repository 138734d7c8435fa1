package kimi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi/kimitest"
)

const tracedKey = "sessions/wd_p_0123456789ab/session_traced"

// tracedHome has one session with the given main journal, and returns the Source and the journal's path.
func tracedHome(t *testing.T, wire string) (*Source, string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, filepath.FromSlash(tracedKey))
	kimitest.Write(t, filepath.Join(dir, "state.json"), []byte(`{"id":"session_traced","version":2,"cwd":"/p","lastTurnReason":"completed"}`))
	path := filepath.Join(dir, "agents", "main", "wire.jsonl")
	kimitest.Write(t, path, []byte(wire))
	return New(Config{Home: home}), path
}

// traced reads the session's journals.
func traced(t *testing.T, s *Source) []sessions.Wire {
	t.Helper()
	r, err := s.Load(tracedKey, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return r.Trace.Wires
}

const (
	header  = `{"type":"metadata","protocol_version":"1.5","created_at":1795966576398}` + "\n"
	oneTurn = `{"type":"turn.prompt","agentId":"main","turnId":0,"time":1795966576400}` + "\n"
)

// TestWireIdentity: what changes about a journal's identity when the journal changes, and how it compares with before.
func TestWireIdentity(t *testing.T) {
	long := header + strings.Repeat(oneTurn, 4000) // both windows, and a part that is not read
	tests := []struct {
		name       string
		was        string
		change     func(path string) error
		sameFile   bool
		sameBytes  bool
		extends    sessions.Tri
		backup     sessions.Tri
		torn, wasT bool
	}{
		{name: "nothing", was: header + oneTurn, change: func(string) error { return nil },
			sameFile: true, sameBytes: true, extends: sessions.Yes, backup: sessions.No},
		{name: "appended", was: header + oneTurn, change: add(oneTurn), sameFile: true, extends: sessions.Yes, backup: sessions.No},
		{name: "appended to a long one", was: long, change: add(oneTurn), sameFile: true, extends: sessions.Yes, backup: sessions.No},
		{name: "grown from one window to two", was: header + oneTurn, change: add(long), sameFile: true, extends: sessions.Yes, backup: sessions.No},
		{name: "another byte, the same length", was: header + oneTurn, change: put(header + strings.Replace(oneTurn, ":0,", ":1,", 1)),
			sameFile: true, extends: sessions.No, backup: sessions.No},
		{name: "another byte near the end of a long one", was: long, change: put(long[:len(long)-9] + "1" + long[len(long)-8:]),
			sameFile: true, extends: sessions.No, backup: sessions.No},
		{name: "cut", was: header + oneTurn + oneTurn, change: put(header + oneTurn), sameFile: true, extends: sessions.No, backup: sessions.No},
		{name: "replaced by the same", was: header + oneTurn, change: replace(header + oneTurn), sameBytes: true, extends: sessions.Yes, backup: sessions.No},
		{name: "repaired", was: header + oneTurn + `{"torn`, wasT: true, change: func(path string) error {
			if err := os.Rename(path, path+".bak"); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(header+oneTurn), 0o600)
		}, extends: sessions.No, backup: sessions.Yes},
		{name: "a torn line is added", was: header + oneTurn, change: add(`{"torn`), torn: true, sameFile: true, extends: sessions.Yes, backup: sessions.No},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, path := tracedHome(t, tt.was)
			was := traced(t, s)
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			is := traced(t, s)
			if len(was) != 1 || len(is) != 1 || was[0].Agent != "main" || was[0].Size != int64(len(tt.was)) || was[0].Torn != tt.wasT {
				t.Fatalf("traces %+v, then %+v", was, is)
			}
			if got := was[0].Inode == is[0].Inode; got != tt.sameFile {
				t.Errorf("the same file: %v", got)
			}
			if got := was[0].Size == is[0].Size && was[0].Head == is[0].Head && was[0].Tail == is[0].Tail; got != tt.sameBytes {
				t.Errorf("the same bytes: %v", got)
			}
			if is[0].Torn != tt.torn || is[0].First != was[0].First {
				t.Errorf("torn %v, first lines %x and %x", is[0].Torn, was[0].First, is[0].First)
			}
			if extends, backup := s.Compare(tracedKey, was[0]); extends != tt.extends || backup != tt.backup {
				t.Errorf("extends %v, backup %v; want %v, %v", extends, backup, tt.extends, tt.backup)
			}
		})
	}
}

// add appends text to a file.
func add(text string) func(string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(text)
		return err
	}
}

// put writes text into the file that is there.
func put(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// replace puts a new file in the place of the old.
func replace(text string) func(string) error {
	return func(path string) error {
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}
}

// TestSubagentsAreTraced: a subagent's journal has an identity of its own, and a protocol.
func TestSubagentsAreTraced(t *testing.T) {
	s, path := tracedHome(t, header+oneTurn)
	sub := filepath.Join(filepath.Dir(filepath.Dir(path)), "agent-1", "wire.jsonl")
	kimitest.Write(t, sub, []byte(strings.Replace(header, "1.5", "1.4", 1)))
	wires := traced(t, s)
	if len(wires) != 2 || wires[0].Agent != "main" || wires[1].Agent != "agent-1" || wires[0].Legacy || !wires[1].Legacy {
		t.Fatalf("wires = %+v", wires)
	}
	if extends, _ := s.Compare(tracedKey, wires[1]); extends != sessions.Yes {
		t.Errorf("extends = %v", extends)
	}
	if extends, backup := s.Compare("sessions/../etc", wires[1]); extends != sessions.Unknown || backup != sessions.Unknown {
		t.Errorf("outside of the sessions: %v, %v", extends, backup)
	}
}
