package sessions

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
)

func TestHandActions(t *testing.T) {
	held := func(pid int, v locks.Verdict) *Session {
		return &Session{Record: &Record{ID: "a", Path: "/home/a"}, Holder: &Holder{PID: pid, Client: "Kimi", Verdict: v, Via: ViaLock}}
	}
	wrote := func(pid int) *Session {
		return &Session{Record: &Record{ID: "a"}, LastWriter: &Party{Identity: locks.Identity{PID: pid}, Name: fmt.Sprintf("Kimi (pid %d)", pid),
			Certainty: Proven, Seen: time.Unix(1, 0)}}
	}
	for _, tt := range []struct {
		name string
		s    *Session
		was  hands
		want string
	}{
		{"nobody has it", &Session{Record: &Record{ID: "a"}}, hands{}, ""},
		{"somebody took it", held(7, locks.Live), hands{}, "took: Kimi (pid 7) has it, known by lock"},
		{"the same process once more", held(7, locks.Live), hands{holder: 7}, ""},
		{"another process", held(8, locks.Live), hands{holder: 7}, "took: Kimi (pid 8) has it, known by lock"},
		{"a dead holder has nothing", held(7, locks.Dead), hands{}, ""},
		{"an unknown holder is not written down as having it", held(7, locks.Unknown), hands{}, ""},
		{"somebody wrote", wrote(7), hands{}, "wrote: Kimi (pid 7) wrote in it (proven)"},
		{"and goes on", wrote(7), hands{writer: 7}, ""},
		{"another wrote", wrote(8), hands{writer: 7}, "wrote: Kimi (pid 8) wrote in it (proven)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, a := range handActions(tt.s, tt.was) {
				got = append(got, string(a.Kind)+": "+a.Detail)
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNewsAction(t *testing.T) {
	at := time.Unix(1, 0)
	for _, tt := range []struct {
		news News
		want Action
	}{
		{News{Kind: NewsTakenOver, Key: "kimi:a|taken-over|7", Title: "secret", By: &Party{Name: "VS Code"}, From: &Party{Name: "Kimi (pid 7)"}, At: at},
			Action{Kind: ActionTaken, At: at, Session: "a", Source: "kimi", Detail: "taken-over, by VS Code, from Kimi (pid 7)"}},
		{News{Kind: NewsWaits, Key: "vault:b|waits|x", Title: "secret", Value: "approval", At: at},
			Action{Kind: ActionNoticed, At: at, Session: "b", Source: "vault", Detail: "waits-for-you: approval"}},
	} {
		if got := newsAction(&tt.news); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
}

// TestChronicler: one line for each change of hands; a lock that blinks with every turn is one hold, and what was so
// before is none.
func TestChronicler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a"), session("b", lockedBy(40))), nil)
		for _, pid := range []int{40, 41, 42} {
			r.procs.start(pid, "/p")
		}
		r.hint("b")
		var mu sync.Mutex
		var lines []string
		c := &Chronicler{Index: r.index, Audit: func(a Action) error {
			mu.Lock()
			defer mu.Unlock()
			if a.Kind == ActionTook {
				lines = append(lines, a.Session+" "+string(a.Kind))
			}
			return nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		for range 3 {
			r.disk.put(session("a", lockedBy(41)))
			r.hint("a")
			r.disk.put(session("a"))
			r.hint("a")
		}
		r.disk.put(session("a", lockedBy(42)))
		r.hint("a")
		synctest.Wait()
		mu.Lock()
		if got, want := strings.Join(lines, ", "), "a took, a took"; got != want {
			t.Errorf("lines %q, want %q", got, want)
		}
		mu.Unlock()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
