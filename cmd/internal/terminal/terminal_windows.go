package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// createNewConsole gives a console program a window of its own (CREATE_NEW_CONSOLE).
const createNewConsole = 0x00000010

// platformArgv prefers Windows Terminal; without it the client gets a console window of its own.
func (o Opener) platformArgv(c Command) ([]string, error) {
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		if err := os.Setenv(name, value); err != nil {
			return nil, fmt.Errorf("open terminal: %w", err)
		}
	}
	if path, err := o.LookPath("wt.exe"); err == nil {
		return append([]string{path, "-d", c.Dir, "--"}, c.Argv...), nil
	}
	return c.Argv, nil
}

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNewConsole} }
