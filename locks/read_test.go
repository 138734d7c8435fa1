package locks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const fixtureToken = "0d9c3c1e-6f0a-4a53-9d2e-5a1f7f6f2c11"

var fixtureTime = time.Date(2026, 11, 29, 15, 36, 16, 398e6, time.UTC)

func TestReadFixtures(t *testing.T) {
	plain := Record{Version: 1, Token: fixtureToken, PID: 4242, Hostname: "devbox", StartedAt: fixtureTime, Client: "kimi-code-cli 2.2.0"}
	with := func(edit func(*Record)) Record {
		r := plain
		edit(&r)
		return r
	}
	tests := []struct {
		file    string
		problem string
		record  Record
	}{
		{"plain.lock", "", plain},
		{"pretty-with-newline.lock", "", plain},
		{"empty-hostname.lock", "", with(func(r *Record) { r.Hostname = "" })},
		{"foreign-hostname.lock", "", with(func(r *Record) { r.Hostname = "other-box" })},
		{"identity-as-text.lock", "", with(func(r *Record) { r.Client = "kimi-code-cli/2.2.0" })},
		{"missing-pid.lock", "", with(func(r *Record) { r.PID = 0 })},
		{"started-as-text.lock", "", plain},
		{"started-before-boot.lock", "", with(func(r *Record) { r.StartedAt = time.UnixMilli(1000000000000).UTC() })},
		{"newer-version.lock", "version 2 is not known", with(func(r *Record) { r.Version = 2 })},
		{"torn.lock", "torn", Record{}},
		{"empty.lock", "empty", Record{}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			f, err := Read(filepath.Join("testdata", "thread", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if f.Problem != tt.problem {
				t.Errorf("problem %q, want %q", f.Problem, tt.problem)
			}
			if f.Record != tt.record {
				t.Errorf("record %+v\nwant   %+v", f.Record, tt.record)
			}
			if want := strings.TrimSuffix(tt.file, ".lock"); f.SessionID != want {
				t.Errorf("session id %q, want %q", f.SessionID, want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name    string
		content string
		problem string
		record  Record
	}{
		{"white space only", " \n\t", "empty", Record{}},
		{"filled with NUL after a power loss", "\x00\x00\x00\x00", "contains NUL bytes", Record{}},
		{"NUL behind the object", `{"version":1}` + "\x00", "contains NUL bytes", Record{}},
		{"byte order mark", "\ufeff" + `{"version":1}`, "", Record{Version: 1}},
		{"two objects", `{"version":1}{"version":1}`, "more than one JSON value", Record{}},
		{"array", `[1]`, "not a JSON object", Record{}},
		{"null", `null`, "not a JSON object", Record{}},
		{"text", `locked`, "not JSON", Record{}},
		{"no version", `{"pid":7}`, "no version", Record{PID: 7}},
		{"version as text", `{"version":"1"}`, "version is not a whole number", Record{}},
		{"version 99 (B88)", `{"version":99,"pid":7}`, "version 99 is not known", Record{Version: 99, PID: 7}},
		{"fields of wrong shape", `{"version":1,"token":5,"pid":"7","hostname":[],"startedAt":{},"clientIdentity":8}`, "", Record{Version: 1}},
		{"unknown keys", `{"version":1,"leaseUntil":1,"pid":7}`, "", Record{Version: 1, PID: 7}},
		{"pid with a fraction", `{"version":1,"pid":7.5}`, "", Record{Version: 1}},
		{"pid that would be cut to 7", `{"version":1,"pid":4294967303}`, "", Record{Version: 1}},
		{"negative pid is a process group", `{"version":1,"pid":-7}`, "", Record{Version: 1}},
		{"start as text of digits", `{"version":1,"startedAt":"1795966576398"}`, "", Record{Version: 1, StartedAt: fixtureTime}},
		{"start with a fraction", `{"version":1,"startedAt":1795966576398.7}`, "", Record{Version: 1, StartedAt: fixtureTime}},
		{"start beyond all calendars", `{"version":1,"startedAt":1e300}`, "", Record{Version: 1}},
		{"identity without version", `{"version":1,"clientIdentity":{"productName":"berth"}}`, "", Record{Version: 1, Client: "berth"}},
		{
			"fields of our own", `{"version":1,"bootId":"b","processStart":133766784000000001,"pidNamespace":"pid:[1]"}`, "",
			Record{Version: 1, BootID: "b", ProcessStart: 133766784000000001, PIDNamespace: "pid:[1]"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			record, problem := parse([]byte(tt.content))
			if problem != tt.problem {
				t.Errorf("problem %q, want %q", problem, tt.problem)
			}
			if record != tt.record {
				t.Errorf("record %+v\nwant   %+v", record, tt.record)
			}
		})
	}
}

func TestReadMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	write(t, path, `{"version":1}`)
	then := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Path != path || f.Size != 13 || !f.ModTime.Equal(then) {
		t.Errorf("got path %q, size %d, time %v", f.Path, f.Size, f.ModTime)
	}
	if f.UID != os.Getuid() || f.Remote {
		t.Errorf("got uid %d, remote %v", f.UID, f.Remote)
	}
}

func TestReadTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	write(t, path, `{"version":1,"pid":7}`+strings.Repeat(" ", maxFileBytes))
	f, err := Read(path)
	if err != nil || f.Problem != "larger than 64 KiB" || f.Record.PID != 0 {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestReadMissing(t *testing.T) {
	if f, err := Read(filepath.Join(t.TempDir(), "a.lock")); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, %v", f, err)
	}
}

func TestReadFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if f, err := Read(path); err != nil || f.Problem != "not a regular file" {
		t.Errorf("got %+v, %v", f, err)
	}
}

// NFS answers ESTALE for a file that was replaced (B80). Any error counts: an unreadable lock is no
// missing lock.
func TestReadTriesTwice(t *testing.T) {
	stale := &fs.PathError{Op: "read", Path: "a.lock", Err: errors.New("stale file handle")}
	tests := []struct {
		name    string
		answers []error
		problem string
		missing bool
	}{
		{"second reading succeeds", []error{stale, nil}, "", false},
		{"both fail", []error{stale, stale}, "cannot be read: stale file handle", false},
		{"gone at the second reading", []error{stale, fs.ErrNotExist}, "", true},
		{"gone at once", []error{fs.ErrNotExist}, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n int
			f, err := readWith("a.lock", func(*File) ([]byte, error) {
				n++
				return []byte(`{"version":1}`), tt.answers[n-1]
			})
			if n != len(tt.answers) {
				t.Errorf("%d readings, want %d", n, len(tt.answers))
			}
			if missing := errors.Is(err, fs.ErrNotExist); missing != tt.missing {
				t.Fatalf("error %v", err)
			}
			if !tt.missing && f.Problem != tt.problem {
				t.Errorf("problem %q, want %q", f.Problem, tt.problem)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	seeds, err := filepath.Glob("testdata/thread/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds (%v)", err)
	}
	for _, path := range seeds {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"version":1,"pid":1e9,"startedAt":-1,"clientIdentity":{"productName":{"a":[[[]]]}}}`))
	f.Add([]byte("\ufeff{\"version\":1,\"version\":2}"))
	for _, seed := range []string{
		`{"version":1,"pid":4242,"bootId":"b","processStart":18446744073709551615,"pidNamespace":"pid:[4026531836]"}`,
		`{"version":1,"pid":4242,"processStart":-1,"bootId":7,"pidNamespace":{}}`,
		`{"version":1,"pid":4294971538,"startedAt":253402300799999,"hostname":"\ud800"}`,
		`{"version":1.0,"pid":2147483648,"startedAt":"2026-11-29T10:00:00+14:00"}`,
		`{"VERSION":1,"Version":1,"version":null,"pid":"4242"}`,
		`{"version":1}{"version":1}`, "{\"version\":1}\x00", `[{"version":1}]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	for seed := range uint64(40) { // torn, newer and whole ones
		f.Add(newWorld(seed).lock.content)
	}
	path := filepath.Join(f.TempDir(), "a.lock")
	f.Fuzz(func(t *testing.T, b []byte) {
		write(t, path, string(b))
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Read(path); !reflect.DeepEqual(got, again) {
			t.Errorf("two readings differ: %+v, %+v", got, again)
		}
		checkRecord(t, got)
		if got.Problem == "" {
			checkPrefixes(t, b)
		}
	})
}

func checkRecord(t *testing.T, f *File) {
	t.Helper()
	r := f.Record
	if f.Problem == "" && r.Version != knownVersion {
		t.Errorf("version %d without a problem", r.Version)
	}
	if r.PID != 0 && (r.PID < 0 || r.PID > 1<<31-1) {
		t.Errorf("pid %d", r.PID)
	}
	if !r.StartedAt.IsZero() && (r.StartedAt.Unix() < 0 || r.StartedAt.Year() > 9999) {
		t.Errorf("started at %v", r.StartedAt)
	}
}

// A lock that was cut anywhere before its last bracket must show that it was.
func checkPrefixes(t *testing.T, b []byte) {
	t.Helper()
	end := strings.LastIndexByte(string(b), '}')
	for _, n := range []int{0, 1, end / 2, end - 1, end} {
		if n < 0 {
			continue
		}
		if _, problem := parse(b[:n]); problem == "" {
			t.Errorf("cut after %d bytes without a problem: %q", n, b[:n])
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The floor is what any reader pays: open, stat, read, close.
func BenchmarkRead(b *testing.B) {
	const path = "testdata/thread/plain.lock"
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Read(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := os.ReadFile(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
