package kimi

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"berth/locks"
	"berth/sessions"
)

// document is a session's metadata as it was read for a change.
type document struct {
	key, id string
	path    string // of the file
	raw     []byte
	meta    *state
	seen    uint64 // how the metadata and all journals looked; equal means unchanged
}

// document reads the metadata of the session key, which the caller knows by id.
func (s *Source) document(key, id string) (*document, error) {
	v, err := s.look(key, true)
	if err != nil {
		return nil, &sessions.Error{Err: sessions.ErrNotFound, Session: id, Detail: err.Error()}
	}
	defer v.close()
	d := &document{key: key, id: v.id, path: s.path(key + "/" + v.stateRel), seen: v.content()}
	if _, err := locks.FileName(v.id); err != nil {
		return nil, refusal(sessions.ErrUnsafeID, d.id, "its id has characters that the client has no lock for: %q", v.id)
	}
	if err := d.read(v); err != nil {
		return nil, err
	}
	switch {
	case d.meta.id != "" && d.meta.id != v.id:
		return nil, refusal(sessions.ErrBadState, d.id, "its metadata is that of another session, %q", d.meta.id)
	case id != v.id:
		return nil, refusal(sessions.ErrStale, d.id, "in its place was session %q a moment ago", id)
	case d.meta.version != 0 && d.meta.version != 2:
		return nil, refusal(sessions.ErrBadState, d.id, "its metadata has version %d, which is not known", d.meta.version)
	}
	return d, nil
}

// read takes over the bytes of the metadata.
func (d *document) read(v *survey) error {
	switch st := &v.state; {
	case !st.exists():
		return refusal(sessions.ErrNoState, d.id, "there is no %s in %s", v.stateRel, v.dir)
	case !st.kind.IsRegular() || !st.open:
		return refusal(sessions.ErrBadState, d.id, "%s is no file that can be read", d.path)
	case st.links > 1:
		return refusal(sessions.ErrRefused, d.id, "%s has %d names; replacing it would split them", d.path, st.links)
	case st.size > maxStateBytes:
		return refusal(sessions.ErrBadState, d.id, "%s has %d bytes, more than %d", d.path, st.size, maxStateBytes)
	}
	d.raw = make([]byte, v.state.size)
	n, err := v.state.file.ReadAt(d.raw, 0)
	if err := ignoreEOF(err); err != nil {
		return fmt.Errorf("read %s: %w", d.path, err)
	}
	d.raw = d.raw[:n]
	if d.meta, err = parseState(d.raw); err != nil {
		return refusal(sessions.ErrBadState, d.id, "%s %v", d.path, err)
	}
	return nil
}

// content hashes how the metadata and the journals look, without the lock and the index.
func (v *survey) content() uint64 {
	sum := v.state.hash(v.stateRel)
	for _, a := range v.agents {
		sum += a.wire.hash(a.name)
	}
	return sum
}

// edit says what a makes of d: the bytes of d when it is that way already.
func (d *document) edit(a sessions.Amendment) (*sessions.Edit, error) {
	changes, message, err := d.changes(a)
	if err != nil {
		return nil, err
	}
	after, ok := splice(d.raw, changes)
	if !ok || !sameBut(d.raw, after, changes) {
		return nil, refusal(sessions.ErrBadState, d.id, "%s cannot be changed without touching more than that", d.path)
	}
	return &sessions.Edit{Path: d.path, Before: d.raw, After: after, Message: message, Result: map[string]any{
		"ok": true, "action": a.Kind, "session_id": d.id, "path": d.path, "changed": string(after) != string(d.raw),
	}}, nil
}

// changes are the members that a sets, as the client sets them: version 2 has a time of archiving; the older one moves
// updatedAt instead, an ISO string.
func (d *document) changes(a sessions.Amendment) (all []change, message string, err error) {
	v2 := d.meta.version == 2
	switch {
	case a.Kind == sessions.AmendRename:
		title, err := d.title(a.Title)
		all = []change{{"title", json.RawMessage(jsonText(title))}, {"isCustomTitle", json.RawMessage("true")}}
		if v2 {
			all = append(all, change{"titleKind", json.RawMessage(`"custom"`)})
		}
		return all, "session renamed: " + d.id, err
	case d.meta.archived == (a.Kind == sessions.AmendArchive):
		return nil, map[bool]string{true: "session is archived already: ", false: "session is not archived: "}[d.meta.archived] + d.id, nil
	case a.Kind == sessions.AmendArchive && v2:
		return []change{{"archived", json.RawMessage("true")}, {"archivedAt", millis(a.Now)}}, "session archived: " + d.id, nil
	case a.Kind == sessions.AmendArchive:
		now := jsonText(a.Now.UTC().Format("2006-01-02T15:04:05.000Z"))
		return []change{{"updatedAt", json.RawMessage(now)}, {"archived", json.RawMessage("true")}}, "session archived: " + d.id, nil
	case a.Kind == sessions.AmendRestore:
		return []change{{"archived", json.RawMessage("false")}, {"archivedAt", nil}}, "session restored: " + d.id, nil
	}
	return nil, "", refusal(sessions.ErrNotCapable, d.id, "a Kimi session has no %s", a.Kind)
}

func millis(t time.Time) json.RawMessage { return fmt.Appendf(nil, "%d", t.UnixMilli()) }

// title checks a title that a person gives.
func (d *document) title(s string) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", refusal(sessions.ErrTitleEmpty, d.id, "a title has at least one character")
	case utf8.RuneCountInString(s) > maxTitle:
		return "", refusal(sessions.ErrRefused, d.id, "a title has at most %d characters", maxTitle)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return "", refusal(sessions.ErrRefused, d.id, "a title is one line of text")
	}
	return s, nil
}

func refusal(err error, id, format string, args ...any) *sessions.Error {
	return &sessions.Error{Err: err, Session: id, Detail: fmt.Sprintf(format, args...)}
}
