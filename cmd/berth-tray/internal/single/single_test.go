package single

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// childDir makes the test binary the first instance in that folder, until its standard input ends.
const childDir = "BERTH_TEST_SINGLE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if _, err := Start(context.Background(), dir, true); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// shortDir is a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tray")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serveIn is a first instance; raised gets a value for each later start.
func serveIn(t *testing.T, dir string) (raised <-chan struct{}) {
	t.Helper()
	first, err := Start(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	c := make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- first.Serve(ctx, func() { c <- struct{}{} }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return c
}

// Bug B128: launching again must show the window of the first, always.
func TestSecondStartRaisesTheFirst(t *testing.T) {
	dir := shortDir(t)
	raised := serveIn(t, dir)
	for range 3 {
		if _, err := Start(t.Context(), dir, true); !errors.Is(err, ErrRunning) {
			t.Fatalf("second start: got %v, want ErrRunning", err)
		}
		<-raised
	}
}

// An autostart beside a running instance changes nothing on screen (bug B146).
func TestHiddenSecondStartDoesNotRaise(t *testing.T) {
	dir := shortDir(t)
	raised := serveIn(t, dir)
	if _, err := Start(t.Context(), dir, false); !errors.Is(err, ErrRunning) {
		t.Fatalf("got %v, want ErrRunning", err)
	}
	if len(raised) > 0 {
		t.Error("a hidden start raised the window")
	}
}

func TestOfManyStartsAtOnceOneIsFirst(t *testing.T) {
	dir := shortDir(t)
	const starts = 12
	var wg sync.WaitGroup
	results := make(chan error, starts)
	ctx, cancel := context.WithCancel(context.Background())
	for range starts {
		wg.Go(func() {
			in, err := Start(context.Background(), dir, true)
			results <- err
			if err == nil {
				in.Serve(ctx, func() {})
			}
		})
	}
	first := 0
	for range starts {
		switch err := <-results; {
		case err == nil:
			first++
		case !errors.Is(err, ErrRunning):
			t.Errorf("start: %v", err)
		}
	}
	cancel()
	wg.Wait()
	if first != 1 {
		t.Errorf("%d starts became the first", first)
	}
}

func TestStartAfterTheFirstEnded(t *testing.T) {
	dir := shortDir(t)
	for range 2 {
		in, err := Start(t.Context(), dir, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, socketName)); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A first that was killed leaves its socket and lock file behind; neither blocks the next start.
func TestDeadFirstDoesNotBlock(t *testing.T) {
	dir := shortDir(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	stdin, _ := cmd.StdinPipe()
	defer stdin.Close()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("child said %q", line)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	in, err := Start(t.Context(), dir, true)
	if err != nil {
		t.Fatalf("start after a dead first: %v", err)
	}
	in.Close()
}

// A first that holds the lock but does not answer is an error that says so, not a second instance.
func TestSilentFirst(t *testing.T) {
	dir := shortDir(t)
	in, err := Start(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, dir, true); err == nil || errors.Is(err, ErrRunning) {
		t.Errorf("got %v, want an error that is not ErrRunning", err)
	}
}

func TestNonsenseDoesNotRaise(t *testing.T) {
	dir := shortDir(t)
	raised := serveIn(t, dir)
	for _, nonsense := range []string{"", "quit\n", "raiseraise\n", string(make([]byte, 4096))} {
		conn, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, nonsense)
		conn.(*net.UnixConn).CloseWrite()
		reply, _ := io.ReadAll(conn)
		conn.Close()
		if len(reply) > 0 {
			t.Errorf("%q was answered with %q", nonsense, reply)
		}
	}
	if len(raised) > 0 {
		t.Error("nonsense raised the window")
	}
}

func TestSocketIsPrivate(t *testing.T) {
	dir := filepath.Join(shortDir(t), "run")
	serveIn(t, dir)
	modes := map[string]os.FileMode{dir: 0o700, filepath.Join(dir, socketName): 0o600, filepath.Join(dir, lockName): 0o600}
	for path, want := range modes {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}
