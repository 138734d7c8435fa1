package backend

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"berth/cmd/internal/daemon"
	"berth/cmd/internal/terminal"
	"berth/sessions"
	"berth/sessions/localapi"
	"berth/tray"
)

// service is a service that writes down what it is asked for. The embedded nil interface makes any other call a
// failure.
type service struct {
	localapi.Backend
	asked  []string
	refuse func(dir string) error // PlanResume; nil refuses nothing
}

func (s *service) Close(_ context.Context, ref, summary string, dryRun bool) (*sessions.Edit, error) {
	s.asked = append(s.asked, fmt.Sprintf("close %s %q %v", ref, summary, dryRun))
	return &sessions.Edit{Message: "done"}, nil
}

func (s *service) PlanResume(_ context.Context, ref, dir string) (*sessions.Launch, error) {
	s.asked = append(s.asked, "plan "+ref)
	if s.refuse != nil {
		if err := s.refuse(dir); err != nil {
			return nil, err
		}
	}
	return &sessions.Launch{Dir: dir, Argv: []string{"claude", ref}, Warnings: []string{"careful"}}, nil
}

// link hands out what a test gives it.
type link struct {
	updates []daemon.LinkUpdate
	service *service // nil while offline
}

func (l *link) Run(_ context.Context, fn func(daemon.LinkUpdate) error) error {
	for _, u := range l.updates {
		if err := fn(u); err != nil {
			return err
		}
	}
	return nil
}

func (l *link) Backend() (localapi.Backend, error) {
	if l.service == nil {
		return nil, daemon.ErrOffline
	}
	return l.service, nil
}

var noteA = &sessions.Session{Status: sessions.Active, Record: &sessions.Record{
	ID: "019f", Path: "/vault/a.md", Source: "vault", Project: "demo"}}

var target = tray.Target{Path: "/vault/a.md", ID: "019f"}

// following is a Backend that has seen noteA; done tells what it did outside.
func following(t *testing.T, s *service) (b *Backend, done *[]string) {
	t.Helper()
	done = new([]string)
	b = &Backend{
		Link: &link{service: s, updates: []daemon.LinkUpdate{
			{Own: true, Update: sessions.Update{View: &sessions.View{Revision: 1, Sessions: []*sessions.Session{noteA}}}}}},
		LookPath: func(name string) (string, error) {
			if name != "claude" {
				return "", exec.ErrNotFound
			}
			return "/bin/claude", nil
		},
		Open: func(_ context.Context, c terminal.Command) error {
			*done = append(*done, strings.Join(append([]string{"open", c.Dir}, c.Argv...), " "))
			return nil
		},
		Remember: func(project, dir string) error {
			*done = append(*done, "remember "+project+" "+dir)
			return nil
		},
	}
	if err := b.Follow(t.Context(), func(bool) {}); err != nil {
		t.Fatal(err)
	}
	return b, done
}

func TestFollow(t *testing.T) {
	b, _ := following(t, &service{})
	if s := b.State(); s.Connection != tray.OwnService || s.Revision != 1 || len(s.Sessions) != 1 {
		t.Errorf("state %+v", s)
	}
	var notable []bool
	b.Link = &link{updates: []daemon.LinkUpdate{
		{Offline: errors.New("no socket")},
		{Update: sessions.Update{Event: &sessions.Event{Kind: sessions.Changed, Revision: 2, Session: noteA}}},
		{Update: sessions.Update{Event: &sessions.Event{Kind: sessions.Changed, Revision: 3, Session: noteA}}},
	}}
	if err := b.Follow(t.Context(), func(n bool) {
		notable = append(notable, n)
		if len(notable) == 1 && (b.State().Connection != tray.Offline || b.State().Problem != "no socket") {
			t.Errorf("offline: %+v", b.State())
		}
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(notable) != "[true true false]" || b.State().Connection != tray.RemoteService {
		t.Errorf("notable %v, %v", notable, b.State().Connection)
	}
}

func TestCloseNamesTheSessionByItsID(t *testing.T) {
	s := &service{}
	b, _ := following(t, s)
	if _, err := b.PlanClose(t.Context(), target, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Close(t.Context(), tray.Target{Path: "/vault/old.md"}, ""); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.asked, "; "); got != `close 019f "x" true; close /vault/old.md "" false` {
		t.Errorf("asked %s", got)
	}
}

func TestResume(t *testing.T) {
	refused := &sessions.Error{Err: sessions.ErrRefused, Detail: "linked"}
	needsDir := func(dir string) error {
		if dir == "" {
			return sessions.ErrNoFolder
		}
		return nil
	}
	for _, tt := range []struct {
		name   string
		refuse func(string) error
		dir    string
		want   error
		done   string
	}{
		{"as planned", nil, "", nil, "open  claude 019f"},
		{"a chosen folder is remembered", needsDir, "/work", nil, "remember demo /work; open /work claude 019f"},
		{"only the folder is missing", needsDir, "", sessions.ErrNoFolder, ""},
		{"a folder would not help", func(string) error { return refused }, "", refused, ""},
		{"occupied", func(string) error { return sessions.ErrOccupied }, "", sessions.ErrOccupied, ""},
		{"the chosen folder is refused", func(string) error { return refused }, "/gone", refused, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, done := following(t, &service{refuse: tt.refuse})
			warnings, err := b.Resume(t.Context(), target, tt.dir)
			if !errors.Is(err, tt.want) || (err == nil) != (len(warnings) == 1) {
				t.Errorf("got %v, %v, want %v", warnings, err, tt.want)
			}
			if got := strings.Join(*done, "; "); got != tt.done {
				t.Errorf("did %q, want %q", got, tt.done)
			}
		})
	}
}

func TestResumeWithoutTheClient(t *testing.T) {
	b, done := following(t, &service{})
	b.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	if _, err := b.Resume(t.Context(), target, ""); !errors.Is(err, sessions.ErrRefused) || !strings.Contains(err.Error(), `"claude" is not found`) {
		t.Errorf("got %v", err)
	}
	if len(*done) > 0 {
		t.Errorf("did %q", *done)
	}
}

// TestResumeOnce is bug B38: five presses open one terminal.
func TestResumeOnce(t *testing.T) {
	b, _ := following(t, &service{})
	opening, release := make(chan bool), make(chan bool)
	b.Open = func(context.Context, terminal.Command) error {
		opening <- true
		<-release
		return nil
	}
	first := make(chan error, 1)
	go func() {
		_, err := b.Resume(t.Context(), target, "")
		first <- err
	}()
	<-opening
	for range 4 {
		if _, err := b.Resume(t.Context(), target, ""); !errors.Is(err, sessions.ErrRefused) {
			t.Errorf("a second press while the first goes on: %v", err)
		}
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestVerbsWhileOffline(t *testing.T) {
	b := &Backend{Link: &link{}}
	_, planErr := b.PlanClose(t.Context(), target, "")
	_, resumeErr := b.Resume(t.Context(), target, "")
	for _, err := range []error{planErr, resumeErr} {
		if !errors.Is(err, daemon.ErrOffline) {
			t.Errorf("got %v", err)
		}
	}
}
