package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/sessions"
	"berth/sessions/internal/atomicfile"

	"github.com/google/uuid"
)

// PlanStart returns what [Source.StartSession] would write, but for the id. It makes no file and no folder.
func (s *Source) PlanStart(r sessions.StartRequest, now time.Time) (*sessions.Edit, error) {
	d, err := s.draft(r, now)
	if err != nil {
		return nil, err
	}
	for _, key := range d.keys {
		if _, err := os.Lstat(s.path(key)); errors.Is(err, fs.ErrNotExist) {
			return d.edit(s, key), nil
		}
	}
	return d.edit(s, d.keys[1]), nil
}

// maxDrafts bounds how many ids are tried. A second one is needed when a file has the name that eight random digits
// make one of its own.
const maxDrafts = 8

// StartSession begins a session as Kioku's start_work_session does: a note of a name that no file has, made whole or
// not at all. Of the project it makes the folders that are missing on the way to the note, and nothing else.
func (s *Source) StartSession(ctx context.Context, r sessions.StartRequest, now time.Time) (*sessions.Edit, error) {
	if s.lockDir == "" {
		return nil, refused("start", "", "this program was started without a folder for its locks; it only reads")
	}
	for range maxDrafts {
		d, err := s.draft(r, now)
		if err != nil {
			return nil, err
		}
		edit, err := s.place(ctx, d)
		if !errors.Is(err, fs.ErrExist) {
			return edit, err
		}
	}
	return nil, &sessions.Error{Err: sessions.ErrStale, Detail: "other programs took every name that was tried for the note", Hint: "try again"}
}

// draft is a new note with its bytes and the names it may have, the preferred one first.
type draft struct {
	note     *newNote
	keys     []string
	raw      []byte
	warnings []string
}

func (s *Source) draft(r sessions.StartRequest, now time.Time) (*draft, error) {
	s.refresh()
	set := s.current()
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make session id: %w", err)
	}
	n, err := newSession(r, id.String(), now)
	if err != nil {
		return nil, err
	}
	d := &draft{note: n}
	for _, name := range n.fileNames() {
		key := n.folder(set) + "/" + name
		if !isNote(set, key) {
			return nil, refused(key, "choose another name", "Kioku would not see a note there: the folder is hidden or excluded, or the name is not possible")
		}
		d.keys = append(d.keys, key)
	}
	body, warning := s.body(set, n)
	if warning != "" {
		d.warnings = append(d.warnings, warning)
	}
	d.raw, err = n.bytes(set, body)
	return d, err
}

// startedResult is Kioku's result of start_work_session, in its order of keys (kioku.md section 4.2).
type startedResult struct {
	Action       string  `json:"action"`
	SessionID    string  `json:"session_id"`
	Path         string  `json:"path"`
	Project      *string `json:"project"`
	Agent        string  `json:"agent"`
	ClientName   string  `json:"client_name"`
	StartedAt    string  `json:"started_at"`
	Coordination any     `json:"coordination"` // always null: nothing of ours is linked
}

func (d *draft) edit(s *Source, key string) *sessions.Edit {
	n := d.note
	return &sessions.Edit{
		Path: s.path(key), After: d.raw, Message: "Work session started: " + key, Warnings: d.warnings,
		Result: &startedResult{
			Action: "started", SessionID: n.id, Path: key, Project: orNull(n.project), Agent: n.agent, ClientName: n.client, StartedAt: formatTime(n.at),
		},
	}
}

// place makes the note under the first of its names that is free. Folders that were made for it go when there is no
// note in the end (kioku.md section 10, 21).
func (s *Source) place(ctx context.Context, d *draft) (*sessions.Edit, error) {
	folder := path.Dir(d.keys[0])
	made, err := s.makeFolder(folder)
	var edit *sessions.Edit
	if err == nil {
		edit, err = s.create(ctx, d)
	}
	if err != nil {
		for _, dir := range slices.Backward(made) {
			os.Remove(s.path(dir)) // only when it is still empty
		}
	}
	return edit, startFailed(folder, err)
}

func startFailed(folder string, err error) error {
	var known *sessions.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrPermission):
		return refused(folder, "make the folder writable first", "the note cannot be written: %v", err)
	case readOnlyDisk(err):
		return refused(folder, "", "the file system is read-only: %v", err)
	}
	return fmt.Errorf("start session in %s: %w", folder, err)
}

// makeFolder makes the folders of a key that are missing, and returns which. The vault itself is never made, and a
// folder that is a link is refused: Kioku does not look into those.
func (s *Source) makeFolder(folder string) (made []string, err error) {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, refused(s.root, "create or mount the vault first", "the vault is not there: %v", err)
	}
	defer root.Close()
	dir := ""
	for name := range strings.SplitSeq(folder, "/") {
		dir = path.Join(dir, name)
		err := root.Mkdir(filepath.FromSlash(dir), 0o777)
		if err == nil {
			made = append(made, dir)
			continue
		}
		fi, serr := root.Lstat(filepath.FromSlash(dir))
		switch {
		case serr != nil:
			return made, err
		case fi.Mode()&fs.ModeSymlink != 0:
			return made, refused(dir, "", "the folder is a link, and Kioku sees no notes behind one")
		case !fi.IsDir():
			return made, refused(dir, "", "a file is in the place of the folder")
		}
	}
	return made, nil
}

// create tries the names of d. A name is only free while nobody has Kioku's lock for it: Kioku looks, and then
// replaces what is there by then (hazard 28).
func (s *Source) create(ctx context.Context, d *draft) (*sessions.Edit, error) {
	for _, key := range d.keys {
		edit, err := s.createAs(ctx, d, key)
		if !errors.Is(err, fs.ErrExist) {
			return edit, err
		}
	}
	return nil, fs.ErrExist
}

func (s *Source) createAs(ctx context.Context, d *draft, key string) (*sessions.Edit, error) {
	if _, err := os.Lstat(s.path(key)); err == nil {
		return nil, fs.ErrExist // without a lock file for a name that is taken
	}
	t := target{key: key, path: s.path(key)}
	release, err := s.lockName(ctx, t)
	if err != nil {
		return nil, err
	}
	edit := d.edit(s, key)
	err = atomicfile.Create(t.path, d.raw)
	if errors.Is(err, atomicfile.ErrNotDurable) {
		edit.Warnings = append(edit.Warnings, err.Error())
		err = nil
	}
	if free := release(); free != nil {
		s.log.Warn("lock not released", "path", t.path, "err", free)
	}
	if err != nil {
		return nil, err
	}
	return edit, s.readBack(t, edit)
}

// lockName takes Kioku's lock for a note's name, where the vault has Kioku's folder.
func (s *Source) lockName(ctx context.Context, t target) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	release, err = s.lockKioku(ctx, t)
	if err != nil {
		return nil, s.blocked(t, err)
	}
	return release, nil
}

// readBack makes sure that the note is there as it was written, and fills in the Session.
func (s *Source) readBack(t target, edit *sessions.Edit) error {
	n, err := readNote(t)
	if err != nil || !bytes.Equal(n.raw, edit.After) {
		return &sessions.Error{Err: sessions.ErrStale, Session: t.key, Detail: "another program changed the note right after we wrote it",
			Hint: "look at the note"}
	}
	edit.Left = s.recordOf(n, n.raw)
	return nil
}
