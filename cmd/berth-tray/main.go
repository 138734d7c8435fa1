// Command berth-tray is berth on the desktop: the icon in the panel and the window. It follows the running
// service of this user or, when there is none, is the service itself. It is the only program that imports Fyne's
// app package, which needs cgo.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"berth/cmd/berth-tray/internal/single"
	"berth/cmd/internal/config"
	"berth/cmd/internal/daemon"
	"berth/locks"
	"berth/tray/desktop"

	_ "berth/cmd/berth-tray/internal/locale" // before Fyne reads the locale
)

// The exit codes.
const (
	exitOK = iota
	exitError
	exitUsage
)

func main() {
	code := run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	locks.ReleaseAll() // what a verb that was interrupted still held
	os.Exit(code)
}

// run is the whole program; it returns the exit code. It must be called on the main goroutine.
func run(args []string, env func(string) string, stdout, stderr io.Writer) int {
	o, code, done := parse(args, stdout, stderr)
	if done {
		return code
	}
	paths := config.DefaultPaths(env)
	if err := desktop.CheckDisplay(env); err != nil {
		fmt.Fprintf(stderr, "berth-tray: %v\nberth-tray: without a desktop, run the service alone: berth serve\n", err)
		return exitError
	}
	ctx := context.Background() // Fyne itself ends its loop on SIGINT and SIGTERM; then every part is ended
	instance, err := single.Start(ctx, paths.Runtime, !o.hidden)
	switch {
	case errors.Is(err, single.ErrRunning):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "berth-tray: %v\n", err)
		return exitError
	}
	cfg, err := config.Load(paths.Config)
	newProgram(cfg, err, paths, env, stderr).run(ctx, instance, o.hidden)
	return exitOK
}

type options struct{ hidden bool }

const usage = `berth-tray shows which agent sessions are free, who holds the others, and why: an icon in the panel,
and a window. A second start shows the window of the first.

  --hidden     start without the window (for autostart)
  --version    print the version
`

// parse reads the arguments; done says that there is nothing more to do.
func parse(args []string, stdout, stderr io.Writer) (o options, code int, done bool) {
	flags := flag.NewFlagSet("berth-tray", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.hidden, "hidden", false, "")
	version := flags.Bool("version", false, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return o, exitOK, true
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "berth-tray: %v\n%s", err, usage)
		return o, exitUsage, true
	}
	if *version {
		fmt.Fprintln(stdout, "berth-tray", daemon.Version)
		return o, exitOK, true
	}
	return o, exitOK, false
}
