package sessiontest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/sessions"
)

// Store is one kind of store: how to read it, and what its clients do to it. All functions report
// their own trouble through t. root is an absolute path without symbolic links.
type Store struct {
	// Open returns a new reader for the store at root, which may be empty or missing.
	Open func(t testing.TB, root string) sessions.Source

	// Fill puts at least three sound Sessions, and whatever strays the layout is known for, into the
	// empty directory root. It returns the keys of the Sessions.
	Fill func(t testing.TB, root string) []string

	// Change alters the content of one Session as its client would, and returns the absolute path of
	// the file that changed. It may be called again for the same key and alters something each time.
	Change func(t testing.TB, root, key string) string

	// Break damages one Session's main file for good, so that it cannot be read as a whole.
	Break func(t testing.TB, root, key string)

	// Remove takes one Session away as its client would.
	Remove func(t testing.TB, root, key string)
}

// Run runs every case, each on a store of its own.
func Run(t *testing.T, s Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"an empty store has no sessions", testEmpty},
		{"a missing root is an empty store", testMissing},
		{"name, root and watch agree", testIdentity},
		{"list, load and stamp agree", testAgree},
		{"two readings are equal", testRepeatable},
		{"a stamp moves with the content, and only then", testStamp},
		{"a session that went away is not found", testGone},
		{"a key that is no session is not found", testHostileKeys},
		{"an event names its session", testChanged},
		{"an event outside of the root means nothing", testForeignEvent},
		{"a broken session spoils one row", testBroken},
		{"list stops when asked to", testCancel},
		{"reading writes nothing", testReadOnly},
		{"concurrent readings do not disturb one another", testConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

// settled is a moment at which nothing in a store made just now can still be in flight.
func settled() time.Time { return time.Now().Add(time.Hour) }

// root returns an empty directory without symbolic links in its path.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "store")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// filled returns a full store, its reader, and the keys in it.
func filled(t testing.TB, s Store) (string, sessions.Source, []string) {
	t.Helper()
	dir := root(t)
	keys := s.Fill(t, dir)
	if len(keys) < 3 {
		t.Fatalf("Fill made %d sessions, the cases need at least 3", len(keys))
	}
	return dir, s.Open(t, dir), keys
}
