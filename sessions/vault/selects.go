package vault

import (
	"slices"
	"strings"

	"berth/sessions"
)

// Selects implements the rules of an implicit end_work_session (kioku.md section 3): the note's project, or the project
// whose sessions folder it lies in; then its client or its agent. Without a client and an agent everybody's match. A
// note whose frontmatter cannot be read matches nothing, since Kioku does not see it.
func (s *Source) Selects(r *sessions.Record, sel sessions.Selector) bool {
	if len(r.Groups) == 0 {
		return false
	}
	inFolder := func(p string) bool { return strings.EqualFold(p, sel.Project) }
	if sel.Project != "" && !strings.EqualFold(r.Project, sel.Project) && !slices.ContainsFunc(s.current().projectsOf(r.Key), inFolder) {
		return false
	}
	agent, client := s.Named(sel)
	return agent == "" || strings.EqualFold(r.ClientName, client) || strings.EqualFold(r.Agent, agent)
}

// Named returns the agent as notes have it, and the client; both "" when neither is given.
func (s *Source) Named(sel sessions.Selector) (agent, client string) {
	if strings.TrimSpace(sel.Agent) == "" && strings.TrimSpace(sel.Client) == "" {
		return "", ""
	}
	return identity(sel.Agent, sel.Client)
}
