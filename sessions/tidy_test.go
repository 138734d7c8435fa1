package sessions

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"berth/locks"
)

// TestTidyTimes: what enters the Index has times that every reader of JSON can read.
func TestTidyTimes(t *testing.T) {
	shanghai := time.FixedZone("CST", 8*60*60)
	tests := []struct {
		name     string
		in, want time.Time
		problem  bool
	}{
		{"none", time.Time{}, time.Time{}, false},
		{"UTC", noon, noon, false},
		{"another zone", noon.In(shanghai), noon, false},
		{"the zone of this machine", noon.In(time.Local), noon, false},
		{"the last year with four digits", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), false},
		{"a year with more", time.UnixMilli(1 << 60), time.Time{}, true},
		{"a year before all", time.UnixMilli(-1 << 60), time.Time{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := kimiRecord(func(r *Record) {
				r.CreatedAt, r.UpdatedAt, r.EndedAt, r.ArchivedAt = tt.in, tt.in, tt.in, tt.in
			})
			got.tidyTimes()
			for _, g := range []time.Time{got.CreatedAt, got.UpdatedAt, got.EndedAt, got.ArchivedAt} {
				if g != tt.want {
					t.Errorf("time = %v, want %v", g, tt.want)
				}
			}
			if (len(got.Problems) == 4) != tt.problem {
				t.Errorf("problems = %q", got.Problems)
			}
			if _, err := json.Marshal(Session{Record: got}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLockTimesAreTidy: the times of foreign locks and processes come by another way.
func TestLockTimesAreTidy(t *testing.T) {
	far := time.UnixMilli(1 << 60)
	local := noon.In(time.FixedZone("CST", 8*60*60))
	lockedAt := func(at time.Time) *Session {
		row, _ := Classify(Situation{Record: kimiRecord(locked, func(r *Record) { r.Lock.Record.StartedAt = at })}, noon, DefaultPolicy())
		return row
	}
	if got := asJSON(t, lockedAt(far))["holder"].(map[string]any)["started_at"]; got != nil {
		t.Errorf("a lock from far away has started_at %v", got)
	}
	if got := asJSON(t, lockedAt(local))["holder"].(map[string]any)["started_at"]; got != "2026-03-14T12:00:00Z" {
		t.Errorf("a lock from another zone has started_at %v", got)
	}
	w := findWriter(inquiry{rec: kimiRecord(), clients: []locks.Client{client(5, "/p", local)}})
	if got := asJSON(t, w.Holder)["started_at"]; got != "2026-03-14T12:00:00Z" {
		t.Errorf("a client from another zone has started_at %v", got)
	}
}

// TestCompact: nothing that can be read changes, and the strings that every Session has twice are there once.
func TestCompact(t *testing.T) {
	tests := []struct {
		name   string
		rec    *Record
		shared bool
	}{
		{"a session folder", kimiRecord(func(r *Record) { r.Agents = []Agent{{ID: "main", Type: "main"}} }), true},
		{"a note", noteRecord("active", func(r *Record) { r.ID = "sessions" }), true},
		{"a note without an id", noteRecord("active", func(r *Record) { r.ID = "" }), true},
		{"a key that is spelled in another way", noteRecord("active", func(r *Record) { r.Path = "C:\\vault\\a.md" }), false},
		{"two agents", kimiRecord(func(r *Record) { r.Agents = []Agent{{ID: "main"}, {ID: "sub"}} }), true},
		{"nothing", &Record{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.rec
			r.Key, r.ID = strings.Clone(r.Key), strings.Clone(r.ID)
			before := *r
			r.compact()
			if !reflect.DeepEqual(*r, before) {
				t.Errorf("got %+v\nwant %+v", *r, before)
			}
			if tt.shared != (r.Key != "" && within(r.Key, r.Path)) || tt.shared && !within(r.ID, r.Path) {
				t.Errorf("key in path: %v, id in path: %v; want %v", within(r.Key, r.Path), within(r.ID, r.Path), tt.shared)
			}
		})
	}
}

// within reports whether part's bytes are some of whole's.
func within(part, whole string) bool {
	if part == "" {
		return true
	}
	p, w := uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return p >= w && p+uintptr(len(part)) <= w+uintptr(len(whole))
}
