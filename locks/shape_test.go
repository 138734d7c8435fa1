package locks

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestReadLease(t *testing.T) {
	tests := []struct {
		name, content, problem string
		record                 Record
	}{
		{"nothing in common", `{"beat":5}`, ProblemFormat, Record{}},
		{"some fields of a lock", `{"pid":7,"hostname":"devbox"}`, ProblemFormat, Record{PID: 7, Hostname: "devbox"}},
		{"all fields of a lock", `{"version":1,"token":"t","pid":7}`, ProblemFormat, Record{Version: 1, Token: "t", PID: 7}},
		{"a version of its own", `{"version":3,"pid":7}`, ProblemFormat, Record{Version: 3, PID: 7}},
		{"empty", ``, "empty", Record{}},
		{"torn", `{"pid":`, "torn", Record{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session_1", LeaseName)
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, tt.content)
			f, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.SessionID != "session_1" || f.Shape != ShapeLease || f.Problem != tt.problem || f.Record != tt.record {
				t.Errorf("got %+v", f)
			}
			if j := NewSystem().Judge(f, time.Now()); j.Verdict != Unknown || j.Reason != ReasonFormat {
				t.Errorf("judged %s: %s", j.Verdict, j.Reason)
			}
		})
	}
}

// B88: neither a fresh beat nor a stale one is more than a hint.
func TestFormatEvidence(t *testing.T) {
	now := at(12, 0, 0)
	lease := "a lease of a client that was never published; it was to be renewed every 5 s and to be stale after 30 s"
	tests := []struct {
		name string
		f    File
		want []string
	}{
		{"young beat", File{Shape: ShapeLease, Problem: ProblemFormat, ModTime: now.Add(-10 * time.Second)}, []string{lease, "it was written 10s ago"}},
		{"old beat", File{Shape: ShapeLease, Problem: ProblemFormat, ModTime: now.Add(-time.Minute)}, []string{lease, "it was written 1m0s ago"}},
		{"beat in the future", File{Shape: ShapeLease, ModTime: now.Add(time.Minute)}, []string{lease, "it was written in the future, by 1m0s"}},
		{
			"version 99", File{Record: Record{Version: 99}, Problem: "version 99 is not known"},
			[]string{"the lock is in a format that is not fully known: version 99 is not known", "when it was written is not known"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := Judge(&tt.f, HostFacts{}, ProcessFacts{State: Gone}, now)
			if j.Verdict != Unknown || j.Automatic || !slices.Equal(j.Evidence, tt.want) {
				t.Errorf("got %s %q", j.Verdict, j.Evidence)
			}
		})
	}
}

// Not even a person removes what may be a live holder's in a way that is not known.
func TestLeaseIsNeverReclaimed(t *testing.T) {
	path := filepath.Join(t.TempDir(), LeaseName)
	write(t, path, `{"pid":2147483647}`)
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReclaimer(ReclaimConfig{System: NewSystem(), Dir: t.TempDir(), Pause: time.Nanosecond})
	for _, o := range []ReclaimOptions{{}, {ByHand: true}, {Force: true}} {
		if _, err := r.Reclaim(t.Context(), f, o); !errors.Is(err, ErrUnproved) || !errors.Is(err, ErrFormat) {
			t.Errorf("%+v: got %v", o, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
