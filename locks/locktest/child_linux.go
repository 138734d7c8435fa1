package locktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// KillUncollected ends the child as SIGKILL does and leaves it as a zombie until [Child.Kill] or the
// end of the test.
func (c *Child) KillUncollected() {
	c.tb.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.tb.Fatal(err)
	}
	for {
		err := unix.Waitid(unix.P_PID, c.PID, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if !errors.Is(err, unix.EINTR) {
			c.tb.Fatalf("wait for the end of pid %d: %v", c.PID, err)
		}
	}
}

// ThreadID returns the id of a thread of the child that is not its main thread. There always is one:
// the runtime starts a monitor thread before anything else.
func (c *Child) ThreadID() int {
	c.tb.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.PID))
	if err != nil {
		c.tb.Fatal(err)
	}
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil && tid != c.PID {
			return tid
		}
	}
	c.tb.Fatalf("pid %d has one thread only", c.PID)
	return 0
}

// HoldSessionInNamespace is [HoldSession] in a pid namespace of its own, but on this host and in the
// same folders, as programs in a Flatpak are. [Child.PID] is that of the namespace's first process;
// the holder is a child of it. The test is skipped where namespaces may not be made.
func HoldSessionInNamespace(tb testing.TB, l SessionLock) *Child {
	return start(tb, role{Lock: &l, Inner: true})
}

// isolate lets the command run in namespaces of its own if its role wants it. Without root that takes
// a user namespace too, in which this user stays the same.
func (r role) isolate(cmd *exec.Cmd) {
	flags := r.Space.flags()
	if r.Inner {
		flags |= unix.CLONE_NEWPID
	}
	if flags == 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
}

func (s Space) flags() (flags uintptr) {
	if s.PIDs {
		flags |= unix.CLONE_NEWPID
	}
	if s.Proc {
		flags |= unix.CLONE_NEWNS
	}
	if s.Host != "" {
		flags |= unix.CLONE_NEWUTS
	}
	return flags
}

// enter makes the new namespaces of this process what they should be.
func (s Space) enter() error {
	if s.Host != "" {
		if err := unix.Sethostname([]byte(s.Host)); err != nil {
			return fmt.Errorf("set host name: %w", err)
		}
	}
	if !s.Proc {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount proc: %w", err)
	}
	return nil
}

func skipWithoutNamespaces(tb testing.TB, err error) {
	if errors.Is(err, fs.ErrPermission) {
		tb.Skipf(noSpace+"%v", err)
	}
}

// setTitle renames the main thread, whose name is the command name of the process.
func setTitle(title string) error {
	return os.WriteFile("/proc/self/comm", []byte(title), 0)
}

// The main goroutine runs on the main thread from here on, in case its role is to end that.
func init() {
	if _, child := os.LookupEnv(roleVariable); child {
		runtime.LockOSThread()
	}
}

// playOnWithoutMainThread ends the main thread alone and goes on in another one.
func playOnWithoutMainThread(stdin io.Reader, stdout io.Writer) error {
	go func() {
		err := awaitEndOfMainThread()
		if err == nil {
			err = sayAndWait(stdin, stdout)
		}
		if err != nil {
			fmt.Fprintln(stdout, "error:", err)
		}
		os.Exit(0)
	}()
	// Not a raw call: the scheduler has to take the processor back from a thread that never returns.
	unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
	panic("the main thread outlived its end")
}

func awaitEndOfMainThread() error {
	for {
		b, err := os.ReadFile("/proc/self/stat")
		if err != nil || bytes.Contains(b, []byte(") Z ")) {
			return err
		}
		runtime.Gosched()
	}
}
