package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"berth/cmd/internal/config"
	"berth/cmd/internal/daemon"
	"berth/locks"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is what every verb needs: the world outside, and what the user decided.
type app struct {
	env    func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	now    func() time.Time

	paths   config.Paths
	cfg     config.Config
	log     *slog.Logger
	verbose bool
	local   bool // work in process even when a service runs
	asJSON  bool // errors are printed as JSON on stdout, too
}

// The exit codes; exitCodes maps errors to them, and the help names them.
const (
	exitOK = iota
	exitError
	exitUsage
	exitNotFound
	exitOccupied
	exitAmbiguous
	exitStale
	exitClosed
	exitRefused
)

var exitCodes = []struct {
	err  error
	code int
}{
	{errUsage, exitUsage},
	{sessions.ErrNotFound, exitNotFound},
	{sessions.ErrOccupied, exitOccupied},
	{sessions.ErrAmbiguous, exitAmbiguous},
	{sessions.ErrStale, exitStale},
	{sessions.ErrClosed, exitClosed},
	{sessions.ErrRefused, exitRefused},
}

// errUsage marks an error of the command line itself.
var errUsage = errors.New("wrong usage")

// usage returns an error that ends with exit code 2.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: env, stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now}
	root := a.rootCmd()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	err = errors.Join(err, locks.ReleaseAll()) // of a verb that a signal cut short
	if err == nil {
		return exitOK
	}
	a.report(err)
	return exitCode(err)
}

func exitCode(err error) int {
	for _, c := range exitCodes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return exitError
}

// report prints err on stderr: what happened with its code in words, then who else matches, then what to do.
func (a *app) report(err error) {
	if a.asJSON {
		// Nothing can be told when that fails: standard output is where it would have been told.
		json.NewEncoder(a.stdout).Encode(sessions.FailureOf(err))
	}
	code := sessions.Code(err)
	if errors.Is(err, errUsage) {
		code = ""
	}
	if code == "" || code == "ERROR" {
		fmt.Fprintf(a.stderr, "berth: %s\n", clean(err.Error()))
	} else {
		fmt.Fprintf(a.stderr, "berth: %s: %s\n", code, clean(err.Error()))
	}
	var e *sessions.Error
	if !errors.As(err, &e) {
		return
	}
	if e.Diff != "" {
		fmt.Fprintln(a.stderr, e.Diff)
	}
	for _, c := range e.Candidates {
		fmt.Fprintf(a.stderr, "  %s\n", clean(strings.Join(notEmpty(c.ID, string(c.Status), c.Title, c.Path), "  ")))
	}
	if e.Hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", clean(e.Hint))
	}
}

func notEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

const rootLong = `berth watches the stores that several agent clients share: Kimi Code homes and vaults of
Markdown notes. It knows which session is occupied, stale or active, and can say why. It closes
work sessions and resumes sessions in the right folder, and never becomes a second writer.

Every verb works with or without a running service (berth serve).

Exit codes: 0 done, 1 error, 2 wrong usage, 3 not found, 4 occupied, 5 ambiguous, 6 stale,
7 already closed, 8 refused (unsafe or read-only).`

const rootExample = `  berth list                         what is open, the latest activity first
  berth show 3f2a                    one session by the beginning of its id, with the evidence
  berth watch                        what happens, as it happens
  berth close 019f --summary "Done"  end a work session
  berth resume 3f2a                  open it in its client, in the right folder`

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use: "berth", Short: "Who has which session, and why", Long: rootLong, Example: rootExample,
		SilenceErrors: true, SilenceUsage: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.setUp()
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%v", err) })
	f := root.PersistentFlags()
	f.BoolVarP(&a.verbose, "verbose", "v", false, "tell on stderr what is done")
	f.BoolVar(&a.local, "no-service", false, "read the stores in this process even when a service runs")
	root.AddCommand(a.serveCmd(), a.listCmd(), a.showCmd(), a.watchCmd(), a.locksCmd(), a.unlockCmd(), a.undoCmd(), a.stopCmd(), a.startCmd(), a.closeCmd(), a.resumeCmd(),
		a.archiveCmd(), a.restoreCmd(), a.renameCmd(), a.forkCmd(), a.reindexCmd(),
		a.logCmd(), a.doctorCmd(), a.configCmd(), a.versionCmd())
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	root.InitDefaultCompletionCmd()
	return root
}

// setUp reads the configuration once the flags are known.
func (a *app) setUp() error {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	a.paths = config.DefaultPaths(a.env)
	var err error
	a.cfg, err = config.Load(a.paths.Config)
	return err
}

func (a *app) options() daemon.Options {
	return daemon.Options{Config: a.cfg, Paths: a.paths, Env: a.env, Logger: a.log}
}

// backend returns the running service, or one in this process, and how to be done with it. A service that does
// not serve the stores that this command is pointed at is not the one to ask.
func (a *app) backend(ctx context.Context) (localapi.Backend, func(), error) {
	if !a.local {
		if c, err := localapi.Dial(ctx, a.paths.Socket()); err == nil {
			if a.serves(ctx, c) {
				return c, func() {}, nil
			}
			a.log.Debug("the running service has other stores; reading them here", "holder_pid", c.Health.PID)
		}
	}
	svc, stop, err := daemon.Local(ctx, a.options())
	if err != nil {
		return nil, nil, err
	}
	return svc, stop, nil
}

func (a *app) serves(ctx context.Context, c *localapi.Client) bool {
	stores, err := c.Stores(ctx)
	if err != nil {
		return false
	}
	for _, f := range daemon.Stores(a.options()) {
		if !slices.ContainsFunc(stores, func(s sessions.Store) bool { return s.Root == f.Root && s.Source == f.Source }) {
			return false
		}
	}
	return true
}

// noArgs and oneID are cobra's checks with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		if cmd.HasSubCommands() {
			return usage("unknown command %q; berth --help lists them", args[0])
		}
		return usage("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func oneID(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage("%s needs the id of a session; berth list shows them", cmd.CommandPath())
	case 1:
		return nil
	}
	return usage("%s takes one id, got %d", cmd.CommandPath(), len(args))
}

// terminalOf reports whether w is a terminal, and its width in cells.
func terminalOf(w any) (width int, is bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "berth "+daemon.Version)
			return err
		},
	}
}
