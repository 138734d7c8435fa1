//go:build !windows && !darwin

package terminal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// with returns an Opener that sees exactly these variables and programs.
func with(env map[string]string, programs ...string) Opener {
	return Opener{
		Env: func(k string) string { return env[k] },
		LookPath: func(name string) (string, error) {
			if slices.Contains(programs, name) {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		},
	}
}

func TestTerminalOfTheDesktop(t *testing.T) {
	c := Command{Dir: "/w", Argv: []string{"kimi", "-S", "session_1"}}
	withEnv := Command{Dir: "/w", Argv: []string{"kimi"}, Env: []string{"KIMI_CODE_HOME=/h"}}
	x11 := map[string]string{"DISPLAY": ":0"}
	tests := []struct {
		name string
		o    Opener
		c    Command
		want string
	}{
		{"xterm when nothing else", with(x11, "xterm"), c, "/bin/xterm -e kimi -S session_1"},
		{"the freedesktop launcher first", with(x11, "xterm", "xdg-terminal-exec"), c, "/bin/xdg-terminal-exec kimi -S session_1"},
		{"gnome", with(map[string]string{"DISPLAY": ":0", "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, "xterm", "gnome-terminal", "konsole"), c,
			"/bin/gnome-terminal -- kimi -S session_1"},
		{"kde", with(map[string]string{"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"}, "gnome-terminal", "konsole"), c,
			"/bin/konsole -e kimi -S session_1"},
		{"xfce", with(map[string]string{"DISPLAY": ":0", "XDG_CURRENT_DESKTOP": "XFCE"}, "xfce4-terminal", "xterm"), c,
			"/bin/xfce4-terminal -x kimi -S session_1"},
		{"the TERMINAL variable", with(map[string]string{"DISPLAY": ":0", "TERMINAL": "foot"}, "foot", "xterm"), c, "/bin/foot kimi -S session_1"},
		{"environment travels with the command", with(x11, "xterm"), withEnv, "/bin/xterm -e env KIMI_CODE_HOME=/h kimi"},
		{"configured wins", Opener{Configured: []string{"tmux", "new-window"}, Env: os.Getenv}, c, "tmux new-window kimi -S session_1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.o.argv(tt.c)
			if err != nil {
				t.Fatal(err)
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("got %q, want %q", g, tt.want)
			}
		})
	}
}

func TestNoTerminal(t *testing.T) {
	for name, o := range map[string]Opener{
		"no display":  with(nil, "xterm"),
		"no programs": with(map[string]string{"DISPLAY": ":0"}),
	} {
		if _, err := o.argv(Command{Argv: []string{"kimi"}}); !errors.Is(err, ErrNoTerminal) {
			t.Errorf("%s: err = %v, want ErrNoTerminal", name, err)
		}
	}
}

func TestPrintedCommandSurvivesAShell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a `folder` $HOME ünïcode 项目")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := Command{Dir: dir, Argv: []string{"printf", "%s|", "a b", "$(id)", "", "it's"}, Env: []string{"X=1 2"}}
	out, err := exec.Command("sh", "-c", c.String()+"; pwd").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), "a b|$(id)||it's|"+dir+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOpenRunsInTheFolderAndReportsFailure(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	o := Opener{Configured: []string{"sh", "-c", `"$@" > ran`, "sh"}, Env: os.Getenv}
	if err := o.Open(ctx, Command{Dir: dir, Argv: []string{"pwd"}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "ran"))
	if err != nil || strings.TrimSpace(string(got)) != dir {
		t.Errorf("the command ran in %q (%v), want %q", got, err, dir)
	}
	o.Configured = []string{"sh", "-c", "echo no such display >&2; exit 3", "sh"}
	err = o.Open(ctx, Command{Dir: dir, Argv: []string{"true"}})
	if err == nil || !strings.Contains(err.Error(), "no such display") {
		t.Errorf("err = %v, want what the terminal said", err)
	}
}
