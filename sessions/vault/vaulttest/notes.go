package vaulttest

import (
	"strings"
	"time"
)

// The ids that tests name.
const (
	IDStarted = "019f76d0-7200-7a11-8c3e-5b1f0c9d4e21"
	IDClosed  = "019f76d4-4a60-7c52-9b07-2f6d8e1a3c90"
	IDTwice   = "019f76e0-0000-7000-8000-0000000000d1"
	IDGone    = "019f7600-0000-7000-8000-00000000dead" // a parent that no note has
)

// StartedAt is when the sessions of the sample began, unless their note says otherwise.
const StartedAt = "2026-07-18T20:00:00.0000000Z"

// config is a vault configuration with keys that this program does not know.
var config = Note{Key: ".kioku/config.yml", Text: `folders:
  projects: Projects
  inbox: Inbox
exclude:
  - Archive
capabilities:
  disabled: [coordination]
something_new: true
`}

// spec is what differs between notes that Kioku 3 would have written.
type spec struct {
	id, agent, client, project, parent, status, goal string
}

// text is a project note as of kioku.md section 12.1, or a global one when there is no project.
func (s spec) text() string {
	if s.status == "" {
		s.status = "active"
	}
	front := []string{"session_id: " + s.id, "agent: " + s.agent, "client_name: " + s.client, `started_at: "` + StartedAt + `"`}
	if s.project != "" {
		leaf := s.project[strings.LastIndex(s.project, "/")+1:]
		front = append(front, "project: "+s.project, `project_link: "[[`+leaf+`]]"`)
	}
	if s.parent != "" {
		front = append(front, "parent_session_id: "+s.parent)
	}
	front = append(front, "tags:", "  - session", "  - work-log")
	if s.project != "" {
		front = append(front, "cssclasses:", "  - kioku-session")
	}
	front = append(front, "type: session", "status: "+s.status, "date: 2026-07-18")
	return "---\n" + strings.Join(front, "\n") + "\n---\n\n" + s.body()
}

func (s spec) body() string {
	title := "# Work Session — 2026-07-18 20:00:00 (" + s.agent + ")\n\n"
	if s.project == "" {
		return title + "**Started:** " + StartedAt + "\n\n## Notes\n\n_(our placeholder)_\n\n## Modified during this session\n\n"
	}
	if s.goal == "" {
		s.goal = "Add retry to the uploader"
	}
	return title + "> [!info] Session\n> Project: " + s.project + " · Started: 2026-07-18 20:00 · Agent: " + s.agent + `

**Goal:** ` + s.goal + `

## Summary

_(our placeholder: to be written at the end)_

## Log

_(our placeholder: running notes)_

## Modified during this session
`
}

// numbered returns an id of the sample that nothing else has.
func numbered(n byte) string {
	const hex = "0123456789abcdef"
	return "019f76e0-0000-7000-8000-0000000000" + string([]byte{hex[n>>4], hex[n&15]})
}

const (
	fresh = 5 * time.Minute
	old   = 50 * time.Hour // longer than any sensible abandoned_after
)

// Notes returns the sample's notes. Two groups are ambiguous: shop-a and shop-b by their client,
// group-a and group-b by their agent.
func Notes() []Note {
	var all []Note
	for _, part := range [][]Note{kiokuNotes(), textNotes(), ambiguousNotes(), statusNotes(), brokenNotes(), otherNotes()} {
		all = append(all, part...)
	}
	return all
}

// kiokuNotes are sound notes as Kioku writes them: started, resumed, closed, a chain of three, global.
func kiokuNotes() []Note {
	resumed := spec{id: numbered(1), agent: "claude", client: "claude-code", project: "uploader"}.text() +
		"\n---\n\n## Session resumed — 2026-07-18T20:05:00.0000000Z\n"
	done := spec{id: IDClosed, agent: "codex", client: "codex-cli", project: "demo", parent: IDStarted, status: "done"}.text()
	done = strings.Replace(done, "date: 2026-07-18\n", "date: 2026-07-18\nended_at: \"2026-07-18T21:34:12.0000000Z\"\n", 1) +
		"\n---\n\n## Session ended — 2026-07-18T21:34:12.0000000Z\n\n**Duration:** 1h 34m\n**Outcome:** Reviewed.\n\n### Notes touched during session (2)\n- [[Retry plan]]\n- [[demo]]\n"
	return []Note{
		{Name: "started", Key: "Projects/demo/sessions/2026-07-18-2000-claude.md", ID: IDStarted, Effect: Closes, Age: fresh,
			Text: spec{id: IDStarted, agent: "claude", client: "claude-code", project: "demo"}.text()},
		{Name: "resumed", Key: "Projects/uploader/sessions/2026-07-18-2000-claude.md", ID: numbered(1), Effect: Closes, Age: fresh, Text: resumed},
		{Name: "closed", Key: "Projects/demo/sessions/2026-07-18-2004-codex.md", ID: IDClosed, Effect: Ended, Age: fresh, Text: done},
		{Name: "grandchild", Key: "Projects/demo/sessions/2026-07-18-2200-gemini.md", ID: numbered(2), Effect: Closes, Age: fresh,
			Text: spec{id: numbered(2), agent: "gemini", client: "gemini-cli", project: "demo", parent: IDClosed}.text()},
		{Name: "orphan", Key: "Projects/demo/sessions/2026-07-18-2210-cursor.md", ID: numbered(3), Effect: Closes, Age: fresh,
			Text: spec{id: numbered(3), agent: "cursor", client: "cursor", project: "demo", parent: IDGone}.text()},
		{Name: "global", Key: "Sessions/2026-07-18 — Reading list.md", ID: numbered(4), Effect: Closes, Age: fresh,
			Text: spec{id: numbered(4), agent: "opencode", client: "opencode"}.text()},
		{Name: "abandoned", Key: "Projects/old/sessions/2026-07-18-2000-claude.md", ID: numbered(5), Effect: Closes, Age: old,
			Text: spec{id: numbered(5), agent: "claude", client: "claude-code", project: "old"}.text()},
	}
}

// textNotes are sound notes in unusual clothes: byte order mark, line ends, comments, code, no last line end.
func textNotes() []Note {
	plain := func(n byte, project string) string {
		return spec{id: numbered(n), agent: "claude", client: "claude-code", project: project}.text()
	}
	crlf := strings.ReplaceAll(plain(0x11, "crlf"), "\n", "\r\n")
	mixed := strings.Replace(strings.ReplaceAll(plain(0x12, "mixed"), "\n", "\r\n"), "status: active\r\n", "status: active\n", 1)
	comments := strings.Replace(plain(0x13, "comments"), "type: session\n", `# status: active (the old one)
type: 'session' # do not touch

my plugin:
    nested: {a: 1, "b": [x, 'y']}   # flow
    text: |
      status: active

`, 1)
	comments = strings.Replace(comments, "status: active\ndate", "status: 'active'   # set by hand\ndate", 1)
	code := strings.Replace(plain(0x14, "code"), "## Summary\n\n_(our placeholder: to be written at the end)_\n",
		"```md\n## Summary\n\nnot this one\n```\n\n## Summary\n\nFirst thoughts.\n\n```sh\n## not a heading\n```\n\n### Details\n\nKept.\n", 1)
	text := func(name, key string, n byte, text string) Note {
		return Note{Name: name, Key: key, ID: numbered(n), Effect: Closes, Age: fresh, Text: text}
	}
	return []Note{
		text("bom", "Projects/bom/sessions/2026-07-18-2000-claude.md", 0x10, "\ufeff"+plain(0x10, "bom")),
		text("crlf", "Projects/crlf/sessions/2026-07-18-2000-claude.md", 0x11, crlf),
		text("mixed", "Projects/mixed/sessions/2026-07-18-2000-claude.md", 0x12, mixed),
		text("comments", "Projects/comments/sessions/2026-07-18-2000-claude.md", 0x13, comments),
		text("code", "Projects/code/sessions/2026-07-18-2000-claude.md", 0x14, code),
		text("no-newline", "Projects/short/sessions/2026-07-18-2000-claude.md", 0x15, strings.TrimSpace(plain(0x15, "short"))),
		text("no-body", "Projects/nobody/sessions/2026-07-18-2000-claude.md", 0x16,
			"---\ntype: session\nstatus: active\nproject: nobody\nsession_id: "+numbered(0x16)+"\n---"),
		text("capitals", "Notes/Capitals.md", 0x17,
			"---\nSession_ID: "+numbered(0x17)+"\nType: SESSION\nSTATUS: Active\nProject: caps\nStarted_At: 2026-07-18 20:00\nended_at:\n---\n# Capital letters\n"),
		text("unicode", "Projects/项目/sessions/Café 🚀.md", 0x18, plain(0x18, "项目")),
		text("number", "Projects/007/sessions/2026-07-18-2000-claude.md", 0x19, plain(0x19, "007")),
		{Name: "legacy", Key: "Projects/legacy/sessions/2024-03-01-0930-claude.md", Effect: Closes, Age: 20 * time.Minute,
			Text: "---\nproject: legacy\nagent: claude\ntype: session\nstatus: active\ncreated: 2024-03-01\ntags: [session]\n---\n\n# Work Session — tidy up\n\n**Started:** 09:30\n**Date:** 2024-03-01\n\n## Summary\n\n## Log\n"},
		{Name: "legacy-closed", Key: "Sessions/2024-03-02.md", Effect: Ended, Age: old,
			Text: "\ufeff---\ntype: session\nstatus: done\ndate: 2024-03-02\n---\n\nSome day.\n\n---\n\n## Session ended — 18:00 UTC\n"},
	}
}

// ambiguousNotes are two pairs that an implicit end matches together.
func ambiguousNotes() []Note {
	note := func(name, key string, s spec) Note {
		return Note{Name: name, Key: key, ID: s.id, Effect: Closes, Age: fresh, Text: s.text()}
	}
	return []Note{
		note("shop-a", "Projects/shop/sessions/2026-07-18-2000-codex.md",
			spec{id: numbered(0x21), agent: "codex", client: "codex-cli", project: "shop", goal: "Price list in two currencies"}),
		note("shop-b", "Projects/shop/sessions/2026-07-18-2001-codex.md",
			spec{id: numbered(0x22), agent: "codex", client: "codex-cli", project: "shop", goal: "Fix the total of the cart"}),
		note("group-a", "Projects/Group/ProjectA/sessions/2026-07-18-2000-claude.md",
			spec{id: numbered(0x23), agent: "claude", client: "claude-code", project: "Group/ProjectA"}),
		note("group-b", "Elsewhere/moved session.md",
			spec{id: numbered(0x24), agent: "Claude", client: "claude-desktop", project: "group/projecta"}),
	}
}

// statusNotes have a status that is not active, or none, and a copy with the same id.
func statusNotes() []Note {
	with := func(name string, n byte, status string, effect Effect) Note {
		text := spec{id: numbered(n), agent: "claude", client: "claude-code", project: "words", status: status}.text()
		if status == "-" {
			text = strings.Replace(text, "status: -\n", "", 1)
		}
		return Note{Name: name, Key: "Projects/words/sessions/" + name + ".md", ID: numbered(n), Effect: effect, Age: fresh, Text: text}
	}
	twice := spec{id: IDTwice, agent: "claude", client: "claude-code", project: "copies"}.text()
	return []Note{
		with("paused", 0x31, "paused", Ended),
		with("status-list", 0x32, "[active]", Ended),
		with("status-blank", 0x33, `"Active "`, Ended),
		with("no-status", 0x34, "-", Ended),
		{Name: "bare", Key: "Notes/bare.md", Effect: Ended, Age: fresh, Text: "---\ntype: session\n---\n"},
		{Name: "twice", Key: "Projects/copies/sessions/2026-07-18-2000-claude.md", ID: IDTwice, Effect: Twice, Age: fresh, Text: twice},
		{Name: "twice-copy", Key: "Projects/copies/sessions/2026-07-18-2000-claude 1.md", ID: IDTwice, Effect: Ended, Age: fresh,
			Text: strings.Replace(twice, "status: active", "status: done", 1)},
	}
}

// brokenNotes are sessions that must not be written: linked, malformed, with several names.
func brokenNotes() []Note {
	bad := func(name string, n byte, from, to string) Note {
		text := spec{id: numbered(n), agent: "claude", client: "claude-code", project: "bad"}.text()
		return Note{Name: name, Key: "Projects/bad/sessions/" + name + ".md", ID: numbered(n), Effect: Refused, Age: fresh,
			Text: strings.Replace(text, from, to, 1)}
	}
	link := "date: 2026-07-18\nrun_id: run-01\nwork_item_id: work-01\nattempt_id: attempt-01\n"
	return []Note{
		bad("linked", 0x41, "date: 2026-07-18\n", link),
		bad("partly-linked", 0x42, "date: 2026-07-18\n", "date: 2026-07-18\nwork_item_id: work-02\n"),
		bad("malformed", 0x43, "date: 2026-07-18\n", "date: \"2026-07-18\ntitle: it's\n\tbroken: [\n"),
		bad("unterminated", 0x44, "2026-07-18\n---\n", "2026-07-18\n"),
		bad("key-twice", 0x45, "type: session\n", "type: session\nstatus: done\n"),
		bad("conflict", 0x46, "status: active\n", "<<<<<<< HEAD\nstatus: active\n=======\nstatus: done\n>>>>>>> other\n"),
		bad("two-documents", 0x47, "date: 2026-07-18\n", "date: 2026-07-18\n...\nmore: true\n"),
		bad("hard-linked", 0x48, "", ""),
		{Name: "hard-link", Key: "Projects/bad/sessions/second name.md", ID: numbered(0x48), Effect: Refused,
			HardLink: "Projects/bad/sessions/hard-linked.md"},
	}
}

// otherNotes are no sessions, or not to be seen.
func otherNotes() []Note {
	hidden := spec{id: numbered(0x51), agent: "claude", client: "claude-code", project: "demo"}.text()
	other := func(name, key, text string) Note {
		return Note{Name: name, Key: key, Effect: Nothing, Age: old, Text: text}
	}
	return []Note{
		other("excluded", "Archive/2026/session.md", hidden),
		other("dot-folder", ".trash/session.md", hidden),
		other("temp-file", "Projects/demo/sessions/.2026-07-18-2000-claude.md.9f0c9f0c9f0c9f0c9f0c9f0c9f0c9f0c.tmp", hidden),
		other("not-markdown", "Projects/demo/sessions/session.txt", hidden),
		other("moc", "Projects/demo/demo.md", "---\ntype: moc\n---\n\n# demo\n"),
		other("plain", "Retry plan.md", "# Retry plan\n\ntype: session\nstatus: active\n"),
		other("rule", "Notes/rule.md", "---\n\nA rule, and no frontmatter.\n\n```yaml\ntype: session\n```\n"),
		other("nested", "Notes/nested.md", "---\nplugin:\n  type: session\n---\nAbout sessions.\n"),
		other("blank-first", "Notes/blank first.md", "\n"+hidden),
		other("empty", "Notes/empty.md", ""),
	}
}
