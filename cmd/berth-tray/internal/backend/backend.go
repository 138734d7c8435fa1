// Package backend is the service as the tray sees it: the updates of a daemon.Link kept as a state, and the
// verbs. It draws nothing and decides nothing.
package backend

import (
	"context"
	"errors"
	"os"

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
	// Open starts the user's terminal with a command in it.
	Open func(context.Context, terminal.Command) error
	// Remember keeps the folder of a project for the next time.
	Remember func(project, dir string) error

	mirror tray.Mirror
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

// Resume implements tray.Verbs.
func (b *Backend) Resume(ctx context.Context, t tray.Target, dir string) ([]string, error) {
	service, err := b.Link.Backend()
	if err != nil {
		return nil, err
	}
	launch, err := service.PlanResume(ctx, t.Ref(), dir)
	if err != nil {
		if dir == "" && b.onlyFolderMissing(ctx, service, t, err) {
			return nil, tray.ErrNeedFolder
		}
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

// onlyFolderMissing tells a refusal that a folder would lift from all others: by a plan, which changes nothing,
// for a folder that is certainly there.
func (b *Backend) onlyFolderMissing(ctx context.Context, service localapi.Backend, t tray.Target, refusal error) bool {
	s := b.mirror.Find(t.Path)
	if s == nil || s.WorkDir != "" || s.Project == "" || !errors.Is(refusal, sessions.ErrRefused) {
		return false
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	_, err = service.PlanResume(ctx, t.Ref(), home)
	return err == nil
}
