package main

import (
	"fmt"
	"strings"

	"berth/locks"
	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) unlockCmd() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "unlock ID", Short: "Remove the lock of a dead holder, with the proof shown first", Args: oneID,
		Long: `Show what is known of the holder of a session's lock, and remove the lock when the holder is proven dead. A live
holder's lock is never removed. --force removes one whose holder cannot be judged: on another host, in another
container, in an unreadable file. It asks first on a terminal. The lock that was shown is the one that goes, or none;
its bytes are kept, and berth undo puts it back.`,
		Example: "  berth unlock 3f2a\n  berth unlock 3f2a --force",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			rows, err := b.Locks(cmd.Context())
			if err != nil {
				return err
			}
			row := lockRow(rows, args[0])
			r := sessions.UnlockRequest{Ref: args[0], Token: row.Token, Force: force}
			if row.Path != "" {
				r.Ref = row.SessionID
				if err := a.showProof(row, force); err != nil {
					return err
				}
			}
			u, err := b.Unlock(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.printUnlocked(u, "removed")
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also when the holder is not proven dead")
	return cmd
}

// lockRow is the one row with a lock file that ref names, or a row without anything.
func lockRow(rows []sessions.LockRow, ref string) sessions.LockRow {
	var found []sessions.LockRow
	for _, r := range rows {
		switch {
		case r.Path == "" || r.Holder == nil:
		case r.SessionID == ref:
			return r
		case strings.HasPrefix(r.SessionID, ref), strings.HasPrefix(bareID(r.SessionID), ref):
			found = append(found, r)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return sessions.LockRow{}
}

// showProof prints what is known, and asks when a person is there and the proof does not suffice.
func (a *app) showProof(row sessions.LockRow, force bool) error {
	if err := a.printLocks([]sessions.LockRow{row}); err != nil {
		return err
	}
	if row.Holder.Verdict != locks.Unknown || !force {
		return nil
	}
	if _, is := terminalOf(a.stdin); !is {
		return nil
	}
	if !a.confirm("Its holder is not proven dead. A client that lives would lose its claim. Remove the lock? [y/N] ") {
		return &sessions.Error{Err: sessions.ErrRefused, Session: row.SessionID, Detail: "the lock was left alone"}
	}
	return nil
}

func (a *app) printUnlocked(u *sessions.Unlocked, what string) error {
	_, err := fmt.Fprintf(a.stdout, "lock %s: %s\n", what, clean(u.Path))
	if err == nil && u.Action != "" && what == "removed" {
		_, err = fmt.Fprintf(a.stdout, "berth undo %s puts it back\n", u.Action)
	}
	return err
}
