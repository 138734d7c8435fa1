package locks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTrashIsBounded(t *testing.T) {
	dir := t.TempDir()
	r := NewReclaimer(ReclaimConfig{System: NewSystem(), Dir: dir})
	lock := filepath.Join(dir, "session_1.lock")
	write(t, lock, `{"version":1}`)
	f, err := Read(lock)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.trash(), 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range maxTrash {
		write(t, r.trashFile(fmt.Sprintf("20260101T%06d.000-x", n)), "{}")
	}
	id, err := r.keep(f)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.trash())
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, e := range entries {
		kept = append(kept, e.Name())
	}
	if len(kept) != maxTrash || !slices.Contains(kept, id+".json") || slices.Contains(kept, "20260101T000000.000-x.json") {
		t.Errorf("%d kept, first %s, last %s, want %s among them", len(kept), kept[0], kept[len(kept)-1], id)
	}
}
