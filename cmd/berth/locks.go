package main

import (
	"fmt"
	"path/filepath"

	"berth/locks"
	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) locksCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "locks", Short: "List every lock and holder, with the verdict and its evidence", Args: noArgs,
		Long: "List every lock file, every holder that was found without one, and what clients left behind beside the locks. " +
			"A verdict is live, dead (with proof) or unknown (with the reason).",
		Example: "  berth locks\n  berth locks --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			rows, err := b.Locks(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.stdout, rows)
			}
			return a.printLocks(rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return cmd
}

func (a *app) printLocks(rows []sessions.LockRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.stderr, "no lock and no holder is known (which is not proof that every session is free)")
		return err
	}
	for _, r := range rows {
		fmt.Fprintln(a.stdout, clean(lockLine(r)))
		if r.Problem != "" {
			fmt.Fprintf(a.stdout, "  - %s\n", clean(r.Problem))
		}
		for _, e := range r.Evidence {
			fmt.Fprintf(a.stdout, "  - %s\n", clean(e))
		}
	}
	return nil
}

// lockLine is the headline of a row: verdict, who, on what.
func lockLine(r sessions.LockRow) string {
	what := r.SessionID
	if r.Title != "" && r.Title != r.SessionID {
		what = r.Title + " [" + bareID(r.SessionID) + "]"
	}
	if r.Holder == nil {
		return fmt.Sprintf("%-8s %s", "-", filepath.Base(r.Path))
	}
	verdict := r.Holder.Verdict
	if verdict == "" {
		verdict = locks.Unknown
	}
	return fmt.Sprintf("%-8s %s  %s  by %s", verdict, what, sessions.HolderName(r.Holder), r.Holder.Via)
}
