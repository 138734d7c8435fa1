package main

import (
	"encoding/json"
	"fmt"

	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) closeCmd() *cobra.Command {
	var r sessions.EndRequest
	cmd := &cobra.Command{
		Use: "close [ID]", Short: "End a work session of a vault",
		Long: `End a work session: its note gets status done, ended_at, and an end block with the duration, the summary and the notes
that were touched. Nothing else in the note changes, and berth undo takes it back. ID may be shortened to a unique prefix,
or be the path of the note.

Without ID the one active session is meant that belongs to --project, and to --client or --agent. None or several that
match are an error that names them; berth never guesses.`,
		Example: "  berth close 019f76d0 --summary \"Retry added and tested\"\n  berth close 019f76d0 --dry-run    show what would be written\n" +
			"  berth close --project demo --agent claude --json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usage("%s takes one id, got %d", cmd.CommandPath(), len(args))
			case len(args) == 1 && r.Selector != sessions.Selector{}:
				return usage("an id says it all; --project, --client and --agent are for a session without one")
			case len(args) == 1 && args[0] == "":
				return &sessions.Error{Err: sessions.ErrNotFound, Detail: "no session was named"}
			case len(args) == 0 && r.Selector == sessions.Selector{}:
				return usage("%s needs the id of a session, or --project, --client or --agent; berth list shows them", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.Ref = args[0]
			}
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			edit, err := b.End(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.printEdit(edit, r.DryRun, a.asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&r.Summary, "summary", "s", "", "what was done, for the note")
	f.StringVarP(&r.Project, "project", "p", "", "without ID: the session's project")
	f.StringVar(&r.Client, "client", "", "without ID: the name of the client that works in it")
	f.StringVar(&r.Agent, "agent", "", "without ID: who works in it: claude, codex …")
	f.BoolVarP(&r.DryRun, "dry-run", "n", false, "show the change and write nothing")
	f.BoolVar(&a.asJSON, "json", false, "print the result, or the error, as JSON")
	return cmd
}

// printEdit says what was, or would be, written.
func (a *app) printEdit(e *sessions.Edit, dryRun, asJSON bool) error {
	for _, w := range e.Warnings {
		fmt.Fprintf(a.stderr, "berth: warning: %s\n", clean(w))
	}
	switch {
	case asJSON:
		return json.NewEncoder(a.stdout).Encode(e.Result)
	case dryRun:
		_, err := fmt.Fprintf(a.stdout, "%s\nnothing was written\n", sessions.Diff(e.Before, e.After))
		return err
	}
	_, err := fmt.Fprintln(a.stdout, clean(e.Message))
	if err == nil && e.Action != "" {
		_, err = fmt.Fprintf(a.stdout, "berth undo %s takes it back\n", e.Action)
	}
	return err
}
