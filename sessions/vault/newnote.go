package vault

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"berth/sessions"
)

// newNote is a session that is about to begin: everything but its place and its bytes.
type newNote struct {
	id            string
	at            time.Time
	agent, client string
	project       string // verbatim, "" for a global session
	parent        string
	name, goal    string // safe on one line of a note
}

const (
	maxName     = 120 // characters of a title
	maxNameFile = 120 // bytes of it in a file name
	maxField    = 512 // bytes of one value in the frontmatter
)

// newSession takes a request apart and refuses what the store does not allow.
func newSession(r sessions.StartRequest, id string, now time.Time) (*newNote, error) {
	n := &newNote{id: id, at: now.UTC().Truncate(tick), project: r.Project, parent: oneLine(r.Parent)}
	n.agent, n.client = identity(r.Agent, r.Client)
	n.name, n.goal = plainText(r.Name, maxName), plainText(r.Goal, 0)
	switch {
	case r.Project != "" && !validProject(r.Project):
		return nil, refused(r.Project, `a project is one or more names with "/" between them, without ".." and "\"`, "this is no name of a project")
	case !utf8.ValidString(r.Project) || strings.ContainsFunc(r.Project, unicode.IsControl):
		return nil, refused(oneLine(r.Project), "", "the name of the project has characters that a note cannot hold on one line")
	case max(len(r.Project), len(n.client), len(n.parent)) > maxField:
		return nil, refused("start", "", "a project, client or parent id is longer than %d bytes", maxField)
	}
	return n, nil
}

// plainText makes a stranger's text one line that means nothing to Markdown, templates and Dataview. limit is in
// characters, 0 for none.
func plainText(s string, limit int) string {
	s = oneLine(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "))
	if r := []rune(s); limit > 0 && len(r) > limit {
		s = strings.TrimSpace(string(r[:limit]))
	}
	return escapeLine(disarm(s))
}

// folder returns where the note goes, relative to the vault.
func (n *newNote) folder(set *settings) string {
	if n.project == "" {
		return set.global
	}
	return set.projectFolder(n.project) + "/" + set.sessions
}

// fileNames returns the name that Kioku would choose, and one that is the note's own when that is taken: Kioku adds
// the first digits of the id, which are a time and the same for many; ours are the random last ones (hazard 27).
func (n *newNote) fileNames() [2]string {
	stem := n.at.Format("2006-01-02-1504-") + n.agent
	if name := fileText(n.name); n.project == "" && name != "" { // a name of marks only is none
		stem = n.at.Format(time.DateOnly) + " — " + name
	}
	return [2]string{stem + ".md", stem + "-" + n.id[len(n.id)-8:] + ".md"}
}

var notInFileNames = regexp.MustCompile(`[<>:"/\\|?*#^\[\]]+`)

// fileText makes a title part of a file name: no folders (hazard 35), nothing that a file system or a link in a note
// cannot have.
func fileText(name string) string {
	name = strings.Join(strings.Fields(notInFileNames.ReplaceAllString(name, " ")), " ")
	return strings.Trim(cutBytes(name, maxNameFile), " .")
}

// title is what the note's first heading says.
func (n *newNote) title() string {
	if n.name != "" {
		return n.name
	}
	return n.at.Format(time.DateTime) + " (" + disarm(n.agent) + ")"
}

// link is the project as a link: the last part of its name.
func (n *newNote) link() string { return "[[" + n.project[strings.LastIndex(n.project, "/")+1:] + "]]" }

// bytes returns the whole note. body is what follows the frontmatter. The result is parsed again: what it says is
// what was asked for, or there is no note.
func (n *newNote) bytes(set *settings, body string) ([]byte, error) {
	raw := []byte("---\n" + n.frontmatter(set) + "---\n\n" + body)
	p := split(raw, true)
	f, err := parseFrontmatter(raw[p.yaml:p.closing])
	if err != nil {
		return nil, refused("start", "", "the note could not be read back: %v", err)
	}
	m := readMeta(f)
	want := []string{n.id, n.agent, n.client, strings.TrimSpace(n.project), n.parent, "active", formatTime(n.at)}
	got := []string{m.id, m.agent, m.client, m.project, m.parent, m.status, m.startedText}
	if !m.session || !slices.Equal(got, want) || !bytes.HasPrefix(raw[p.body:], []byte("\n"+body)) {
		return nil, refused("start", "", "the note would say %q where %q was asked for", got, want)
	}
	return raw, nil
}

// frontmatter returns the keys in Kioku's order (kioku.md section 1.5).
func (n *newNote) frontmatter(set *settings) string {
	var b strings.Builder
	key := func(name, text string) { fmt.Fprintf(&b, "%s: %s\n", name, yamlText(text)) }
	key("session_id", n.id)
	key("agent", n.agent)
	key("client_name", n.client)
	key("started_at", formatTime(n.at))
	if n.project != "" {
		key("project", n.project)
		key("project_link", n.link())
	}
	if n.parent != "" {
		key("parent_session_id", n.parent)
	}
	b.WriteString("tags:\n")
	for _, tag := range set.tags(n.folder(set)) {
		b.WriteString("  - " + yamlText(tag) + "\n")
	}
	if n.project != "" {
		b.WriteString("cssclasses:\n  - kioku-session\n")
	}
	b.WriteString("type: session\nstatus: active\n")
	if domain := set.domain(n.folder(set)); domain != "" {
		key("domain", domain)
	}
	b.WriteString("date: " + n.at.Format(time.DateOnly) + "\n")
	if set.updated {
		b.WriteString("updated: " + n.at.Format(time.DateOnly) + "\n")
	}
	return b.String()
}

var (
	isoDate   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	yamlWords = []string{"null", "~", "true", "false", "yes", "no", "on", "off", ".nan", ".inf", "+.inf", "-.inf"}
)

// yamlText writes a value as Kioku does: plain unless something in it is special to YAML or reads as another type;
// then in double quotes. A project called 007 stays 007 (hazard 31).
func yamlText(s string) string {
	if plainScalar(s) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func plainScalar(s string) bool {
	_, number := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	switch {
	case s == "" || strings.TrimSpace(s) != s || isoDate.MatchString(s) || number == nil,
		strings.ContainsAny(s[:1], "-?:!&*#{}[],|>@`"), strings.ContainsAny(s, `:#"'{}[]`),
		slices.ContainsFunc(yamlWords, func(w string) bool { return strings.EqualFold(s, w) }):
		return false
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte("k: "+s), &doc) != nil || len(doc.Content) != 1 || len(doc.Content[0].Content) != 2 {
		return false
	}
	v := doc.Content[0].Content[1]
	return v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && v.Value == s
}
