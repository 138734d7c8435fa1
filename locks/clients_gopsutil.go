//go:build darwin || windows

package locks

import (
	"os"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

func (s *System) scanClients() []Client {
	all, err := process.Processes()
	if err != nil {
		return nil
	}
	self, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return nil
	}
	user, err := self.Username()
	if err != nil {
		return nil
	}
	found := []Client{}
	for _, p := range all {
		if c, ok := s.client(p, user); ok {
			found = append(found, c)
		}
	}
	return found
}

func (s *System) examine(pid int) (Client, bool) {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return Client{}, false
	}
	return s.client(p, "")
}

// client takes the process apart only when it looks like a client: each question costs a system call
// or more. What cannot be asked stays empty. user is whose processes count, "" for everybody's.
func (s *System) client(p *process.Process, user string) (Client, bool) {
	name, _ := p.Name()
	path, _ := p.Exe()
	seen := program{comm: name, path: path}
	if seen.inRuntime() || recognise(seen) != nil {
		seen.args, _ = p.CmdlineSlice()
	}
	k := recognise(seen)
	if k == nil {
		return Client{}, false
	}
	if owner, err := p.Username(); user != "" && (err != nil || owner != user) {
		return Client{}, false
	}
	facts := processFacts(int(p.Pid), time.Time{})
	if facts.State != Running {
		return Client{}, false
	}
	c := Client{
		Identity: Identity{BootID: s.fixed.BootID, PID: int(p.Pid), Start: facts.Start},
		Program:  k.program,
		Started:  facts.StartTime,
	}
	c.Dir, _ = p.Cwd()
	c.TTY, _ = p.Terminal()
	at := surface{tty: c.TTY, server: servesByArgs(seen.args), print: printsByArgs(seen.args)}
	c.Name, c.Anywhere = k.displayName(at), at.server || at.tty == "" && !at.print
	return c, true
}
