package main

import (
	"encoding/json"
	"fmt"

	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) closeCmd() *cobra.Command {
	var summary string
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use: "close ID", Short: "End a work session of a vault", Args: oneID,
		Long: "End a work session: its note gets status done, ended_at, and an end block with the duration, the summary and the " +
			"notes that were touched. Nothing else in the note changes. ID may be shortened to a unique prefix.",
		Example: "  berth close 019f76d0 --summary \"Retry added and tested\"\n  berth close 019f76d0 --dry-run    show what would be written",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			edit, err := b.Close(cmd.Context(), args[0], summary, dryRun)
			if err != nil {
				return err
			}
			return a.printEdit(edit, dryRun, asJSON)
		},
	}
	cmd.Flags().StringVarP(&summary, "summary", "s", "", "what was done, for the note")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
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
