// Demo makes a store to look at: a notes vault and a Kimi home in a folder of its own, and a few small
// processes that work in them the way real clients do. They take locks, write turns, ask, hand over, and
// are killed, so that within half a minute berth has something of every kind to show. It goes on until
// it is interrupted, or until the command that it was given ends.
//
//	demo [-dir FOLDER] [COMMAND ARGS...]
//
// COMMAND runs with the demo's stores, and with settings, state and runtime folders of its own, so that
// nothing of the user's is read or written. FOLDER/env holds the same as shell commands for a second
// terminal. FOLDER is emptied at the start; a folder that the demo did not make is refused.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	if isClient(os.Args[0]) {
		exit(serveOrders(os.Stdin, os.Stdout))
	}
	dir := flag.String("dir", defaultDir(), "the demo's folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, *dir, flag.Args(), os.Stderr))
}

// exit ends the process: with the code of the command that was run, if that is what failed.
func exit(err error) {
	var command *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &command) && command.ExitCode() > 0:
		os.Exit(command.ExitCode())
	}
	fmt.Fprintln(os.Stderr, "demo:", err)
	os.Exit(1)
}

func defaultDir() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "berth", "demo")
}

// run builds the stores, then plays in them while the command runs. It tells what happens on out.
func run(ctx context.Context, dir string, command []string, out io.Writer) error {
	if dir == "" {
		return errors.New("there is no home directory: name a folder with -dir")
	}
	st, err := build(dir, out, time.Now())
	if err != nil {
		return err
	}
	if err := prepareEnvironment(st); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	played := make(chan error, 1)
	go func() { played <- st.run(ctx) }()
	if len(command) == 0 {
		return <-played
	}
	ended := make(chan error, 1)
	go func() { ended <- runCommand(ctx, command, environment(os.Environ(), st)) }()
	select {
	case err = <-ended:
		cancel()
		return errors.Join(err, <-played)
	case err = <-played:
		cancel()
		return errors.Join(err, <-ended)
	}
}

// runCommand runs the command on this terminal. When ctx ends it is asked to end, too.
func runCommand(ctx context.Context, command, env []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // it ended because it was told to
	}
	return err
}
