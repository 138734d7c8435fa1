// Package terminal opens the user's terminal with a command in it. It decides nothing about Sessions.
package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Command is what to run, and where.
type Command struct {
	Dir  string   // an existing folder
	Argv []string // the program and its arguments; never interpreted by a shell on Linux and Windows
	Env  []string // NAME=value, beside the terminal's own environment
}

// Full is Argv with Env in front, in a form that survives terminals which hand the command to a server
// process that has an environment of its own.
func (c Command) Full() []string {
	if len(c.Env) == 0 {
		return c.Argv
	}
	return append(append([]string{"env"}, c.Env...), c.Argv...)
}

// String is the command as a line to paste into a POSIX shell.
func (c Command) String() string {
	words := make([]string, 0, len(c.Argv)+len(c.Env))
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		words = append(words, name+"="+Quote(value))
	}
	for _, a := range c.Argv {
		words = append(words, Quote(a))
	}
	return "cd " + Quote(c.Dir) + " && " + strings.Join(words, " ")
}

// Quote returns s as one word of a POSIX shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ErrNoTerminal says that no terminal program was found, or that there is no desktop to open one on.
var ErrNoTerminal = errors.New("no terminal to open")

// Opener opens terminals.
type Opener struct {
	// Configured is the user's own command, with the words before the command to run; it wins.
	Configured []string
	Env        func(string) string
	LookPath   func(string) (string, error)
}

// startWait is how long a terminal that fails has time to say so.
const startWait = 700 * time.Millisecond

// Open starts a terminal with c in it and returns once it runs. A terminal that ends at once with an error is
// an error here, with what it said.
func (o Opener) Open(ctx context.Context, c Command) error {
	argv, err := o.argv(c)
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.Dir
	var said bytes.Buffer
	cmd.Stderr = &limited{w: &said, left: 4096}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open terminal: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("open terminal: %s: %w: %s", argv[0], err, strings.TrimSpace(said.String()))
		}
		return nil
	case <-time.After(startWait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Name says which program Open would start.
func (o Opener) Name() (string, error) {
	if len(o.Configured) > 0 {
		return o.Configured[0], nil
	}
	if runtime.GOOS == "darwin" {
		return "Terminal", nil
	}
	argv, err := o.platformArgv(Command{Argv: []string{"cmd.exe"}})
	if err != nil {
		return "", err
	}
	return argv[0], nil
}

// known are the terminals that take a command, in the order in which they are looked for, with the words
// between the program and the command.
var known = []struct {
	desktop string // only on this desktop first; "" for anywhere
	program string
	words   []string
}{
	{"", "xdg-terminal-exec", nil},
	{"GNOME", "ptyxis", []string{"--new-window", "--"}},
	{"GNOME", "kgx", []string{"--"}},
	{"GNOME", "gnome-terminal", []string{"--"}},
	{"KDE", "konsole", []string{"-e"}},
	{"XFCE", "xfce4-terminal", []string{"-x"}},
	{"MATE", "mate-terminal", []string{"-x"}},
	{"LXQt", "qterminal", []string{"-e"}},
	{"", "x-terminal-emulator", []string{"-e"}},
	{"", "kitty", nil},
	{"", "alacritty", []string{"-e"}},
	{"", "foot", nil},
	{"", "wezterm", []string{"start", "--"}},
	{"", "gnome-terminal", []string{"--"}},
	{"", "konsole", []string{"-e"}},
	{"", "xfce4-terminal", []string{"-x"}},
	{"", "xterm", []string{"-e"}},
}

// unixArgv finds a terminal on a desktop with X11 or Wayland.
func (o Opener) unixArgv(c Command) ([]string, error) {
	if o.Env("DISPLAY") == "" && o.Env("WAYLAND_DISPLAY") == "" {
		return nil, fmt.Errorf("%w: neither DISPLAY nor WAYLAND_DISPLAY is set", ErrNoTerminal)
	}
	desktop := ":" + strings.ToUpper(o.Env("XDG_CURRENT_DESKTOP")) + ":"
	if t := o.Env("TERMINAL"); t != "" {
		if path, err := o.LookPath(t); err == nil {
			return append(append([]string{path}, wordsFor(t)...), c.Full()...), nil
		}
	}
	for _, k := range known {
		if k.desktop != "" && !strings.Contains(desktop, ":"+strings.ToUpper(k.desktop)+":") {
			continue
		}
		if path, err := o.LookPath(k.program); err == nil {
			return append(append([]string{path}, k.words...), c.Full()...), nil
		}
	}
	return nil, fmt.Errorf("%w: none of the known terminal programs is on PATH; set terminal: in the configuration", ErrNoTerminal)
}

func wordsFor(program string) []string {
	for _, k := range known {
		if k.program == filepath.Base(program) {
			return k.words
		}
	}
	return []string{"-e"}
}

// argv is the whole command line that opens the terminal.
func (o Opener) argv(c Command) ([]string, error) {
	if len(o.Configured) > 0 {
		return append(append([]string{}, o.Configured...), c.Full()...), nil
	}
	return o.platformArgv(c)
}

// limited keeps the first bytes and lets the rest go.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if keep := min(len(p), l.left); keep > 0 {
		l.left -= keep
		if _, err := l.w.Write(p[:keep]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
