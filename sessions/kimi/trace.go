package kimi

import (
	"bytes"
	"errors"
	"hash/maphash"

	"berth/sessions"
)

// backupSuffix is what the client puts behind the name of a journal to keep what it held before a repair. It does
// so once: a copy that is there already stays as it is.
const backupSuffix = ".bak"

// hashedBytes is how much of either end of a journal its identity covers. All that is read would cost a quarter more
// for each reading of a long one (measured), for the sake of rewrites that spare both ends and keep the length.
const hashedBytes = 4 << 10

// hashSeed belongs to this process: hashes are never kept.
var hashSeed = maphash.MakeSeed()

// ends is the identity of a journal's bytes: those of its two windows that were read.
type ends struct {
	size              int64
	head, tail, first uint64
}

// see takes the bytes that were read: the beginning of the journal, and what it ends with from offset on. Both are
// the same for one that was read whole. It counts what was read and not what the folder said: that may be
// older, or younger.
func (e *ends) see(head, tail []byte, offset int64) {
	e.size = offset + int64(len(tail))
	e.head = maphash.Bytes(hashSeed, head[:min(len(head), hashedBytes)])
	e.tail = e.head
	if e.size > hashedBytes {
		e.tail = maphash.Bytes(hashSeed, tail[max(0, len(tail)-hashedBytes):])
	}
	if n := bytes.IndexByte(head, '\n'); n >= 0 {
		e.first = maphash.Bytes(hashSeed, head[:n])
	}
}

// trace adds the journal of one agent to the session's trace.
func (r *reading) trace(a *agentFile, j *journal) {
	r.record.Trace.Wires = append(r.record.Trace.Wires, sessions.Wire{
		Agent: a.name, Device: a.wire.device, Inode: a.wire.inode, Size: j.ends.size,
		Head: j.ends.head, Tail: j.ends.tail, First: j.ends.first,
		Torn: j.damaged > 0 || !j.settle.IsZero(), Legacy: j.legacy,
	})
}

// Compare implements [sessions.Journaled].
func (s *Source) Compare(key string, was sessions.Wire) (extends, backup sessions.Tri) {
	if _, ok := splitKey(key); !ok || stray(was.Agent) {
		return sessions.Unknown, sessions.Unknown
	}
	path := s.path(key + "/" + wireRel(was.Agent))
	return s.begins(path, was, false), s.begins(path+backupSuffix, was, true)
}

// begins reports whether the file begins with what was read of a journal; with whole, whether it holds that and
// nothing else.
func (s *Source) begins(path string, was sessions.Wire, whole bool) sessions.Tri {
	f, err := open(path)
	if gone(err) {
		return sessions.No
	}
	if err != nil {
		return sessions.Unknown
	}
	defer f.Close()
	id, err := f.stat()
	switch {
	case err != nil || !id.kind.IsRegular():
		return sessions.Unknown
	case id.size < was.Size || whole && id.size != was.Size:
		return sessions.No
	}
	buf := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buf)
	n := min(was.Size, hashedBytes)
	for _, end := range [...]struct {
		offset int64
		hash   uint64
	}{{0, was.Head}, {was.Size - n, was.Tail}} {
		b := (*buf)[:n]
		if err := readFull(f, b, end.offset); err != nil {
			return sessions.Unknown
		}
		if maphash.Bytes(hashSeed, b) != end.hash {
			return sessions.No
		}
	}
	return sessions.Yes
}

var errShort = errors.New("the file became shorter")

// readFull fills b from offset on.
func readFull(f file, b []byte, offset int64) error {
	n, err := f.ReadAt(b, offset)
	if err = ignoreEOF(err); err == nil && n < len(b) {
		err = errShort
	}
	return err
}
