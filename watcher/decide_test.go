package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestForeignMagic(t *testing.T) {
	tests := []struct {
		name  string
		magic int64
		want  string
	}{
		{"ext4", 0xEF53, ""},
		{"btrfs", 0x9123683E, ""},
		{"xfs", 0x58465342, ""},
		{"tmpfs", 0x01021994, ""},
		{"overlayfs", 0x794C7630, ""},
		{"eCryptfs", 0xF15F, ""},
		{"vfat", 0x4D44, ""},
		{"unknown", 0x12345678, ""},
		{"nfs", 0x6969, "NFS"},
		{"cifs", 0xFF534D42, "SMB"},
		{"cifs, sign-extended", -0xACB2BE, "SMB"},
		{"smb2", 0xFE534D42, "SMB"},
		{"fuse, virtiofs, sshfs", 0x65735546, "FUSE"},
		{"9p, WSL 2 drives", 0x01021997, "9p"},
		{"drvfs, WSL 1", 0x53464846, "WSL"},
		{"ceph", 0x00C36400, "Ceph"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := foreignMagic(tt.magic); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestForeignName(t *testing.T) {
	tests := []struct {
		name  string
		local bool
		want  string
	}{
		{"apfs", true, ""},
		{"hfs", true, ""},
		{"exfat", true, ""},
		{"apfs", false, "apfs"},
		{"smbfs", false, "smbfs"},
		{"nfs", false, "nfs"},
		{"webdav", false, "webdav"},
		{"macfuse", true, "macfuse"},
		{"", true, ""},
	}
	for _, tt := range tests {
		if got := foreignName(tt.name, tt.local); got != tt.want {
			t.Errorf("%q, local %v: got %q, want %q", tt.name, tt.local, got, tt.want)
		}
	}
}

func TestAllowance(t *testing.T) {
	tests := []struct {
		name                  string
		budget, limit, pinned int
		want                  int
	}{
		{"plenty", 8192, 500_000, 300, 8192},
		{"half of the limit is for others", 8192, 8192, 96, 4000},
		{"pinned directories come out of our half", 8192, 8192, 4000, 96},
		{"and may exceed it", 8192, 8192, 5000, 0},
		{"limit unknown", 8192, 0, 5000, 8192},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := allowance(tt.budget, tt.limit, tt.pinned); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	pauses := func(b backoff, gaps ...time.Duration) []time.Duration {
		var got []time.Duration
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for _, gap := range gaps {
			now = now.Add(gap)
			got = append(got, b.next(now))
		}
		return got
	}
	const m, s = time.Minute, time.Second
	tests := []struct {
		name string
		b    backoff
		gaps []time.Duration // between failures
		want []time.Duration
	}{
		{"retries double up to an hour", retries(), []time.Duration{0, m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 60 * m},
			[]time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 60 * m, 60 * m}},
		{"and start over after a calm time", retries(), []time.Duration{0, m, 5 * m}, []time.Duration{m, 2 * m, m}},
		{"the first restart is at once", restarts(), []time.Duration{0, s, s, 2 * s}, []time.Duration{0, s, 2 * s, 4 * s}},
		{"and so is one after a calm time", restarts(), []time.Duration{0, s, 3 * s}, []time.Duration{0, s, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pauses(tt.b, tt.gaps...); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSlept(t *testing.T) {
	before := clocks{awake: time.Hour, all: 5 * time.Hour}
	tests := []struct {
		name       string
		awake, all time.Duration
		want       bool
	}{
		{"awake all the time", 30 * time.Second, 30 * time.Second, false},
		{"slow check", 10 * time.Minute, 10 * time.Minute, false},
		{"a nap", 30 * time.Second, 40 * time.Second, false},
		{"sleep", 30 * time.Second, 41 * time.Second, true},
		{"wall clock set back", 30 * time.Second, -time.Hour, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := slept(before, clocks{before.awake + tt.awake, before.all + tt.all}); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	in := func(err error) error {
		return fmt.Errorf("watch /r: %w", &os.PathError{Op: "add", Path: "/r", Err: err})
	}
	tests := []struct {
		err  error
		want trouble
	}{
		{in(syscall.ENOENT), passing},
		{in(syscall.ENOTDIR), passing},
		{in(fs.ErrPermission), passing},
		{errNoRoom, passing},
		{in(syscall.EINVAL), lasting},
		{&twinError{"/a", "/b"}, lasting},
	}
	for _, tt := range tests {
		if got := judge(tt.err); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.err, got, tt.want)
		}
	}
	if l := reasonFor(&twinError{"/a", "/b"}); l.reason != "/a is the same directory as /b" || l.remedy == "" {
		t.Errorf("twin: %+v", l)
	}
	if l := reasonFor(errors.New("strange")); l != (limit{reason: "strange"}) {
		t.Errorf("strange: %+v", l)
	}
}

func TestRaised(t *testing.T) {
	for now, want := range map[int]string{0: "524288", 8192: "524288", 524288: "1048576"} {
		if got := raised(now, 524288); got != want {
			t.Errorf("%d: got %s, want %s", now, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	top := tempRoot(t)
	mkdirs(t, top, "a/b")
	if err := os.WriteFile(filepath.Join(top, "a/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, parent, next string }{
		{"a/b", "a", "a/b"},
		{"a/c", "a", "a/c"},
		{"a/c/d/e", "a", "a/c"},
		{"a/file/d/e", "a", "a/file"},
	}
	for _, tt := range tests {
		parent, next := nearest(filepath.Join(top, tt.path))
		if parent != filepath.Join(top, tt.parent) || next != filepath.Join(top, tt.next) {
			t.Errorf("%s: got %s and %s", tt.path, parent, next)
		}
	}
	if parent, next := nearest("/"); parent != "/" || next != "/" {
		t.Errorf("/: got %s and %s", parent, next)
	}
}

func TestModes(t *testing.T) {
	r := newRoot(Root{Path: "/r", Dir: func(rel string) Mode {
		switch {
		case strings.HasPrefix(rel, "skip"):
			return Skip
		case strings.HasPrefix(rel, "bucket/"):
			return Budgeted
		}
		return Pinned
	}}, "/r")
	tests := []struct {
		path string
		want Mode
	}{
		{"/r", Pinned},
		{"/r/bucket", Pinned},
		{"/r/bucket/s", Budgeted},
		{"/r/bucket/s/main", Budgeted},
		{"/r/skip", Skip},
		{"/r/skip/bucket/s", Skip},
		{"/rest", Skip},
		{"/", Skip},
	}
	for _, tt := range tests {
		if got := r.modeFromTop(tt.path); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.path, got, tt.want)
		}
	}
	if got := r.mode("/r/pinned", Budgeted); got != Budgeted {
		t.Errorf("a Pinned directory below a Budgeted one is %d", got)
	}
	all := newRoot(Root{Path: "/"}, "/")
	if rel, ok := all.rel("/a/b"); rel != "a/b" || !ok || all.modeFromTop("/a/b") != Pinned {
		t.Errorf("root /: rel %q %v", rel, ok)
	}
}

func TestNewestKeepsTheNewest(t *testing.T) {
	var n newest
	for i := range 100 {
		n.offer(candidate{path: fmt.Sprint(i * 37 % 100), changed: int64(i * 37 % 100)}, 3)
	}
	n.offer(candidate{path: "none", changed: 1000}, 0)
	var got []string
	for _, c := range n.take() {
		got = append(got, c.path)
	}
	if want := []string{"97", "98", "99"}; !slices.Equal(got, want) || len(n) != 0 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTree(t *testing.T) {
	known := func(tr *tree) string { return strings.Join(slices.Sorted(maps.Keys(tr.dirs)), " ") }
	tr := newTree("/r")
	for _, path := range []string{"/r", "/r/a", "/r/b", "/r/a/x", "/r/c/y/z"} {
		tr.put(path, Pinned).watched = true
	}
	if got, want := known(tr), "/r /r/a /r/a/x /r/b /r/c /r/c/y /r/c/y/z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if tr.get("/r/c").watched {
		t.Error("a parent made on the way is watched")
	}
	var cut []string
	for _, d := range tr.cutAt("/r/a") {
		if !d.cut {
			t.Errorf("%s is not marked as cut", d.path)
		}
		cut = append(cut, d.path)
	}
	if want := []string{"/r/a/x", "/r/a"}; !slices.Equal(cut, want) {
		t.Errorf("cut %v, want %v", cut, want)
	}
	tr.cutAt("/r/c/y/z") // takes its parents, which have no other purpose
	if got, want := known(tr), "/r /r/b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if tr.cutAt("/r/none") != nil {
		t.Error("cut what was not there")
	}
	b := tr.get("/r/b")
	b.watched = false
	tr.prune(b)
	tr.prune(tr.get("/r"))
	if got := known(tr); got != "/r" {
		t.Errorf("got %s", got)
	}
	tr.cutAt("/r")
	if got := known(tr); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestOpString(t *testing.T) {
	for op, want := range map[Op]string{0: "", Create: "create", Create | Remove: "create|remove", Create | Write | Remove: "create|write|remove"} {
		if got := op.String(); got != want {
			t.Errorf("%d: got %q, want %q", op, got, want)
		}
	}
}
