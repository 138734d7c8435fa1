package main

import (
	"encoding/json"
	"fmt"

	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

func (a *app) forkCmd() *cobra.Command {
	var r sessions.ForkRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use: "fork ID", Short: "Copy a Kimi session into a new one", Args: oneID,
		Long: `Make a new Kimi session with the whole history of another, as its client does. The origin is only read; nobody may be at
work in it. A running Kimi server of the home makes the fork, when the setting use_kimi_server, or --use-server, allows
that it is asked. Without a server the files are copied under the lock of the origin, and the fork appears whole.`,
		Example: "  berth fork 3f2a\n  berth fork 3f2a --title \"Another way\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Ref = args[0]
			var fork *sessions.Fork
			err := a.withServer(cmd.Context(), r.UseServer, func(b localapi.Backend, useServer bool) (err error) {
				r.UseServer = useServer
				fork, err = b.Fork(cmd.Context(), r)
				return err
			})
			if err != nil {
				return err
			}
			return a.printFork(fork, r.DryRun, asJSON)
		},
	}
	cmd.Flags().StringVar(&r.Title, "title", "", "the title of the fork; without it, \"Fork: \" and that of its origin")
	cmd.Flags().BoolVarP(&r.DryRun, "dry-run", "n", false, "show what would be made and write nothing")
	cmd.Flags().BoolVar(&r.UseServer, "use-server", false, "let a running Kimi server make the fork")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (a *app) printFork(f *sessions.Fork, dryRun, asJSON bool) error {
	for _, w := range f.Warnings {
		fmt.Fprintf(a.stderr, "berth: warning: %s\n", clean(w))
	}
	switch {
	case asJSON:
		return json.NewEncoder(a.stdout).Encode(f)
	case dryRun && f.By != "":
		_, err := fmt.Fprintf(a.stdout, "%q would be made by %s\nnothing was written\n", clean(f.Title), clean(f.By))
		return err
	case dryRun:
		_, err := fmt.Fprintf(a.stdout, "%q would be made, with %d files of %s\nnothing was written\n", clean(f.Title), f.Files, clean(f.ForkedFrom))
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "session forked: %s\n", clean(f.SessionID))
	return err
}
