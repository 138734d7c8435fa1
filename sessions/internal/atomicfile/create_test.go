package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	if err := Create(path, newBytes); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, oldBytes); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v, want ErrExist", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(newBytes) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := Create(filepath.Join(dir, "none", "note.md"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// A link to nowhere, and a folder, are things that are there.
func TestCreateLeavesLinksAlone(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink("nowhere.md", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		if err := Create(path, newBytes); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v, want ErrExist", path, err)
		}
	}
}

// File systems that cannot rename without replacing.
func TestLinkNew(t *testing.T) {
	dir := t.TempDir()
	temp, path := filepath.Join(dir, "temp"), filepath.Join(dir, "note.md")
	for n, want := range []error{nil, fs.ErrExist} {
		if err := writeNew(temp, []byte(fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
		if err := linkNew(temp, path, []byte(fmt.Sprint(n))); !errors.Is(err, want) {
			t.Errorf("time %d: %v, want %v", n, err, want)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != "0" {
		t.Errorf("the file holds %q", got)
	}
}

// Of many that create one file at the same time, one does, and it is whole.
func TestCreateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.md")
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = Create(path, []byte(fmt.Sprintf("%064d", i))) })
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		if won := string(got) == fmt.Sprintf("%064d", i); won != (err == nil) || !won && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d: %v, although the file holds %s", i, err, got)
		}
	}
}
