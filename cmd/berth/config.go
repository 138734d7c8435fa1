package main

import (
	"fmt"

	"berth/cmd/internal/config"
	"berth/cmd/internal/daemon"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration and where it comes from",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := noArgs(cmd, args); err != nil {
				return err
			}
			return cmd.Help()
		}}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every value with its origin, and the stores that were found", Args: noArgs,
		Example: "  berth config show\n  berth config show --json",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a.stdout, struct {
					File   string         `json:"file"`
					Paths  config.Paths   `json:"paths"`
					Stores []daemon.Found `json:"stores"`
					Config config.Config  `json:"config"`
				}{a.paths.Config, a.paths, daemon.Stores(a.options()), a.cfg})
			}
			return a.printConfig()
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(show)
	return cmd
}

// printConfig writes the values as the file would have them, each with its origin as a comment.
func (a *app) printConfig() error {
	fmt.Fprintf(a.stdout, "# file: %s\n", a.paths.Config)
	var doc yaml.Node
	if err := doc.Encode(a.cfg); err != nil {
		return err
	}
	for i := 0; i+1 < len(doc.Content); i += 2 {
		doc.Content[i].HeadComment = "from " + a.cfg.Origin(doc.Content[i].Value)
	}
	enc := yaml.NewEncoder(a.stdout)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "\n# stores that were found")
	for _, f := range daemon.Stores(a.options()) {
		fmt.Fprintf(a.stdout, "# %-5s %s (%s%s)\n", f.Source, clean(f.Root), f.Origin, map[bool]string{false: ", not there yet"}[f.Exists])
	}
	return nil
}
