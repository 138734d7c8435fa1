package kimi

import (
	"time"

	"berth/locks"
)

// readLock returns the lock of the session id, nil when there is none. settle is when to look again at a lock
// that may be half written; zero when it is whole. An id that cannot be the name of a lock has none: the client runs
// such a session unlocked.
func (s *Source) readLock(id string, now time.Time) (f *locks.File, settle time.Time) {
	name, err := locks.FileName(id)
	if err != nil {
		return nil, time.Time{}
	}
	f, err = locks.Read(s.lockDir + name)
	if err != nil { // it is gone again
		return nil, time.Time{}
	}
	if end := f.ModTime.Add(grace); f.Problem != "" && now.Before(end) {
		settle = end
	}
	return f, settle
}
