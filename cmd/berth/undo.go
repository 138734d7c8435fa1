package main

import (
	"context"
	"encoding/json"
	"fmt"

	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) undoCmd() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "undo [ACTION]", Short: "Take back what berth wrote or removed, byte for byte",
		Long: `Take back an action of berth's: a note gets the bytes that it had before it was closed or marked, for 30 days and
while nobody changed it since; a removed lock is put back, while no newer one is there. An undo can be undone, too.

ACTION is the name that the verb printed; berth log --json has it as id. Without it the newest action that can be
undone is named, and undone after a question on the terminal.`,
		Example: "  berth undo\n  berth undo 20261129T201530.123-k3v9x2pq --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes the name of one action, got %d", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r := sessions.UndoRequest{DryRun: dryRun}
			if len(args) == 1 {
				r.Action = args[0]
			}
			return a.undo(cmd.Context(), r)
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (a *app) undo(ctx context.Context, r sessions.UndoRequest) error {
	b, done, err := a.backend(ctx)
	if err != nil {
		return err
	}
	defer done()
	if r.Action == "" {
		last, err := b.LastUndoable(ctx)
		if err != nil {
			return err
		}
		if err := a.agree(last, r.DryRun); err != nil {
			return err
		}
		r.Action = last.Action
	}
	u, err := b.Undo(ctx, r)
	if err != nil {
		return err
	}
	if u.Edit != nil {
		return a.printEdit(u.Edit, r.DryRun, a.asJSON)
	}
	if a.asJSON {
		return json.NewEncoder(a.stdout).Encode(u.Lock)
	}
	return a.printUnlocked(u.Lock, "put back")
}

// agree names the action that would be undone, and asks. Without a terminal nobody can answer.
func (a *app) agree(u *sessions.Undoable, dryRun bool) error {
	what := fmt.Sprintf("%s  %s  %s", u.Action, u.At.Local().Format("2006-01-02 15:04:05"), u.Message)
	if dryRun {
		fmt.Fprintln(a.stderr, clean(what))
		return nil
	}
	if _, is := terminalOf(a.stdin); !is {
		return &sessions.Error{Err: sessions.ErrRefused, Session: u.Action,
			Detail: "nothing was undone, since there is no terminal to ask on; it was: " + u.Message,
			Hint:   "berth undo " + u.Action}
	}
	fmt.Fprintln(a.stderr, clean(what))
	if !a.confirm("Take this back? [y/N] ") {
		return &sessions.Error{Err: sessions.ErrRefused, Session: u.Action, Detail: "nothing was undone"}
	}
	return nil
}
