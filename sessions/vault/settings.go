package vault

import (
	"hash/fnv"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// configKey is the vault's configuration of Kioku, relative to the root.
const configKey = ".kioku/config.yml"

// settings are the parts of Kioku's configuration that change what we read and write. The zero value
// is not useful; [defaultSettings] is what Kioku does without a file.
type settings struct {
	projects string // folders.projects: where project folders lie
	sessions string // engineering.subfolders.sessions: the folder in a project
	updated  bool   // frontmatter.maintain_updated
	// What only new notes depend on.
	global    string              // folders.sessions: where sessions without a project lie
	templates []string            // folders.templates, or where Kioku looks; the first that exists counts
	domains   map[string]string   // domains: by the beginning of a folder, in lower case
	inherit   map[string][]string // auto_tags.inherit: likewise
	dropTags  []string            // auto_tags.exclude_from_tags, in lower case
	exclude   []string
	// hash identifies all of the above. It is part of every Stamp, since a Record depends on them.
	hash uint64
}

func defaultSettings() *settings {
	return (&settings{
		projects: "Projects", sessions: "sessions", global: "Sessions",
		templates: []string{"Templates", "99_System/Templates", "_templates", "System/Templates"},
		dropTags:  []string{"domain", "type", "status"},
	}).sealed()
}

// kiokuConfig names the keys we read, as docs/vault-config.md of Kioku does. All others are ignored.
type kiokuConfig struct {
	Folders struct {
		Projects  string
		Sessions  string
		Templates string
	}
	Domains  map[string]string
	AutoTags struct {
		Inherit map[string]folderList
		Exclude folderList `yaml:"exclude_from_tags"`
	} `yaml:"auto_tags"`
	Engineering struct {
		Subfolders map[string]string
	}
	Frontmatter struct {
		MaintainUpdated bool `yaml:"maintain_updated"`
	}
	Exclude folderList
}

// folderList accepts a list of folders and a single one.
type folderList []string

// UnmarshalYAML takes what is text and skips the rest.
func (l *folderList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = append(*l, n.Value)
	}
	for _, c := range n.Content {
		if n.Kind == yaml.SequenceNode && c.Kind == yaml.ScalarNode {
			*l = append(*l, c.Value)
		}
	}
	return nil
}

// parseSettings reads what it can: a key of the wrong type is skipped and reported, a file that is no
// YAML leaves the defaults, as in Kioku. The result is never nil.
func parseSettings(b []byte) (*settings, error) {
	var c kiokuConfig
	err := yaml.Unmarshal(b, &c)
	s := defaultSettings()
	if p := cleanFolder(c.Folders.Projects); p != "" {
		s.projects = p
	}
	if p := cleanFolder(c.Engineering.Subfolders["sessions"]); p != "" {
		s.sessions = p
	}
	s.updated = c.Frontmatter.MaintainUpdated
	s.readStart(&c)
	for _, e := range c.Exclude {
		if e = cleanFolder(e); e != "" {
			s.exclude = append(s.exclude, strings.ToLower(e))
		}
	}
	return s.sealed(), err
}

// readStart reads what only new notes depend on.
func (s *settings) readStart(c *kiokuConfig) {
	if p := cleanFolder(c.Folders.Sessions); p != "" {
		s.global = p
	}
	if p := cleanFolder(c.Folders.Templates); p != "" {
		s.templates = []string{p}
	}
	s.domains, s.inherit = map[string]string{}, map[string][]string{}
	for prefix, domain := range c.Domains {
		s.domains[strings.ToLower(cleanFolder(prefix))] = oneLine(domain)
	}
	for prefix, tags := range c.AutoTags.Inherit {
		s.inherit[strings.ToLower(cleanFolder(prefix))] = tags
	}
	if c.AutoTags.Exclude != nil {
		s.dropTags = nil
	}
	for _, tag := range c.AutoTags.Exclude {
		s.dropTags = append(s.dropTags, strings.ToLower(tag))
	}
}

// domain is what notes in the folder are about, "" when the configuration does not say.
func (s *settings) domain(folder string) string { return longest(s.domains, folder) }

// tags are those of a new session in the folder: the two that every session has, then the folder's.
func (s *settings) tags(folder string) []string {
	all := []string{"session", "work-log"}
	for _, tag := range longest(s.inherit, folder) {
		tag = oneLine(tag)
		known := func(t string) bool { return strings.EqualFold(t, tag) }
		if tag != "" && !slices.ContainsFunc(all, known) && !slices.ContainsFunc(s.dropTags, known) {
			all = append(all, tag)
		}
	}
	return all
}

// longest returns the value of the longest key that folder begins with. As in Kioku a key is the beginning of the
// text, not of a path.
func longest[V any](byPrefix map[string]V, folder string) (value V) {
	best := -1
	folder = strings.ToLower(folder)
	for prefix, v := range byPrefix {
		if len(prefix) > best && prefix != "" && strings.HasPrefix(folder, prefix) {
			best, value = len(prefix), v
		}
	}
	return value
}

// cleanFolder brings a folder from the configuration into the form of a key.
func cleanFolder(f string) string {
	return strings.Trim(strings.ReplaceAll(strings.TrimSpace(f), `\`, "/"), "/")
}

func (s *settings) sealed() *settings {
	h := fnv.New64a()
	for _, part := range append([]string{s.projects, s.sessions}, s.exclude...) {
		h.Write([]byte(part + "\x00"))
	}
	if s.updated {
		h.Write([]byte{1})
	}
	s.hash = h.Sum64()
	return s
}

// hides reports whether Kioku does not index what lies at rel, a file or a folder: some segment begins
// with a dot, or it lies in an excluded folder.
func (s *settings) hides(rel string) bool {
	return dotted(rel) || s.excludes(rel)
}

func dotted(rel string) bool {
	return rel != "." && (strings.HasPrefix(rel, ".") || strings.Contains(rel, "/."))
}

func (s *settings) excludes(rel string) bool {
	for _, e := range s.exclude {
		if len(rel) >= len(e) && strings.EqualFold(rel[:len(e)], e) && (len(rel) == len(e) || rel[len(e)] == '/') {
			return true
		}
	}
	return false
}

// projectFolder returns where the project's notes lie, or "" for a name that Kioku rejects.
func (s *settings) projectFolder(project string) string {
	if !validProject(project) {
		return ""
	}
	return s.projects + "/" + project
}

// validProject is Kioku's rule for project identifiers (kioku.md section 1.3).
func validProject(p string) bool {
	if strings.TrimSpace(p) == "" || strings.Contains(p, `\`) || strings.Contains(p, "..") {
		return false
	}
	for seg := range strings.SplitSeq(p, "/") {
		if seg == "" {
			return false
		}
	}
	return true
}

// projectsOf returns the projects whose sessions folder the note lies in. Project names may have several
// segments, so a path with two sessions folders belongs to two projects.
func (s *settings) projectsOf(key string) []string {
	rest, ok := cutFolder(key, s.projects)
	if !ok {
		return nil
	}
	var found []string
	for i := range len(rest) {
		if rest[i] == '/' && i > 0 {
			if _, ok := cutFolder(rest[i+1:], s.sessions); ok {
				found = append(found, rest[:i])
			}
		}
	}
	return found
}

// cutFolder returns what follows the folder in path, as in Kioku without regard to case.
func cutFolder(path, folder string) (string, bool) {
	n := len(folder)
	if len(path) <= n || path[n] != '/' || !strings.EqualFold(path[:n], folder) {
		return "", false
	}
	return path[n+1:], true
}
