package main

import (
	"context"
	"errors"
	"os"

	"berth/cmd/internal/daemon"
	"berth/cmd/internal/terminal"
	"berth/sessions"
	"berth/tray"
)

// backend is the service as the tray sees it: the Link's updates kept in a Mirror, and its verbs.
type backend struct {
	link     *daemon.Link
	mirror   tray.Mirror
	open     func(context.Context, terminal.Command) error
	remember func(project, dir string) error
}

var _ tray.Verbs = (*backend)(nil)

// follow keeps the Mirror until ctx is done, and calls changed after every change.
func (b *backend) follow(ctx context.Context, changed func(notable bool)) error {
	return b.link.Run(ctx, func(u daemon.LinkUpdate) error {
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
func (b *backend) PlanClose(ctx context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	return b.close(ctx, t, summary, true)
}

// Close implements tray.Verbs.
func (b *backend) Close(ctx context.Context, t tray.Target, summary string) (*sessions.Edit, error) {
	return b.close(ctx, t, summary, false)
}

func (b *backend) close(ctx context.Context, t tray.Target, summary string, dryRun bool) (*sessions.Edit, error) {
	service, err := b.link.Backend()
	if err != nil {
		return nil, err
	}
	return service.Close(ctx, t.Ref(), summary, dryRun)
}

// Resume implements tray.Verbs.
func (b *backend) Resume(ctx context.Context, t tray.Target, dir string) ([]string, error) {
	service, err := b.link.Backend()
	if err != nil {
		return nil, err
	}
	launch, err := service.PlanResume(ctx, t.Ref(), dir)
	if err != nil {
		return nil, b.needFolder(ctx, t, dir, err)
	}
	if s := b.mirror.Find(t.Path); dir != "" && s != nil && s.Project != "" {
		if err := b.remember(s.Project, dir); err != nil {
			launch.Warnings = append(launch.Warnings, err.Error())
		}
	}
	return launch.Warnings, b.open(ctx, terminal.Command{Dir: launch.Dir, Argv: launch.Argv, Env: launch.Env})
}

// needFolder tells a refusal that only a folder would lift from all others: a plan, which changes nothing, for a
// folder that is certainly there.
func (b *backend) needFolder(ctx context.Context, t tray.Target, dir string, refusal error) error {
	service, err := b.link.Backend()
	if err != nil || dir != "" || !errors.Is(refusal, sessions.ErrRefused) {
		return refusal
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return refusal
	}
	s := b.mirror.Find(t.Path)
	if s == nil || s.WorkDir != "" {
		return refusal
	}
	if _, err := service.PlanResume(ctx, t.Ref(), home); err != nil {
		return refusal
	}
	return tray.ErrNeedFolder
}
