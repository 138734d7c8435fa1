// Package backend is the service as the tray sees it: the updates of a daemon.Link kept as a state, and the
// verbs. It draws nothing and decides nothing.
package backend

import (
	"context"
	"sync"

	"berth/cmd/internal/daemon"
	"berth/cmd/internal/terminal"
	"berth/sessions"
	"berth/sessions/localapi"
	"berth/tray"
)

// Link is a lasting connection to the service, such as a *daemon.Link.
type Link interface {
	Run(ctx context.Context, fn func(daemon.LinkUpdate) error) error
	Backend() (localapi.Backend, error)
}

// Backend implements tray.Verbs, and keeps the state that a tray.Presenter shows. Its methods may be called from
// any goroutine.
type Backend struct {
	Link Link
	// LookPath finds a client's program, as exec.LookPath does.
	LookPath func(name string) (string, error)
	// Open starts the user's terminal with a command in it.
	Open func(context.Context, terminal.Command) error
	// Remember keeps the folder of a project for the next time.
	Remember func(project, dir string) error

	mirror  tray.Mirror
	opening sync.Map // Target.Path of what is being resumed at the moment
}

var _ tray.Verbs = (*Backend)(nil)

// State is what a Presenter shows.
func (b *Backend) State() tray.Update { return b.mirror.State() }

// Follow keeps State up to date until ctx is done, and calls changed after every change.
func (b *Backend) Follow(ctx context.Context, changed func(notable bool)) error {
	return b.Link.Run(ctx, func(u daemon.LinkUpdate) error {
		if u.Offline != nil {
			b.mirror.Lost(u.Offline)
			changed(true)
			return nil
		}
		from := tray.RemoteService
		if u.Own {
			from = tray.OwnService
		}
		changed(b.mirror.Apply(u.Update, from))
		return nil
	})
}

// PlanClose implements tray.Verbs.
func (b *Backend) PlanClose(ctx context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	return b.close(ctx, t, summary, true)
}

// Close implements tray.Verbs.
func (b *Backend) Close(ctx context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	return b.close(ctx, t, summary, false)
}

func (b *Backend) close(ctx context.Context, t tray.Target, summary string, dryRun bool) (*sessions.Edit, error) {
	service, err := b.Link.Backend()
	if err != nil {
		return nil, err
	}
	return service.Close(ctx, t.Ref(), summary, dryRun)
}

// Resume implements tray.Verbs. A second call for a Session while the first goes on is refused: a double click
// must not start two writers (bug B38).
func (b *Backend) Resume(ctx context.Context, t tray.Target, dir string) ([]string, error) {
	if _, busy := b.opening.LoadOrStore(t.Path, true); busy {
		return nil, &sessions.Error{Err: sessions.ErrRefused, Session: t.Ref(), Detail: "it is being opened already"}
	}
	defer b.opening.Delete(t.Path)
	service, err := b.Link.Backend()
	if err != nil {
		return nil, err
	}
	launch, err := service.PlanResume(ctx, t.Ref(), dir)
	if err != nil {
		return nil, err
	}
	if err := launch.CheckClient(b.LookPath); err != nil {
		return nil, err
	}
	warnings := launch.Warnings
	if s := b.mirror.Find(t.Path); dir != "" && s != nil && s.Project != "" {
		if err := b.Remember(s.Project, dir); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	return warnings, b.Open(ctx, terminal.Command{Dir: launch.Dir, Argv: launch.Argv, Env: launch.Env})
}
