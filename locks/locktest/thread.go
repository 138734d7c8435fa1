package locktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"berth/locks"
)

// ThreadClient takes a session lock exactly as the pull-request discussion of the Kimi client describes it,
// down to its weak spots: it knows nothing of start stamps, namespaces and inodes, and it gives up after two
// tries. It stands for a client that no one has published yet. It is for one goroutine.
type ThreadClient struct {
	Path string // of the lock; its folder must exist
	// Step is called before each operation on the file system; nil does nothing.
	Step func()

	token string
	temps int
}

// tries is how often a client tries to publish its lock before it says occupied.
const tries = 2

// Acquire takes the lock, false when the client finds the session occupied.
func (c *ThreadClient) Acquire() (bool, error) {
	c.token = uuid.NewString()
	for range tries {
		err := c.publish(c.Path)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return false, err
		}
		held, ok := c.read(c.Path)
		if ok && held.alive() {
			return false, nil
		}
		if again, err := c.reclaim(held); !again || err != nil {
			return false, err
		}
	}
	return false, nil
}

// Release removes the lock when it has this client's token; lost reports that it has not.
func (c *ThreadClient) Release() (lost bool, err error) {
	held, ok := c.read(c.Path)
	if !ok || held.Token != c.token {
		return true, nil
	}
	c.step()
	return false, os.Remove(c.Path)
}

// Verify reports whether the lock on disk is this client's.
func (c *ThreadClient) Verify() bool {
	held, ok := c.read(c.Path)
	return ok && held.Token == c.token
}

// reclaim removes a dead lock under the marker, and reports whether another try is worth it.
func (c *ThreadClient) reclaim(dead threadLock) (again bool, err error) {
	marker := c.Path + ".reclaim"
	err = c.publish(marker)
	if errors.Is(err, fs.ErrExist) {
		other, ok := c.read(marker)
		if ok && other.alive() {
			return false, nil
		}
		return true, c.unlink(marker)
	}
	if err != nil {
		return false, err
	}
	now, ok := c.read(c.Path)
	if ok && now.Token == dead.Token {
		err = c.unlink(c.Path)
	}
	return true, errors.Join(err, c.unlink(marker))
}

func (c *ThreadClient) unlink(path string) error {
	c.step()
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *ThreadClient) step() {
	if c.Step != nil {
		c.Step()
	}
}

func (c *ThreadClient) publish(path string) error {
	b, err := json.Marshal(threadLock{
		Version: 1, Token: c.token, PID: os.Getpid(), Hostname: thisHost().Hostname, StartedAt: time.Now().UnixMilli(),
		ClientIdentity: map[string]string{"productName": "kimi-code-cli", "version": "2.2.0", "platform": "kimi_code_cli"},
	})
	if err != nil {
		return err
	}
	c.temps++
	temp := fmt.Sprintf("%s.tmp-%d-%s-%d", c.Path, os.Getpid(), c.token[:8], c.temps)
	c.step()
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	c.step()
	return errors.Join(os.Link(temp, path), os.Remove(temp))
}

// threadLock has the fields that the discussion names.
type threadLock struct {
	Version        int    `json:"version"`
	Token          string `json:"token"`
	PID            int    `json:"pid"`
	Hostname       string `json:"hostname"`
	StartedAt      int64  `json:"startedAt"`
	ClientIdentity any    `json:"clientIdentity"`
}

func (c *ThreadClient) read(path string) (l threadLock, ok bool) {
	c.step()
	b, err := os.ReadFile(path)
	return l, err == nil && json.Unmarshal(b, &l) == nil
}

// alive is the discussion's own rule, in its order.
func (l threadLock) alive() bool {
	switch {
	case l.Hostname != "" && l.Hostname != thisHost().Hostname:
		return true
	case !running(l.PID):
		return false
	}
	return l.StartedAt >= thisHost().Boot.UnixMilli() // now less the uptime
}

var thisHost = sync.OnceValue(func() locks.HostFacts { return locks.NewSystem().Host() })

func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
