// Package config reads what the user decided, and knows where our own files are. Flags override the
// environment, which overrides the file, which overrides the defaults; every value remembers its origin.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/sessions"

	"gopkg.in/yaml.v3"
)

// Duration is a time.Duration that is written as "90s" or "12h", never as a bare number.
type Duration time.Duration

// UnmarshalYAML reads a duration with its unit.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a duration such as 90s or 12h", n.Line, n.Value)
	}
	*d = Duration(v)
	return nil
}

// MarshalYAML writes the duration with its unit.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// MarshalText does the same for JSON.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the duration with its unit, as short as it goes.
func (d Duration) String() string { return sessions.ShortDuration(time.Duration(d)) }

// Reclaim is what to do with a dead holder's lock.
type Reclaim string

const (
	ReclaimAuto Reclaim = "auto"
	ReclaimAsk  Reclaim = "ask"
	ReclaimOff  Reclaim = "off"
)

// UseServer is whether a client's server may be asked to do something.
type UseServer string

const (
	UseServerAsk   UseServer = "ask"
	UseServerTrue  UseServer = "true"
	UseServerFalse UseServer = "false"
)

// Config is everything the user can decide.
type Config struct {
	// KimiHomes and Vaults are stores beside those that are found without configuration.
	KimiHomes []string `yaml:"kimi_homes" json:"kimi_homes"`
	Vaults    []string `yaml:"vaults" json:"vaults"`
	// Discover says whether stores are looked for where clients and Obsidian keep them.
	Discover bool `yaml:"discover" json:"discover"`

	// AbandonedAfter is how long an active note may be without activity before it is stale; 0s switches
	// that off.
	AbandonedAfter Duration `yaml:"abandoned_after" json:"abandoned_after"`
	// Sweep is how often everything is compared with the disk.
	Sweep Duration `yaml:"sweep" json:"sweep"`
	// WatchBudget is how many directories of sessions are watched at most.
	WatchBudget int `yaml:"watch_budget" json:"watch_budget"`

	// Reclaim says what happens to the lock of a holder that is proven dead: "auto" removes it, "ask" shows it
	// and waits for berth unlock, "off" never removes one, not even by hand.
	Reclaim Reclaim `yaml:"reclaim" json:"reclaim"`

	// UseKimiServer says whether a running Kimi server is asked, with its home's token, for what it alone can do:
	// "true", "false", or "ask" the person at the terminal.
	UseKimiServer UseServer `yaml:"use_kimi_server" json:"use_kimi_server"`

	// Terminal is the command that opens a terminal; the words after it are the command to run in it.
	// Empty means: found by the desktop.
	Terminal []string `yaml:"terminal" json:"terminal"`
	// Clients are the commands that resume a note, by client_name or agent.
	Clients map[string]sessions.ClientCommand `yaml:"clients" json:"clients"`
	// Projects are the folders of the vault's projects.
	Projects map[string]string `yaml:"projects" json:"projects"`

	origins map[string]string
}

// Default returns the configuration of someone who never wrote one.
func Default() Config {
	return Config{
		Discover:       true,
		AbandonedAfter: Duration(sessions.DefaultPolicy().AbandonedAfter),
		Sweep:          Duration(sessions.DefaultSweep),
		WatchBudget:    8192,
		Reclaim:        ReclaimAuto,
		UseKimiServer:  UseServerAsk,
		Clients:        sessions.DefaultClients(),
		Projects:       map[string]string{},
		origins:        map[string]string{},
	}
}

// Load reads the file at path over the defaults. A missing file is not an error; an unreadable or wrong
// one is, and names every problem.
func Load(path string) (Config, error) {
	c := Default()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	if err := c.parse(b, path); err != nil {
		return Default(), fmt.Errorf("configuration %s: %w", path, err)
	}
	return c, nil
}

// parse reads YAML over c and checks the result.
func (c *Config) parse(b []byte, origin string) error {
	clients := maps.Clone(c.Clients)
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for name, cmd := range clients {
		if _, set := c.Clients[name]; !set {
			if c.Clients == nil {
				c.Clients = map[string]sessions.ClientCommand{}
			}
			c.Clients[name] = cmd
		}
	}
	var keys map[string]yaml.Node
	if err := yaml.Unmarshal(b, &keys); err != nil {
		return err
	}
	for key := range keys {
		c.origins[key] = origin
	}
	return c.Validate()
}

// Validate reports every problem at once, each with its key.
func (c *Config) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
	if c.AbandonedAfter < 0 {
		bad("abandoned_after", "%s is negative", c.AbandonedAfter)
	}
	if c.Sweep < Duration(30*time.Second) {
		bad("sweep", "%s is below the minimum of 30s", c.Sweep)
	}
	if c.WatchBudget < 0 {
		bad("watch_budget", "%d is negative", c.WatchBudget)
	}
	switch c.Reclaim {
	case ReclaimAuto, ReclaimAsk, ReclaimOff:
	default:
		bad("reclaim", "%q is none of auto, ask, off", c.Reclaim)
	}
	switch c.UseKimiServer {
	case UseServerAsk, UseServerTrue, UseServerFalse:
	default:
		bad("use_kimi_server", "%q is none of true, false, ask", c.UseKimiServer)
	}
	for i, p := range slices.Concat(c.KimiHomes, c.Vaults) {
		if !filepath.IsAbs(ExpandHome(p)) {
			bad("kimi_homes, vaults", "entry %d, %q, is not an absolute path", i+1, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Clients)) {
		if len(c.Clients[name].Argv) == 0 {
			bad("clients."+name, "the command is empty")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Projects)) {
		if !filepath.IsAbs(ExpandHome(c.Projects[name])) {
			bad("projects."+name, "%q is not an absolute path", c.Projects[name])
		}
	}
	return errors.Join(errs...)
}

// Origin says where the value of a top-level key comes from: a file, or "default".
func (c *Config) Origin(key string) string {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return "default"
}

// ExpandHome replaces a leading "~/" by the user's home folder.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}
