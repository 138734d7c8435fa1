package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/locks"
	"berth/sessions"
)

// lockPatience is how long we wait for another writer. Kioku and we hold these locks for the time of
// one write.
const lockPatience = 10 * time.Second

// kiokuLocks is where Kioku keeps the locks of its guarded writer, relative to the root (kioku.md
// section 5.2).
const kiokuLocks = ".kioku/coordination/runtime/locks/resources"

// lock takes our lock for the session, and then Kioku's for the note where the vault has a .kioku
// folder. Everybody takes them in this order, so nobody waits in a circle.
func (s *Source) lock(ctx context.Context, t target, id string) (release func() error, err error) {
	if s.lockDir == "" {
		return nil, refused(t.key, "", "this program was started without a folder for its locks; it only reads")
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	ours := filepath.Join(s.lockDir, sessionLockName(t, id))
	first, err := locks.Hold(ctx, ours)
	if err != nil {
		return nil, s.blocked(t, err)
	}
	second, err := s.lockKioku(ctx, t)
	if err != nil {
		return nil, errors.Join(s.blocked(t, err), first())
	}
	return func() error { return errors.Join(second(), first()) }, nil
}

// lockKioku takes Kioku's lock for a note, or none where the vault has no .kioku folder or its file system no locks.
func (s *Source) lockKioku(ctx context.Context, t target) (release func() error, err error) {
	none := func() error { return nil }
	if fi, err := os.Stat(s.path(".kioku")); err != nil || !fi.IsDir() {
		return none, nil
	}
	release, err = locks.HoldForeign(ctx, s.root, filepath.FromSlash(kiokuLock(t)))
	if errors.Is(err, locks.ErrNotSupported) {
		s.log.Debug("no locks on this file system", "path", t.path, "err", err)
		return none, nil
	}
	return release, err
}

// sessionLockName is made from a hash, since ids are a stranger's text and no file names. A note without
// an id is locked by its path.
func sessionLockName(t target, id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" {
		id = "path:" + t.path
	}
	sum := sha256.Sum256([]byte(id))
	return "note-" + hex.EncodeToString(sum[:16]) + ".lock"
}

// kiokuLock returns Kioku's lock file for the note, relative to the root.
func kiokuLock(t target) string {
	sum := sha256.Sum256([]byte("note:" + t.key))
	return kiokuLocks + "/" + strings.ToUpper(hex.EncodeToString(sum[:])) + ".lock"
}

// blocked says who or what is in the way when a lock could not be had (bug B148).
func (s *Source) blocked(t target, err error) error {
	switch {
	case errors.Is(err, locks.ErrHeld) && errors.Is(err, context.DeadlineExceeded):
		return &sessions.Error{
			Err: sessions.ErrOccupied, Session: t.key, Hint: "try again when it is done",
			Detail: fmt.Sprintf("another program is writing this note: %v", err),
		}
	case errors.Is(err, fs.ErrPermission) || readOnlyDisk(err):
		return refused(t.key, "", "the note cannot be locked: %v", err)
	}
	return fmt.Errorf("lock note %s: %w", t.key, err)
}
