package vault

import "strings"

// groups returns the selectors of an implicit end_work_session that match an open note (kioku.md section
// 3): its project, or the project whose sessions folder it lies in, with its client or its agent. Notes
// without either share the bare project. All of it is folded, since Kioku compares without case.
func groups(s *settings, key string, m *meta) []string {
	projects := []string{strings.ToLower(m.project)}
	for _, p := range s.projectsOf(key) {
		if p = strings.ToLower(p); p != projects[0] {
			projects = append(projects, p)
		}
	}
	if m.project == "" && len(projects) > 1 {
		projects = projects[1:]
	}
	var all []string
	for _, p := range projects {
		all = append(all, identities(p, m)...)
	}
	return all
}

func identities(project string, m *meta) []string {
	var ids []string
	if m.client != "" {
		ids = append(ids, project+"|client="+strings.ToLower(m.client))
	}
	if m.agent != "" {
		ids = append(ids, project+"|agent="+strings.ToLower(m.agent))
	}
	if ids == nil {
		ids = []string{project + "|"}
	}
	return ids
}
