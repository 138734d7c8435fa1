package sessions

import "time"

// Trace is what tells one reading of a Session from the next beside its Record: how its journals looked, and marks
// in its text. A Source fills it with each Load; the Index keeps it only while somebody has the Session open.
type Trace struct {
	// Wires are the journals, the main agent's first, at most [MaxAgents].
	Wires []Wire
	// Asked names the question that waits for an answer, "" when there is none or it has no name.
	Asked string
	// Ended is the end that a note itself names, Resumed the last time that it was marked as resumed; zero when it
	// does not say.
	Ended, Resumed time.Time
}

// Wire is the compact identity of one journal as it was read. Its hashes can be compared within one process only.
type Wire struct {
	Agent         string
	Device, Inode uint64 // zero where the platform does not say
	Size          int64  // bytes that were there when it was read
	// Head and Tail are hashes of its first and last bytes, as many as the Source takes of either end; First is
	// that of its first line, zero when that is not whole.
	Head, Tail, First uint64
	Torn              bool // a line of it could not be read, the last one perhaps not yet
	Legacy            bool // of a protocol that its client rewrites when it opens the Session
}

// sameFile reports whether w and v are one file, as far as the platform tells.
func (w *Wire) sameFile(v *Wire) bool { return w.Device == v.Device && w.Inode == v.Inode }

// sameBytes reports whether w and v hold the same, as far as their ends tell.
func (w *Wire) sameBytes(v *Wire) bool {
	return w.Size == v.Size && w.Head == v.Head && w.Tail == v.Tail
}

// Journaled is implemented by a Source whose Sessions have journals that their clients only ever append to, but for
// repairs and migrations.
type Journaled interface {
	// Compare looks at a journal of the Session key again. extends says whether it still begins with everything
	// that it held when was was read; backup whether a copy of that lies beside it, as the client leaves one
	// when it repairs a journal. What cannot be read is Unknown.
	Compare(key string, was Wire) (extends, backup Tri)
}
