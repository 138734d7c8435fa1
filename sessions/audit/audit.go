// Package audit keeps the trail of what was done to Sessions: JSON lines in a private file that is turned over when
// it grows. It does not decide what is worth a line.
package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"berth/locks"
	"berth/sessions"

	"github.com/google/uuid"
)

// Log is a trail on disk. Several processes may append to one at the same time.
type Log struct {
	// Path is the newest file; older ones have ".1", ".2" … behind their name.
	Path string
	// MaxBytes is the size at which the file is turned over; zero means 2 MiB.
	MaxBytes int64
	// Keep is how many older files are kept; zero means 3.
	Keep int
}

func (l *Log) maxBytes() int64 {
	if l.MaxBytes > 0 {
		return l.MaxBytes
	}
	return 2 << 20
}

func (l *Log) keep() int {
	if l.Keep > 0 {
		return l.Keep
	}
	return 3
}

// lockWait bounds the wait for another process that appends.
const lockWait = 2 * time.Second

// Append adds a line. What a has not (time, id, pid) is filled in. The line is on disk when Append returns.
func (l *Log) Append(a sessions.Action) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("append to audit trail: %w", err)
		}
	}()
	fill(&a)
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	release, err := locks.Hold(ctx, l.Path+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := l.turnOver(); err != nil {
		return err
	}
	return appendLine(l.Path, line)
}

func fill(a *sessions.Action) {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	a.At = a.At.UTC().Truncate(time.Millisecond)
	if a.ID == "" {
		a.ID = uuid.NewString()
	}
	if a.By == 0 {
		a.By = os.Getpid()
	}
}

// appendLine writes line and its end in one piece. A line that a crash cut short in front of it gets an end first,
// so that only that one is lost.
func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	var out []byte
	if torn(f) {
		out = append(out, '\n')
	}
	_, err = f.Write(append(append(out, line...), '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

func torn(f *os.File) bool {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], end-1)
	return err == nil && last[0] != '\n'
}

// turnOver moves the files on when the newest is full. The caller holds the lock.
func (l *Log) turnOver() error {
	info, err := os.Stat(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() < l.maxBytes() {
		return err
	}
	for n := l.keep(); n > 0; n-- {
		err := os.Rename(l.file(n-1), l.file(n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// file is the name of the n-th older file, 0 the newest.
func (l *Log) file(n int) string {
	if n == 0 {
		return l.Path
	}
	return fmt.Sprintf("%s.%d", l.Path, n)
}

// Last returns the newest actions that keep accepts (all when keep is nil), at most max, oldest first. skipped counts
// lines that cannot be read.
func (l *Log) Last(max int, keep func(*sessions.Action) bool) (found []sessions.Action, skipped int, err error) {
	for n := 0; n <= l.keep() && len(found) < max; n++ {
		b, err := os.ReadFile(l.file(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read audit trail: %w", err)
		}
		lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
		for _, line := range slices.Backward(lines) {
			if len(found) == max {
				break
			}
			a, ok := parse(line)
			switch {
			case !ok:
				skipped++
			case keep == nil || keep(a):
				found = append(found, *a)
			}
		}
	}
	slices.Reverse(found)
	return found, skipped, nil
}

func parse(line []byte) (*sessions.Action, bool) {
	var a sessions.Action
	if err := json.Unmarshal(line, &a); err != nil || a.Kind == "" {
		return nil, false
	}
	return &a, true
}
