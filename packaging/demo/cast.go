package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// client is a running client process, seen from the demo. It is not safe for concurrent use.
type client struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	orders  *json.Encoder
	replies *json.Decoder
	workDir string
}

// hire starts a client in a work folder. program is this program under the clients' name.
func hire(program, home, workDir string) (*client, error) {
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	cmd.Args = []string{clientName} // a real client shows its bare name, too
	cmd.Dir = workDir
	cmd.Env = append(cmd.Environ(), "KIMI_CODE_HOME="+home)
	cmd.Stderr = os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a client: %w", err)
	}
	return &client{cmd: cmd, in: in, orders: json.NewEncoder(in), replies: json.NewDecoder(out), workDir: workDir}, nil
}

func (c *client) pid() int { return c.cmd.Process.Pid }

// do gives an order and waits until it is done.
func (c *client) do(deed, session, text string) error {
	var r reply
	err := c.orders.Encode(order{Do: deed, Session: session, Text: text})
	if err == nil {
		err = c.replies.Decode(&r)
	}
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	if err != nil {
		return fmt.Errorf("%s by client %d: %w", deed, c.pid(), err)
	}
	return nil
}

// quit lets the client end by itself.
func (c *client) quit() error {
	return errors.Join(c.in.Close(), c.cmd.Wait())
}

// kill ends the client the hard way, so that it cannot clean up. That it did not end well is the point.
func (c *client) kill() error {
	err := c.cmd.Process.Kill()
	var exit *exec.ExitError
	if waitErr := c.cmd.Wait(); !errors.As(waitErr, &exit) {
		err = errors.Join(err, waitErr)
	}
	return err
}

// costume puts this program into dir under the clients' name and returns its path.
func costume(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, clientName)
	if filepath.Ext(self) == ".exe" {
		path += ".exe"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if os.Link(self, path) == nil {
		return path, nil
	}
	// Another file system, or one without hard links.
	content, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o755)
}
