package kimi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi/kimitest"
)

// TestReindex: what the index says of one session, and what is appended for it.
func TestReindex(t *testing.T) {
	entry := func(dir, workDir string) string {
		return fmt.Sprintf(`{"sessionId":%q,"sessionDir":%q,"workDir":%q}`, amendID, dir, workDir) + "\n"
	}
	right := func(a *amending) string { return entry(a.made.Dir(a.home), "/home/dev/shop") }
	for _, tt := range []struct {
		name   string
		before func(*amending) string
		fix    bool
		want   sessions.IndexFault
		added  func(*amending) string
	}{
		{"as it should be", right, true, "", nil},
		{"not named", func(*amending) string { return "" }, false, sessions.IndexMissing, right},
		{"behind a line without its end", func(*amending) string { return `{"sessionId":"x","deleted":true}` }, false, sessions.IndexMissing,
			func(a *amending) string { return "\n" + right(a) }},
		{"behind garbage", func(*amending) string { return "{\"sess\x00\n\n" }, false, sessions.IndexMissing, right},
		{"second on its line", func(a *amending) string { return strings.TrimSpace(entry("/x/y", "/z")) + right(a) }, true, "", nil},
		{"in another bucket", func(a *amending) string { return entry(a.home+"/sessions/other/"+amendID, "/home/dev/shop") }, true,
			sessions.IndexConflicting, right},
		{"for another folder", func(a *amending) string { return entry(a.made.Dir(a.home), "/home/dev/other") }, true, sessions.IndexConflicting, right},
		{"deleted, not to be fixed", func(a *amending) string { return right(a) + `{"sessionId":"` + amendID + `","deleted":true}` + "\n" }, false,
			sessions.IndexConflicting, nil},
		{"deleted", func(a *amending) string { return right(a) + `{"sessionId":"` + amendID + `","deleted":true}` + "\n" }, true,
			sessions.IndexConflicting, right},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAmending(t, nil)
			before, added := tt.before(a), ""
			kimitest.Write(t, a.IndexPath(), []byte(before))
			if tt.added != nil {
				added = tt.added(a)
			}
			others := files(t, a.home)
			dry, err := a.Reindex(t.Context(), sessions.ReindexRequest{Fix: tt.fix, DryRun: true}, time.Now())
			if err != nil || fmt.Sprint(files(t, a.home)) != fmt.Sprint(others) {
				t.Fatalf("looking wrote, or %v", err)
			}
			lines, err := a.Reindex(t.Context(), sessions.ReindexRequest{Fix: tt.fix}, time.Now())
			if err != nil || len(lines) != len(dry) {
				t.Fatalf("%+v, %v; looked at: %+v", lines, err, dry)
			}
			if tt.want == "" && len(lines) > 0 || tt.want != "" && (len(lines) != 1 || lines[0].Fault != tt.want || lines[0].Written != (added != "")) {
				t.Errorf("found %+v, want %q", lines, tt.want)
			}
			after := files(t, a.home)
			if after[indexName] != before+added {
				t.Errorf("the index is %q, want %q", after[indexName], before+added)
			}
			after[indexName] = before
			if fmt.Sprint(after) != fmt.Sprint(others) {
				t.Error("something else changed")
			}
			if added == "" {
				return
			}
			if again, err := a.Reindex(t.Context(), sessions.ReindexRequest{Fix: true}, time.Now()); err != nil || len(again) > 0 {
				t.Errorf("the second time: %+v, %v", again, err)
			}
		})
	}
}

// TestReindexUnclear: what is not known is not written.
func TestReindexUnclear(t *testing.T) {
	for name, setUp := range map[string]func(*amending){
		"two folders have the id": func(a *amending) {
			b := a.made
			b.Bucket, b.Unlisted = "wd_other_0123456789ab", true
			b.Make(t, a.home)
		},
		"no work folder":          func(a *amending) { kimitest.Write(t, a.path(), []byte(`{"version":2,"id":"`+amendID+`"}`)) },
		"metadata of another one": func(a *amending) { kimitest.Write(t, a.path(), []byte(`{"version":2,"id":"other","cwd":"/w"}`)) },
		"torn metadata":           func(a *amending) { kimitest.Write(t, a.path(), []byte(`{"ver`)) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAmending(t, nil)
			kimitest.Write(t, a.IndexPath(), nil)
			setUp(a)
			lines, err := a.Reindex(t.Context(), sessions.ReindexRequest{Fix: true}, time.Now())
			if err != nil || len(lines) != 1 || lines[0].Fault != sessions.IndexUnclear || lines[0].Why == "" || lines[0].Written {
				t.Errorf("%+v, %v", lines, err)
			}
			if got := files(t, a.home)[indexName]; got != "" {
				t.Errorf("wrote %q", got)
			}
		})
	}
}

// TestReindexLeavesYoungAlone: a client that has just made a session is about to enter it.
func TestReindexLeavesYoungAlone(t *testing.T) {
	a := newAmending(t, nil)
	kimitest.Write(t, a.IndexPath(), nil)
	for age, want := range map[time.Duration]int{30 * time.Second: 0, 2 * time.Minute: 1} {
		if lines, err := a.Reindex(t.Context(), sessions.ReindexRequest{DryRun: true}, kimitest.Began.Add(age)); err != nil || len(lines) != want {
			t.Errorf("after %v: %+v, %v", age, lines, err)
		}
	}
}

// TestAppendLine: an index that is not there is made, private; a link is not followed.
func TestAppendLine(t *testing.T) {
	path := t.TempDir() + "/index"
	for range 2 {
		if err := appendLine(path, "{}"); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if b, _ := os.ReadFile(path); err != nil || string(b) != "{}\n{}\n" || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%q, %v, %v", b, info.Mode(), err)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := appendLine(link, "{}"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("wrote through a link: %v", err)
	}
}
