package kimi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
	"berth/watcher"
)

// entry is a line of the client's index, without its newline.
func entry(home, id, workDir string) string {
	dir := filepath.ToSlash(filepath.Join(home, "sessions", "wd_a_0123456789ab", id))
	return fmt.Sprintf(`{"sessionId":%q,"sessionDir":%q,"workDir":%q}`, id, dir, workDir)
}

func tombstone(id string) string { return fmt.Sprintf(`{"sessionId":%q,"deleted":true}`, id) }

// indexed makes a home with the sessions a, b and c, without a work folder in their metadata, and with the given
// index. home is put in for HOME.
func indexed(t testing.TB, index func(home string) string) (*kimi.Source, string) {
	t.Helper()
	home := filepath.Join(realTemp(t), "home")
	for _, id := range []string{"a", "b", "c"} {
		kimitest.Session{Bucket: "wd_a_0123456789ab", ID: id, Unlisted: true, State: map[string]any{"cwd": nil}}.Make(t, home)
	}
	kimitest.Write(t, filepath.Join(home, "session_index.jsonl"), []byte(index(home)))
	return kimi.New(kimi.Config{Home: home}), home
}

// listedIn returns "id=work folder" for each session that the client's index names.
func listedIn(t testing.TB, src *kimi.Source) []string {
	t.Helper()
	var got []string
	for _, r := range loadAll(t, src, time.Now()) {
		if !slices.Contains(r.Facts, sessions.FactNotIndexed) {
			got = append(got, r.ID+"="+r.WorkDir)
		}
	}
	slices.Sort(got)
	return got
}

func TestIndex(t *testing.T) {
	for _, c := range []struct {
		name     string
		index    func(home string) string
		want     []string
		problems []string
	}{
		{"entries", func(h string) string { return entry(h, "a", "/p") + "\n" + entry(h, "b", "/q") + "\n" }, []string{"a=/p", "b=/q"}, nil},
		{"B01 two on one line", func(h string) string { return entry(h, "a", "/p") + entry(h, "b", "/q") + "\n" },
			[]string{"a=/p", "b=/q"}, []string{"session_index.jsonl line 1 holds more than one entry"}},
		{"no newline at the end", func(h string) string { return entry(h, "a", "/p") }, []string{"a=/p"}, nil},
		{"torn at the end", func(h string) string { return entry(h, "a", "/p") + "\n" + entry(h, "b", "/q")[:40] }, []string{"a=/p"}, nil},
		{"later lines win", func(h string) string { return entry(h, "a", "/p") + "\n" + entry(h, "a", "/q") + "\n" }, []string{"a=/q"}, nil},
		{"a tombstone", func(h string) string {
			return entry(h, "a", "/p") + "\n" + entry(h, "b", "/q") + "\n" + tombstone("a") + "\n"
		}, []string{"b=/q"}, nil},
		{"made again", func(h string) string {
			return entry(h, "a", "/p") + "\n" + tombstone("a") + "\n" + entry(h, "a", "/q") + "\n"
		}, []string{"a=/q"}, nil},
		{"outside of the home", func(h string) string { return entry(h+"-2", "a", "/p") + "\n" + entry(h, "b", "/q") + "\n" }, []string{"b=/q"}, nil},
		{"relative", func(h string) string {
			return `{"sessionId":"a","sessionDir":"sessions/wd_a_0123456789ab/a","workDir":"/p"}` + "\n"
		}, nil, nil},
		{"climbs out", func(h string) string {
			return `{"sessionId":"a","sessionDir":"` + filepath.ToSlash(h) + `/sessions/../../a","workDir":"/p"}` + "\n"
		}, nil, nil},
		{"another name", func(h string) string {
			return strings.Replace(entry(h, "a", "/p"), `"sessionId":"a"`, `"sessionId":"b"`, 1) + "\n"
		}, nil, nil},
		{"garbage between", func(h string) string {
			return "garbage\n\n" + entry(h, "a", "/p") + "\n[1]\n" + entry(h, "b", "/q") + "\n"
		},
			[]string{"a=/p", "b=/q"}, []string{"session_index.jsonl line 1 cannot be read", "session_index.jsonl line 4 cannot be read"}},
		{"a line longer than any", func(h string) string {
			return entry(h, "a", strings.Repeat("x", 70_000)) + "\n" + entry(h, "b", "/q") + "\n"
		},
			[]string{"b=/q"}, []string{"session_index.jsonl line 1 is longer than 65536 bytes"}},
		{"empty", func(string) string { return "" }, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, _ := indexed(t, c.index)
			if got := listedIn(t, src); !slices.Equal(got, c.want) {
				t.Errorf("listed %q, want %q", got, c.want)
			}
			if got := src.IndexProblems(); !slices.Equal(got, c.problems) {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
		})
	}
}

// TestSecondIndex reads the file that the architecture text names. No client has written it so far.
func TestSecondIndex(t *testing.T) {
	src, home := indexed(t, func(h string) string { return entry(h, "a", "/p") + "\n" + tombstone("b") + "\n" })
	kimitest.Write(t, filepath.Join(home, "sessions", "index.jsonl"), []byte(entry(home, "b", "/q")+"\n"+tombstone("a")+"\n"))
	if got, want := listedIn(t, src), []string{"a=/p", "b=/q"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// TestLinkedHome accepts entries in either spelling of a home behind a symbolic link.
func TestLinkedHome(t *testing.T) {
	_, home := indexed(t, func(h string) string { return entry(h, "a", "/p") + "\n" })
	link := filepath.Join(realTemp(t), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	kimitest.Append(t, filepath.Join(home, "session_index.jsonl"), entry(link, "b", "/q")+"\n")
	if got, want := listedIn(t, kimi.New(kimi.Config{Home: link})), []string{"a=/p", "b=/q"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// TestIndexChanges follows the file as it grows, is replaced, shrinks, and goes.
func TestIndexChanges(t *testing.T) {
	src, home := indexed(t, func(h string) string { return entry(h, "a", "/p") + "\n" })
	path := filepath.Join(home, "session_index.jsonl")
	add := func(text string) func() { return func() { kimitest.Append(t, path, text) } }
	if got, want := listedIn(t, src), []string{"a=/p"}; !slices.Equal(got, want) {
		t.Fatalf("listed %q, want %q", got, want)
	}
	for _, c := range []struct {
		name    string
		do      func()
		changed []string
		want    []string
	}{
		{"one more", add(entry(home, "b", "/q") + "\n"), []string{"b"}, []string{"a=/p", "b=/q"}},
		{"nothing", func() {}, nil, []string{"a=/p", "b=/q"}},
		{"the same again", add(entry(home, "b", "/q") + "\n"), nil, []string{"a=/p", "b=/q"}},
		{"half a line", add(entry(home, "c", "/r")[:30]), nil, []string{"a=/p", "b=/q"}},
		{"its other half", add(entry(home, "c", "/r")[30:] + "\n"), []string{"c"}, []string{"a=/p", "b=/q", "c=/r"}},
		{"a tombstone", add(tombstone("a") + "\n"), []string{"a"}, []string{"b=/q", "c=/r"}},
		{"replaced by a shorter one", func() {
			kimitest.Write(t, path+".tmp", []byte(entry(home, "b", "/q")+"\n"))
			if err := os.Rename(path+".tmp", path); err != nil {
				t.Fatal(err)
			}
		}, []string{"a", "c"}, []string{"b=/q"}},
		{"rewritten in place, and longer", func() {
			kimitest.Write(t, path, []byte(entry(home, "c", "/somewhere/else")+"\n"+entry(home, "a", "/p")+"\n"))
		}, []string{"a", "b", "c"}, []string{"a=/p", "c=/somewhere/else"}},
		{"gone", func() { os.Remove(path) }, []string{"a", "c"}, nil},
		{"back", add(entry(home, "a", "/p") + "\n"), []string{"a"}, []string{"a=/p"}},
	} {
		c.do()
		change := src.Changed(watcher.Event{Root: home, Path: path, Op: watcher.Write})
		slices.Sort(change.IDs)
		if !slices.Equal(change.IDs, c.changed) || change.All || change.Keys != nil {
			t.Errorf("%s: %+v, want the ids %q", c.name, change, c.changed)
		}
		if got := listedIn(t, src); !slices.Equal(got, c.want) {
			t.Errorf("%s: listed %q, want %q", c.name, got, c.want)
		}
	}
}

// TestIndexInStamp lets a sweep find what an event did not tell: the fact is part of the Stamp.
func TestIndexInStamp(t *testing.T) {
	src, home := indexed(t, func(h string) string { return entry(h, "a", "/p") + "\n" })
	const key = "sessions/wd_a_0123456789ab/b"
	before, err := src.Stamp(key)
	if err != nil {
		t.Fatal(err)
	}
	kimitest.Append(t, filepath.Join(home, "session_index.jsonl"), entry(home, "b", "/q")+"\n")
	if err := src.List(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if after, err := src.Stamp(key); err != nil || after == before {
		t.Errorf("stamp %v, %v, was %v", after, err, before)
	}
}
