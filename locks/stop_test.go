package locks

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestMayStop(t *testing.T) {
	tests := []struct {
		name string
		edit func(id *Identity, p *ProcessFacts)
		why  string
	}{
		{"the client that was shown", func(*Identity, *ProcessFacts) {}, ""},
		{"one tick off (B44)", func(id *Identity, _ *ProcessFacts) { id.Start++ }, "another process has its pid now"},
		{"another boot (B44)", func(id *Identity, _ *ProcessFacts) { id.BootID = "boot-a" }, "it ran in another boot"},
		{"start not known", func(id *Identity, _ *ProcessFacts) { id.Start = 0 }, "it cannot be told whether it is still the same process"},
		{"start hidden", func(_ *Identity, p *ProcessFacts) { p.Start = 0 }, "it cannot be told whether it is still the same process"},
		{"gone", func(_ *Identity, p *ProcessFacts) { *p = ProcessFacts{State: Gone} }, "it has ended already"},
		{"zombie", func(_ *Identity, p *ProcessFacts) { p.State = Zombie }, "it has ended already"},
		{"thread", func(_ *Identity, p *ProcessFacts) { p.Thread = true }, "it is a thread"},
		{"another user", func(_ *Identity, p *ProcessFacts) { p.UID, p.EUID = 1001, 1001 }, "it belongs to another user"},
		{"set-uid program", func(_ *Identity, p *ProcessFacts) { p.EUID = 0 }, "it belongs to another user"},
		{"owner not known", func(_ *Identity, p *ProcessFacts) { p.UID, p.EUID = -1, -1 }, "it belongs to another user"},
		{"container", func(_ *Identity, p *ProcessFacts) { p.Inner = true }, "it runs in a container"},
		{"an editor (B44)", func(_ *Identity, p *ProcessFacts) { p.Program, p.Comm = "/usr/bin/vim", "vim" }, "it runs /usr/bin/vim, which is no known client"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, p := Identity{BootID: "boot-b", PID: 4242, Start: 540000}, newScene().p
			tt.edit(&id, &p)
			if got := mayStop(id, "boot-b", &p, 1000); got != tt.why {
				t.Errorf("got %q, want %q", got, tt.why)
			}
		})
	}
}

func TestStopNeverSignals(t *testing.T) {
	s := NewSystem()
	for name, pid := range map[string]int{"pid 1": 1, "no pid": 0, "this group": 0, "everybody": -1, "a group": -4242, "itself": os.Getpid()} {
		t.Run(name, func(t *testing.T) {
			out, err := s.Stop(t.Context(), StopRequest{Holder: Identity{BootID: s.fixed.BootID, PID: pid, Start: 1}})
			if !errors.Is(err, ErrRefused) || out.Result != Refused || out.Why == "" || out.Signal != "" {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
}

// Force is a second decision, about a process that was asked before.
func TestKillNeedsAStop(t *testing.T) {
	s := NewSystem()
	for _, before := range []StopResult{"", Ended, Refused} {
		if _, err := s.Kill(context.Background(), Stopped{Result: before, Holder: Identity{PID: 4242}}, 0); !errors.Is(err, ErrRefused) {
			t.Errorf("after %q: got %v", before, err)
		}
	}
}
