package tray

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/locks"
	"berth/sessions"
)

// detailsOf draws the details of the first Session as text.
func detailsOf(l Lang, all ...*sessions.Session) string {
	in := input(all...)
	in.Selected, in.Lang = all[0].Path, l
	return drawDetails(Build(in).Window.Details)
}

func drawDetails(d Details) string {
	lines := []string{fmt.Sprintf("%s | %s %s", d.Title, d.Glyph, d.Status)}
	for _, s := range d.Sections {
		lines = append(lines, "# "+s.Title)
		lines = append(lines, s.Lines...)
		for _, f := range s.Fields {
			lines = append(lines, f.Name+": "+f.Value)
		}
		for _, e := range s.Evidence {
			lines = append(lines, "- "+e)
		}
	}
	return strings.Join(lines, "\n")
}

func TestDetailsOfAnOccupiedSession(t *testing.T) {
	s := session("session_3f2a", titled("Fix the login\nform"), heldBy("Kimi in a terminal", 3988), facts(sessions.FactBusy, sessions.FactWaiting), func(s *sessions.Session) {
		s.Holder.Hostname, s.Holder.StartedAt = "laptop", now.Add(-20*time.Minute)
		s.Work = sessions.Work{Busy: sessions.Yes, PendingInteraction: "approval", LastTurnReason: "completed"}
		s.AllEvidence = []string{"the journal ends inside a turn", "pid 3988 lives"}
		s.CreatedAt, s.ForkedFrom, s.AgentCount = now.Add(-time.Hour), "session_77aa", 3
	})
	parent := session("session_77aa", titled("The original"))
	fork := session("session_99", titled("A fork"), func(o *sessions.Session) { o.ForkedFrom = "SESSION_3F2A" })
	child := session("session_98", titled("A child"), func(o *sessions.Session) { o.ParentID = "session_3f2a" })

	want := `Fix the login form | ◆ Waiting for you
# Why
A lock is on it, and its holder is not known to be gone.
A turn is running.
It waits for your answer.
- the journal ends inside a turn
# Holder
Client: Kimi in a terminal
Process: 3988
State: running
Known by: its lock file
Host: laptop
Since: 2026-11-29 11:40:00  (20 min ago)
- pid 3988 lives
# Work
Turn running: yes
Waits for: an approval
Last turn: completed
# Session
Folder: /work/demo
Agents: 3
Last activity: 2026-11-29 11:59:00  (1 min ago)
Created: 2026-11-29 11:00:00  (1 h ago)
Source: kimi
Id: session_3f2a
Path: /kimi/sessions/wd_demo/session_3f2a
# Related sessions
Forked from: The original
Fork: A fork
Child: A child`
	if got := detailsOf(English, s, parent, fork, child); got != want {
		t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

func TestDetailsOfANoteInChinese(t *testing.T) {
	s := note("n1", titled("上传重试"), ambiguous("g"), func(s *sessions.Session) {
		s.ParentID, s.Problems = "gone", []string{"line 3: not closed"}
	})
	other := note("n2", titled("上传"), ambiguous("g"), age(time.Hour))
	elsewhere := note("n3", ambiguous("another group"))
	want := `上传重试 | ○ 进行中
# 原因
客户端不指明会话就结束时，会同时匹配到这一个和其他会话。
# 问题
line 3: not closed
# 无法与之区分
上传 · claude-code · 1 小时前
# 会话
项目: demo
客户端: claude-code
智能体: claude
最近活动: 2026-11-29 11:59:00  (1 分钟前)
笔记中的状态: active
来源: vault
编号: n1
路径: /vault/sessions/n1.md
# 相关会话
父会话: gone（不在任何存储中）`
	if got := detailsOf(Chinese, s, other, elsewhere); got != want {
		t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

// A newer service may use words that this tray does not know; they are shown, not hidden.
func TestUnknownWordsAreShown(t *testing.T) {
	s := session("a", status("moored", "tide"), facts("fog"), func(s *sessions.Session) {
		s.Holder = &sessions.Holder{Client: "x", Verdict: locks.Verdict("asleep"), Via: "radar"}
		s.Work.LastTurnReason = "evaporated"
	})
	got := detailsOf(Chinese, s)
	for _, word := range []string{"moored", "tide", "fog", "asleep", "radar", "evaporated"} {
		if !strings.Contains(got, word) {
			t.Errorf("%q is missing in\n%s", word, got)
		}
	}
}

// What cannot be observed is left out, never said to be "no".
func TestUnknownIsAbsent(t *testing.T) {
	got := detailsOf(English, session("a"))
	for _, name := range []string{"Turn running", "Ended", "Archived", "Client", "Holder", "Waits for"} {
		if strings.Contains(got, name) {
			t.Errorf("%q is there:\n%s", name, got)
		}
	}
}

func TestManyForksAreBounded(t *testing.T) {
	all := []*sessions.Session{session("root")}
	for _, f := range numbered(100) {
		f.ForkedFrom = "root"
		all = append(all, f)
	}
	if n := strings.Count(detailsOf(English, all...), "Fork: "); n != familyShown {
		t.Errorf("%d forks are named, want %d", n, familyShown)
	}
}

func TestDetailsEquality(t *testing.T) {
	in := input(session("a", heldBy("Kimi", 1)))
	in.Selected = in.Sessions[0].Path
	first := Build(in).Window.Details
	later := in
	later.Now = in.Now.Add(time.Second)
	if !Build(later).Window.Details.Equal(first) {
		t.Error("a second later the details differ")
	}
	later.Now = in.Now.Add(time.Hour)
	if d := Build(later).Window.Details; d.Equal(first) || !d.Same(first) {
		t.Error("an hour later other values must stand in the same places")
	}
	other := input(session("b", heldBy("Kimi", 1)))
	other.Selected = other.Sessions[0].Path
	if Build(other).Window.Details.Same(first) {
		t.Error("another session is the same")
	}
}
