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

// examine says of a stranger where it works, and which editor it is part of.
func (s *System) examine(pid int) (Client, bool) {
	c, ok := s.client(pid, s.clock.boot())
	if !ok && c.PID != 0 {
		c.Dir, _ = os.Readlink(procPath(pid, "cwd"))
		c.Name, c.Anywhere = editorAbove(uint64(pid)), true
	}
	return c, ok
}

// client describes the process with this pid as a client; false says that it is not recognised as one, and then
// only who and where it is is filled in.
func (s *System) client(pid int, boot time.Time) (Client, bool) {
	var buf [4096]byte
	st, ok := parseStat(readProc(pid, "stat", buf[:]))
	if !ok || st.state() != Running {
		return Client{}, false
	}
	if c, ok := s.roster.find(pid, st.start); ok {
		return c, true
	}
	p := program{comm: st.comm, path: executable(pid, buf[:])}
	if p.inRuntime() || recognise(p) != nil {
		p.args = arguments(readProc(pid, "cmdline", buf[:]))
	}
	k := recognise(p)
	c := Client{
		Identity: Identity{BootID: s.fixed.BootID, PID: pid, Start: st.start},
		TTY:      ttyName(st.tty),
		Started:  boot.Add(time.Duration(st.start) * (time.Second / ticksPerSecond)),
	}
	if k == nil {
		return c, false
	}
	c.Program = k.program
	c.Dir, _ = os.Readlink(procPath(pid, "cwd"))
	at := surface{tty: c.TTY, print: printsByArgs(p.args)}
	if k.program == kimi && !at.print {
		at.server = servesByArgs(p.args) || listens(pid)
		at.editor = editorAbove(st.parent)
	}
	c.Name, c.Anywhere = k.displayName(at), at.server || at.tty == "" && !at.print
	return c, true
}

// maxAncestors bounds the way up from a client: shell, shell, server of the editor's terminal, editor.
const maxAncestors = 8

// editorAbove returns the name of the nearest editor among pid and its ancestors, or "".
func editorAbove(pid uint64) string {
	var buf [4096]byte
	for range maxAncestors {
		if pid <= 1 {
			return ""
		}
		if name := editorNamed(program{path: executable(int(pid), buf[:])}); name != "" {
			return name
		}
		st, ok := parseStat(readProc(int(pid), "stat", buf[:]))
		if !ok {
			return ""
		}
		pid = st.parent
	}
	return ""
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
