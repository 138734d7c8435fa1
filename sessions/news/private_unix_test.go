//go:build unix

package news

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPrivate: what a person was told is nobody else's business.
func TestPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berth", "news.jsonl")
	closed(t, open(t, path))
	for place, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(place); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", place, info.Mode(), err)
		}
	}
}
