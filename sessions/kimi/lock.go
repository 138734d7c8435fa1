package kimi

import (
	"path/filepath"
	"time"

	"berth/locks"
)

// readLock returns the lock that v saw, nil when it is gone again. settle is when to look again at a lock that may be
// half written; zero when it is whole. An id that cannot be the name of a lock has none: the client runs such a
// session unlocked.
func (s *Source) readLock(v *survey, now time.Time) (f *locks.File, settle time.Time) {
	path := filepath.Join(v.dir, locks.LeaseName)
	if !v.leased {
		name, err := locks.FileName(v.id)
		if err != nil {
			return nil, time.Time{}
		}
		path = s.lockDir + name
	}
	f, err := locks.Read(path)
	if err != nil {
		return nil, time.Time{}
	}
	if end := f.ModTime.Add(grace); f.Problem != "" && f.Problem != locks.ProblemFormat && now.Before(end) {
		settle = end
	}
	return f, settle
}
