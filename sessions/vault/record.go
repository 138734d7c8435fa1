package vault

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"berth/sessions"
)

// record makes the Record of a note, without its Stamp; nil when the note is no session.
func (s *Source) record(set *settings, key string, h *head, now time.Time) *sessions.Record {
	m, problem := h.meta()
	if !m.session {
		return nil
	}
	r := s.row(key, &m, h.info.ModTime(), now)
	if h.front.shape == fenced {
		if t := title(h.bytes[h.front.body:]); t != "" {
			r.Title = t
		}
	}
	if problem != "" {
		r.Problems = append(r.Problems, problem)
		if since := now.Sub(h.info.ModTime()); since >= 0 && since < freshness {
			r.Settle = h.info.ModTime().Add(freshness)
		}
	} else if r.Open {
		r.Groups = groups(set, key, &m)
	}
	s.activity(r, &m, h, now)
	r.Problems = append(r.Problems, m.problems...)
	if len(r.Problems) > 0 {
		r.Facts = append(r.Facts, sessions.FactDamaged)
	}
	if len(m.link) > 0 {
		r.Facts = append(r.Facts, sessions.FactLinked)
		r.Evidence = append(r.Evidence, "linked to a work item by "+strings.Join(m.link, ", "))
	}
	return r
}

// meta reads the session's keys, from YAML or, with a problem, from what is left of it. The result says
// session = false for everything else.
func (h *head) meta() (meta, string) {
	switch h.front.shape {
	case fenced:
		yaml := h.bytes[h.front.yaml:h.front.closing]
		if !mentionsSession(yaml) {
			return meta{}, ""
		}
		f, err := readFrontmatter(yaml)
		if err == nil {
			return readMeta(f), ""
		}
		return salvage(yaml), "the frontmatter cannot be read: " + err.Error()
	case open:
		problem := "the frontmatter has no closing --- line"
		if len(h.bytes) >= maxFront {
			problem = "the frontmatter does not end within 1 MiB"
		}
		return salvage(h.bytes), problem
	}
	return meta{}, ""
}

// row fills in what does not depend on the body.
func (s *Source) row(key string, m *meta, mtime, now time.Time) *sessions.Record {
	r := &sessions.Record{
		Key: key, ID: m.id, Source: s.Name(), Root: s.root, Path: s.path(key),
		Project: m.project, Title: stem(key), Agent: m.agent, ClientName: m.client, ParentID: m.parent,
		StatusWord: m.status, Open: m.active(), CreatedAt: m.started, Trace: &sessions.Trace{Ended: m.ended},
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = mtime.UTC()
		r.Evidence = append(r.Evidence, "started_at is missing; the time of the file is used")
	}
	if !r.Open {
		if r.EndedAt = m.ended; r.EndedAt.IsZero() && strings.EqualFold(m.status, "done") {
			r.EndedAt = mtime.UTC()
		}
	}
	r.UpdatedAt = latest(now, mtime, m.started)
	return r
}

// activity takes the marks in the body into account.
func (s *Source) activity(r *sessions.Record, m *meta, h *head, now time.Time) {
	if at, ok := lastMark(h.tail, resumedHeading); ok {
		r.UpdatedAt, r.Trace.Resumed = latest(now, h.info.ModTime(), m.started, at), at
		r.Evidence = append(r.Evidence, "last resumed at "+at.Format(time.RFC3339))
	}
	if at, ok := lastMark(h.tail, endedHeading); ok && r.Open {
		r.Evidence = append(r.Evidence, fmt.Sprintf("the body says ended at %s, the status says %s", at.Format(time.RFC3339), m.status))
	}
}

// latest returns the latest time that is not after now. A clock that was wrong once must not keep a note
// young for ever. When all are after now, it is the first.
func latest(now time.Time, first time.Time, others ...time.Time) time.Time {
	var best time.Time
	for _, t := range append(others, first) {
		if t.After(best) && !t.After(now) {
			best = t
		}
	}
	if best.IsZero() {
		best = first
	}
	return best.UTC()
}

// recordOf makes the Record of a note that holds the given bytes, by the time of the file that it was read from.
func (s *Source) recordOf(n *note, raw []byte) *sessions.Record {
	h := &head{info: n.info, bytes: raw, front: split(raw, true)}
	if h.front.shape == fenced {
		h.tail = raw[max(h.front.body, len(raw)-tailRead):]
	}
	return s.record(s.current(), n.key, h, n.info.ModTime())
}

// unreadable makes the row of a note that we may not read, in a folder where only sessions live.
func (s *Source) unreadable(set *settings, key string, cause error) (*sessions.Record, error) {
	fi, err := os.Lstat(s.path(key))
	if err != nil || !fi.Mode().IsRegular() {
		return nil, sessions.ErrNotFound
	}
	m := meta{status: statusUnknown}
	r := s.row(key, &m, fi.ModTime(), fi.ModTime())
	r.Stamp = withSettings(noteStamp(key, fi), set)
	r.Problems = []string{"the note cannot be read: " + cause.Error()}
	r.Facts = []sessions.Fact{sessions.FactDamaged}
	return r, nil
}

// stem is the file's name without its extension, which is what links call it.
func stem(key string) string { return oneLine(strings.TrimSuffix(path.Base(key), ".md")) }
