package locks

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// ticksPerSecond is USER_HZ, in which proc(5) counts for every architecture that Go runs on.
	ticksPerSecond = 100
	// The numbers of the initial namespaces, fixed by the kernel (include/linux/proc_ns.h).
	initialPIDNamespace = "pid:[4026531836]"
	initialUTSNamespace = "uts:[4026531838]"
)

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func bootTime() time.Time {
	var wall, boot unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME, &wall) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return time.Time{}
	}
	return time.Unix(0, wall.Nano()-boot.Nano())
}

// pidNamespace returns "" when /proc is that of another namespace: then its pids are not ours.
func pidNamespace() string {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return ""
	}
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return link
}

// sandboxed recognises Flatpak, Snap, a foreign /proc, and any other pid namespace of its own that
// keeps the name of the host.
func sandboxed() bool {
	if _, err := os.Lstat("/.flatpak-info"); err == nil {
		return true
	}
	ns := pidNamespace()
	return inSnap() || ns == "" || ns != initialPIDNamespace && utsNamespace() == initialUTSNamespace
}

// inSnap asks for more than the variable: every program started from a terminal of a Snap has it.
func inSnap() bool {
	exe, err := os.Executable()
	root := os.Getenv("SNAP")
	return err == nil && root != "" && strings.HasPrefix(exe, root+"/")
}

func utsNamespace() string {
	link, err := os.Readlink("/proc/self/ns/uts")
	if err != nil {
		return initialUTSNamespace
	}
	return link
}

// sharedName is true in containers: with a host network they get the host's name too.
func sharedName() bool {
	return pidNamespace() != initialPIDNamespace
}

// watchClock arms a timer in the far future that the kernel cancels when the wall clock is set
// (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). Nothing wakes up; reading asks. Two steps that make
// up for each other show as well, which two readings of the clock would not tell. Waking up from
// suspend may show too, which costs knowledge and no safety.
func watchClock() func() bool {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil
	}
	timer := os.NewFile(uintptr(fd), "clock watch") // closes fd when the System is collected
	far := unix.ItimerSpec{Value: unix.Timespec{Sec: 1 << 33}}
	conn, err := timer.SyscallConn()
	if err != nil || unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &far, nil) != nil {
		timer.Close()
		return nil
	}
	return func() bool {
		set := true
		err := conn.Control(func(fd uintptr) {
			var expirations [8]byte
			_, err := unix.Read(int(fd), expirations[:])
			set = err != unix.EAGAIN
		})
		runtime.KeepAlive(timer)
		return set || err != nil
	}
}

func processFacts(pid int, boot time.Time) ProcessFacts {
	p := ProcessFacts{UID: -1, EUID: -1}
	var buf [4096]byte
	st, ok := parseStat(readProc(pid, "stat", buf[:]))
	if !ok {
		p.State = existence(pid)
		return p
	}
	p.State, p.Start, p.Comm = st.state(), st.start, st.comm
	if !boot.IsZero() {
		p.StartTime = boot.Add(time.Duration(st.start) * (time.Second / ticksPerSecond))
	}
	own := parseStatus(readProc(pid, "status", buf[:]))
	p.UID, p.EUID = own.uids[0], own.uids[1]
	p.Thread = own.tgid != 0 && own.tgid != pid
	p.Inner = own.depth > 1
	p.Program = executable(pid, buf[:])
	return p
}

// existence asks for a process that /proc does not show. hidepid hides those of other users.
func existence(pid int) State {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return Gone
	}
	return Running
}

// readProc reads a file of /proc/<pid> into buf, as far as it fits; nil when there is none.
func readProc(pid int, name string, buf []byte) []byte {
	fd, err := unix.Open(procPath(pid, name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, buf) })
	if err != nil {
		return nil
	}
	return buf[:n]
}

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

func procPath(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// executable returns the path of the program, "" for a kernel thread, a zombie, or without permission.
func executable(pid int, buf []byte) string {
	n, err := unix.Readlink(procPath(pid, "exe"), buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

// stat is what /proc/<pid>/stat says, see proc(5).
type stat struct {
	comm    string
	letter  byte
	parent  uint64
	tty     uint64 // device number of the controlling terminal
	threads uint64
	start   uint64 // ticks since boot
}

// state tells a zombie from a process whose main thread has ended while others run on: both have the
// letter Z.
func (s *stat) state() State {
	if (s.letter == 'Z' || s.letter == 'X' || s.letter == 'x') && s.threads <= 1 {
		return Zombie
	}
	return Running
}

// parseStat reads a stat line. The command name may hold spaces, brackets and line breaks, so what
// follows it is found from the last bracket.
func parseStat(line []byte) (stat, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open || end+2 >= len(line) {
		return stat{}, false
	}
	s := stat{comm: string(line[open+1 : end]), letter: line[end+2]}
	const first = 3 // number of the field behind the bracket, as proc(5) counts
	number := first
	for field := range bytes.FieldsSeq(line[end+2:]) {
		switch number {
		case 4:
			s.parent = digits(field)
		case 7:
			s.tty = digits(field)
		case 20:
			s.threads = digits(field)
		case 22:
			s.start = digits(field)
			return s, true
		}
		number++
	}
	return stat{}, false
}

func digits(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// status is what /proc/<pid>/status says, see proc(5).
type status struct {
	tgid  int
	uids  [2]int // real, effective; -1 when not found
	depth int    // pid namespaces from ours down to the process's own; 0 when not found
	inner int    // pid in its own namespace
}

func parseStatus(b []byte) status {
	s := status{uids: [2]int{-1, -1}}
	for line := range bytes.Lines(b) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch string(key) {
		case "Tgid":
			s.tgid = int(digits(bytes.TrimSpace(value)))
		case "Uid":
			s.uids = realAndEffective(value)
		case "NSpid":
			for field := range bytes.FieldsSeq(value) {
				s.depth++
				s.inner = int(digits(field))
			}
			return s // the last of the three
		}
	}
	return s
}

func realAndEffective(value []byte) [2]int {
	f := bytes.Fields(value)
	if len(f) < 2 {
		return [2]int{-1, -1}
	}
	return [2]int{int(digits(f[0])), int(digits(f[1]))}
}

func innerProcesses() map[int][]innerProcess {
	inner := map[int][]innerProcess{}
	buf := make([]byte, 64<<10) // a user may be in very many groups, and they come before NSpid
	for _, pid := range processIDs() {
		if s := parseStatus(readProc(pid, "status", buf)); s.depth > 1 {
			p := processFacts(pid, time.Time{})
			inner[s.inner] = append(inner[s.inner], innerProcess{pid: pid, uids: s.uids, client: p.mayHost()})
		}
	}
	return inner
}

// processIDs lists the process table, in no order.
func processIDs() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
