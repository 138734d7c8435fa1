// Package single keeps the tray to one process per user: the first one holds a kernel lock and listens on a
// private socket, every later one asks it to show its window and ends.
package single

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/locks"
)

// ErrRunning means that there is a first instance. If asked to, it showed its window.
var ErrRunning = errors.New("berth-tray is already running")

const (
	lockName   = "tray.lock"
	socketName = "tray.sock"

	request = "raise"
	answer  = "ok"
	// maxLine bounds what is read from the other side, in bytes.
	maxLine = 64

	// startTimeout is how long a second start tries: the first may hold the lock but not listen yet, or be
	// about to end.
	startTimeout = 10 * time.Second
	retryEvery   = 50 * time.Millisecond
	talkTimeout  = 2 * time.Second
)

// Instance is the first and only instance; see Start.
type Instance struct {
	ln      net.Listener
	release func() error
}

// Start makes this process the one instance, with its files in dir (made with mode 0700), or fails with
// ErrRunning when there is one; with show, that one's window is raised first. Two starts at once cannot both be
// first, and what a dead first left behind is in nobody's way: the lock ends with its process, and only its
// holder removes the socket. Close or Serve must follow.
func Start(ctx context.Context, dir string, show bool) (*Instance, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		release, err := locks.TryHold(filepath.Join(dir, lockName))
		if err == nil {
			return listen(dir, release)
		}
		if !errors.Is(err, locks.ErrHeld) {
			return nil, fmt.Errorf("single instance: %w", err)
		}
		if !show {
			return nil, ErrRunning
		}
		raiseErr := raise(ctx, dir)
		if raiseErr == nil {
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another berth-tray runs but does not answer: %w", raiseErr)
		case <-time.After(retryEvery):
		}
	}
}

func listen(dir string, release func() error) (*Instance, error) {
	path := filepath.Join(dir, socketName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("remove old socket: %w", err), release())
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for other starts: %w", err), release())
	}
	// The folder keeps others out already; the mode is for a folder that was there with another one.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect socket: %w", err), ln.Close(), release())
	}
	return &Instance{ln: ln, release: release}, nil
}

// Serve calls onRaise for every later start, until ctx is done. It closes the Instance.
func (i *Instance) Serve(ctx context.Context, onRaise func()) error {
	stop := context.AfterFunc(ctx, func() { i.ln.Close() })
	defer stop()
	for {
		conn, err := i.ln.Accept()
		if err != nil {
			closeErr := i.Close()
			if ctx.Err() != nil {
				return closeErr
			}
			return errors.Join(fmt.Errorf("wait for other starts: %w", err), closeErr)
		}
		serve(conn, onRaise)
	}
}

// serve answers one start. A caller that says nothing is cut off; the next one waits at most that long.
func serve(conn net.Conn, onRaise func()) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(talkTimeout)) != nil {
		return
	}
	if readLine(conn) == request {
		onRaise()
		fmt.Fprintln(conn, answer)
	}
}

// Close stops listening, removes the socket and gives the lock back.
func (i *Instance) Close() error {
	err := i.ln.Close() // removes the socket
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, i.release())
}

// raise asks the instance that has its files in dir to show its window.
func raise(ctx context.Context, dir string) error {
	d := net.Dialer{Timeout: talkTimeout}
	conn, err := d.DialContext(ctx, "unix", filepath.Join(dir, socketName))
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline := time.Now().Add(talkTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(conn, request); err != nil {
		return err
	}
	if got := readLine(conn); got != answer {
		return fmt.Errorf("it answered %q", got)
	}
	return nil
}

// readLine returns the first line without its end, or what came of it.
func readLine(r io.Reader) string {
	line, _ := bufio.NewReader(io.LimitReader(r, maxLine)).ReadString('\n')
	return strings.TrimSpace(line)
}
