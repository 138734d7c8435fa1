package locks

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ClientIdentity is the clientIdentity of the locks and markers that we write. Client 2.1.0 has an object
// of that name with these fields.
type ClientIdentity struct {
	ProductName string `json:"productName"`
	Version     string `json:"version"`
	Platform    string `json:"platform"`
}

// content is a lock as we write it: the client's fields, then ours.
type content struct {
	Version      int            `json:"version"`
	Token        string         `json:"token"`
	PID          int            `json:"pid"`
	Hostname     string         `json:"hostname"`
	StartedAt    int64          `json:"startedAt"` // epoch milliseconds
	Client       ClientIdentity `json:"clientIdentity"`
	BootID       string         `json:"bootId,omitempty"`
	ProcessStart uint64         `json:"processStart,omitempty"`
	PIDNamespace string         `json:"pidNamespace,omitempty"`
}

// claim returns the content of a lock or marker that names this process, and its token. In a sandbox that
// has the host's name such a lock would look dead from outside, so there is none.
func (s *System) claim(c ClientIdentity, now time.Time) (b []byte, token string, err error) {
	id, ok := s.Identify(os.Getpid())
	if s.fixed.Sandboxed {
		return nil, "", fmt.Errorf("name this process in a lock: %w: its pid is not that of the host", ErrNotSupported)
	}
	if !ok {
		id.PID = os.Getpid()
	}
	token = rand.Text()
	b, err = json.Marshal(content{
		Version: knownVersion, Token: token, PID: id.PID, Hostname: s.Host().Hostname, StartedAt: now.UnixMilli(), Client: c,
		BootID: s.fixed.BootID, ProcessStart: id.Start, PIDNamespace: s.fixed.PIDNamespace,
	})
	return b, token, err
}

// publisher puts a file under a name that must be free, as the Kimi client does: temp file, hard link.
type publisher struct {
	link func(from, to string) error
}

// publish makes the file for. It is complete as soon as it can be seen when linked is true; without hard
// links it is made exclusively and filled then. The error wraps [fs.ErrExist] when the name is taken. temp
// is where the temp file goes, less its ending.
func (p publisher) publish(temp, path string, content []byte) (linked bool, err error) {
	t, err := writeTemp(temp, content)
	if err != nil {
		return false, err
	}
	err = p.link(t, path)
	if err != nil && sameFile(t, path) {
		err = nil // NFS may lose the answer to a link that was made
	}
	linked = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = withoutLinks(path, content, err)
	}
	if err = errors.Join(err, os.Remove(t)); err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return linked, err
}

// withoutLinks publishes where a hard link failed for another reason than that the name is taken.
func withoutLinks(path string, content []byte, cause error) error {
	err := writeNew(path, content)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return errors.Join(cause, err)
}

func sameFile(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
