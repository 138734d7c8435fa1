package vault

import (
	"hash/fnv"
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
	exclude  []string
	// hash identifies all of the above. It is part of every Stamp, since a Record depends on them.
	hash uint64
}

func defaultSettings() *settings {
	return (&settings{projects: "Projects", sessions: "sessions"}).sealed()
}

// kiokuConfig names the keys we read, as docs/vault-config.md of Kioku does. All others are ignored.
type kiokuConfig struct {
	Folders struct {
		Projects string
	}
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
	for _, e := range c.Exclude {
		if e = cleanFolder(e); e != "" {
			s.exclude = append(s.exclude, strings.ToLower(e))
		}
	}
	return s.sealed(), err
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
