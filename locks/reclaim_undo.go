package locks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxTrash bounds how many removed locks are kept; the oldest go first.
const maxTrash = 200

const trashSuffix = ".json"

// kept is a removed lock in our trash.
type kept struct {
	Path    string    `json:"path"`
	Content []byte    `json:"content"`
	At      time.Time `json:"at"` // when it was removed
}

func (r *Reclaimer) trash() string { return filepath.Join(r.cfg.Dir, "reclaimed") }

func (r *Reclaimer) trashFile(id string) string { return filepath.Join(r.trash(), id+trashSuffix) }

// keep writes the bytes of a lock into the trash. The id sorts by time.
func (r *Reclaimer) keep(f *File) (id string, err error) {
	b, err := lockBytes(f)
	if err != nil {
		return "", err
	}
	now := time.Now()
	id = now.UTC().Format("20060102T150405.000") + "-" + strings.ToLower(rand.Text()[:8])
	record, err := json.Marshal(kept{Path: f.Path, Content: b, At: now})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(r.trash(), ownFolderMode); err != nil {
		return "", err
	}
	if err := replaceOwn(r.trashFile(id), record); err != nil {
		return "", err
	}
	return id, r.prune()
}

// lockBytes reads what can be put back; of a link or a folder that is nothing.
func lockBytes(f *File) ([]byte, error) {
	again := *f
	b, err := readContent(&again)
	if err == nil && again.Problem != "" {
		err = fmt.Errorf("%w: %s", ErrUnproved, again.Problem)
	}
	return b, err
}

// forget drops what was kept of a lock that was not removed after all.
func (r *Reclaimer) forget(id string) error { return os.Remove(r.trashFile(id)) }

// prune drops the oldest of the trash beyond the bound.
func (r *Reclaimer) prune() error {
	names, err := r.trashNames()
	if err != nil {
		return err
	}
	for len(names) > maxTrash {
		if err := os.Remove(filepath.Join(r.trash(), names[0])); err != nil {
			return err
		}
		names = names[1:]
	}
	return nil
}

// KeptLock is a removed lock that can be put back.
type KeptLock struct {
	ID   string // for [Reclaimer.Undo]
	Path string
	At   time.Time // when it was removed
}

// Kept returns the removed locks that are kept, the newest first. What cannot be read is left out.
func (r *Reclaimer) Kept() ([]KeptLock, error) {
	names, err := r.trashNames()
	if err != nil {
		return nil, err
	}
	var all []KeptLock
	for _, name := range slices.Backward(names) {
		var k kept
		b, err := readOwn(filepath.Join(r.trash(), name))
		if err == nil && json.Unmarshal(b, &k) == nil {
			all = append(all, KeptLock{ID: strings.TrimSuffix(name, trashSuffix), Path: k.Path, At: k.At})
		}
	}
	return all, nil
}

// trashNames are the files of the trash, the oldest first.
func (r *Reclaimer) trashNames() ([]string, error) {
	entries, err := os.ReadDir(r.trash())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list removed locks: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), trashSuffix) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Undo puts back the lock that [Outcome.ID] names, byte for byte. It never replaces a lock: while there is
// one, the error is a [*HeldError]. It wraps [fs.ErrNotExist] when nothing of that name is kept, which is so
// after an Undo, too.
func (r *Reclaimer) Undo(ctx context.Context, id string) (Outcome, error) {
	var out Outcome
	err := r.guarded(ctx, func() error { return r.undo(id, &out) })
	r.audit(&out)
	if err != nil {
		err = fmt.Errorf("undo reclaim %q: %w", id, err)
	}
	return out, err
}

func (r *Reclaimer) undo(id string, out *Outcome) error {
	if _, err := FileName(id); err != nil {
		return err
	}
	b, err := readOwn(r.trashFile(id))
	if err != nil {
		return err
	}
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	if err := r.restore(&k); err != nil {
		return err
	}
	out.Action = Undone
	if f, err := Read(k.Path); err == nil {
		out.File = *f
	}
	return r.forget(id)
}

func (r *Reclaimer) restore(k *kept) error {
	_, err := publisher{r.link}.publish(k.Path, k.Path, k.Content)
	if errors.Is(err, fs.ErrExist) {
		f, gone := Read(k.Path)
		if gone != nil {
			return errors.Join(ErrHeld, gone)
		}
		return &HeldError{File: f, Judgement: r.cfg.System.Judge(f, time.Now())}
	}
	return err
}
