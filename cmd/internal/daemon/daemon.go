// Package daemon wires the parts together: sources and watcher into the Index, the Index into the Service,
// the Service into the local API. It is run by `berth serve`, and by the tray when no service runs.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"berth/cmd/internal/config"
	"berth/locks"
	"berth/sessions"
	"berth/sessions/audit"
	"berth/sessions/beforeimage"
	"berth/sessions/kimi"
	"berth/sessions/localapi"
	"berth/sessions/news"
	"berth/sessions/vault"
	"berth/watcher"
)

// Version is the product's version, set by the linker for a release.
var Version = "0.1.0-dev"

// ErrRunning says that another service of this user runs already.
var ErrRunning = errors.New("a berth service is already running")

// Options are what a daemon is built from.
type Options struct {
	Config config.Config
	Paths  config.Paths
	Env    func(string) string
	Logger *slog.Logger // nil logs nothing
}

// Found is a store and how we came to know it.
type Found struct {
	Source string `json:"source"`
	Root   string `json:"root"`
	Origin string `json:"origin"` // "KIMI_CODE_HOME", "default", "configuration", "Obsidian" …
	Exists bool   `json:"exists"`
}

// Stores finds the stores: the configured ones, and where clients and Obsidian keep theirs.
func Stores(o Options) []Found {
	var all []Found
	seen := map[string]bool{}
	add := func(source, root, origin string) {
		root = config.ExpandHome(root)
		if abs, err := filepath.Abs(root); err == nil {
			root = abs
		}
		real := root
		if r, err := filepath.EvalSymlinks(root); err == nil {
			real = r
		}
		if seen[source+real] {
			return
		}
		seen[source+real] = true
		info, err := os.Stat(root)
		all = append(all, Found{Source: source, Root: root, Origin: origin, Exists: err == nil && info.IsDir()})
	}
	for _, home := range o.Config.KimiHomes {
		add("kimi", home, "configuration")
	}
	for _, v := range o.Config.Vaults {
		add("vault", v, "configuration")
	}
	if o.Config.Discover {
		origin := "default"
		lookup := func(name string) (string, bool) {
			value := o.Env(name)
			if value != "" {
				origin = name
			}
			return value, value != ""
		}
		if home := kimi.Home(lookup, o.Env("HOME")); home != "" {
			add("kimi", home, origin)
		}
		for _, v := range vault.Discover(o.Env) {
			add("vault", v.Path, v.Origin)
		}
	}
	return all
}

// recheck is longer than a notes server takes from reading a note to replacing it.
const recheck = time.Second

// sources opens every store that was found. One that does not exist yet is watched for.
func sources(o Options, sys *locks.System) ([]sessions.Source, error) {
	var all []sessions.Source
	for _, f := range Stores(o) {
		switch f.Source {
		case "kimi":
			all = append(all, kimi.New(kimi.Config{Home: f.Root, Logger: o.Logger, System: sys}))
		case "vault":
			v, err := vault.New(vault.Config{Path: f.Root, LockDir: o.Paths.Locks(), Recheck: recheck, Logger: o.Logger})
			if err != nil {
				return nil, fmt.Errorf("vault %s: %w", f.Root, err)
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// newService builds the Service of an Index; w may be nil.
func newService(o Options, idx *sessions.Index, sys *locks.System, w *watcher.Watcher) *sessions.Service {
	trail := &audit.Log{Path: o.Paths.Audit()}
	s := &sessions.Service{
		Index: idx, Prober: sys, Stopper: sys, Clients: o.Config.Clients,
		ProjectDir: func(p string) string { return o.Config.ProjectDir(o.Paths, p) },
		Audit:      trail.Append,
		Images:     &beforeimage.Store{Dir: o.Paths.Images()},
	}
	if o.Config.Reclaim != config.ReclaimOff {
		s.Reclaimer = newReclaimer(o, sys, trail)
	}
	if w != nil {
		s.Coverage = w.Status
	}
	return s
}

// newReclaimer removes dead locks and writes each removal into the trail.
func newReclaimer(o Options, sys *locks.System, trail *audit.Log) *locks.Reclaimer {
	return locks.NewReclaimer(locks.ReclaimConfig{
		System: sys, Dir: o.Paths.Reclaimed(), Client: locks.ClientIdentity{ProductName: "berth", Version: Version},
		Audit: func(out locks.Outcome) {
			if err := trail.Append(reclaimed(out)); err != nil && o.Logger != nil {
				o.Logger.Warn("cannot keep the audit trail", "err", err)
			}
		},
	})
}

// reclaimed is the line of the trail for what a Reclaimer did.
func reclaimed(out locks.Outcome) sessions.Action {
	who := "by itself"
	switch {
	case out.Force:
		who = "by hand, forced"
	case out.ByHand:
		who = "by hand"
	}
	f := &out.File
	return sessions.Action{
		ID: out.ID, At: out.At, Kind: sessions.ActionReclaimed, Session: f.SessionID, Source: "kimi", Path: f.Path,
		Detail:   fmt.Sprintf("%s %s, lock of pid %d (%s)", out.Action, who, f.Record.PID, f.Record.Client),
		Evidence: out.First.Evidence,
	}
}

// Local runs an Index without watching and without a socket, for one command. The result is usable when Local
// returns; stop ends everything and waits for it.
func Local(ctx context.Context, o Options) (svc *sessions.Service, stop func(), err error) {
	sys := locks.NewSystem(locks.WithWitnesses(o.Paths.Witnesses()))
	srcs, err := sources(o, sys)
	if err != nil {
		return nil, nil, err
	}
	idx := sessions.NewIndex(sessions.IndexConfig{
		Sources: srcs, Prober: sys, Policy: policy(o), Sweep: -1, Logger: o.Logger,
	})
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { idx.Run(ctx) })
	stop = func() { cancel(); wg.Wait() }
	select {
	case <-idx.Ready():
		return newService(o, idx, sys, nil), stop, nil
	case <-ctx.Done():
		stop()
		return nil, nil, context.Cause(ctx)
	}
}

func policy(o Options) sessions.Policy {
	return sessions.Policy{AbandonedAfter: time.Duration(o.Config.AbandonedAfter)}
}

// Daemon is a running service: it watches, keeps the Index, and answers on the socket.
type Daemon struct {
	Service *sessions.Service
	Index   *sessions.Index

	opts    Options
	watcher *watcher.Watcher
	system  *locks.System
	release func() error
	private bool // no socket
}

// New takes the single-instance lock and builds the service. It fails with ErrRunning when another one runs.
// Run must follow, or Abandon.
func New(o Options) (*Daemon, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	release, err := locks.TryHold(o.Paths.Instance())
	if errors.Is(err, locks.ErrHeld) {
		return nil, ErrRunning
	}
	if err != nil {
		return nil, fmt.Errorf("single instance: %w", err)
	}
	d := &Daemon{opts: o, release: release}
	if err := d.build(); err != nil {
		return nil, errors.Join(err, release())
	}
	return d, nil
}

func (d *Daemon) build() error {
	d.system = locks.NewSystem(locks.WithWitnesses(d.opts.Paths.Witnesses()))
	srcs, err := sources(d.opts, d.system)
	if err != nil {
		return err
	}
	var roots []watcher.Root
	for _, s := range srcs {
		roots = append(roots, s.Watch())
	}
	d.watcher, err = watcher.New(watcher.Config{
		Roots: roots, Budget: d.opts.Config.WatchBudget, Logger: d.opts.Logger,
	})
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	sys := d.system
	d.Index = sessions.NewIndex(sessions.IndexConfig{
		Sources: srcs, Prober: sys, Policy: policy(d.opts), Batches: d.watcher.Batches(), Touch: d.watcher.Touch,
		Sweep: time.Duration(d.opts.Config.Sweep), Logger: d.opts.Logger, Told: d.openNews(),
	})
	d.Service = newService(d.opts, d.Index, sys, d.watcher)
	return nil
}

// openNews opens the memory of what was told, which is closed with everything else. It is nil for a service of one
// command: what that one tells, nobody else has heard.
func (d *Daemon) openNews() sessions.Told {
	if d.private {
		return nil
	}
	book, err := news.Open(d.opts.Paths.News(), d.opts.Logger)
	if err != nil {
		d.opts.Logger.Warn("cannot remember what was told; it may be told again", "err", err)
		return nil
	}
	release := d.release
	d.release = func() error { return errors.Join(book.Close(), release()) }
	return book
}

// NewPrivate builds a service for one command: it takes no single-instance lock and has no socket.
func NewPrivate(o Options) (*Daemon, error) {
	d := &Daemon{opts: o, release: func() error { return nil }, private: true}
	return d, d.build()
}

// Abandon gives back what New took, for a Daemon that is not run.
func (d *Daemon) Abandon() error { return d.release() }

// Run serves until ctx ends or a part fails; then it stops every part and returns the first failure.
func (d *Daemon) Run(ctx context.Context) error {
	return d.RunWith(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
}

// RunWith is Run with a part more: everything ends when it returns.
func (d *Daemon) RunWith(ctx context.Context, part func(context.Context) error) (err error) {
	defer func() { err = errors.Join(err, d.release()) }()
	if d.opts.Env("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	parts := []func(context.Context) error{d.watcher.Run, d.Index.Run, part}
	if !d.private {
		parts = append(parts, func(ctx context.Context) error { return d.system.SaveWitnesses(ctx, d.saveFailed) })
		parts = append(parts, (&sessions.Chronicler{Index: d.Index, Audit: d.Service.Audit, Logger: d.opts.Logger}).Run)
		if d.opts.Config.Reclaim == config.ReclaimAuto {
			parts = append(parts, (&sessions.Janitor{Index: d.Index, Reclaimer: d.Service.Reclaimer, Logger: d.opts.Logger}).Run)
		}
		ln, err := localapi.Listen(d.opts.Paths.Socket())
		if err != nil {
			return err
		}
		srv := &localapi.Server{Backend: d.Service, Version: Version, Logger: d.opts.Logger}
		parts = append(parts, func(ctx context.Context) error { return srv.Serve(ctx, ln) })
	}
	return runAll(ctx, parts...)
}

func (d *Daemon) saveFailed(err error) { d.opts.Logger.Warn("cannot keep witnesses", "err", err) }

// gcPercent trades processor time, of which a service that sleeps needs little, for memory, which it has all day:
// with 10,000 sessions the resident size is a third smaller than with Go's 100.
const gcPercent = 25

// runAll runs every part until one fails or ctx ends, then ends the others and waits for them.
func runAll(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, len(parts))
	for i, run := range parts {
		wg.Go(func() {
			defer cancel()
			errs[i] = run(ctx)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}
