package locks

import (
	"errors"
	"fmt"
)

var (
	// ErrHeld says that another holder has the lock.
	ErrHeld = errors.New("held by another process")
	// ErrLost says that a lock of ours is no longer there, or that another has its place.
	ErrLost = errors.New("lock lost")
	// ErrAlive says that a lock was not removed because its holder lives.
	ErrAlive = errors.New("holder is alive")
	// ErrUnproved says that a lock was not removed because its holder is not known to be dead, or not well
	// enough for what was asked.
	ErrUnproved = errors.New("holder is not proved dead")
	// ErrFormat says that a lock was not removed because its format is not fully known; nothing removes it.
	// Such an error wraps ErrUnproved too.
	ErrFormat = errors.New("format not fully known")
	// ErrRefused says that a process was not signalled; the error has the reason in words.
	ErrRefused = errors.New("refused")
	// ErrChanged says that another lock is there now than the one that was looked at.
	ErrChanged = errors.New("another lock is there now")
	// ErrBusy says that another process is about to remove the lock.
	ErrBusy = errors.New("another process is reclaiming it")
	// ErrNotSupported says that this platform or file system cannot do what was asked.
	ErrNotSupported = errors.New("not supported here")
	// ErrUnsafeID says that a session id must not become part of a path.
	ErrUnsafeID = errors.New("unsafe session id")
)

// HeldError says who has the lock that was asked for, and what is known about that process. It matches
// [ErrHeld], also when the Judgement is dead: taking a lock never removes one.
type HeldError struct {
	File      *File
	Judgement Judgement
}

// Error names the session, the holder's pid and the judgement.
func (e *HeldError) Error() string {
	return fmt.Sprintf("session %s is held by pid %d (%s: %s)", e.File.SessionID, e.File.Record.PID, e.Judgement.Verdict, e.Judgement.Reason)
}

// Is makes errors.Is(err, ErrHeld) true.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }
