package locktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"berth/locks"
)

const ready = "ready\n"

// play takes what the role names, says ready, and gives it back when stdin ends.
func (r role) play(stdin io.Reader, stdout io.Writer) error {
	if r.Inner {
		return r.playInChild(stdin, stdout)
	}
	release, err := r.take()
	if err != nil {
		return err
	}
	if r.Part {
		return playOnWithoutMainThread(stdin, stdout)
	}
	if err := sayAndWait(stdin, stdout); err != nil {
		return err
	}
	return release()
}

// playInChild plays the role in a child of its own: the first process of a namespace has pid 1 in it,
// which no lock of interest names.
func (r role) playInChild(stdin io.Reader, stdout io.Writer) error {
	r.Inner = false
	cmd, err := r.command()
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	return cmd.Run()
}

func sayAndWait(stdin io.Reader, stdout io.Writer) error {
	if _, err := io.WriteString(stdout, ready); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, stdin)
	return err
}

func (r role) take() (release func() error, err error) {
	switch {
	case r.Hold != "":
		return locks.Hold(context.Background(), r.Hold)
	case r.Lock != nil:
		return r.Lock.take()
	case r.Take != "":
		return takeAsBerth(r.Take)
	case r.Title != "":
		err = setTitle(r.Title)
	}
	return func() error { return nil }, err
}

func takeAsBerth(path string) (release func() error, err error) {
	l, err := locks.Take(context.Background(), locks.TakeConfig{
		Dir: filepath.Dir(path), SessionID: strings.TrimSuffix(filepath.Base(path), ".lock"),
		Client: locks.ClientIdentity{ProductName: "berth", Version: "0", Platform: "test"}, System: locks.NewSystem(),
	})
	if err != nil {
		return nil, err
	}
	return l.Release, nil
}

func (l *SessionLock) take() (release func() error, err error) {
	b, err := l.content()
	if err != nil {
		return nil, err
	}
	return func() error { return os.Remove(l.Path) }, Publish(l.Path, b)
}

// content writes the fields that the pull-request discussion of the Kimi client names.
func (l *SessionLock) content() ([]byte, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	if l.Hostname != nil {
		host = *l.Hostname
	}
	if l.At.IsZero() {
		l.At = time.Now()
	}
	fields := map[string]any{
		"version": 1, "token": uuid.NewString(), "pid": os.Getpid(), "hostname": host,
		"startedAt":      l.At.UnixMilli(),
		"clientIdentity": map[string]string{"productName": "kimi-code-cli", "version": "2.2.0", "platform": "kimi_code_cli"},
	}
	if l.Own {
		err = addOwn(fields)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

func addOwn(fields map[string]any) error {
	s := locks.NewSystem()
	id, ok := s.Identify(os.Getpid())
	if !ok {
		return errors.New("own identity cannot be read")
	}
	fields["bootId"], fields["processStart"], fields["pidNamespace"] = id.BootID, id.Start, s.Host().PIDNamespace
	return nil
}

// Publish makes a lock file the way the Kimi client will: content into a temp file of mode 0600, then
// a hard link to the final name, which fails when there is one. The folder is made when missing.
func Publish(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.tmp-%d-1", path, os.Getpid())
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Link(temp, path), os.Remove(temp))
}
