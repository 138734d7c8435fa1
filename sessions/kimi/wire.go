package kimi

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"berth/sessions/kimi/internal/rawjson"
)

// windowBytes is how much is read of either end of a journal. A journal of at most twice that is read whole.
const windowBytes = 64 << 10

// grace is how long something unfinished counts as being written. The client appends a batch of records with one
// write; what is still torn after this long stays torn.
const grace = 2 * time.Second

// maxProblems bounds what is said about one damaged journal.
const maxProblems = 3

// journal is what one wire.jsonl says.
type journal struct {
	fold
	name    string    // relative to the session's folder, for people
	version string    // protocol version of the header, "" without one
	created time.Time // of the header
	prompt  string    // beginning of the first prompt, "" when none was read
	cut     bool      // there is a part between head and tail that was not read

	ends     ends
	problems []string
	damaged  int       // how many lines cannot be read
	settle   time.Time // when to look again at an unfinished last line
}

// readJournal reads the two ends of a journal of the given size from r into buf, which holds at least two
// windows. modified is the file's modification time.
func readJournal(r io.ReaderAt, name string, size int64, modified, now time.Time, buf []byte) (*journal, error) {
	j := &journal{name: name}
	if size <= 2*windowBytes {
		whole := segment{b: buf[:size], line: 1, last: true}
		if err := whole.read(r); err != nil {
			return nil, err
		}
		j.ends.see(whole.b, whole.b, 0)
		j.legacy = true // until a header says otherwise
		j.scan(whole, &j.fold, modified, now)
		return j, nil
	}
	head := segment{b: buf[:windowBytes], line: 1}
	tail := segment{b: buf[windowBytes : 2*windowBytes], offset: size - windowBytes, last: true}
	if err := head.read(r); err != nil {
		return nil, err
	}
	if err := tail.read(r); err != nil {
		return nil, err
	}
	j.ends.see(head.b, tail.b, tail.offset)
	// What the head says of turns is out of date; only its header and its first prompt count.
	old := fold{legacy: true}
	j.cut = true
	j.scan(head, &old, modified, now)
	j.legacy, j.newest = old.legacy, old.newest
	j.scan(tail, &j.fold, modified, now)
	return j, nil
}

// segment is a part of a journal that was read.
type segment struct {
	b      []byte
	offset int64 // of b[0] in the file
	line   int   // number of the line that b begins with; 0 when b begins somewhere inside of one
	last   bool  // b reaches to the end of the file
}

// read fills the segment. A file that became shorter meanwhile is read as far as it goes.
func (s *segment) read(r io.ReaderAt) error {
	n, err := r.ReadAt(s.b, s.offset)
	s.b = s.b[:n]
	return ignoreEOF(err)
}

// position names a line: by its number where that is known.
func (s *segment) position(at int) string {
	if s.line > 0 {
		return fmt.Sprintf("line %d", s.line)
	}
	return fmt.Sprintf("at byte %d", s.offset+int64(at))
}

// scan reads all lines of s into f.
func (j *journal) scan(s segment, f *fold, modified, now time.Time) {
	at := 0
	if s.line == 0 {
		at = bytes.IndexByte(s.b, '\n') + 1
		if at == 0 && len(s.b) > 0 {
			at = len(s.b) // one line is longer than the window
			if s.last {
				j.unfinished(&s, 0, modified, now)
			}
		}
	}
	for at < len(s.b) {
		n := bytes.IndexByte(s.b[at:], '\n')
		if n < 0 {
			if s.last {
				j.unfinished(&s, at, modified, now)
			}
			return
		}
		j.line(s.b[at:at+n], &s, at, f)
		at += n + 1
		if s.line > 0 {
			s.line++
		}
	}
}

// line reads one whole line. One that cannot be read is skipped (bugs B02, B04, B16); the client drops
// everything after it the next time it opens the session, so it is always said.
func (j *journal) line(b []byte, s *segment, at int, f *fold) {
	if n := leadingNULs(b); n > 0 {
		j.damage(s, at, fmt.Sprintf("holds %d NUL bytes", n))
		b = b[n:]
	}
	var r record
	for count := 1; !rawjson.Blank(b); count++ {
		rest, ok := r.read(b)
		if !ok {
			j.damage(s, at, fmt.Sprintf("cannot be read (%d bytes)", len(b)))
			return
		}
		if count == 2 {
			j.damage(s, at, "holds more than one record")
		}
		j.take(&r, f)
		b = rest
	}
}

// take handles one record.
func (j *journal) take(r *record, f *fold) {
	if j.prompt == "" && string(r.kind) == `"turn.prompt"` {
		j.prompt = firstLineOf(r.input)
	}
	if j.version == "" && string(r.kind) == `"metadata"` {
		j.version, j.created = rawjson.String(r.version), rawjson.Time(r.created)
	}
	r.foldInto(f)
}

// unfinished handles a last line without its newline: in flight at first, torn for good later (bugs B05, B08).
// Either way it does not count.
func (j *journal) unfinished(s *segment, at int, modified, now time.Time) {
	if end := modified.Add(grace); now.Before(end) {
		j.settle = end
		return
	}
	b := s.b[at:]
	switch n := leadingNULs(b); {
	case at == 0 && s.offset > 0:
		j.damage(s, len(b), fmt.Sprintf("the last line is cut off (more than %d bytes)", len(b)))
	case n > 0:
		j.damage(s, at, fmt.Sprintf("is cut off after %d NUL bytes", n))
	default:
		j.damage(s, at, fmt.Sprintf("is cut off at the end of the file (%d bytes)", len(b)))
	}
}

// damage notes that the line at the given place of s is not as it should be.
func (j *journal) damage(s *segment, at int, what string) {
	j.damaged++
	if len(j.problems) < maxProblems {
		j.problems = append(j.problems, fmt.Sprintf("%s %s %s", j.name, s.position(at), what))
	}
}

// allProblems returns what there is to say about the journal's damage.
func (j *journal) allProblems() []string {
	if more := j.damaged - len(j.problems); more > 0 {
		return append(j.problems, fmt.Sprintf("%s has %d more lines that cannot be read", j.name, more))
	}
	return j.problems
}

func leadingNULs(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "\x00")) }

// ignoreEOF makes the end of a file no error.
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
