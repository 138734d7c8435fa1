package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/locks"
)

// Stopper ends processes when a person asks. *locks.System is one.
type Stopper interface {
	Stop(ctx context.Context, r locks.StopRequest) (locks.Stopped, error)
	Kill(ctx context.Context, asked locks.Stopped, wait time.Duration) (locks.Stopped, error)
}

// StopRequest says which holder a person wants to end.
type StopRequest struct {
	Ref string `json:"ref"`
	// PID is that of the holder that the person was shown; another one is not touched.
	PID int `json:"pid"`
	// Force is for a holder that is only likely the one.
	Force bool `json:"force,omitempty"`
	// Server ends a whole server, with every session that is open in it. Without it a server is asked to abort
	// the turn.
	Server bool `json:"server,omitempty"`
	// Asked is the result of an earlier request after which the process was still running: this one kills it.
	Asked *locks.Stopped `json:"asked,omitempty"`
}

// StopOutcome says what became of the holder.
type StopOutcome struct {
	Client string `json:"client"` // who it was, in words
	// Aborted reports that a server ended the turn and goes on running.
	Aborted bool           `json:"aborted,omitempty"`
	Stopped *locks.Stopped `json:"stopped,omitempty"` // nil when no process was signalled
}

// Stop asks the holder of a Session to end, and says what became of it. Errors: ErrNotFound when nobody is known to have
// it, ErrStale when another process has it than the one that was shown, ErrRefused when it must not, or cannot, be ended.
func (s *Service) Stop(ctx context.Context, r StopRequest) (*StopOutcome, error) {
	row, err := s.Find(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	if err := stoppable(row, r); err != nil {
		return nil, err
	}
	out := &StopOutcome{Client: HolderName(row.Holder)}
	if server, ok := s.serverOf(row); ok && !r.Server {
		err = s.abort(ctx, row, server, out)
	} else {
		err = s.signal(ctx, row, r, out)
	}
	if err != nil {
		return nil, err
	}
	aerr := s.audit(Action{Kind: ActionStopped, Session: row.ID, Source: row.Source, Path: row.Path, Detail: out.String()})
	_, rerr := s.Index.Refresh(ctx, row)
	return out, errors.Join(aerr, rerr)
}

// String is the outcome in words.
func (o *StopOutcome) String() string {
	switch {
	case o.Aborted:
		return o.Client + " aborted the turn and goes on running"
	case o.Stopped == nil:
		return o.Client + " had no turn to abort"
	case o.Stopped.Result == locks.StillRunning:
		return fmt.Sprintf("%s is still running after %s", o.Client, o.Stopped.Signal)
	}
	return fmt.Sprintf("%s %s after %s", o.Client, o.Stopped.Result, o.Stopped.Signal)
}

// stoppable says why the holder of row must not be ended, or nil.
func stoppable(row *Session, r StopRequest) error {
	h := row.Holder
	e := &Error{Err: ErrRefused, Session: row.Name()}
	switch {
	case h == nil:
		e.Err, e.Detail = ErrNotFound, "nobody is known to have it"
	case h.Verdict == locks.Dead:
		e.Detail, e.Hint = "its holder has ended already", "berth unlock removes the lock that it left"
	case h.Verdict != locks.Live:
		e.Detail, e.Hint = "its holder cannot be judged, so it is not signalled", "berth locks shows what is known"
	case h.PID == 0:
		e.Detail, e.Hint = "it is "+h.Client+"; which one cannot be told", "end the right one yourself"
	case h.PID != r.PID:
		e.Err, e.Detail = ErrStale, fmt.Sprintf("pid %d has it by now, not pid %d", h.PID, r.PID)
		e.Hint = "look again with berth show"
	case h.Certainty != Proven && !r.Force:
		e.Detail = HolderName(h) + " is only likely the one that has it"
		e.Hint = "look at the evidence with berth show, then use --force"
	default:
		return nil
	}
	return e
}

// serverOf returns the server of the store that holds row.
func (s *Service) serverOf(row *Session) (Server, bool) {
	if served, ok := s.source(row).(Served); ok {
		for _, server := range served.Servers() {
			if server.PID == row.Holder.PID {
				return server, true
			}
		}
	}
	return Server{}, false
}

// abort asks a server to end the turn.
func (s *Service) abort(ctx context.Context, row *Session, server Server, out *StopOutcome) error {
	aborter, ok := s.source(row).(Aborter)
	if !ok || !row.unfinished() {
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: HolderName(row.Holder) + " has it, and no turn runs",
			Hint: "--server ends the server, with every session that is open in it"}
	}
	aborted, err := aborter.AbortTurn(ctx, server, row.ID)
	if err != nil {
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: err.Error(),
			Hint: "--server ends the server, with every session that is open in it"}
	}
	out.Aborted = aborted
	return nil
}

// signal ends the process.
func (s *Service) signal(ctx context.Context, row *Session, r StopRequest, out *StopOutcome) error {
	var stopped locks.Stopped
	var err error
	if r.Asked != nil {
		stopped, err = s.Stopper.Kill(ctx, *r.Asked, 0)
	} else {
		id, ok := s.Prober.Identify(r.PID)
		if !ok {
			return &Error{Err: ErrNotFound, Session: row.Name(), Detail: fmt.Sprintf("pid %d has ended", r.PID)}
		}
		stopped, err = s.Stopper.Stop(ctx, locks.StopRequest{Holder: id, Lock: lockOfHolder(row)})
	}
	if errors.Is(err, locks.ErrRefused) {
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: "it was not signalled: " + stopped.Why}
	}
	out.Stopped = &stopped
	return err
}

// lockOfHolder is the lock by which the holder is known, nil when it is known otherwise.
func lockOfHolder(row *Session) *locks.File {
	if row.Holder.Via == ViaLock {
		return row.Lock
	}
	return nil
}
