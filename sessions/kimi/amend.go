package kimi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/locks"
	"berth/sessions"
	"berth/sessions/internal/atomicfile"
)

var _ sessions.Amender = (*Source)(nil)

// PlanAmend says what the change would make of the session's metadata, after every check that leaves no trace.
func (s *Source) PlanAmend(ctx context.Context, key string, a sessions.Amendment) (*sessions.Edit, error) {
	_, edit, server, err := s.prepare(ctx, key, a)
	if err != nil || server == nil || unchanged(edit) {
		return edit, err
	}
	if !a.UseServer {
		return nil, askServer(a.ID, *server)
	}
	edit.Message += " by " + nameOf(*server)
	return edit, nil
}

// AmendSession archives, restores or renames a session: through the running server of the home, which has its sessions
// in memory; without one in state.json, under the session's lock, and with the client's own temp name. Everything but the
// members that the change is about stays as it is, byte for byte. Afterwards a mark in sessions/.index-dirty tells
// clients to look. It is refused while any client may have the session in memory.
func (s *Source) AmendSession(ctx context.Context, key string, a sessions.Amendment) (*sessions.Edit, error) {
	d, edit, server, err := s.prepare(ctx, key, a)
	switch {
	case err != nil || unchanged(edit):
		return edit, err
	case server == nil:
		return s.amendHere(ctx, d, a)
	case !a.UseServer:
		return nil, askServer(d.id, *server)
	}
	return s.amendThere(ctx, *server, d, a)
}

func unchanged(e *sessions.Edit) bool { return bytes.Equal(e.Before, e.After) }

// prepare reads the session, plans the change, and finds out who has to make it: a server, or we when that is nil.
func (s *Source) prepare(ctx context.Context, key string, a sessions.Amendment) (*document, *sessions.Edit, *sessions.Server, error) {
	if s.census == nil {
		return nil, nil, nil, refusal(sessions.ErrNotCapable, a.ID, "this home is only read")
	}
	d, err := s.document(key, a.ID)
	if err != nil {
		return nil, nil, nil, err
	}
	edit, err := d.edit(a)
	if err != nil || unchanged(edit) {
		return d, edit, nil, err
	}
	c, err := s.crewOf(ctx, d)
	if err != nil {
		return nil, nil, nil, err
	}
	server, err := c.alone(d)
	return d, edit, server, err
}

func nameOf(s sessions.Server) string { return fmt.Sprintf("%s (pid %d, %s)", s.Name, s.PID, s.Where) }

func askServer(id string, server sessions.Server) error {
	return &sessions.Error{Err: sessions.ErrAskServer, Session: id,
		Detail: nameOf(server) + " runs on this home and may have the session in memory, so it has to make the change",
		Hint:   "allow it with --use-server, or for good with use_kimi_server: true in the configuration"}
}

// amendHere makes the change under the session's lock. What d says is known to be true until now.
func (s *Source) amendHere(ctx context.Context, d *document, a sessions.Amendment) (*sessions.Edit, error) {
	s.writing.Lock() // within one process holds of a lock are shared
	defer s.writing.Unlock()
	lease, err := locks.Take(ctx, locks.TakeConfig{
		Dir: s.path(locksRel), SessionID: d.id, System: s.system, Client: locks.ClientIdentity{ProductName: "berth"},
	})
	if err != nil {
		return nil, notTaken(d.id, err)
	}
	edit, err := s.amendHeld(ctx, lease, d, a)
	if rerr := lease.Release(); rerr != nil && err == nil {
		edit.Warnings = append(edit.Warnings, rerr.Error())
	}
	return edit, err
}

// notTaken puts a lock that was not to be had into the words of the domain.
func notTaken(id string, err error) error {
	var held *locks.HeldError
	if !errors.As(err, &held) {
		return refusal(sessions.ErrRefused, id, "its lock cannot be taken: %v", err)
	}
	e := refusal(sessions.ErrOccupied, id, "%v", held)
	if held.Judgement.Verdict == locks.Dead {
		e.Hint = "berth unlock removes the lock of a dead holder"
	}
	return e
}

// amendHeld reads everything again, writes, and reads back.
func (s *Source) amendHeld(ctx context.Context, lease *locks.Lease, before *document, a sessions.Amendment) (*sessions.Edit, error) {
	d, err := s.document(before.key, a.ID)
	if err != nil {
		return nil, err
	}
	if d.seen != before.seen {
		return nil, moved(d)
	}
	if err := s.deserted(ctx, d); err != nil {
		return nil, err
	}
	edit, err := d.edit(a)
	if err != nil {
		return nil, err
	}
	edit.Was, _ = s.Load(d.key, a.Now) // without it the change counts as somebody else's
	err = atomicfile.ReplaceThrough(d.path, tempName(), edit.After, func() error {
		return errors.Join(lease.Verify(), s.still(d), context.Cause(ctx))
	})
	if err != nil && !errors.Is(err, atomicfile.ErrNotDurable) {
		return nil, notWritten(d, err)
	}
	if err != nil {
		edit.Warnings = append(edit.Warnings, err.Error())
	}
	return s.written(d, edit, a)
}

// deserted makes sure once more that nobody has come.
func (s *Source) deserted(ctx context.Context, d *document) error {
	c, err := s.crewOf(ctx, d)
	if err != nil {
		return err
	}
	server, err := c.alone(d)
	if err == nil && server != nil {
		return refusal(sessions.ErrStale, d.id, "%s has just been started", nameOf(*server))
	}
	return err
}

// still fails when the session's files are others than those that were read.
func (s *Source) still(d *document) error {
	v, err := s.look(d.key, false)
	if err != nil {
		return moved(d)
	}
	defer v.close()
	if v.content() != d.seen {
		return moved(d)
	}
	return nil
}

func moved(d *document) error {
	return &sessions.Error{Err: sessions.ErrStale, Session: d.id, Detail: "somebody has just written in it",
		Hint: "look again with berth show"}
}

func notWritten(d *document, err error) error {
	if errors.As(err, new(*sessions.Error)) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) {
		return refusal(sessions.ErrRefused, d.id, "%s cannot be written: %v", d.path, err)
	}
	return fmt.Errorf("write %s: %w", d.path, err)
}

// tempName is how the client calls the temp file of a state.json: watchers find the writer's pid in it.
func tempName() string {
	var b [4]byte
	rand.Read(b[:])
	return stateName + ".tmp." + strconv.Itoa(os.Getpid()) + "." + hex.EncodeToString(b[:])
}

// written reads back what was written, and leaves the mark.
func (s *Source) written(d *document, edit *sessions.Edit, a sessions.Amendment) (*sessions.Edit, error) {
	now, err := s.document(d.key, a.ID)
	if err != nil || !bytes.Equal(now.raw, edit.After) {
		return nil, &sessions.Error{Err: sessions.ErrStale, Session: d.id, Hint: "look again with berth show",
			Detail: "another program overwrote its metadata right after it was changed"}
	}
	edit.Left, _ = s.Load(d.key, a.Now)
	if err := s.mark(d.id, a.Now); err != nil {
		edit.Warnings = append(edit.Warnings, "clients that run may show the change later: "+err.Error())
	}
	return edit, nil
}

// mark makes the empty file by which clients learn that a session's metadata changed.
func (s *Source) mark(id string, now time.Time) error {
	dir := s.path(sessionsRel + "/" + dirtyName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("mark session: %w", err)
	}
	for ms := now.UnixMilli(); ; ms++ {
		f, err := os.OpenFile(filepath.Join(dir, id+"."+strconv.FormatInt(ms, 10)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && ms < now.UnixMilli()+100 {
			continue
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("mark session: %w", err)
		}
		return nil
	}
}

// amendThere has a server make the change: POST /api/v1/sessions/{id}:archive and :restore, or /profile with the title.
func (s *Source) amendThere(ctx context.Context, server sessions.Server, d *document, a sessions.Amendment) (*sessions.Edit, error) {
	path, body := sessionPath(d.id)+":"+string(a.Kind), any(struct{}{})
	if a.Kind == sessions.AmendRename {
		path, body = sessionPath(d.id)+"/profile", map[string]string{"title": strings.TrimSpace(a.Title)}
	}
	was, _ := s.Load(d.key, a.Now)
	if _, err := s.callServer(ctx, server, path, body); err != nil {
		return nil, &sessions.Error{Err: sessions.ErrRefused, Session: d.id,
			Detail: fmt.Sprintf("%s did not make the change: %v", nameOf(server), err),
			Hint:   "it may have the session in memory, so nobody else can; end it with berth stop, or try there"}
	}
	edit, err := s.awaitServer(ctx, d, a)
	if err != nil {
		return nil, err
	}
	edit.Message += " by " + nameOf(server)
	edit.Was = was
	edit.Left, _ = s.Load(d.key, a.Now)
	return edit, nil
}

// A server writes soon after it has answered; this is how long that is waited for.
const (
	serverWrites = 3 * time.Second
	lookAgain    = 50 * time.Millisecond
)

// awaitServer reads what a server wrote: the change is there when making it again would change nothing.
func (s *Source) awaitServer(ctx context.Context, before *document, a sessions.Amendment) (*sessions.Edit, error) {
	ctx, cancel := context.WithTimeout(ctx, serverWrites)
	defer cancel()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		if d, err := s.document(before.key, a.ID); err == nil {
			if again, err := d.edit(a); err == nil && unchanged(again) {
				done, err := before.edit(a)
				if err == nil {
					done.After = d.raw
				}
				return done, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, refusal(sessions.ErrStale, before.id, "the server says that it is done, and %s does not show it", before.path)
		case <-tick.C:
		}
	}
}
