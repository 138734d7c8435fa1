package main

import (
	"encoding/json"
	"fmt"

	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) reindexCmd() *cobra.Command {
	var r sessions.ReindexRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use: "reindex", Short: "Append what is missing in the Kimi client's own index of sessions", Args: noArgs,
		Long: `Compare the Kimi client's index (session_index.jsonl) with the session folders, and append a line for each session that
it does not name. Lines that say something else than the disk are shown; --fix appends the right line behind them, and the
last one counts. Nothing that is in the file changes. Sessions younger than a minute are left to their client.`,
		Example: "  berth reindex --dry-run\n  berth reindex --fix",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			lines, err := b.Reindex(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.printReindexed(lines, r, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&r.DryRun, "dry-run", "n", false, "show what is wrong and write nothing")
	cmd.Flags().BoolVar(&r.Fix, "fix", false, "append for lines that are wrong, too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (a *app) printReindexed(lines []sessions.IndexLine, r sessions.ReindexRequest, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(lines)
	}
	written := 0
	for _, l := range lines {
		if l.Written {
			written++
		}
		what := string(l.Fault)
		if l.Why != "" {
			what += ": " + l.Why
		}
		if _, err := fmt.Fprintf(a.stdout, "%s  %s\n", clean(bareID(l.SessionID)), clean(what)); err != nil {
			return err
		}
	}
	var err error
	switch {
	case len(lines) == 0:
		_, err = fmt.Fprintln(a.stdout, "every session is in its client's index")
	case r.DryRun:
		_, err = fmt.Fprintln(a.stdout, "nothing was written")
	default:
		_, err = fmt.Fprintf(a.stdout, "lines appended: %d\n", written)
	}
	return err
}
