package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"berth/cmd/internal/daemon"
	"berth/sessions"

	"github.com/spf13/cobra"
)

func (a *app) serveCmd() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the service in the foreground", Args: noArgs,
		Long: "Watch every store, keep the index, and answer the other verbs and the tray on a private socket. " +
			"One service per user. Logs one line for each change of status.",
		Example: "  berth serve\n  berth serve --once    scan, print a summary, and end",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if once {
				return a.serveOnce(cmd.Context())
			}
			return a.serve(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "scan everything once, print a summary, and end")
	return cmd
}

func (a *app) serveOnce(ctx context.Context) error {
	began := time.Now()
	svc, done, err := daemon.Local(ctx, a.options())
	if err != nil {
		return err
	}
	defer done()
	v, err := svc.View(ctx, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s, read in %s\n", counts(v.Sessions), time.Since(began).Round(time.Millisecond))
	for _, s := range v.Stores {
		fmt.Fprintf(a.stdout, "%-6s %d sessions  %s\n", s.Source, s.Sessions, clean(s.Root))
		if s.Problem != "" {
			fmt.Fprintf(a.stderr, "berth: %s: %s\n", clean(s.Root), clean(s.Problem))
		}
	}
	return nil
}

func (a *app) serve(ctx context.Context) error {
	level := slog.LevelInfo
	if a.verbose {
		level = slog.LevelDebug
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	d, err := daemon.New(a.options())
	if errors.Is(err, daemon.ErrRunning) {
		return fmt.Errorf("%w; berth list asks it (its lock is %s)", err, a.paths.Instance())
	}
	if err != nil {
		return err
	}
	for _, f := range daemon.Stores(a.options()) {
		a.log.Info("store", "source", f.Source, "path", f.Root, "found_by", f.Origin, "exists", f.Exists)
	}
	a.log.Info("listening", "path", a.paths.Socket(), "version", daemon.Version)
	logger := statusLogger{log: a.log}
	return d.RunWith(ctx, func(ctx context.Context) error { return d.Service.Watch(ctx, logger.update) })
}

// statusLogger writes one line for each change of a Session's status.
type statusLogger struct{ log *slog.Logger }

// news writes one line for each thing that a person should be told.
func (l statusLogger) news(news []sessions.News) {
	for i := range news {
		l.log.Info("news", "kind", string(news[i].Kind), "key", clean(news[i].Key), "text", clean(news[i].String()))
	}
}

func (l statusLogger) update(u sessions.Update) error {
	l.news(u.AllNews())
	if u.View != nil {
		l.log.Info("listed", "revision", u.View.Revision, "summary", counts(u.View.Sessions))
		for _, c := range u.View.Coverage {
			if c.Reason != "" {
				l.log.Warn("not watched by the kernel", "path", c.Path, "coverage", c.Coverage, "reason", c.Reason, "remedy", c.Remedy)
			}
		}
		return nil
	}
	e := u.Event
	attrs := []any{"session", e.Session, "source", e.Session.Source, "status", string(e.Session.Status)}
	if len(e.Session.Reasons) > 0 {
		attrs = append(attrs, "reasons", join(e.Session.Reasons, ""))
	}
	if h := e.Session.Holder; h != nil {
		attrs = append(attrs, "holder_pid", h.PID, "client", clean(h.Client))
	}
	switch {
	case e.Kind == sessions.Added:
		l.log.Info("session found", attrs...)
	case e.Kind == sessions.Removed:
		l.log.Info("session gone", attrs...)
	case e.Previous.Status != e.Session.Status:
		l.log.Info("status changed", append(attrs, "was", string(e.Previous.Status))...)
	}
	return nil
}
