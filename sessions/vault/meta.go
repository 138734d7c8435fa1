package vault

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// meta is what a note's frontmatter says about its session, by the rules of kioku.md section 1.7.
type meta struct {
	session bool   // type is session
	status  string // verbatim, "unknown" when missing

	id, project, agent, client, parent string
	started, ended                     time.Time // zero when missing or unreadable
	startedText                        string    // what started_at says, for people
	link                               []string  // the coordination keys that are there, with values
	problems                           []string
}

// statusUnknown is the status of a note without one, in Kioku's word.
const statusUnknown = "unknown"

// active reports whether work may go on. Blanks around the word make it another word (bug B143).
func (m *meta) active() bool { return strings.EqualFold(m.status, "active") }

// coordinationKeys bind a note to a work item. One of them is enough to make it none of our business.
var coordinationKeys = [...]string{"run_id", "work_item_id", "attempt_id"}

// readMeta reads the session's keys. Everything that is not a session only gets session = false.
func readMeta(f *frontmatter) meta {
	var m meta
	if fd, ok := f.first("type"); ok {
		text, _ := scalar(fd.value)
		m.session = strings.EqualFold(text, "session")
	}
	if !m.session {
		return m
	}
	m.status = readStatus(f)
	m.id = m.text(f, "session_id")
	m.project = m.text(f, "project")
	m.agent = m.text(f, "agent")
	m.client = m.text(f, "client_name")
	m.parent = m.text(f, "parent_session_id")
	m.startedText = m.text(f, "started_at")
	m.started = m.time("started_at", m.startedText)
	m.ended = m.time("ended_at", m.text(f, "ended_at"))
	for _, key := range coordinationKeys {
		if fd, ok := f.last(key); ok {
			m.link = append(m.link, key+": "+asWritten(fd.value, 2))
		}
	}
	return m
}

func readStatus(f *frontmatter) string {
	fd, ok := f.first("status")
	if !ok {
		return statusUnknown
	}
	text, ok := scalar(fd.value)
	if !ok && fd.value.Content != nil {
		text = asWritten(fd.value, 3)
	}
	if strings.TrimSpace(text) == "" {
		return statusUnknown
	}
	return text
}

// text returns a key's value, trimmed; "" when it is missing, blank or not a single value.
func (m *meta) text(f *frontmatter, key string) string {
	fd, ok := f.last(key)
	if !ok {
		return ""
	}
	text, ok := scalar(fd.value)
	if !ok && fd.value.Content != nil {
		m.problems = append(m.problems, fmt.Sprintf("%s is %s, not a single value; read as missing", key, asWritten(fd.value, 2)))
	}
	return strings.TrimSpace(text)
}

func (m *meta) time(key, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, ok := parseTime(text)
	if !ok {
		m.problems = append(m.problems, fmt.Sprintf("%s is %q, which is no time; read as missing", key, text))
	}
	return t
}

// looksLikeSession finds the line that makes a person call the note a session.
var looksLikeSession = regexp.MustCompile(`(?im)^["']?type["']?[ \t]*:[ \t]*["']?session["']?[ \t]*(#.*)?\r?$`)

// rawField finds simple lines of a frontmatter that cannot be parsed.
var rawField = regexp.MustCompile(`(?m)^["']?([A-Za-z_]+)["']?[ \t]*:[ \t]*["']?([^"'\r\n#]*)`)

// maxSalvage bounds the search in a note without a closing fence.
const maxSalvage = 64 << 10

// salvage reads what a person would read from YAML that does not parse: lines of a key and a value, the
// first of each key. Its result is good enough for a row and never for a write.
func salvage(b []byte) meta {
	b = b[:min(len(b), maxSalvage)]
	if i := bytes.Index(b, []byte("\n```")); i >= 0 {
		b = b[:i+1]
	}
	m := meta{session: looksLikeSession.Match(b)}
	if !m.session {
		return m
	}
	values := map[string]string{}
	for _, line := range rawField.FindAllSubmatch(b, 200) {
		key := strings.ToLower(string(line[1]))
		if _, ok := values[key]; !ok {
			values[key] = strings.TrimSpace(string(line[2]))
		}
	}
	m.id, m.project, m.agent = values["session_id"], values["project"], values["agent"]
	m.client, m.parent = values["client_name"], values["parent_session_id"]
	m.started, _ = parseTime(values["started_at"])
	m.ended, _ = parseTime(values["ended_at"])
	if m.status = values["status"]; m.status == "" {
		m.status = statusUnknown
	}
	return m
}

// mentionsSession reports whether the YAML can hold type: session at all. It saves parsing the
// frontmatter of notes of other types.
func mentionsSession(yaml []byte) bool {
	const word = "session"
	for i := 0; i+len(word) <= len(yaml); i++ {
		if yaml[i]|0x20 == 's' && strings.EqualFold(string(yaml[i:i+len(word)]), word) {
			return true
		}
	}
	return false
}
