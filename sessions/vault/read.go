package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

const (
	firstRead = 4 << 10  // enough for the frontmatter and the title of nearly every note
	maxFront  = 1 << 20  // frontmatter beyond this is not read (bug B115)
	titleRead = 1 << 10  // of the body, for its first heading
	tailRead  = 64 << 10 // of the body, for the last marks
	maxNote   = 64 << 20 // a larger note is not rewritten
)

var errNoFile = errors.New("not a regular file")

// head is the beginning of a note and the end of its body.
type head struct {
	info  fs.FileInfo
	front parts
	bytes []byte // from the start of the file, at least through the frontmatter and the first heading
	tail  []byte // the last part of the body
	buf   *[]byte
}

var buffers = sync.Pool{New: func() any { b := make([]byte, firstRead); return &b }}

// free gives the buffer back. Nothing that was read may be used afterwards.
func (h *head) free() { buffers.Put(h.buf) }

// readHead reads of a note only what a Record needs: the frontmatter up to 1 MiB, the first heading and
// the last 64 KiB. A file without an opening fence costs one read.
func readHead(path string) (*head, error) {
	f, err := openNote(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := &head{buf: buffers.Get().(*[]byte)}
	if err := h.fill(f); err != nil {
		h.free()
		return nil, err
	}
	return h, nil
}

func (h *head) fill(f *os.File) (err error) {
	if h.info, err = f.Stat(); err != nil {
		return err
	}
	if !h.info.Mode().IsRegular() {
		return errNoFile
	}
	if err := h.readFront(f); err != nil || h.front.shape != fenced {
		return err
	}
	if want := h.front.body + titleRead; len(h.bytes) < want && int64(len(h.bytes)) < h.info.Size() {
		if h.bytes, err = readUpTo(f, h.bytes, want); err != nil {
			return err
		}
	}
	return h.readTail(f)
}

// readFront reads until the frontmatter is closed, twice as far each time.
func (h *head) readFront(f *os.File) (err error) {
	h.bytes = (*h.buf)[:0]
	for want := firstRead; ; want *= 2 {
		if h.bytes, err = readUpTo(f, h.bytes, want); err != nil {
			return err
		}
		eof := len(h.bytes) < want
		h.front = split(h.bytes, eof)
		if h.front.shape != open || eof || want >= maxFront {
			*h.buf = h.bytes
			return nil
		}
	}
}

func (h *head) readTail(f *os.File) (err error) {
	from := max(int64(h.front.body), h.info.Size()-tailRead)
	if h.info.Size() <= int64(len(h.bytes)) {
		h.tail = h.bytes[min(from, int64(len(h.bytes))):]
		return nil
	}
	h.tail = make([]byte, h.info.Size()-from)
	n, err := f.ReadAt(h.tail, from)
	h.tail = h.tail[:n]
	if err == io.EOF {
		err = nil
	}
	return err
}

// readUpTo reads on after b, which holds the beginning of f, until there are want bytes or f ends.
func readUpTo(f *os.File, b []byte, want int) ([]byte, error) {
	have := len(b)
	if cap(b) < want {
		b = append(make([]byte, 0, want), b...)
	}
	n, err := f.ReadAt(b[have:want], int64(have))
	if err == io.EOF {
		err = nil
	}
	return b[:have+n], err
}

// readSmall reads a file of at most 1 MiB.
func readSmall(path string) ([]byte, error) { return readBounded(path, maxFront) }

func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("read %s: larger than %d bytes", path, limit)
	}
	return b, err
}
