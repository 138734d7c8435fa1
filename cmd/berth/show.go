package main

import (
	"fmt"
	"strings"
	"time"

	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) showCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show one session: its status, why, and who has it", Args: oneID,
		Long:    "Show one session. ID may be shortened to a unique prefix; the path of a note or session folder works too.",
		Example: "  berth show 3f2a\n  berth show Projects/demo/sessions/2026-07-18-2000-claude.md --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			v, err := b.View(cmd.Context(), 0)
			if err != nil {
				return err
			}
			s, err := v.Find(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.stdout, s)
			}
			return a.printSession(s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session as JSON")
	return cmd
}

func (a *app) printSession(s *sessions.Session) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, clean(value))
		}
	}
	at := func(name string, t time.Time) {
		if !t.IsZero() {
			line(name, t.UTC().Format(time.RFC3339)+" ("+ago(t, a.now())+")")
		}
	}
	fmt.Fprintln(&b, clean(s.Name()))
	line("id", s.ID)
	line("status", strings.TrimSpace(string(s.Status)+" "+join(s.Reasons, "because of ")))
	line("facts", join(s.AllFacts, ""))
	line("source", s.Source+", "+s.Root)
	line("path", s.Path)
	line("project", s.Project)
	line("work folder", s.WorkDir)
	line("agent", s.Agent)
	line("client", s.ClientName)
	line("parent", s.ParentID)
	line("forked from", s.ForkedFrom)
	line("ambiguous", s.AmbiguousGroup)
	at("created", s.CreatedAt)
	at("activity", s.UpdatedAt)
	at("ended", s.EndedAt)
	at("archived", s.ArchivedAt)
	line("work", workText(s.Work))
	if s.AgentCount > 1 {
		line("agents", fmt.Sprint(s.AgentCount))
	}
	if h := s.Holder; h != nil {
		line("holder", strings.Join(notEmpty(sessions.HolderName(h), string(h.Verdict), "known by "+string(h.Via), string(h.Certainty)), ", "))
		at("  since", h.StartedAt)
	}
	if w := s.LastWriter; w != nil {
		line("last writer", w.Name+", "+string(w.Certainty))
		at("  seen", w.Seen)
	}
	list(&b, "Problems", s.Problems)
	list(&b, "Evidence", s.AllEvidence)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func list(b *strings.Builder, head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", head)
	for _, l := range lines {
		fmt.Fprintf(b, "  - %s\n", clean(l))
	}
}

func join[T ~string](words []T, front string) string {
	if len(words) == 0 {
		return ""
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return front + strings.Join(texts, ", ")
}

func workText(w sessions.Work) string {
	var parts []string
	say := func(t sessions.Tri, yes, no string) {
		switch t {
		case sessions.Yes:
			parts = append(parts, yes)
		case sessions.No:
			parts = append(parts, no)
		}
	}
	say(w.Busy, "busy", "not busy")
	say(w.MainTurnActive, "a turn runs", "no turn runs")
	if w.PendingInteraction != "" && w.PendingInteraction != "none" {
		parts = append(parts, "waits for "+w.PendingInteraction)
	}
	if w.LastTurnReason != "" {
		parts = append(parts, "last turn "+w.LastTurnReason)
	}
	return strings.Join(parts, ", ")
}
