//go:build !windows && !darwin

package terminal

import (
	"os/exec"
	"syscall"
)

func (o Opener) platformArgv(c Command) ([]string, error) { return o.unixArgv(c) }

// detach lets the terminal live on when berth ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
