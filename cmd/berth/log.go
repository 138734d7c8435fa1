package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"berth/sessions"
	"berth/sessions/audit"

	"github.com/spf13/cobra"
)

func (a *app) logCmd() *cobra.Command {
	var n int
	var session string
	var since time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "log", Short: "Print the audit trail: what was done to which session, and what was noticed", Args: noArgs,
		Example: "  berth log\n  berth log --session 3f2a --since 48h\n  berth log --json -n 1000",
		RunE: func(*cobra.Command, []string) error {
			if n < 1 {
				return usage("--lines %d is not a number of lines", n)
			}
			trail := audit.Log{Path: a.paths.Audit()}
			found, skipped, err := trail.Last(n, func(x *sessions.Action) bool {
				return (session == "" || namesSession(x, session)) && (since == 0 || a.now().Sub(x.At) <= since)
			})
			if err != nil {
				return err
			}
			if skipped > 0 {
				fmt.Fprintf(a.stderr, "berth: lines of %s that cannot be read were left out: %d\n", trail.Path, skipped)
			}
			return a.printLog(found, asJSON)
		},
	}
	cmd.Flags().IntVarP(&n, "lines", "n", 50, "how many of the newest lines")
	cmd.Flags().StringVar(&session, "session", "", "only this session, by the beginning of its id or its path")
	cmd.Flags().DurationVar(&since, "since", 0, "only what is younger, such as 48h")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// namesSession reports whether an action is about the session that ref names.
func namesSession(x *sessions.Action, ref string) bool {
	return strings.HasPrefix(x.Session, ref) || strings.HasPrefix(bareID(x.Session), ref) || x.Path == ref
}

func (a *app) printLog(found []sessions.Action, asJSON bool) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(a.stderr, "nothing of the kind is in the audit trail")
		return err
	}
	if asJSON {
		enc := json.NewEncoder(a.stdout)
		for _, x := range found {
			if err := enc.Encode(x); err != nil {
				return err
			}
		}
		return nil
	}
	t := a.newTable(3, "WHEN", "ACTION", "SESSION", "WHAT")
	for _, x := range found {
		t.add(cell{x.At.Local().Format("2006-01-02 15:04:05"), dim}, cell{text: string(x.Kind)}, cell{text: bareID(x.Session)},
			cell{text: strings.Join(append([]string{x.Detail}, x.Evidence...), "; ")})
	}
	return t.print(a.stdout)
}
