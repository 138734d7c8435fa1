package vault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The words of Kioku for who has no name.
const (
	unknownAgent  = "agent"
	unknownClient = "unknown"
)

// knownAgents are found anywhere in a client's name, in this order (kioku.md section 3).
var knownAgents = [...]string{"claude", "codex", "antigravity", "opencode", "cursor", "gemini", "copilot", "windsurf"}

const maxAgent = 64 // bytes; it becomes part of a file name

// normalizeAgent brings the name of an agent into the form in which notes and file names have it: one word for the
// well-known ones, else lower case, blanks and dashes as one "-", without what file names cannot have.
func normalizeAgent(name string) string {
	name = strings.ToLower(oneLine(name))
	for _, known := range knownAgents {
		if strings.Contains(name, known) {
			return known
		}
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r), r == '-', '\u2012' <= r && r <= '\u2015', r == '\u2212':
			if !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		case !strings.ContainsRune(`<>:"/\|?*`, r):
			b.WriteRune(r)
		}
	}
	name = strings.Trim(cutBytes(strings.Trim(b.String(), "-"), maxAgent), "-")
	if name == "" {
		return unknownAgent
	}
	return name
}

// cutBytes returns at most limit bytes of s, whole characters only.
func cutBytes(s string, limit int) string {
	for len(s) > limit {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// identity is who asks: the agent in the form of notes, and the client as it calls itself.
func identity(agent, client string) (string, string) {
	agent, client = oneLine(agent), oneLine(client)
	if client == "" {
		client = agent
	}
	if agent == "" {
		agent = client
	}
	if client == "" {
		client = unknownClient
	}
	return normalizeAgent(agent), client
}
