package locks

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (s *System) scanClients() []Client {
	pids := processIDs()
	if pids == nil {
		return nil
	}
	boot, uid := s.clock.boot(), os.Getuid()
	found := []Client{}
	for _, pid := range pids {
		if !ownedBy(pid, uid) {
			continue
		}
		if c, ok := s.client(pid, boot); ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b Client) int { return a.PID - b.PID })
	return found
}

// ownedBy asks the folder, which costs less than reading a file in it.
func ownedBy(pid, uid int) bool {
	fi, err := os.Lstat("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == uid
}

func (s *System) client(pid int, boot time.Time) (Client, bool) {
	var buf [4096]byte
	st, ok := parseStat(readProc(pid, "stat", buf[:]))
	if !ok || st.state() != Running {
		return Client{}, false
	}
	p := program{comm: st.comm, path: executable(pid, buf[:])}
	if p.inRuntime() || recognise(p) != nil {
		p.args = arguments(readProc(pid, "cmdline", buf[:]))
	}
	k := recognise(p)
	if k == nil {
		return Client{}, false
	}
	c := Client{
		Identity: Identity{BootID: s.fixed.BootID, PID: pid, Start: st.start},
		Program:  k.program,
		TTY:      ttyName(st.tty),
		Started:  boot.Add(time.Duration(st.start) * (time.Second / ticksPerSecond)),
	}
	c.Dir, _ = os.Readlink(procPath(pid, "cwd"))
	c.Name = k.displayName(c.TTY, k.program == kimi && (servesByArgs(p.args) || listens(pid)))
	return c, true
}

// arguments splits a cmdline. A process that wiped it to spread its title has none.
func arguments(b []byte) []string {
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// ttyName names a terminal by its device number; the majors are those of devices.txt in the kernel's
// documentation.
func ttyName(dev uint64) string {
	major, minor := unix.Major(dev), unix.Minor(dev)
	switch {
	case major >= 136 && major <= 143:
		return "pts/" + strconv.FormatUint(uint64(major-136)<<8|uint64(minor), 10)
	case major == 4 && minor < 64:
		return "tty" + strconv.FormatUint(uint64(minor), 10)
	}
	return ""
}

// listens reports whether the process has a listening TCP socket: of the Kimi surfaces only a server
// does, and once it has set its title nothing else tells it from a terminal client.
func listens(pid int) bool {
	var own []string
	for _, fd := range descriptors(pid) {
		if link, err := os.Readlink(procPath(pid, "fd/"+fd)); err == nil && strings.HasPrefix(link, "socket:[") {
			own = append(own, strings.Trim(link[len("socket:"):], "[]"))
		}
	}
	if len(own) == 0 {
		return false
	}
	return slices.ContainsFunc([]string{"net/tcp", "net/tcp6"}, func(table string) bool {
		b, err := os.ReadFile(procPath(pid, table))
		return err == nil && hasListener(b, own)
	})
}

func descriptors(pid int) []string {
	d, err := os.Open(procPath(pid, "fd"))
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // a process that ends meanwhile listens to nothing
	return names
}

// hasListener looks for sockets, by inode, in state 0A (listening) of a /proc/net/tcp table.
func hasListener(table []byte, inodes []string) bool {
	for line := range bytes.Lines(table) {
		f := bytes.Fields(line)
		if len(f) > 9 && string(f[3]) == "0A" && slices.Contains(inodes, string(f[9])) {
			return true
		}
	}
	return false
}
