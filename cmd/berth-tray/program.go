package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os/exec"
	"sync"

	"berth/cmd/berth-tray/internal/backend"
	"berth/cmd/berth-tray/internal/single"
	"berth/cmd/internal/config"
	"berth/cmd/internal/daemon"
	"berth/cmd/internal/terminal"
	"berth/tray"
	"berth/tray/desktop"
	"berth/tray/fyneui"
	"berth/tray/icons"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
)

// appID is the one of the desktop file and of FyneApp.toml.
const appID = "org.berth.Berth"

// program is the parts of the tray, wired.
type program struct {
	app       fyne.App
	ui        *fyneui.UI
	presenter *tray.Presenter
	backend   *backend.Backend
	log       *slog.Logger
	tray      bool // there is a bus for the icon
}

// newProgram builds all parts and starts none. cfgErr is what was wrong with the configuration; it is shown in the
// window, where the user of a desktop sees it, and the defaults hold.
func newProgram(cfg config.Config, cfgErr error, paths config.Paths, env func(string) string, stderr io.Writer) *program {
	p := &program{log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	lang := tray.LangFromEnv(env)
	p.backend = &backend.Backend{
		Link:     daemon.NewLink(daemon.Options{Config: cfg, Paths: paths, Env: env, Logger: p.log}),
		LookPath: exec.LookPath,
		Open:     terminal.Opener{Configured: cfg.Terminal, Env: env, LookPath: exec.LookPath}.Open,
		Remember: func(project, dir string) error { return config.RememberProject(paths, project, dir) },
	}
	busErr := desktop.ConnectTrayBus()
	p.tray = busErr == nil

	p.app = newApp()
	p.ui = fyneui.New(p.app, fyneui.Config{
		Lang: lang, Verbs: p.backend, OpenFolder: desktop.OpenFolder, Notes: notes(lang, busErr, cfgErr),
	})
	p.presenter = tray.NewPresenter(p.backend.State, p.ui, lang)
	p.ui.Connect(p.presenter)
	if a, ok := p.app.(fyneui.TrayApp); ok && p.tray {
		p.ui.UseTray(fyneui.SystemTray(a))
	}
	return p
}

// newApp makes Fyne's app. It gets its ID only afterwards: with one from the start Fyne keeps a preferences file,
// into which we have nothing to put, and which it empties and reads at the same time when it ends, logging an error.
func newApp() fyne.App {
	about := fyne.AppMetadata{Name: "berth", Version: daemon.Version, Icon: fyne.NewStaticResource("berth.png", icons.App())}
	app.SetMetadata(about)
	a := app.NewWithID("")
	about.ID = appID
	app.SetMetadata(about)
	return a
}

// notes is what stands in the window as long as the program runs.
func notes(l tray.Lang, busErr, cfgErr error) []string {
	var all []string
	if busErr != nil {
		all = append(all, l.Text(tray.MsgNoBus))
	}
	if cfgErr != nil {
		all = append(all, cfgErr.Error())
	}
	return all
}

// run shows everything until the user quits or a signal ends the program, then ends every part and waits for it.
func (p *program) run(ctx context.Context, instance *single.Instance, hidden bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts sync.WaitGroup
	p.app.Lifecycle().SetOnStarted(func() {
		for name, run := range p.parts(instance) {
			parts.Go(func() {
				if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
					p.log.Warn("a part ended", "part", name, "err", err)
				}
			})
		}
		if !hidden {
			p.ui.Show()
		}
	})
	p.app.Run()
	cancel()
	parts.Wait()
}

// parts are what runs beside Fyne's own thread.
func (p *program) parts(instance *single.Instance) map[string]func(context.Context) error {
	parts := map[string]func(context.Context) error{
		"service":         func(ctx context.Context) error { return p.backend.Follow(ctx, p.presenter.Changed) },
		"presenter":       p.presenter.Run,
		"single instance": func(ctx context.Context) error { return instance.Serve(ctx, p.ui.Raise) },
	}
	if p.tray {
		parts["tray host"] = func(ctx context.Context) error { return desktop.WatchTrayHost(ctx, p.ui.SetHost) }
	}
	return parts
}
