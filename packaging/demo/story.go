package main

import (
	"time"

	"github.com/google/uuid"
)

// role is a client of the play: the work folder it runs in, and the session it works on. Two roles may
// share both.
type role struct{ folder, session string }

var roles = map[string]role{
	"first":  {"shop", "login"},
	"second": {"shop", "login"},
	"killed": {"menu", "translation"},
	"locked": {"tests", "cleanup"},
	"asking": {"paint", "colour"},
}

// step is one thing that happens. does is "enter", "leave", "die" (by SIGKILL) or one of deeds.
type step struct {
	after time.Duration // since the step before
	role  string
	does  string
	text  string
}

// round shows every status that a Kimi session can have by itself within half a minute. It begins and
// ends with no client running.
var round = []step{
	{0, "first", "enter", ""},
	{0, "first", "take", ""},
	{time.Second, "first", "begin", "Fix the login form"},
	{time.Second, "killed", "enter", ""},
	{time.Second, "killed", "begin", "Translate the menu"},
	{time.Second, "asking", "enter", ""},
	{time.Second, "asking", "begin", "Paint the header"},
	{time.Second, "asking", "ask", "Red or blue?"},
	{time.Second, "locked", "enter", ""},
	{0, "locked", "take", ""},
	{time.Second, "locked", "begin", "Tidy the tests"},
	{4 * time.Second, "killed", "die", ""},
	{2 * time.Second, "locked", "die", ""},
	{6 * time.Second, "first", "end", ""},
	{0, "first", "release", ""},
	{2 * time.Second, "second", "enter", ""},
	{0, "second", "take", ""},
	{time.Second, "second", "begin", "And the password hint"},
	{10 * time.Second, "asking", "answer", "Blue"},
	{2 * time.Second, "asking", "end", ""},
	{time.Second, "asking", "leave", ""},
	{8 * time.Second, "second", "end", ""},
	{0, "second", "release", ""},
	{time.Second, "second", "leave", ""},
	{time.Second, "first", "leave", ""},
}

// crashed are the sessions that a round leaves broken. The next round begins with them deleted and
// under new ids, so that the demo does not grow.
var crashed = []string{"translation", "cleanup"}

// pause lies between two rounds.
const pause = 20 * time.Second

// pastNotes are the notes that are in the vault when the demo begins.
func pastNotes(now time.Time) []note {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	done := note{id: newID(), project: "shop", agent: "claude", client: "claude-code", status: "done",
		goal: "Sketch the checkout", summary: "The sketch is in the plan.", started: ago(27 * time.Hour), ended: ago(25 * time.Hour)}
	return []note{
		done,
		{id: newID(), parent: done.id, project: "shop", agent: "codex", client: "codex-cli", status: "active",
			goal: "Build the checkout", started: ago(40 * time.Minute)},
		{id: newID(), project: "garden", agent: "gemini", client: "gemini-cli", status: "active",
			goal: "Forgotten two days ago", started: ago(50 * time.Hour)},
		{id: newID(), project: "garden", agent: "claude", client: "claude-code", status: "paused",
			goal: "A status that only its author knows", started: ago(5 * time.Hour)},
	}
}

// pairNote is one of two notes that nobody can tell apart: same project, agent and client.
func pairNote(now time.Time) note {
	return note{id: newID(), project: "demo", agent: "claude", client: "claude-code", status: "active",
		goal: "One of two with the same name", started: now}
}

// newID returns an id of the kind that the notes server makes: a UUID of version 7.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
