package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/vault/vaulttest"
)

// closedAt is when the tests end sessions that began at vaulttest.StartedAt.
var closedAt = time.Date(2026, 7, 18, 21, 30, 0, 0, time.UTC)

const closedText = "2026-07-18T21:30:00.0000000Z"

// noteText is an active note with further frontmatter and a body.
func noteText(front, body string) string {
	return "---\nsession_id: s-1\nstarted_at: \"2026-07-18T20:00:00.0000000Z\"\ntype: session\nstatus: active\n" + front + "---\n" + body
}

// endBlock is the block of a close of noteText without touched notes, as kioku.md section 1.10 has it.
func endBlock(outcome string) string {
	if outcome != "" {
		outcome = "**Outcome:** " + outcome + "\n"
	}
	return "\n\n---\n\n## Session ended — " + closedText + "\n\n**Duration:** 1h 30m\n" + outcome + "\n_(no notes were modified during this session)_\n"
}

// ended is noteText after the close.
func ended(front, body string) string {
	return "---\nsession_id: s-1\nstarted_at: \"2026-07-18T20:00:00.0000000Z\"\ntype: session\nstatus: done\n" + front +
		"ended_at: \"" + closedText + "\"\n---\n" + body
}

// planText plans the close of a note with that text, the only one in its vault.
func planText(t testing.TB, text, summary string) (*sessions.Edit, error) {
	t.Helper()
	s := vaultWith(t, "x.md", text)
	return s.PlanClose("x.md", sessions.CloseRequest{Now: closedAt, Summary: summary, ID: "s-1"})
}

func TestCloseText(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, tt := range []struct{ name, text, summary, want string }{
		{"no summary", noteText("", "\nbody\n"), "", ended("", "\nbody"+endBlock(""))},
		{"with a summary", noteText("", "body\n"), " Done. \n", ended("", "body"+endBlock("Done."))},
		{"blank space at the end goes", noteText("", "body \t\n\n \n"), "", ended("", "body"+endBlock(""))},
		{"no line end at the end", noteText("", "body"), "", ended("", "body"+endBlock(""))},
		{"no body", noteText("", ""), "", ended("", endBlock("")[1:])},
		{"no body and no line end", strings.TrimSuffix(noteText("", ""), "\n"), "", strings.TrimSuffix(ended("", ""), "\n") + endBlock("")},
		{"CRLF (B113)", crlf(noteText("", "body\n")), "Done.", crlf(ended("", "body"+endBlock("Done.")))},
		{"byte order mark stays (B112)", "\ufeff" + noteText("", "body\n"), "", "\ufeff" + ended("", "body"+endBlock(""))},
		{"ended_at is there and empty", noteText("ended_at:\nx: 1\n", ""), "",
			strings.Replace(ended("ended_at: \""+closedText+"\"\nx: 1\n", endBlock("")[1:]), "x: 1\nended_at: \""+closedText+"\"\n", "x: 1\n", 1)},
		{"ended_at is there, with a comment", noteText("ended_at: # later\nx: 1\n", ""), "",
			strings.Replace(ended("ended_at: \""+closedText+"\" # later\nx: 1\n", endBlock("")[1:]), "x: 1\nended_at: \""+closedText+"\"\n", "x: 1\n", 1)},
		{"ended_at keeps its quotes", noteText("ended_at: 'never'\nx: 1\n", ""), "",
			strings.Replace(ended("ended_at: '"+closedText+"'\nx: 1\n", endBlock("")[1:]), "x: 1\nended_at: \""+closedText+"\"\n", "x: 1\n", 1)},
		{"ended_at as null", noteText("ended_at: ~\nx: 1\n", ""), "",
			strings.Replace(ended("ended_at: \""+closedText+"\"\nx: 1\n", endBlock("")[1:]), "x: 1\nended_at: \""+closedText+"\"\n", "x: 1\n", 1)},
		{"comments and odd spacing stay (B109)", noteText("# status: active\nk:   v   # c\n\n  # deep\nl: [a,  'b']\n", ""), "",
			ended("# status: active\nk:   v   # c\n\n  # deep\nl: [a,  'b']\n", endBlock("")[1:])},
		{"status in the body stays", noteText("", "status: active\n---\nstatus: active\n"), "",
			ended("", "status: active\n---\nstatus: active"+endBlock(""))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit, err := planText(t, tt.text, tt.summary)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(edit.After); got != tt.want {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}

// The status keeps its quotes, its spacing and its comment, in whatever case the key is.
func TestCloseStatusStyles(t *testing.T) {
	for line, want := range map[string]string{
		"status: active":              "status: done",
		"status: 'active'":            "status: 'done'",
		`status: "active"`:            `status: "done"`,
		`status: "\x61ctive" # c`:     `status: "done" # c`,
		"Status :  ACTIVE   # by me":  "Status :  done   # by me",
		"'status': active":            "'status': done",
		"\"status\"\t: active":        "\"status\"\t: done",
		"STATUS: Active\nstatus: old": "STATUS: done\nstatus: old",
	} {
		text := strings.Replace(noteText("", ""), "status: active", line, 1)
		edit, err := planText(t, text, "")
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got := string(edit.After); !strings.Contains(got, "\n"+want+"\nended_at: ") {
			t.Errorf("%q became\n%s\nwant %q", line, got, want)
		}
	}
}

// A form in which the bytes to change cannot be named is refused, not guessed.
func TestCloseRefusesForms(t *testing.T) {
	for name, text := range map[string]string{
		"flow mapping":        "---\n{session_id: s-1, type: session, status: active}\n---\n",
		"anchor":              strings.Replace(noteText("x: *s\n", ""), "active", "&s active", 1),
		"alias":               "---\nx: &s active\nsession_id: s-1\ntype: session\nstatus: *s\n---\n",
		"tag":                 strings.Replace(noteText("", ""), "active", "!!str active", 1),
		"explicit key":        strings.Replace(noteText("", ""), "status: active", "? status\n: active", 1),
		"value on a new line": strings.Replace(noteText("", ""), "status: active", "status:\n  active", 1),
		"ended_at is a list":  noteText("ended_at: [1]\n", ""),
		"ended_at twice":      noteText("ended_at: a\nEnded_At: b\n", ""),
		"end of document":     noteText("...\n", ""),
	} {
		edit, err := planText(t, text, "")
		var e *sessions.Error
		if !errors.Is(err, sessions.ErrRefused) || !errors.As(err, &e) || e.Detail == "" {
			t.Errorf("%s: %v, want a refusal with its reason", name, err)
			if edit != nil {
				t.Logf("%s", edit.After)
			}
		}
	}
}

func TestCloseIndentedFrontmatter(t *testing.T) {
	edit, err := planText(t, "---\n  session_id: s-1\n  started_at: \"2026-07-18T20:00:00Z\"\n  type: session\n  status: active\n---\n", "")
	if err != nil || !strings.HasPrefix(string(edit.After), "---\n  session_id: s-1\n  started_at: \"2026-07-18T20:00:00Z\"\n  type: session\n  status: done\n  ended_at: \""+closedText+"\"\n---\n") {
		t.Errorf("%v\n%s", err, edit.After)
	}
}

func TestCloseEndedAtTakesTheStyleOfStartedAt(t *testing.T) {
	for started, want := range map[string]string{
		`"2026-07-18T20:00:00Z"`: `"` + closedText + `"`,
		`'2026-07-18T20:00:00Z'`: `'` + closedText + `'`,
		`2026-07-18T20:00:00Z`:   closedText,
	} {
		text := strings.Replace(noteText("", ""), `"2026-07-18T20:00:00.0000000Z"`, started, 1)
		edit, err := planText(t, text, "")
		if err != nil || !strings.Contains(string(edit.After), "\nended_at: "+want+"\n---\n") {
			t.Errorf("started_at %s: %v\n%s", started, err, edit.After)
		}
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0m", 59 * time.Second: "0m", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m", time.Hour: "1h 0m",
		90 * time.Minute: "1h 30m", 49*time.Hour + 5*time.Minute: "49h 5m", -time.Hour: "0m",
	} {
		if got := durationText(d); got != want {
			t.Errorf("durationText(%v) = %q, want %q", d, got, want)
		}
	}
}

// updated and modified move only when the vault's configuration says so (kioku.md sections 1.2 and 6).
func TestCloseMaintainsUpdated(t *testing.T) {
	const on = "frontmatter: {maintain_updated: true}\n"
	for _, tt := range []struct{ name, config, front, want string }{
		{"off", "", "updated: 2020-01-01\n", "updated: 2020-01-01\nended_at: \"" + closedText + "\"\n---"},
		{"in place", on, "updated: 2020-01-01\n", "updated: 2026-07-18\nended_at: \"" + closedText + "\"\n---"},
		{"the alias", on, "modified: '2020-01-01'\n", "modified: '2026-07-18'\nended_at: \"" + closedText + "\"\n---"},
		{"a new key comes last", on, "", "status: done\nended_at: \"" + closedText + "\"\nupdated: 2026-07-18\n---"},
	} {
		s := vaultWith(t, "x.md", noteText(tt.front, ""), configKey, tt.config)
		edit, err := s.PlanClose("x.md", sessions.CloseRequest{Now: closedAt, ID: "s-1"})
		if err != nil || !strings.Contains(string(edit.After), tt.want) {
			t.Errorf("%s: %v\n%s\nwant %q", tt.name, err, edit.After, tt.want)
		}
	}
}

func TestCloseResult(t *testing.T) {
	s := vaultWith(t, "Projects/demo/sessions/x.md", noteText("project: demo\n", ""), "y.md", "---\ntype: session\nstatus: active\n---\n")
	age(t, s.path("y.md"), closedAt.Add(-1500*time.Millisecond))
	for _, tt := range []struct{ key, id, want, warning string }{
		{"Projects/demo/sessions/x.md", "S-1 ", `{"action":"closed","session_id":"s-1","path":"Projects/demo/sessions/x.md","started_at":"2026-07-18T20:00:00.0000000Z",` +
			`"ended_at":"2026-07-18T21:30:00.0000000Z","duration_seconds":5400,"notes_touched":0,"coordination":null}`, "[]"},
		{"y.md", "", `{"action":"closed","session_id":null,"path":"y.md","started_at":"2026-07-18T21:29:58.5000000Z",` +
			`"ended_at":"2026-07-18T21:30:00.0000000Z","duration_seconds":1,"notes_touched":0,"coordination":null}`,
			`["started_at is missing; the duration is counted from the time of the file"]`},
	} {
		edit, err := s.PlanClose(tt.key, sessions.CloseRequest{Now: closedAt, ID: tt.id})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(edit.Result)
		warnings, _ := json.Marshal(append([]string{}, edit.Warnings...))
		if string(got) != tt.want || string(warnings) != tt.warning || edit.Message != "Session closed: "+tt.key || edit.Path != s.path(tt.key) {
			t.Errorf("%s: %q %s\n%s, want\n%s\nwarnings %s", edit.Path, edit.Message, got, tt.want, tt.want, warnings)
		}
	}
}

// The clock went back: the session ends when it began, and somebody is told.
func TestCloseBeforeStart(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("", ""))
	edit, err := s.PlanClose("x.md", sessions.CloseRequest{Now: closedAt.Add(-24 * time.Hour), ID: "s-1"})
	if err != nil {
		t.Fatal(err)
	}
	if after := string(edit.After); !strings.Contains(after, "ended_at: \"2026-07-18T20:00:00.0000000Z\"") ||
		!strings.Contains(after, "**Duration:** 0m\n") || len(edit.Warnings) != 1 {
		t.Errorf("warnings %q\n%s", edit.Warnings, after)
	}
}

// Touched are the project's notes changed after the start and not after now, newest first, without the
// session's own; a session without a project looks at the whole vault.
func TestTouched(t *testing.T) {
	s := vaultWith(t,
		"Projects/demo/sessions/x.md", noteText("project: demo\n", ""),
		"Projects/demo/old.md", "", "Projects/demo/at start.md", "", "Projects/demo/just after.md", "", "Projects/demo/sub/late.md", "",
		"Projects/demo/at now.md", "", "Projects/demo/future.md", "", "Projects/demo/.hidden/h.md", "", "Projects/demo/b.txt", "",
		"Projects/demo2/other.md", "", "Loose.md", "", "Archive/a.md", "", configKey, "exclude: [Archive]\n",
		"global.md", noteText("", ""))
	start := time.Date(2026, 7, 18, 20, 0, 0, 0, time.UTC)
	for key, at := range map[string]time.Time{
		"Projects/demo/old.md": start.Add(-time.Hour), "Projects/demo/at start.md": start, "Projects/demo/just after.md": start.Add(time.Millisecond),
		"Projects/demo/sub/late.md": start.Add(time.Hour), "Projects/demo/at now.md": closedAt, "Projects/demo/future.md": closedAt.Add(time.Second),
		"Projects/demo2/other.md": start.Add(time.Hour), "Loose.md": start.Add(2 * time.Minute), "Archive/a.md": start.Add(time.Hour),
		"Projects/demo/.hidden/h.md": start.Add(time.Hour), "Projects/demo/b.txt": start.Add(time.Hour),
		"Projects/demo/sessions/x.md": start.Add(time.Hour), "global.md": start.Add(time.Hour),
	} {
		age(t, s.path(key), at)
	}
	block := func(key string) string {
		edit, err := s.PlanClose(key, sessions.CloseRequest{Now: closedAt, ID: "s-1"})
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(edit.After), "**Duration:** 1h 30m\n\n")
		return list
	}
	if got, want := block("Projects/demo/sessions/x.md"), "### Notes touched during session (3)\n- [[at now]]\n- [[late]]\n- [[just after]]\n"; got != want {
		t.Errorf("project session:\n%s\nwant:\n%s", got, want)
	}
	if got, want := block("global.md"), "### Notes touched during session (6)\n- [[at now]]\n- [[x]]\n- [[late]]\n- [[other]]\n- [[Loose]]\n- [[just after]]\n"; got != want {
		t.Errorf("global session:\n%s\nwant:\n%s", got, want)
	}
}

// TestCloseSample closes every note of the sample (proof 7.5): the outcome is as named; only our own bytes
// differ; the mode stays; the plan is what gets written; a second close finds it closed.
func TestCloseSample(t *testing.T) {
	sample := vaulttest.Write(t, t.TempDir())
	s := openVault(t, sample.Dir)
	for _, n := range vaulttest.Notes() {
		t.Run(n.Name, func(t *testing.T) {
			if n.HardLink != "" {
				return // refused through its first name
			}
			if err := os.Chmod(sample.Path(n.Name), 0o640); err != nil {
				t.Fatal(err)
			}
			r := sessions.CloseRequest{Now: closedAt, Summary: "All done.", ID: n.ID}
			before := treeOf(t, sample.Dir)
			plan, planErr := s.PlanClose(n.Key, r)
			if diff := differs(before, treeOf(t, sample.Dir)); len(diff) > 0 {
				t.Fatalf("planning wrote %q", diff)
			}
			edit, err := s.CloseSession(t.Context(), n.Key, r)
			if sessions.Code(err) != sessions.Code(planErr) {
				t.Fatalf("plan says %v, close says %v", planErr, err)
			}
			checkEffect(t, s, n, plan, edit, err)
			changed := differs(before, treeOf(t, sample.Dir))
			changed = slices.DeleteFunc(changed, func(k string) bool { return strings.HasPrefix(k, kiokuLocks) })
			want := []string{n.Key}
			if err != nil {
				want = nil
			}
			if !slices.Equal(changed, want) {
				t.Errorf("changed files: %q, want %q", changed, want)
			}
		})
	}
}

func checkEffect(t *testing.T, s *Source, n vaulttest.Note, plan, edit *sessions.Edit, err error) {
	t.Helper()
	want := map[vaulttest.Effect]error{vaulttest.Ended: sessions.ErrClosed, vaulttest.Refused: sessions.ErrRefused, vaulttest.Nothing: sessions.ErrNotFound}[n.Effect]
	if want != nil {
		var e *sessions.Error
		if !errors.Is(err, want) || !errors.As(err, &e) || want != sessions.ErrNotFound && e.Detail == "" {
			t.Errorf("err = %v, want %v with a reason", err, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _ := os.ReadFile(s.path(n.Key))
	if !bytes.Equal(onDisk, edit.After) || !bytes.Equal(plan.After, edit.After) || string(edit.Before) != n.Text {
		t.Errorf("on disk, written and planned differ:\n%s\n%s\n%s", onDisk, edit.After, plan.After)
	}
	onlyOurs(t, edit)
	if fi, _ := os.Stat(s.path(n.Key)); fi.Mode() != 0o640 {
		t.Errorf("mode = %v, want 0640", fi.Mode())
	}
	if r := mustLoad(t, s, n.Key); r.Open || r.StatusWord != "done" || formatTime(r.EndedAt) != edit.Result.(*closedResult).EndedAt {
		t.Errorf("afterwards: %q, ended %v", r.StatusWord, r.EndedAt)
	}
	if _, err := s.CloseSession(t.Context(), n.Key, sessions.CloseRequest{Now: closedAt, ID: n.ID}); !errors.Is(err, sessions.ErrClosed) {
		t.Errorf("second close: %v, want ErrClosed", err)
	}
}

// onlyOurs checks the difference byte by byte, up to blank space: what is gone is the word active, an empty
// ended_at and a placeholder; what came is a done, an ended_at line, the summary and the end block.
func onlyOurs(t *testing.T, edit *sessions.Edit) {
	t.Helper()
	for _, line := range strings.Split(sessions.Diff(edit.Before, edit.After), "\n") {
		gone, isGone := strings.CutPrefix(line, "-")
		gone = strings.TrimSpace(strings.Trim(gone, "\ufeff"))
		lower := strings.ToLower(gone)
		if isGone && gone != "" && !strings.HasPrefix(lower, "status:") && !strings.HasPrefix(lower, "ended_at:") && !isPlaceholder([]byte(gone)) &&
			!strings.HasSuffix(string(edit.Before), gone) {
			t.Errorf("the close removed %q", line)
		}
	}
	crlf, lf := bytes.Count(edit.Before, []byte("\r\n")), bytes.Count(edit.Before, []byte("\n"))
	if crlf == lf && crlf > 0 && bytes.Count(edit.After, []byte("\r\n")) != bytes.Count(edit.After, []byte("\n")) {
		t.Error("a CRLF file got other line ends")
	}
	if crlf == 0 && bytes.Contains(edit.After, []byte("\r")) {
		t.Error("an LF file got carriage returns")
	}
}

// treeOf returns the content of every file below dir by slash-separated path.
func treeOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		tree[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// differs returns the paths whose content is not the same in both trees, sorted.
func differs(a, b map[string]string) []string {
	var paths []string
	for p, text := range a {
		if other, ok := b[p]; !ok || other != text {
			paths = append(paths, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

func TestMarkText(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	mark := "\n\n---\n\n## Session resumed — " + closedText + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"plain", noteText("", "body\n\n"), noteText("", "body"+mark)},
		{"twice stacks", noteText("", "body"+mark), noteText("", "body"+mark+mark[1:])},
		{"CRLF", crlf(noteText("", "body\n")), crlf(noteText("", "body"+mark))},
		{"no body", noteText("", ""), noteText("", mark[1:])},
	} {
		s := vaultWith(t, "x.md", tt.text)
		edit, err := s.MarkResumed(t.Context(), "x.md", sessions.MarkRequest{Now: closedAt, ID: "s-1"})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(tt.want, mark+mark[1:], mark[:len(mark)-1]+mark, 1)
		if got, _ := os.ReadFile(s.path("x.md")); string(got) != want || string(edit.After) != want {
			t.Errorf("%s: got\n%q\nwant\n%q", tt.name, got, want)
		}
	}
}

func TestMarkResultAndRefusals(t *testing.T) {
	s := vaultWith(t, "x.md", noteText("agent: claude\n", ""), "legacy.md", "---\ntype: session\nstatus: active\n---\n",
		"done.md", strings.Replace(noteText("", ""), "active", "done", 1), "linked.md", noteText("run_id: r\n", ""))
	edit, err := s.PlanMark("x.md", sessions.MarkRequest{Now: closedAt, ID: "s-1"})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(edit.Result)
	want := `{"action":"resumed","session_id":"s-1","path":"x.md","project":null,"agent":"claude","client_name":"unknown","started_at":"2026-07-18T20:00:00.0000000Z","coordination":null}`
	if string(got) != want || edit.Message != "Work session resumed: x.md" {
		t.Errorf("%q\n%s\nwant\n%s", edit.Message, got, want)
	}
	for _, tt := range []struct {
		key, id string
		want    error
	}{
		{"legacy.md", "", sessions.ErrRefused}, {"done.md", "s-1", sessions.ErrClosed}, {"linked.md", "s-1", sessions.ErrRefused},
		{"x.md", "other", sessions.ErrRefused}, {"none.md", "s-1", sessions.ErrNotFound},
	} {
		if _, err := s.MarkResumed(t.Context(), tt.key, sessions.MarkRequest{Now: closedAt, ID: tt.id}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.key, err, tt.want)
		}
	}
}
