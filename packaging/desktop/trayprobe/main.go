// Trayprobe looks at the tray icons on the session bus and drives them, and can stand in for the tray
// host or the notification daemon.
//
//	trayprobe list                                 the items, one a line
//	trayprobe menu      [-item TEXT]               the item's menu, one entry a line
//	trayprobe click     [-item TEXT] LABEL         click a menu entry ("Recent/Fix login" in a submenu)
//	trayprobe activate  [-item TEXT]               left click on the icon
//	trayprobe icon      [-item TEXT] FILE          write the icon as PNG
//	trayprobe wait      [-item TEXT] [-t 10s] RE   until a line of list or menu matches
//	trayprobe signals   [-t 10s]                   the signals of items and menus as they come
//	trayprobe host                                 be the tray host until a signal ends it
//	trayprobe notifyd   [-action KEY]              be the notification daemon, one JSON object a call
//
// TEXT is part of the item's line in list ("pid=123 "); without it the first item is taken. It waits up
// to -t for the item to appear.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"berth/packaging/desktop/sni"

	"github.com/godbus/dbus/v5"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "trayprobe:", err)
		os.Exit(1)
	}
}

// probe is one run: the bus, and the flags.
type probe struct {
	bus    *dbus.Conn
	item   string
	limit  time.Duration
	action string
	arg    string
}

// commands take the run's arguments from the probe. A missing argument is an empty one.
var commands = map[string]func(*probe, context.Context) error{
	"list":     (*probe).list,
	"menu":     (*probe).menu,
	"click":    (*probe).click,
	"activate": (*probe).activate,
	"icon":     (*probe).icon,
	"wait":     (*probe).wait,
	"signals":  (*probe).signals,
	"host":     func(p *probe, ctx context.Context) error { return sni.RunHost(ctx, p.bus, os.Stdout) },
	"notifyd": func(p *probe, ctx context.Context) error {
		return sni.RunNotifications(ctx, p.bus, os.Stdout, p.action)
	},
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return errors.New("want one of: list menu click activate icon wait signals host notifyd")
	}
	var p probe
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&p.item, "item", "", "take the item whose line contains this")
	flags.DurationVar(&p.limit, "t", 10*time.Second, "give up after this long")
	flags.StringVar(&p.action, "action", "", "answer each notification with this action")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	p.arg = flags.Arg(0)
	bus, err := dbus.ConnectSessionBus()
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	defer bus.Close()
	p.bus = bus
	return commands[args[0]](&p, ctx)
}

func (p *probe) list(context.Context) error {
	items, err := sni.Items(p.bus)
	for _, it := range items {
		fmt.Println(it)
	}
	return err
}

func (p *probe) menu(ctx context.Context) error {
	m, err := p.findMenu(ctx)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(m.Lines(), "\n"))
	return nil
}

func (p *probe) click(ctx context.Context) error {
	m, err := p.findMenu(ctx)
	if err != nil {
		return err
	}
	return m.Click(p.arg)
}

func (p *probe) activate(ctx context.Context) error {
	it, err := p.find(ctx)
	if err != nil {
		return err
	}
	return it.Activate()
}

func (p *probe) icon(ctx context.Context) error {
	it, err := p.find(ctx)
	if err != nil {
		return err
	}
	img, err := it.Icon()
	if err != nil {
		return err
	}
	f, err := os.Create(p.arg)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}

func (p *probe) wait(ctx context.Context) error {
	re, err := regexp.Compile(p.arg)
	if err != nil {
		return err
	}
	var seen []string
	return p.poll(ctx, func() (bool, error) {
		if seen, err = p.lines(); err != nil {
			return false, err
		}
		for _, line := range seen {
			if re.MatchString(line) {
				fmt.Println(line)
				return true, nil
			}
		}
		return false, nil
	}, func() string { return fmt.Sprintf("no line matches %q in:\n%s", p.arg, strings.Join(seen, "\n")) })
}

// lines are those of all chosen items and of their menus.
func (p *probe) lines() ([]string, error) {
	items, err := sni.Items(p.bus)
	var out []string
	for _, it := range items {
		if !strings.Contains(it.String(), p.item) {
			continue
		}
		out = append(out, it.String())
		if m, err := it.Menu(); err == nil {
			out = append(out, m.Lines()...)
		}
	}
	return out, err
}

func (p *probe) findMenu(ctx context.Context) (*sni.Menu, error) {
	it, err := p.find(ctx)
	if err != nil {
		return nil, err
	}
	return it.Menu()
}

// find waits for the chosen item.
func (p *probe) find(ctx context.Context) (found sni.Item, err error) {
	err = p.poll(ctx, func() (bool, error) {
		items, err := sni.Items(p.bus)
		for _, it := range items {
			if strings.Contains(it.String(), p.item) {
				found = it
				return true, nil
			}
		}
		return false, err
	}, func() string { return fmt.Sprintf("no tray item matches %q", p.item) })
	return found, err
}

// poll asks until done says yes or the limit is over; then failure says what was wanted.
func (p *probe) poll(ctx context.Context, done func() (bool, error), failure func() string) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New(failure())
		case <-tick.C:
		}
	}
}

func (p *probe) signals(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	seen, err := sni.Signals(p.bus)
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-seen:
			if !ok {
				return errors.New("the session bus went away")
			}
			fmt.Printf("%s %s %s %.160v\n", time.Now().Format("15:04:05.000"), s.Sender, s.Name, s.Body)
		}
	}
}
