package kimi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"berth/sessions/kimi/internal/rawjson"
)

// indexState is what the client's own index says of a session.
type indexState uint8

const (
	unlisted indexState = iota // no line names it
	listed
	deleted // the newest line that names it is a tombstone
)

// indexEntry is the newest line about one session.
type indexEntry struct {
	state   indexState
	workDir string
}

// index keeps what the client's index files say. They are hints: lines may be missing, stale or broken, and
// which sessions exist is for the folders to say. It is safe for concurrent use.
type index struct {
	log *slog.Logger

	mu     sync.RWMutex
	loaded bool
	files  []*indexLog
}

func newIndex(root string, log *slog.Logger) *index {
	x := &index{log: log}
	for _, name := range []string{indexName, index2Name} {
		x.files = append(x.files, newIndexLog(root, name))
	}
	return x
}

// readIndex reads the whole file that clients write and returns its newest record of each session.
func readIndex(root string, log *slog.Logger) (map[string]indexRecord, error) {
	newest := map[string]indexRecord{}
	l := newIndexLog(root, indexName)
	l.see = func(r indexRecord) { newest[r.id] = r }
	if _, err := l.refresh(); err != nil {
		return nil, fmt.Errorf("read the client's session index: %w", err)
	}
	for _, p := range l.problems {
		log.Debug("the client's session index has a fault", "path", l.path, "err", p)
	}
	return newest, nil
}

func newIndexLog(root, name string) *indexLog {
	return &indexLog{
		name: name, path: filepath.Join(root, filepath.FromSlash(name)),
		sessions: realAndGiven(filepath.Join(root, sessionsRel)),
		entries:  map[string]indexEntry{},
	}
}

// realAndGiven returns dir and, where it differs, dir with its symbolic links resolved: the client writes the one
// that it was started with.
func realAndGiven(dir string) []string {
	dirs := []string{foldPath(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && foldPath(real) != dirs[0] {
		dirs = append(dirs, foldPath(real))
	}
	return dirs
}

// foldPath makes paths comparable: Windows does not tell letters' cases and kinds of slashes apart.
func foldPath(p string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(filepath.ToSlash(filepath.Clean(p)))
	}
	return filepath.Clean(p)
}

// entry returns what is known about the session id. The first call reads the files.
func (x *index) entry(id string) indexEntry {
	x.mu.RLock()
	loaded := x.loaded
	best := x.find(id)
	x.mu.RUnlock()
	if loaded {
		return best
	}
	x.refresh()
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.find(id)
}

// find prefers a file that lists id to one that has a tombstone, and that to one that does not know it.
func (x *index) find(id string) indexEntry {
	var best indexEntry
	for _, f := range x.files {
		switch e := f.entries[id]; {
		case e.state == listed:
			return e
		case e.state == deleted:
			best = e
		}
	}
	return best
}

// refresh reads what was added to the files since the last time and returns the ids about which they say
// something else now.
func (x *index) refresh() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.loaded = true
	var ids []string
	for _, f := range x.files {
		changed, err := f.refresh()
		if err != nil && !f.failed {
			x.log.Warn("cannot read the client's session index", "path", f.path, "err", err)
		}
		f.failed = err != nil
		ids = append(ids, changed...)
	}
	return ids
}

// problems returns what is wrong with the files, for people.
func (x *index) problems() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var all []string
	for _, f := range x.files {
		all = append(all, f.problems...)
	}
	return all
}

// Bounds for index files. A line of the client has some 300 bytes.
const (
	maxIndexLine     = 64 << 10
	maxIndexBytes    = 256 << 20
	maxIndexProblems = 8
	seamBytes        = 64
)

// indexLog is one append-only index file, read as far as offset.
type indexLog struct {
	name, path string
	sessions   []string // the folder that entries must lie in, in every spelling
	failed     bool

	id       fileID
	offset   int64  // after the last whole line
	seam     []byte // the bytes before offset: they differ when the file was rewritten in place
	lines    int
	entries  map[string]indexEntry
	problems []string
	see      func(indexRecord) // is given each record that counts, in their order; may be nil
}

// refresh brings the entries up to date and returns the ids whose entry changed.
func (l *indexLog) refresh() ([]string, error) {
	id, err := lstat(l.path)
	if err != nil || id == l.id {
		return nil, err
	}
	if !id.exists() {
		return l.restart(fileID{}), nil
	}
	f, err := open(l.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if id.inode == l.id.inode && id.size >= l.offset && l.seamHolds(f) {
		l.id = id
		changed := map[string]bool{}
		err := l.read(f, func(entryID string, e indexEntry) {
			if l.entries[entryID] != e {
				l.entries[entryID] = e
				changed[entryID] = true
			}
		})
		return keysOf(changed), err
	}
	old := l.entries
	l.reset(id)
	err = l.read(f, func(entryID string, e indexEntry) { l.entries[entryID] = e })
	return differing(old, l.entries), err
}

// restart forgets everything and returns the ids that were known.
func (l *indexLog) restart(id fileID) []string {
	old := l.entries
	l.reset(id)
	return differing(old, nil)
}

func (l *indexLog) reset(id fileID) {
	l.id, l.offset, l.seam, l.lines = id, 0, nil, 0
	l.entries, l.problems = map[string]indexEntry{}, nil
}

// seamHolds reports whether the bytes before the offset are those that were read.
func (l *indexLog) seamHolds(r io.ReaderAt) bool {
	b := make([]byte, len(l.seam))
	n, err := r.ReadAt(b, l.offset-int64(len(b)))
	return ignoreEOF(err) == nil && bytes.Equal(b[:n], l.seam)
}

// read gives every entry after the offset to put, and moves the offset behind the last whole line. What
// follows counts too when it is whole but for its newline; it will be read again.
func (l *indexLog) read(r io.ReaderAt, put func(string, indexEntry)) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r, l.offset, maxIndexBytes), maxIndexLine)
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			n, err := skipLine(in)
			l.pass(line, int64(len(line))+n)
			l.problem("is longer than %d bytes", maxIndexLine)
			if err != nil {
				return ignoreEOF(err)
			}
		case err != nil:
			l.line(line, false, put)
			return ignoreEOF(err)
		default:
			l.pass(line, int64(len(line)))
			l.line(line, true, put)
		}
	}
}

// pass moves the offset over a line of n bytes, of which line is the beginning.
func (l *indexLog) pass(line []byte, n int64) {
	l.offset += n
	l.lines++
	if int64(len(line)) == n {
		l.seam = bytes.Clone(line[max(0, len(line)-seamBytes):])
	} else {
		l.seam = nil
	}
}

// skipLine reads to the end of the line and returns how many bytes that were.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		b, err := in.ReadSlice('\n')
		n += int64(len(b))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}

// line reads the entries of one line. Two on one line occur in the wild (bug B01). whole is false for a last line
// without a newline, which may be in flight.
func (l *indexLog) line(b []byte, whole bool, put func(string, indexEntry)) {
	for count := 1; !rawjson.Blank(b); count++ {
		var r indexRecord
		rest, ok := rawjson.Object(b, r.member)
		if !ok {
			if whole {
				l.problem("cannot be read")
			}
			return
		}
		if count == 2 && whole {
			l.problem("holds more than one entry")
		}
		if id, e, ok := r.entry(l.sessions); ok {
			put(id, e)
			if l.see != nil {
				l.see(r)
			}
		}
		b = rest
	}
}

func (l *indexLog) problem(format string, args ...any) {
	if len(l.problems) < maxIndexProblems {
		l.problems = append(l.problems, fmt.Sprintf("%s line %d ", l.name, l.lines)+fmt.Sprintf(format, args...))
	}
}

// indexRecord is one object of an index file.
type indexRecord struct {
	id, dir, workDir string
	deleted          bool
}

func (r *indexRecord) member(key, value []byte) {
	switch string(key) {
	case "sessionId":
		r.id = rawjson.String(value)
	case "sessionDir":
		r.dir = rawjson.String(value)
	case "workDir":
		r.workDir = rawjson.String(value)
	case "deleted":
		r.deleted = rawjson.True(value)
	}
}

// entry checks a record by the client's rules: the folder must be absolute, inside of sessions, and named like
// the session.
func (r *indexRecord) entry(sessionsDirs []string) (string, indexEntry, bool) {
	if r.id == "" {
		return "", indexEntry{}, false
	}
	if r.deleted {
		return r.id, indexEntry{state: deleted}, true
	}
	if !filepath.IsAbs(r.dir) || filepath.Base(r.dir) != r.id {
		return "", indexEntry{}, false
	}
	dir := foldPath(r.dir)
	for _, parent := range sessionsDirs {
		if strings.HasPrefix(dir, parent+string(filepath.Separator)) || strings.HasPrefix(dir, parent+"/") {
			return r.id, indexEntry{state: listed, workDir: r.workDir}, true
		}
	}
	return "", indexEntry{}, false
}

func keysOf(set map[string]bool) []string {
	var ids []string
	for id := range set {
		ids = append(ids, id)
	}
	return ids
}

// differing returns the ids that a and b say different things about.
func differing(a, b map[string]indexEntry) []string {
	var ids []string
	for id, e := range a {
		if b[id] != e {
			ids = append(ids, id)
		}
	}
	for id := range b {
		if _, ok := a[id]; !ok {
			ids = append(ids, id)
		}
	}
	return ids
}
