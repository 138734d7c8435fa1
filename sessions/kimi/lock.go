package kimi

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"berth/locks"
)

// lockPath returns where the lock of the session id would be. Ids that cannot be a file's name have none: the
// client runs such sessions unlocked.
func (s *Source) lockPath(id string) (string, error) {
	name, err := locks.FileName(id)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.LockDir(), name), nil
}

// readLock returns the lock of the session id, nil when there is none. settle is when to look again at a lock
// that may be half written; zero when it is whole.
func (s *Source) readLock(id string, now time.Time) (f *locks.File, settle time.Time) {
	path, err := s.lockPath(id)
	if err != nil {
		return nil, time.Time{}
	}
	f, err = locks.Read(path)
	if errors.Is(err, fs.ErrNotExist) || f == nil {
		return nil, time.Time{}
	}
	if end := f.ModTime.Add(grace); f.Problem != "" && now.Before(end) {
		settle = end
	}
	return f, settle
}
