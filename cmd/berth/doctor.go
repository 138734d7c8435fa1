package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"berth/cmd/internal/daemon"
	"berth/cmd/internal/terminal"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

func (a *app) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the stores and berth itself; changes nothing", Args: noArgs,
		Long: "Check the stores and berth itself, and say what to do about what is wrong. Nothing is changed. The text holds no titles " +
			"and no content of sessions, so it can be pasted into a bug report. Ends with 1 when something needs attention.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{app: a}
			d.ourselves()
			if err := d.stores(cmd.Context()); err != nil {
				return err
			}
			d.surroundings()
			if d.wrong > 0 {
				return fmt.Errorf("needs attention, see the lines marked !: %d", d.wrong)
			}
			return nil
		},
	}
}

// doctor collects what it says; wrong counts what needs attention.
type doctor struct {
	*app
	wrong int
}

func (d *doctor) ok(format string, args ...any)   { d.say(" ", format, args...) }
func (d *doctor) note(format string, args ...any) { d.say("-", format, args...) }
func (d *doctor) bad(format string, args ...any)  { d.wrong++; d.say("!", format, args...) }

func (d *doctor) say(mark, format string, args ...any) {
	text := clean(fmt.Sprintf(format, args...))
	if home := d.env("HOME"); home != "" && home != "/" {
		text = strings.ReplaceAll(text, home, "~")
	}
	fmt.Fprintf(d.stdout, "%s %s\n", mark, text)
}

func (d *doctor) ourselves() {
	d.ok("berth %s, %s/%s, %s", daemon.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if _, err := os.Stat(d.paths.Config); errors.Is(err, fs.ErrNotExist) {
		d.ok("configuration: none (%s), the defaults hold", d.paths.Config)
	} else {
		d.ok("configuration: %s", d.paths.Config)
	}
	d.ok("socket %s, state %s", d.paths.Socket(), d.paths.State)
	if os.Geteuid() == 0 {
		d.note("berth runs as root; it is meant to run as the user whose sessions it watches")
	}
}

// stores looks at every store in this process, so that a sick service does not hide anything, and asks the
// service how it watches them.
func (d *doctor) stores(ctx context.Context) error {
	began := time.Now()
	svc, done, err := daemon.Local(ctx, d.options())
	if err != nil {
		return err
	}
	defer done()
	v, err := svc.View(ctx, 0)
	if err != nil {
		return err
	}
	took := time.Since(began).Round(time.Millisecond)
	found := daemon.Stores(d.options())
	if !slices.ContainsFunc(found, func(f daemon.Found) bool { return f.Exists }) {
		d.bad("no store was found: set KIMI_CODE_HOME or KIOKU_VAULT_PATH, or name them in %s under kimi_homes: and vaults:", d.paths.Config)
	}
	for _, f := range found {
		d.store(f, v)
	}
	d.ok("everything was read in %s", took)
	d.service(ctx)
	return nil
}

func (d *doctor) store(f daemon.Found, v *sessions.View) {
	if !f.Exists {
		d.note("%s %s (%s): not there yet; it is waited for", f.Source, f.Root, f.Origin)
		return
	}
	var rows []*sessions.Session
	facts := map[sessions.Fact]int{}
	for _, s := range v.Sessions {
		if s.Root == f.Root {
			rows = append(rows, s)
			for _, fact := range s.AllFacts {
				facts[fact]++
			}
		}
	}
	d.ok("%s %s (%s): %s", f.Source, f.Root, f.Origin, counts(rows))
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		d.ok("  %s: %d", fact, facts[fact])
	}
	for _, s := range v.Stores {
		if s.Root == f.Root && s.Problem != "" {
			d.bad("%s cannot be listed: %s", f.Root, s.Problem)
		}
	}
	short := nameSessions(v.Sessions)
	for _, s := range rows {
		for _, p := range s.Problems {
			d.note("  %s: %s", short.of(s), p)
		}
	}
}

func (d *doctor) service(ctx context.Context) {
	c, err := localapi.Dial(ctx, d.paths.Socket())
	if err != nil {
		d.note("no service is running (berth serve, or the tray)")
		return
	}
	d.ok("service %s is running, pid %d", c.Health.Version, c.Health.PID)
	if c.Health.Version != daemon.Version {
		d.bad("the running service has version %s, this is %s: restart it", c.Health.Version, daemon.Version)
	}
	v, err := c.View(ctx, 0)
	if err != nil {
		d.bad("the service does not answer: %v", err)
		return
	}
	for _, r := range v.Coverage {
		if r.Reason == "" {
			d.ok("%s: %s, %d directories", r.Path, r.Coverage, r.Watches)
		} else {
			d.note("%s: %s: %s. %s", r.Path, r.Coverage, r.Reason, r.Remedy)
		}
	}
}

// surroundings are the programs that resume needs.
func (d *doctor) surroundings() {
	if _, err := exec.LookPath("kimi"); err != nil {
		d.note("kimi is not on PATH: Kimi sessions cannot be resumed from here")
	} else {
		d.ok("kimi is on PATH")
	}
	o := terminal.Opener{Configured: d.cfg.Terminal, Env: d.env, LookPath: exec.LookPath}
	if name, err := o.Name(); err != nil {
		d.note("%v; berth resume runs the client in the terminal it was called from", err)
	} else {
		d.ok("terminal: %s", name)
	}
}
