package locks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// errNoCounter says that the io file of a process does not have the line it should have.
var errNoCounter = errors.New("no write counter in it")

// counter keeps /proc/<pid>/io open, which is bound to the process and not to the number: reading it again costs
// a third of opening it again.
type counter struct{ file *os.File }

func openCounter(id Identity) (*counter, error) {
	f, err := os.Open(procPath(id.PID, "io"))
	if err != nil {
		return nil, fmt.Errorf("open write counter: %w", err)
	}
	c := &counter{file: f}
	// The kernel checks permission at the first reading; and the pid may have changed hands before the opening.
	_, err = c.read()
	if start, ok := runningSince(id.PID); err == nil && (!ok || start != id.Start) {
		err = fmt.Errorf("pid %d is another process by now", id.PID)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *counter) read() (uint64, error) {
	var buf [256]byte
	n, err := c.file.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("read write counter: %w", err)
	}
	return parseIO(buf[:n])
}

func (c *counter) close() { c.file.Close() } // it was only read

// parseIO finds wchar, which counts what write(2) and its like returned, see proc_pid_io(5).
func parseIO(b []byte) (uint64, error) {
	for line := range bytes.Lines(b) {
		if value, ok := bytes.CutPrefix(line, []byte("wchar:")); ok {
			if value = bytes.TrimSpace(value); len(value) > 0 {
				return digits(value), nil
			}
		}
	}
	return 0, errNoCounter
}

// runningSince returns the start stamp of the process with this pid, false when it has ended, a zombie included.
func runningSince(pid int) (uint64, bool) {
	var buf [4096]byte
	st, ok := parseStat(readProc(pid, "stat", buf[:]))
	return st.start, ok && st.state() == Running
}
