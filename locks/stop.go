package locks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// DefaultStopWait is how long a client gets to end after a polite signal. The Kimi client takes one or two
// seconds; a model's answer that is being saved may take more.
const DefaultStopWait = 10 * time.Second

// StopRequest says which process a person wants to end.
type StopRequest struct {
	// Holder is the process that the person was shown, see [System.HolderOf].
	Holder Identity
	// Lock is the lock that it was shown as the holder of; nil for one that was found without. It must be
	// there still, and its holder live.
	Lock *File
	// Interrupt sends SIGINT in the place of SIGTERM. Print clients of Kimi end their turn cleanly by either, its
	// terminal client only by a person at the keyboard.
	Interrupt bool
	// Wait is how long to wait for the end; zero means DefaultStopWait.
	Wait time.Duration
}

// StopResult is what became of a process that was to be stopped.
type StopResult string

const (
	Ended        StopResult = "ended"         // after our signal
	StillRunning StopResult = "still running" // a signal was sent, and the time is over
	Refused      StopResult = "refused"       // nothing was sent
)

// Stopped says what happened.
type Stopped struct {
	Holder Identity      `json:"holder"`
	Result StopResult    `json:"result"`
	Why    string        `json:"why,omitempty"`    // of a refusal
	Signal string        `json:"signal,omitempty"` // that was sent, such as "SIGTERM"
	Waited time.Duration `json:"waited,omitempty"` // for the end, nanoseconds
}

// HolderOf returns the process that has the lock f, false unless it is proved live on this host.
func (s *System) HolderOf(f *File, now time.Time) (Identity, bool) {
	id, ok := s.Identify(f.Record.PID)
	if !ok || s.Judge(f, now).Verdict != Live {
		return Identity{}, false
	}
	// It lived before the judgement and after it, so the judgement was about it.
	return id, s.Alive(id) == Live
}

// Stop asks a process to end, politely and once, and waits for it. It signals only a client of this user that is
// proved to be the one that was shown: same boot, pid and start stamp, compared after a handle of the process
// was opened, so that no other can take its pid between look and signal (macOS has no such handle, there the
// look comes right before). It never signals a group, pid 1, this process, another user's process, or one that
// a lock of another host names.
//
// The error is nil for Ended and StillRunning. It wraps [ErrRefused] when nothing was sent, and
// [ErrNotSupported] too where processes cannot be asked to end (Windows). When ctx ends during the wait the
// result is StillRunning with ctx's cause.
func (s *System) Stop(ctx context.Context, r StopRequest) (Stopped, error) {
	if r.Lock != nil {
		if why := s.notItsLock(&r); why != "" {
			return refuse(r.Holder, why)
		}
	}
	sig := terminate
	if r.Interrupt {
		sig = interrupt
	}
	return s.signal(ctx, r.Holder, sig, r.Wait)
}

// Kill ends a process that is still running after [System.Stop], which its result has to show: a second
// decision of the person. What it had not saved is lost, and its lock is left behind. wait and the errors are
// those of Stop.
func (s *System) Kill(ctx context.Context, asked Stopped, wait time.Duration) (Stopped, error) {
	if asked.Result != StillRunning {
		return refuse(asked.Holder, "it was not asked to end politely before")
	}
	return s.signal(ctx, asked.Holder, kill, wait)
}

func refuse(id Identity, why string) (Stopped, error) {
	return Stopped{Holder: id, Result: Refused, Why: why}, fmt.Errorf("stop pid %d: %w: %s", id.PID, ErrRefused, why)
}

// notItsLock says why the lock that was shown no longer is the holder's, or "".
func (s *System) notItsLock(r *StopRequest) string {
	now, err := Read(r.Lock.Path)
	switch {
	case err != nil:
		return "its lock is gone"
	case now.Record.Token != r.Lock.Record.Token:
		return "another lock is there now"
	case now.Record.PID != r.Holder.PID:
		return "the lock names pid " + strconv.Itoa(now.Record.PID)
	}
	if j := s.Judge(now, time.Now()); j.Verdict != Live {
		return "the holder is " + string(j.Verdict) + ": " + j.Reason
	}
	return ""
}

// signal proves and signals one process by one handle.
func (s *System) signal(ctx context.Context, id Identity, sig signal, wait time.Duration) (Stopped, error) {
	if s.blind() || !usablePID(id.PID) || id.PID == os.Getpid() {
		return refuse(id, "pid "+strconv.Itoa(id.PID)+" is never signalled from here")
	}
	h, err := openProcess(id.PID)
	if err != nil {
		out, refused := refuse(id, rootCause(err))
		return out, errors.Join(refused, err)
	}
	defer h.close()
	p := processFacts(id.PID, time.Time{})
	why := mayStop(id, s.fixed.BootID, &p, os.Getuid())
	if why == "" {
		why = s.stranger(id, &p)
	}
	if why != "" {
		return refuse(id, why)
	}
	if err := h.signal(sig); err != nil {
		return refuse(id, rootCause(err))
	}
	return await(ctx, h, Stopped{Holder: id, Signal: sig.String()}, wait)
}

// mayStop says why a process must not be signalled, or "". p was asked after its handle was opened.
func mayStop(id Identity, bootID string, p *ProcessFacts, uid int) string {
	switch {
	case id.BootID != bootID:
		return "it ran in another boot"
	case p.State == Gone || p.State == Zombie:
		return "it has ended already"
	case p.Start == 0 || id.Start == 0 || p.State != Running:
		return "it cannot be told whether it is still the same process"
	case p.Start != id.Start:
		return "another process has its pid now"
	case p.Thread:
		return "it is a thread"
	case p.UID != uid || p.EUID != uid:
		return "it belongs to another user"
	case p.Inner:
		return "it runs in a container"
	case !p.mayHost():
		return "it runs " + p.Program + ", which is no known client"
	}
	return ""
}

// stranger says why a process is not one that may be ended although a lock, or a person, names it; "" for a
// client. Judge is content with a process in which a client could run; that would be any Node program, or a whole
// editor with everything that is open in it.
func (s *System) stranger(id Identity, p *ProcessFacts) string {
	c, ok := s.examine(id.PID)
	switch {
	case !ok || c.Identity != id:
		return "it runs " + p.Program + ", which is no known client"
	case editorProgram(c.Program):
		return "it is a whole editor, " + c.Name + "; end the session in it"
	}
	return ""
}

// await waits for the end of the process behind h.
func await(ctx context.Context, h processHandle, out Stopped, wait time.Duration) (Stopped, error) {
	if wait <= 0 {
		wait = DefaultStopWait
	}
	patience, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	began := time.Now()
	err := h.await(patience)
	out.Waited = time.Since(began).Round(time.Millisecond)
	if err == nil {
		out.Result = Ended
		return out, nil
	}
	out.Result = StillRunning
	if patience.Err() == nil {
		return out, fmt.Errorf("await the end of pid %d: %w", out.Holder.PID, err)
	}
	return out, context.Cause(ctx)
}
