package vault

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"berth/sessions"
)

// noteStamp identifies a version of a file by name, inode, size and modification time.
func noteStamp(key string, fi fs.FileInfo) sessions.Stamp {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h = mix(h, inode(fi))
	h = mix(h, uint64(fi.Size()))
	return sessions.Stamp(mix(h, uint64(fi.ModTime().UnixNano())))
}

// withSettings makes a stamp differ when the settings that a Record depends on do.
func withSettings(st sessions.Stamp, set *settings) sessions.Stamp {
	return max(1, sessions.Stamp(mix(uint64(st), set.hash)))
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// fileState is what tells one version of a small file from the next; the zero value is a file that
// nobody has looked at.
type fileState struct {
	looked bool
	size   int64
	mtime  int64
	inode  uint64
}

func stateOf(path string) fileState {
	fi, err := os.Stat(path)
	if err != nil {
		return fileState{looked: true}
	}
	return fileState{true, fi.Size(), fi.ModTime().UnixNano(), inode(fi)}
}

// gone reports whether err means that there is no such note: nothing there, something else than a
// file, or a name that cannot exist.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EINVAL)
}

// plainNotes are the stamps of notes that are no sessions, each with the last List that met it.
type plainNotes struct {
	mu    sync.Mutex
	seen  map[sessions.Stamp]uint32
	round uint32
}

// begin starts a round of List and returns its number.
func (p *plainNotes) begin() uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.round++
	return p.round
}

func (p *plainNotes) add(st sessions.Stamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[st] = p.round
}

// empty reports whether no plain note is known, so that none needs to be looked up.
func (p *plainNotes) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen) == 0
}

// knows reports whether st is a plain note, and keeps it for this round.
func (p *plainNotes) knows(st sessions.Stamp, round uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.seen[st]
	if ok && last < round {
		p.seen[st] = round
	}
	return ok
}

// forget drops what was last met before this round: notes that changed or went away.
func (p *plainNotes) forget(round uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for st, last := range p.seen {
		if last < round {
			delete(p.seen, st)
		}
	}
}
