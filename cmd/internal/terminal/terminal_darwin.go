package terminal

import (
	"os"
	"os/exec"
	"syscall"
)

// platformArgv writes a script for Terminal to open: it takes no command on its command line. The script's
// words are quoted one by one, and it removes itself.
func (o Opener) platformArgv(c Command) ([]string, error) {
	f, err := os.CreateTemp("", "berth-*.command")
	if err != nil {
		return nil, err
	}
	text := "#!/bin/sh\nrm -f -- " + Quote(f.Name()) + "\n" + c.String() + "\n"
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := os.Chmod(f.Name(), 0o700); err != nil {
		return nil, err
	}
	return []string{"open", "-a", "Terminal", f.Name()}, nil
}

// detach lets the terminal live on when berth ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
