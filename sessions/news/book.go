// Package news remembers on disk what a person was told, so that nothing is told twice across restarts. What is worth
// telling is decided in package sessions.
package news

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"berth/sessions"
	"berth/sessions/internal/atomicfile"
)

// Bounds of a book.
const (
	// maxKeys is how many keys are remembered, the latest: those of some months.
	maxKeys = 4096
	// maxBytes bounds what is read of a book that somebody has tampered with; 4096 keys are half a megabyte.
	maxBytes = 8 << 20
)

// Book remembers keys in a file of JSON lines. It implements [sessions.Told], for one goroutine; one process may have a
// file open at a time. When the file cannot be written it remembers for this run only, and says so once.
type Book struct {
	path string
	log  *slog.Logger
	last time.Time // of the run before
	told map[string]bool
	keys []string // in order, the oldest first
	file *os.File // nil when it cannot be written
	torn bool     // its last line has no end
}

var _ sessions.Told = (*Book)(nil)

// line is one line of the file: a key that was told, or with none the end of a run.
type line struct {
	At  time.Time `json:"at"`
	Key string    `json:"key,omitempty"`
}

// Open reads the book at path, which is made with the folder above it, both private. log may be nil.
func Open(path string, log *slog.Logger) (*Book, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b := &Book{path: path, log: log, told: map[string]bool{}}
	if err := b.open(); err != nil {
		return nil, fmt.Errorf("open news %s: %w", path, err)
	}
	return b, nil
}

func (b *Book) open() error {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return err
	}
	lines, err := b.read()
	if err != nil {
		return err
	}
	if lines > maxKeys {
		if err := atomicfile.Replace(b.path, b.text(), nil); err != nil && !errors.Is(err, atomicfile.ErrNotDurable) {
			return err
		}
		b.torn = false
	}
	b.file, err = os.OpenFile(b.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	return err
}

// read takes over what the file says and returns how many lines it has.
func (b *Book) read() (lines int, err error) {
	info, err := os.Stat(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if info.Size() > maxBytes {
		return 0, fmt.Errorf("it has %d bytes, more than %d", info.Size(), maxBytes)
	}
	text, err := os.ReadFile(b.path)
	if err != nil {
		return 0, err
	}
	b.torn = len(text) > 0 && text[len(text)-1] != '\n'
	return b.parse(text), nil
}

// parse takes over the lines of text. One that cannot be read is passed over: at worst something is told again.
func (b *Book) parse(text []byte) (lines int) {
	for raw := range bytes.Lines(text) {
		lines++
		var l line
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		if l.At.After(b.last) {
			b.last = l.At
		}
		if l.Key != "" {
			b.remember(l.Key)
		}
	}
	return lines
}

// text is the file as it would be written anew.
func (b *Book) text() []byte {
	var text []byte
	for _, key := range b.keys {
		text = append(text, encode(line{At: b.last, Key: key})...)
	}
	return text
}

func encode(l line) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // a time of ours and a string
	}
	return append(text, '\n')
}

// remember enters key and reports whether it is new. The oldest keys are forgotten.
func (b *Book) remember(key string) bool {
	if b.told[key] {
		return false
	}
	if len(b.keys) >= maxKeys {
		delete(b.told, b.keys[0])
		b.keys = b.keys[1:]
	}
	b.told[key] = true
	b.keys = append(b.keys, key)
	return true
}

// LastRun returns when the run before was last there: its end, or what it told last if it had none. It is zero when
// there was no run before.
func (b *Book) LastRun() time.Time { return b.last }

// First reports whether key is new, and remembers it.
func (b *Book) First(key string) bool {
	if !b.remember(key) {
		return false
	}
	b.append(line{At: time.Now().UTC(), Key: key})
	return true
}

// append adds a line in one write, so that a crash can cut off that line only.
func (b *Book) append(l line) {
	if b.file == nil {
		return
	}
	text := encode(l)
	if b.torn {
		text = append([]byte{'\n'}, text...)
	}
	if _, err := b.file.Write(text); err != nil {
		b.log.Warn("cannot remember what was told; it may be told again", "path", b.path, "err", err)
		_ = b.file.Close()
		b.file = nil
		return
	}
	b.torn = false
}

// Close notes that the run ends now. The Book must not be used afterwards.
func (b *Book) Close() error {
	b.append(line{At: time.Now().UTC()})
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}
