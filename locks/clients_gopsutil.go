//go:build darwin || windows

package locks

import (
	"os"
	"slices"
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
	slices.SortFunc(found, func(a, b Client) int { return a.PID - b.PID })
	return found
}

// client takes the process apart only when it looks like a client: each question costs a system call
// or more. What cannot be asked stays empty.
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
	if owner, err := p.Username(); err != nil || owner != user {
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
	c.Name = k.displayName(c.TTY, servesByArgs(seen.args))
	return c, true
}
