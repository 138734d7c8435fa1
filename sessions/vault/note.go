package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/sessions"
)

// target is the file behind a key, links resolved.
type target struct {
	key  string // of the file itself
	path string
}

// note is a target's content, taken apart to be changed.
type note struct {
	target
	parts
	raw   []byte
	info  fs.FileInfo
	front *frontmatter
	meta  meta
}

// refused builds the error for what we will not write to. detail says what blocks, hint what helps.
func refused(key, hint, format string, args ...any) error {
	return &sessions.Error{Err: sessions.ErrRefused, Session: key, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func notFound(key string) error {
	return &sessions.Error{Err: sessions.ErrNotFound, Session: key}
}

// resolve finds the file that a key names. A link is followed so that the file gets replaced and the
// link stays (bug B116), but never out of the vault.
func (s *Source) resolve(key string) (target, error) {
	if !isNote(s.current(), key) {
		return target{}, notFound(key)
	}
	root, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return target{}, notFound(key)
	}
	path, err := filepath.EvalSymlinks(s.path(key))
	if err != nil {
		if _, there := os.Lstat(s.path(key)); gone(there) {
			return target{}, notFound(key)
		}
		return target{}, refused(key, "mend or remove the link", "the note is a link that leads nowhere: %v", err)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return target{}, refused(key, "close the note in the vault that it lies in", "the note is a link that leads out of the vault, to %s", path)
	}
	return target{key: filepath.ToSlash(rel), path: path}, nil
}

// readNote reads a target as a whole and takes it apart. What is not readable as a session is refused.
func readNote(t target) (*note, error) {
	info, err := os.Lstat(t.path)
	if gone(err) {
		return nil, notFound(t.key)
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, refused(t.key, "", "%s is not a regular file", t.path)
	}
	n := &note{target: t, info: info}
	if err == nil {
		n.raw, err = readBounded(t.path, maxNote)
	}
	switch {
	case gone(err):
		return nil, notFound(t.key)
	case errors.Is(err, fs.ErrPermission):
		return nil, refused(t.key, "", "the note cannot be read: %v", err)
	case err != nil:
		return nil, fmt.Errorf("read note %s: %w", t.key, err)
	}
	n.parts = split(n.raw, true)
	return n, n.parse()
}

// parse fills in the frontmatter.
func (n *note) parse() error {
	h := head{front: n.parts, bytes: n.raw}
	m, problem := h.meta()
	switch {
	case !m.session:
		return notFound(n.key)
	case problem != "":
		return refused(n.key, "mend the frontmatter in an editor first", "%s", problem)
	case n.closing-n.yaml > maxFront:
		return refused(n.key, "", "the frontmatter is longer than 1 MiB")
	}
	f, err := parseFrontmatter(n.raw[n.yaml:n.closing])
	if err != nil {
		return refused(n.key, "", "the frontmatter cannot be read: %v", err)
	}
	n.front, n.meta = f, m
	return nil
}

// writable checks everything that forbids a change to the note: id is whom the caller takes it for.
func (n *note) writable(id string) error {
	switch {
	case !strings.EqualFold(strings.TrimSpace(id), n.meta.id):
		return refused(n.key, "list the sessions again", "the note's session_id is %q now, not %q", n.meta.id, id)
	case !n.meta.active():
		return n.notActive()
	case len(n.meta.link) > 0:
		return refused(n.key, "end it with the client that holds its work item",
			"the note is linked to a work item (%s), and only who holds that may change it", strings.Join(n.meta.link, ", "))
	}
	return n.replaceable()
}

// closedDetails and inactiveDetails are what Kioku says beside SESSION_ALREADY_CLOSED and SESSION_NOT_ACTIVE.
type closedDetails struct {
	SessionID *string `json:"session_id"`
	Path      string  `json:"path"`
	Status    string  `json:"status"`
}

type inactiveDetails struct {
	SessionID *string `json:"session_id"`
	Status    string  `json:"status"`
}

func (n *note) notActive() error {
	detail := fmt.Sprintf("the session is not active, its status is %q", n.meta.status)
	if !n.meta.ended.IsZero() {
		detail += ", ended at " + n.meta.ended.Format(time.RFC3339)
	}
	return &sessions.Error{Err: sessions.ErrClosed, Session: n.key, Detail: detail,
		Details: closedDetails{orNull(n.meta.id), n.key, n.meta.status}}
}

// replaceable checks that a rename over the file would take nothing away: it is ours to write, and it
// has one name.
func (n *note) replaceable() error {
	dir := filepath.Dir(n.path)
	if n.info.Mode()&0o200 == 0 {
		return refused(n.key, "make it writable first", "the note is read-only (%v)", n.info.Mode())
	}
	if fi, err := os.Stat(dir); err == nil && fi.Mode()&0o200 == 0 {
		return refused(n.key, "make the folder writable first", "the folder %s is read-only (%v)", dir, fi.Mode())
	}
	if links := linkCount(n.path, n.info); links > 1 {
		return refused(n.key, "make it a file of its own first",
			"the note has %d hard links; writing it would split them", links)
	}
	return nil
}

// start returns when the session began, from the file's time when the note does not say (kioku.md
// section 2.2), and a warning then.
func (n *note) start() (time.Time, string) {
	if !n.meta.started.IsZero() {
		return n.meta.started, ""
	}
	return n.info.ModTime().UTC().Truncate(tick), "started_at is missing; the duration is counted from the time of the file"
}

// trimmed returns the end of the body without the blank space that every append of Kioku removes.
func (n *note) trimmed() int {
	return n.body + len(bytes.TrimRight(n.raw[n.body:], " \t\r\n"))
}

// appendBlock returns the splice that puts a block of lines behind the body, one empty line apart.
func (n *note) appendBlock(lines []string) splice {
	eol := mainLineEnd(n.raw)
	at := n.trimmed()
	gap := eol + eol
	if at == n.body && n.raw[at-1] == '\n' {
		gap = eol
	}
	return splice{at: at, del: len(n.raw) - at, ins: gap + strings.Join(lines, eol) + eol}
}
