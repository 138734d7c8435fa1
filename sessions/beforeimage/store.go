// Package beforeimage keeps the bytes of files before berth changed them, for 30 days, so that a change can be taken
// back. It does not decide what may be taken back, and writes nothing outside of its own folder.
package beforeimage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/sessions"

	"github.com/google/renameio/v2/maybe"
)

// The bounds of a Store. Whatever is beyond one of them goes, the oldest first.
const (
	MaxAge   = 30 * 24 * time.Hour
	MaxCount = 1000
	MaxBytes = 128 << 20 // of all files together
	maxImage = 32 << 20  // of one file; a larger change cannot be taken back
)

const suffix = ".json"

// ErrTooLarge says that a change is too large to be kept.
var ErrTooLarge = errors.New("the file is too large to be kept for undo")

// Store is a private folder with one file for each Image, named by its action. Several processes may use one at the
// same time. It implements [sessions.Images].
type Store struct {
	Dir string // made when needed
}

var _ sessions.Images = (*Store)(nil)

// file returns where the image of an action is. An action's name comes from a command line: what could lead out of
// the folder names nothing.
func (s *Store) file(action string) (string, error) {
	name := action + suffix
	if action == "" || strings.HasPrefix(name, ".") || filepath.Base(name) != name || strings.ContainsAny(name, `/\:`+"\x00") {
		return "", fmt.Errorf("%w: no action is called %q", fs.ErrNotExist, action)
	}
	return filepath.Join(s.Dir, name), nil
}

// Keep writes an image, or replaces the one of the same action. It is on disk when Keep returns. Then whatever is
// beyond the bounds is dropped.
func (s *Store) Keep(img *sessions.Image) error {
	if err := s.keep(img); err != nil {
		return fmt.Errorf("keep %s for undo: %w", img.Path, err)
	}
	return nil
}

func (s *Store) keep(img *sessions.Image) error {
	if len(img.Before)+len(img.After) > maxImage {
		return ErrTooLarge
	}
	path, err := s.file(img.Action)
	if err != nil {
		return err
	}
	b, err := json.Marshal(img)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	if err := maybe.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	return s.prune()
}

// Forget drops the image of an action that did not happen after all.
func (s *Store) Forget(action string) error {
	path, err := s.file(action)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Load returns the image of an action. The error wraps fs.ErrNotExist when there is none, or none that is young
// enough.
func (s *Store) Load(action string) (*sessions.Image, error) {
	path, err := s.file(action)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read before-image: %w", err)
	}
	img := new(sessions.Image)
	if err := json.Unmarshal(b, img); err != nil {
		return nil, fmt.Errorf("read before-image %s: %w", path, err)
	}
	if time.Since(img.At) > MaxAge {
		return nil, fmt.Errorf("%w: it is older than 30 days", fs.ErrNotExist)
	}
	return img, nil
}

// List names the actions that have an image, the newest first: their names begin with the time.
func (s *Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list before-images: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names, nil
}

// prune drops what is too old or too much. A file that another process dropped first is no error.
func (s *Store) prune() error {
	names, err := s.List()
	if err != nil {
		return err
	}
	var total int64
	for n, name := range names {
		path := filepath.Join(s.Dir, name+suffix)
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		total += info.Size()
		if n < MaxCount && total <= MaxBytes && time.Since(info.ModTime()) <= MaxAge {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
