package main

import (
	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) startCmd() *cobra.Command {
	var r sessions.StartRequest
	cmd := &cobra.Command{
		Use: "start", Short: "Begin a work session in a vault", Args: noArgs,
		Long: `Begin a work session: a new note with an id of its own, in the sessions folder of the project, or in that of the vault
without one. A file that is there is never touched, and any number of sessions may begin in one minute. Of a new project
only the folders on the way to the note are made; the notes server adds the rest when it first works there.

With --parent the new note names the session that it comes from; that one stays as it is.`,
		Example: "  berth start --project demo --goal \"Add retry to the uploader\" --agent claude\n" +
			"  berth start --parent 019f76d0 --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := absDir(r.Vault)
			if err != nil {
				return err
			}
			r.Vault = dir
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			edit, err := b.Start(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.printEdit(edit, r.DryRun, a.asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&r.Project, "project", "p", "", "the project; Group/Name for one in a group")
	f.StringVarP(&r.Goal, "goal", "g", "", "what the session is for, in one line")
	f.StringVar(&r.Name, "name", "", "a title; never an identity")
	f.StringVar(&r.Agent, "agent", "", "who works: claude, codex …")
	f.StringVar(&r.Client, "client", "", "the name of the client; without it that of the agent")
	f.StringVar(&r.Parent, "parent", "", "the id of the session that this one comes from")
	f.StringVar(&r.Vault, "vault", "", "the folder of the vault, when there are several")
	f.BoolVarP(&r.DryRun, "dry-run", "n", false, "show the note and write nothing")
	f.BoolVar(&a.asJSON, "json", false, "print the result as JSON")
	return cmd
}
