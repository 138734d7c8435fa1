package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// fileID tells directories apart whatever their path is. The zero value means unknown.
type fileID struct{ dev, ino uint64 }

func (id fileID) known() bool { return id != fileID{} }

// facts is what can be found out about the path of a root.
type facts struct {
	exists  bool // and is a directory
	id      fileID
	foreign string // the kind of file system when it does not report all changes; else empty
	err     error  // why nothing can be said
}

// patience is how long a file system may take to answer. A network disk whose server is gone blocks
// for minutes or for ever.
const patience = 2 * time.Second

var errNoAnswer = errors.New("the file system does not answer")

// probe looks at path. It may block as long as the file system likes.
func probe(path string) facts {
	info, err := os.Stat(path)
	switch {
	case missing(err), err == nil && !info.IsDir():
		return facts{}
	case err != nil:
		return facts{err: err}
	}
	return facts{exists: true, id: identify(info), foreign: foreignAt(path)}
}

// missing reports whether err says that there is nothing at a path, which includes a file in the place
// of one of its parents.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// nearest returns the nearest existing parent directory of path, and the name in it, as a path, that
// has to appear before path can.
func nearest(path string) (parent, next string) {
	for {
		parent = filepath.Dir(path)
		info, err := os.Stat(parent)
		if parent == path || (err == nil && info.IsDir()) {
			return parent, path
		}
		path = parent
	}
}

// look asks what is at r's path and waits with patience. A question that is not answered stays open,
// so that a dead disk costs one goroutine and not one per attempt; nobody waits for that goroutine,
// because nobody can end it.
func (e *engine) look(r *root) facts {
	if r.asked == nil {
		asked := make(chan facts, 1)
		r.asked = asked
		go func() { asked <- e.sys.probe(r.path) }()
	}
	select {
	case f := <-r.asked:
		r.asked = nil
		return f
	case <-time.After(patience):
		return facts{err: errNoAnswer}
	}
}
