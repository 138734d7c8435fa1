package locks

import (
	"testing"
	"time"
)

func clientOf(pid int, start uint64) Client {
	return Client{Identity: Identity{BootID: "b", PID: pid, Start: start}, Program: "kimi"}
}

// TestRosterReplace says who stays known after a look at all processes.
func TestRosterReplace(t *testing.T) {
	began := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		known func(r *roster)
		late  func(r *roster) // while the look goes on
		found []Client
		want  []Client
	}{
		{name: "found", found: []Client{clientOf(9, 1), clientOf(5, 1)}, want: []Client{clientOf(5, 1), clientOf(9, 1)}},
		{name: "ended", known: func(r *roster) { r.enter(clientOf(5, 1), false) }},
		{name: "ended, and its pid given to another", known: func(r *roster) { r.enter(clientOf(5, 1), false) },
			found: []Client{clientOf(5, 2)}, want: []Client{clientOf(5, 2)}},
		{name: "known by its deeds, which no list shows", known: func(r *roster) { r.enter(clientOf(5, 1), true) }, want: []Client{clientOf(5, 1)}},
		{name: "met while the look went on", late: func(r *roster) { r.enter(clientOf(5, 1), false) }, want: []Client{clientOf(5, 1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &roster{}
			if tt.known != nil {
				tt.known(r)
			}
			before := r.identities()
			if tt.late != nil {
				tt.late(r)
			}
			r.replace(tt.found, began, before)
			got, looked := r.list()
			if !looked.Equal(began) || len(got) != len(tt.want) {
				t.Fatalf("got %+v at %v, want %+v", got, looked, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("got %+v, want %+v", got[i], tt.want[i])
				}
			}
		})
	}
}

// TestRosterIsBounded: beyond its bound it does not claim to know all.
func TestRosterIsBounded(t *testing.T) {
	r := &roster{}
	var crowd []Client
	for pid := range maxKnown + 1 {
		crowd = append(crowd, clientOf(pid+2, 1))
	}
	r.replace(crowd, time.Now(), nil)
	if got, looked := r.list(); len(got) != maxKnown || !looked.IsZero() {
		t.Errorf("%d clients, looked at %v", len(got), looked)
	}
	r.replace(crowd[:1], time.Now(), r.identities())
	if got, looked := r.list(); len(got) != 1 || looked.IsZero() {
		t.Errorf("%d clients, looked at %v", len(got), looked)
	}
}
