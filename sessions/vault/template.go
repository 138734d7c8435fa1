package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The placeholders below the headings of a new note. They are in italics, as Kioku's are, so that a summary takes
// their place.
const (
	summaryLater = "_To be written when the session ends._"
	logLater     = "_What happens, as it happens._"
)

// sessionTemplate is what Kioku calls the template of project sessions, in the vault's folder of templates.
const sessionTemplate = "kioku/session.md"

// builtIn is the body of a project session without a template in the vault (kioku.md section 1.8).
const builtIn = `# Work Session — {{title}}

> [!info] Session
> Project: {{project_link}} · Started: {{date}} {{time}} · Agent: {{agent}}

**Goal:** {{goal}}

## Summary

` + summaryLater + `

## Log

` + logLater + `

## Modified during this session
`

// body returns what follows the frontmatter, and a warning.
func (s *Source) body(set *settings, n *newNote) (body, warning string) {
	if n.project == "" {
		return n.globalBody(), ""
	}
	text, ok := s.template(set)
	if !ok {
		return n.render(builtIn), ""
	}
	if strings.Contains(text, "<%") {
		warning = "the vault's session template has Templater commands, which only Obsidian can run; they stand in the note as they are"
	}
	return n.render(text), warning
}

func (n *newNote) globalBody() string {
	goal := ""
	if n.goal != "" {
		goal = goalMark + n.goal + "\n"
	}
	return "# " + titlePrefix + n.title() + "\n\n**Started:** " + formatTime(n.at) + "\n" + goal +
		"\n## Notes\n\n" + logLater + "\n\n## Modified during this session\n\n"
}

// template reads the vault's own template of project sessions, without a frontmatter of its own and with LF. Only a
// regular file within the vault counts.
func (s *Source) template(set *settings) (string, bool) {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return "", false
	}
	defer root.Close()
	for _, folder := range set.templates {
		fi, err := root.Stat(filepath.FromSlash(folder))
		if err != nil || !fi.IsDir() {
			continue
		}
		name := filepath.FromSlash(folder + "/" + sessionTemplate)
		if fi, err := root.Stat(name); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxFront {
			return "", false // the first folder that exists is the one
		}
		b, err := root.ReadFile(name)
		if err != nil {
			return "", false
		}
		if p := split(b, true); p.shape == fenced {
			b = b[p.body:]
		}
		text := strings.ReplaceAll(strings.TrimPrefix(string(b), "\ufeff"), "\r\n", "\n")
		return strings.TrimLeft(strings.ToValidUTF8(text, "\uFFFD"), "\n"), strings.TrimSpace(text) != ""
	}
	return "", false
}

var variable = regexp.MustCompile(`\{\{[A-Za-z_]+\}\}`)

// render fills a template in, once: what a value brings is text, never a variable (hazard 34). A variable that nobody
// knows stays.
func (n *newNote) render(template string) string {
	goal := n.goal
	if goal == "" {
		goal = noGoal
	}
	values := map[string]string{
		"goal": goal, "agent": disarm(n.agent), "project": disarm(n.project), "project_link": disarm(n.link()), "title": n.title(),
		"date": n.at.Format("2006-01-02"), "time": n.at.Format("15:04"), "datetime": n.at.Format("2006-01-02 15:04"),
		"year": n.at.Format("2006"), "month": n.at.Format("01"), "day": n.at.Format("02"),
		"started_at": formatTime(n.at), "uid": n.id[len(n.id)-8:],
	}
	text := variable.ReplaceAllStringFunc(template, func(v string) string {
		if value, ok := values[strings.ToLower(v[2:len(v)-2])]; ok {
			return value
		}
		return v
	})
	return fmt.Sprintln(strings.TrimRight(text, "\n"))
}
