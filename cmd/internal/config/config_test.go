package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMissingAndEmptyFileAreDefaults(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), write(t, ""), write(t, "# nothing\n")} {
		c, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := time.Duration(c.AbandonedAfter), 12*time.Hour; got != want {
			t.Errorf("abandoned_after = %v, want %v", got, want)
		}
		if !c.Discover || c.Origin("discover") != "default" {
			t.Errorf("discover = %v from %s, want true from default", c.Discover, c.Origin("discover"))
		}
	}
}

func TestFileOverridesAndKeepsOrigin(t *testing.T) {
	path := write(t, "abandoned_after: 90m\nterminal: [xterm, -e]\nclients:\n  claude: {command: [claude-next, '{prompt}']}\n")
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.AbandonedAfter.String(), "1h30m"; got != want {
		t.Errorf("abandoned_after = %s, want %s", got, want)
	}
	if got, want := c.Origin("terminal"), path; got != want {
		t.Errorf("origin of terminal = %s, want %s", got, want)
	}
	if got, want := c.Clients["claude"].Argv[0], "claude-next"; got != want {
		t.Errorf("clients.claude = %s, want %s", got, want)
	}
	if got, want := c.Clients["codex"].Argv[0], "codex"; got != want {
		t.Errorf("clients.codex = %s, want the default %s beside an own entry", got, want)
	}
}

func TestEveryProblemIsNamed(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"unknown key", "abandonned_after: 1h\n", []string{"abandonned_after"}},
		{"bare number", "abandoned_after: 12\n", []string{"12", "duration"}},
		{"several at once", "sweep: 1s\nwatch_budget: -1\nvaults: [notes]\nreclaim: on\n", []string{"sweep", "watch_budget", "notes", "reclaim"}},
		{"empty command", "clients:\n  claude: {command: []}\n", []string{"clients.claude"}},
		{"not YAML", "a: [", []string{"config.yaml"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(write(t, tt.text))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not name %q", err, w)
				}
			}
		})
	}
}

func TestPathsFollowTheEnvironment(t *testing.T) {
	env := map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"}
	got := DefaultPaths(func(k string) string { return env[k] })
	want := Paths{
		Config: filepath.Join("/c", "berth", "config.yaml"), State: filepath.Join("/s", "berth"),
		Runtime: filepath.Join("/r", "berth"),
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRememberedProject(t *testing.T) {
	p := Paths{State: t.TempDir()}
	c := Default()
	if got := c.ProjectDir(p, "Demo"); got != "" {
		t.Fatalf("an unknown project has folder %q", got)
	}
	if err := RememberProject(p, "Demo", "/work/demo"); err != nil {
		t.Fatal(err)
	}
	if got, want := c.ProjectDir(p, "demo"), "/work/demo"; got != want {
		t.Errorf("remembered folder = %q, want %q", got, want)
	}
	c.Projects["DEMO"] = "/configured"
	if got, want := c.ProjectDir(p, "demo"), "/configured"; got != want {
		t.Errorf("folder = %q, want the configured %q", got, want)
	}
}
