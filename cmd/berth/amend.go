package main

import (
	"bytes"
	"context"
	"errors"

	"berth/cmd/internal/config"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

const amendLong = `

A running Kimi server of the home makes the change, since it may have the session in memory; it is asked with the
home's own token, when the setting use_kimi_server allows that, or --use-server. Without a server the session's
metadata is changed under its lock, and everything else in it stays byte for byte. It is refused while a client works,
or may work, in the session's folder.`

func (a *app) archiveCmd() *cobra.Command {
	return a.amendCmd(sessions.AmendArchive, &cobra.Command{
		Use: "archive ID", Short: "Archive a Kimi session", Args: oneID,
		Long:    "Put a Kimi session into the archive. It stays on disk, and berth restore brings it back." + amendLong,
		Example: "  berth archive 3f2a\n  berth archive 3f2a --dry-run",
	})
}

func (a *app) restoreCmd() *cobra.Command {
	return a.amendCmd(sessions.AmendRestore, &cobra.Command{
		Use: "restore ID", Short: "Bring an archived Kimi session back", Args: oneID,
		Long: "Take a Kimi session out of the archive." + amendLong, Example: "  berth restore 3f2a",
	})
}

func (a *app) renameCmd() *cobra.Command {
	return a.amendCmd(sessions.AmendRename, &cobra.Command{
		Use: "rename ID TITLE", Short: "Give a Kimi session a title",
		Long:    "Give a Kimi session a title of your own, which its client no longer replaces." + amendLong,
		Example: "  berth rename 3f2a \"Fix the login form\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("%s needs the id of a session and a title, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
	})
}

// amendCmd makes the verb of one kind of cmd, which has its words.
func (a *app) amendCmd(kind sessions.AmendKind, cmd *cobra.Command) *cobra.Command {
	var asJSON bool
	r := sessions.AmendRequest{Kind: kind}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if r.Ref = args[0]; len(args) > 1 {
			r.Title = args[1]
		}
		edit, err := a.amend(cmd.Context(), r)
		if err != nil {
			return err
		}
		return a.printEdit(edit, r.DryRun && !bytes.Equal(edit.Before, edit.After), asJSON)
	}
	cmd.Flags().BoolVarP(&r.DryRun, "dry-run", "n", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&r.UseServer, "use-server", false, "let a running Kimi server make the change")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// amend asks for the change, and once more when a person allows the server to be asked.
func (a *app) amend(ctx context.Context, r sessions.AmendRequest) (edit *sessions.Edit, err error) {
	err = a.withServer(ctx, r.UseServer, func(b localapi.Backend, useServer bool) (err error) {
		r.UseServer = useServer
		edit, err = b.Amend(ctx, r)
		return err
	})
	return edit, err
}

// withServer calls do, and once more when a server has to be asked and a person at the terminal allows that.
func (a *app) withServer(ctx context.Context, allowed bool, do func(b localapi.Backend, useServer bool) error) error {
	b, done, err := a.backend(ctx)
	if err != nil {
		return err
	}
	defer done()
	err = do(b, allowed || a.cfg.UseKimiServer == config.UseServerTrue)
	var e *sessions.Error
	if !errors.Is(err, sessions.ErrAskServer) || !errors.As(err, &e) || a.cfg.UseKimiServer == config.UseServerFalse {
		return err
	}
	if !a.confirm(e.Detail + ". Ask it, with the token of its home? [y/N] ") {
		return err
	}
	return do(b, true)
}
