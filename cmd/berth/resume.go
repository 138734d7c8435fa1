package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"berth/cmd/internal/config"
	"berth/cmd/internal/terminal"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

type resumeOptions struct {
	print, mark, dryRun bool
	dir                 string
}

func (a *app) resumeCmd() *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use: "resume ID", Short: "Open a session in its client, in the right folder", Args: oneID,
		Long: `Check that the session's folder is there, that nobody has it, and that its client is installed; then open
your terminal with the client in that folder. berth writes nothing: the client resumes by its own call.

Without a desktop the client runs in this terminal.`,
		Example: "  berth resume 3f2a\n  berth resume 3f2a --print           only print the command\n" +
			"  berth resume 019f --mark            append the protocol's resume marker to a note\n" +
			"  berth resume 019f --dir ~/src/demo  the folder of the note's project, remembered",
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.asJSON && !o.mark {
				return usage("--json goes with --mark only")
			}
			if o.mark && (o.print || o.dir != "") {
				return usage("--mark goes with neither --print nor --dir")
			}
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if o.mark {
				edit, err := b.Mark(cmd.Context(), args[0], o.dryRun)
				if err != nil {
					return err
				}
				return a.printEdit(edit, o.dryRun, a.asJSON)
			}
			return a.resume(cmd.Context(), b, args[0], o)
		},
	}
	cmd.Flags().BoolVar(&o.print, "print", false, "print the command and start nothing")
	cmd.Flags().BoolVar(&o.mark, "mark", false, "append the resume marker to the note (the protocol's own resume)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "with --mark: show the change and write nothing; else as --print")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "with --mark: print the result, or the error, as JSON")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the folder of the note's project; remembered for the next time")
	return cmd
}

func (a *app) resume(ctx context.Context, b localapi.Backend, ref string, o resumeOptions) error {
	dir, err := absDir(o.dir)
	if err != nil {
		return err
	}
	l, err := b.PlanResume(ctx, ref, dir)
	if err != nil {
		return err
	}
	if err := l.CheckClient(exec.LookPath); err != nil {
		return err
	}
	for _, w := range l.Warnings {
		fmt.Fprintf(a.stderr, "berth: warning: %s\n", clean(w))
	}
	c := terminal.Command{Dir: l.Dir, Argv: l.Argv, Env: l.Env}
	if o.print || o.dryRun {
		_, err := fmt.Fprintln(a.stdout, c)
		return err
	}
	if err := a.remember(ctx, b, l.SessionID, dir); err != nil {
		return err
	}
	return a.open(ctx, l, c)
}

func absDir(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	return filepath.Abs(config.ExpandHome(dir))
}

// remember keeps the folder that the user gave for the note's project.
func (a *app) remember(ctx context.Context, b localapi.Backend, id, dir string) error {
	if dir == "" {
		return nil
	}
	v, err := b.View(ctx, 0)
	if err != nil {
		return err
	}
	s, err := v.Find(id)
	if err != nil || s.Project == "" {
		return err
	}
	return config.RememberProject(a.paths, s.Project, dir)
}

// open starts the user's terminal; without a desktop it becomes the client in this one.
func (a *app) open(ctx context.Context, l *sessions.Launch, c terminal.Command) error {
	opener := terminal.Opener{Configured: a.cfg.Terminal, Env: a.env, LookPath: exec.LookPath}
	err := opener.Open(ctx, c)
	if err == nil {
		_, err = fmt.Fprintf(a.stdout, "opened %s in %s\n", clean(l.Title), clean(l.Dir))
		return err
	}
	if !errors.Is(err, terminal.ErrNoTerminal) {
		return err
	}
	if _, is := terminalOf(a.stdin); !is {
		return fmt.Errorf("%w; berth resume --print shows the command", err)
	}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	return cmd.Run()
}
