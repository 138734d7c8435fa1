package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// note is a work-session note as the notes server starts it (and ends it, when it has an end).
type note struct {
	id      string
	parent  string // id of the session it continues; may be empty
	project string
	agent   string // normalised: "claude"
	client  string // as the client names itself: "claude-code"
	goal    string
	status  string
	started time.Time
	ended   time.Time // zero while it is open
	summary string
}

const stamp = "2006-01-02T15:04:05.0000000Z" // the server's own form, always UTC

// path returns where the note lives below the vault.
func (n note) path() string {
	name := fmt.Sprintf("%s-%s-%s.md", n.started.UTC().Format("2006-01-02-1504"), n.agent, n.id[len(n.id)-8:])
	return filepath.Join("Projects", n.project, "sessions", name)
}

// write puts the note into the vault, last touched at its end or its start.
func (n note) write(vault string) error {
	path := filepath.Join(vault, n.path())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(n.frontmatter()+n.body()), 0o644); err != nil {
		return err
	}
	touched := n.started
	if !n.ended.IsZero() {
		touched = n.ended
	}
	return os.Chtimes(path, touched, touched)
}

func (n note) frontmatter() string {
	lines := []string{
		"---",
		"session_id: " + n.id,
		"agent: " + n.agent,
		"client_name: " + n.client,
		fmt.Sprintf("started_at: %q", n.started.UTC().Format(stamp)),
		"project: " + n.project,
		fmt.Sprintf(`project_link: "[[%s]]"`, n.project),
	}
	if n.parent != "" {
		lines = append(lines, "parent_session_id: "+n.parent)
	}
	lines = append(lines,
		"tags:", "  - session", "  - work-log",
		"cssclasses:", "  - kioku-session",
		"type: session",
		"status: "+n.status,
		"date: "+n.started.UTC().Format(time.DateOnly))
	if !n.ended.IsZero() {
		lines = append(lines, fmt.Sprintf("ended_at: %q", n.ended.UTC().Format(stamp)))
	}
	return strings.Join(append(lines, "---", "", ""), "\n")
}

func (n note) body() string {
	start := n.started.UTC()
	body := fmt.Sprintf(`# Work Session — %s (%s)

> [!info] Session
> Project: [[%s]] · Started: %s · Agent: %s

**Goal:** %s

## Summary

%s

## Log

- a note of the berth demo

## Modified during this session
`, start.Format(time.DateTime), n.agent, n.project, start.Format("2006-01-02 15:04"), n.agent, n.goal,
		orElse(n.summary, "_(written when the session ends)_"))
	if n.ended.IsZero() {
		return body
	}
	took := n.ended.Sub(n.started)
	return body + fmt.Sprintf(`
---

## Session ended — %s

**Duration:** %dh %dm
**Outcome:** %s

_(no notes were modified during this session)_
`, n.ended.UTC().Format(stamp), int(took.Hours()), int(took.Minutes())%60, n.summary)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
