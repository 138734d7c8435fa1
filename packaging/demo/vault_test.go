package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sample() note {
	return note{id: "019f76d4-4a60-7c52-9b07-2f6d8e1a3c90", project: "demo", agent: "codex", client: "codex-cli",
		goal: "Review the retry change", status: "active", started: noon}
}

func TestNoteFrontmatter(t *testing.T) {
	n := sample()
	n.parent, n.status, n.ended = "019f76d0-7200-7a11-8c3e-5b1f0c9d4e21", "done", noon.Add(90*time.Minute)
	want := `---
session_id: 019f76d4-4a60-7c52-9b07-2f6d8e1a3c90
agent: codex
client_name: codex-cli
started_at: "2026-07-18T12:00:00.0000000Z"
project: demo
project_link: "[[demo]]"
parent_session_id: 019f76d0-7200-7a11-8c3e-5b1f0c9d4e21
tags:
  - session
  - work-log
cssclasses:
  - kioku-session
type: session
status: done
date: 2026-07-18
ended_at: "2026-07-18T13:30:00.0000000Z"
---

`
	if got := n.frontmatter(); got != want {
		t.Errorf("frontmatter:\n%s\nwant:\n%s", got, want)
	}
}

func TestNoteBodyEndsOnlyWhenItEnded(t *testing.T) {
	n := sample()
	if strings.Contains(n.body(), "Session ended") {
		t.Error("an open note has an end")
	}
	n.ended, n.summary = noon.Add(90*time.Minute), "Reviewed."
	for _, want := range []string{"## Session ended — 2026-07-18T13:30:00.0000000Z", "**Duration:** 1h 30m", "**Outcome:** Reviewed."} {
		if !strings.Contains(n.body(), want) {
			t.Errorf("the closed note lacks %q", want)
		}
	}
}

func TestNoteWriteSetsItsAge(t *testing.T) {
	vault, n := t.TempDir(), sample()
	if err := n.write(vault); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(vault, "Projects", "demo", "sessions", "2026-07-18-1200-codex-8e1a3c90.md")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime().Equal(noon) {
		t.Errorf("modified %v, want %v", info.ModTime(), noon)
	}
}
