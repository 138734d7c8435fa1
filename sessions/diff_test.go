package sessions

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"both empty", "", "", ""},
		{"from nothing", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"to nothing", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a line changes", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"no line end at the end", "a\nb", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n"},
		{"carriage returns are not shown", "a\r\n", "a\r\nb\r\n", "@@ -1,1 +1,2 @@\n a\n+b\n"},
		{"control characters are not sent to the terminal", "", "\x1b[31m\tred\x07\n", "@@ -0,0 +1,1 @@\n+\uFFFD[31m\tred\uFFFD\n"},
		{"near changes share a hunk", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
			"@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"},
		{"far changes do not", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
	} {
		if got := Diff([]byte(tt.before), []byte(tt.after)); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// A close changes a line near the top and appends at the end: two small hunks, however long the note is.
func TestDiffOfLongNote(t *testing.T) {
	body := strings.Repeat("a line\nanother\n", 20000)
	got := Diff([]byte("status: active\n"+body), []byte("status: done\n"+body+"\n---\n"))
	if n := strings.Count(got, "\n"); n > 16 {
		t.Errorf("%d lines:\n%.500s", n, got)
	}
}

// Two texts that have nothing in common cost no more than their size.
func TestDiffGivesUp(t *testing.T) {
	var a, b strings.Builder
	for i := range 5000 {
		a.WriteString("a" + strconv.Itoa(i) + "\n")
		b.WriteString("b" + strconv.Itoa(i) + "\n")
	}
	if got := strings.Count(Diff([]byte(a.String()), []byte(b.String())), "\n"); got != 10001 {
		t.Errorf("%d lines, want all of both and a head", got)
	}
}

// FuzzDiff holds the script to its promise: applied to the one version it gives the other.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\n")
	f.Add("", "x")
	f.Add("1\n2\n3\n1\n2\n", "2\n1\n3\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		a, b := splitLines([]byte(before)), splitLines([]byte(after))
		var gone, come strings.Builder
		for _, op := range diffLines(a, b) {
			if op.kind != '+' {
				gone.WriteString(op.line)
			}
			if op.kind != '-' {
				come.WriteString(op.line)
			}
		}
		if gone.String() != before || come.String() != after {
			t.Errorf("script turns %q into %q, want %q into %q", gone.String(), come.String(), before, after)
		}
		if (Diff([]byte(before), []byte(after)) == "") != (before == after) {
			t.Error("an empty diff of different texts, or the reverse")
		}
	})
}

// The hunks are what patch(1) understands.
func TestDiffAppliesWithPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Log("patch is not installed; the fuzz test checks the script alone")
		return
	}
	before := "---\nstatus: active\n---\n" + strings.Repeat("x\ny\nz\n", 10) + "end\n"
	after := "---\nstatus: done\nended_at: now\n---\n" + strings.Repeat("x\ny\nz\n", 9) + "x\nz\nend\n\n---\nmore\n"
	path := filepath.Join(t.TempDir(), "note.md")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(patch, path)
	cmd.Stdin = strings.NewReader("--- a\n+++ b\n" + Diff([]byte(before), []byte(after)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("patch: %v\n%s", err, out)
	}
	if got, _ := os.ReadFile(path); string(got) != after {
		t.Errorf("patched to\n%s\nwant\n%s", got, after)
	}
}
