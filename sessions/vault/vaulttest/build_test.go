package vaulttest

import (
	"os"
	"testing"
)

// The sample is as large as its users were promised, and its names are unambiguous.
func TestNotes(t *testing.T) {
	names, keys, sessions := map[string]bool{}, map[string]bool{}, 0
	for _, n := range Notes() {
		if names[n.Name] || keys[n.Key] {
			t.Errorf("%s (%s) is there twice", n.Name, n.Key)
		}
		names[n.Name], keys[n.Key] = true, true
		if n.Effect != Nothing {
			sessions++
		}
	}
	if sessions < 20 {
		t.Errorf("%d session notes, want at least 20", sessions)
	}
}

func TestWriteTwice(t *testing.T) {
	dir := t.TempDir()
	Write(t, dir)
	s := Write(t, dir)
	for name, n := range s.Notes {
		b, err := os.ReadFile(s.Path(name))
		if err != nil || n.HardLink == "" && string(b) != n.Text {
			t.Errorf("%s: %v, content differs: %v", name, err, string(b) != n.Text)
		}
	}
}
