package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
)

// stopper writes down whom it was asked to end.
type stopper struct {
	result locks.Stopped
	err    error
	asked  []string
}

func (s *stopper) Stop(_ context.Context, r locks.StopRequest) (locks.Stopped, error) {
	s.asked = append(s.asked, fmt.Sprintf("stop %d lock=%v", r.Holder.PID, r.Lock != nil))
	return s.result, s.err
}

func (s *stopper) Kill(_ context.Context, asked locks.Stopped, _ time.Duration) (locks.Stopped, error) {
	s.asked = append(s.asked, fmt.Sprintf("kill %d", asked.Holder.PID))
	return s.result, s.err
}

// served is a store with a server that can be asked to abort.
type served struct {
	*disk
	pid     int
	aborted bool
	fail    error
}

func (s *served) Servers() []Server { return []Server{{PID: s.pid, Name: "Kimi server (port 7)"}} }
func (s *served) AbortTurn(context.Context, Server, string) (bool, error) {
	return s.aborted, s.fail
}

func TestStop(t *testing.T) {
	ended := locks.Stopped{Result: locks.Ended, Signal: "SIGTERM"}
	for _, tt := range []struct {
		name   string
		rec    *Record
		ask    StopRequest
		server *served // nil: no server
		found  locks.Stopped
		err    error
		asked  string
		want   error
		says   string
	}{
		{name: "a lock's holder", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 41}, found: ended, asked: "stop 41 lock=true", says: "ended after SIGTERM"},
		{name: "it goes on running", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 41},
			found: locks.Stopped{Result: locks.StillRunning, Signal: "SIGTERM"}, asked: "stop 41 lock=true", says: "still running after SIGTERM"},
		{name: "then it is killed", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 41, Asked: &locks.Stopped{Holder: locks.Identity{PID: 41}}},
			found: locks.Stopped{Result: locks.Ended, Signal: "SIGKILL"}, asked: "kill 41", says: "ended after SIGKILL"},
		{name: "nobody has it", rec: session("a"), ask: StopRequest{PID: 41}, want: ErrNotFound, says: "nobody"},
		{name: "a dead holder", rec: session("a", lockedBy(40)), ask: StopRequest{PID: 40}, want: ErrRefused, says: "ended already"},
		{name: "B68: another host", rec: session("a", func(r *Record) {
			r.Lock = &locks.File{Record: locks.Record{PID: 41, Hostname: "old-pod"}}
		}), ask: StopRequest{PID: 41}, want: ErrRefused, says: "cannot be judged"},
		{name: "another process by now", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 43}, want: ErrStale, says: "pid 41 has it by now"},
		{name: "only likely", rec: session("a", openTurn), ask: StopRequest{PID: 41}, want: ErrRefused, says: "only likely"},
		{name: "likely, and a person is sure", rec: session("a", openTurn), ask: StopRequest{PID: 41, Force: true}, found: ended,
			asked: "stop 41 lock=false", says: "ended"},
		{name: "B44: the system refuses", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 41},
			found: locks.Stopped{Result: locks.Refused, Why: "it is no client"}, err: fmt.Errorf("stop: %w", locks.ErrRefused),
			asked: "stop 41 lock=true", want: ErrRefused, says: "it is no client"},
		{name: "a server aborts the turn", rec: session("a", lockedBy(41), openTurn), ask: StopRequest{PID: 41}, server: &served{pid: 41, aborted: true},
			says: "aborted the turn"},
		{name: "a server without a turn", rec: session("a", lockedBy(41)), ask: StopRequest{PID: 41}, server: &served{pid: 41}, want: ErrRefused, says: "no turn runs"},
		{name: "a server that does not answer", rec: session("a", lockedBy(41), openTurn), ask: StopRequest{PID: 41},
			server: &served{pid: 41, fail: errors.New("connection refused")}, want: ErrRefused, says: "connection refused"},
		{name: "the whole server", rec: session("a", lockedBy(41), openTurn), ask: StopRequest{PID: 41, Server: true}, server: &served{pid: 41},
			found: ended, asked: "stop 41 lock=true", says: "ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDisk("kimi", "/home", tt.rec)
				var src Source = d
				if tt.server != nil {
					tt.server.disk = d
					src = tt.server
				}
				var trail []Action
				r := newRig(t, d, func(cfg *IndexConfig) { cfg.Sources, cfg.Batches = []Source{src}, nil })
				r.procs.start(41, "/p")
				<-r.index.Ready()
				st := &stopper{result: tt.found, err: tt.err}
				s := &Service{Index: r.index, Prober: r.procs, Stopper: st, Audit: func(a Action) error { trail = append(trail, a); return nil }}
				tt.ask.Ref = "a"
				out, err := s.Stop(t.Context(), tt.ask)
				if !errors.Is(err, tt.want) {
					t.Fatalf("got %v, %v; want %v", out, err, tt.want)
				}
				said := fmt.Sprint(err)
				if err == nil {
					said = out.String()
				}
				if !strings.Contains(said, tt.says) || strings.Join(st.asked, ", ") != tt.asked {
					t.Errorf("said %q, asked %q; want %q, %q", said, st.asked, tt.says, tt.asked)
				}
				if (len(trail) == 1) != (err == nil) {
					t.Errorf("the trail has %+v", trail)
				}
			})
		})
	}
}
