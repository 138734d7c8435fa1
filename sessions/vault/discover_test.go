package vault

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b ü")
	list := filepath.Join(dir, "obsidian.json")
	put(t, list, fmt.Sprintf(`{"vaults":{"2f":{"path":%q,"ts":1,"open":true},"1c":{"path":%q},"x":{"path":"relative"},"y":7},"new":[]}`, b, a))
	broken := filepath.Join(dir, "broken.json")
	put(t, broken, `{"vaults":`)
	env := func(vault string) func(string) string {
		return func(key string) string { return map[string]string{EnvPath: vault}[key] }
	}
	for _, tt := range []struct {
		name, env string
		configs   []string
		want      []Found
	}{
		{"nothing", "", []string{filepath.Join(dir, "none.json")}, nil},
		{"the environment alone", a, []string{broken}, []Found{{a, EnvPath}}},
		{"Obsidian's list, sorted", "", []string{list}, []Found{{a, list}, {b, list}}},
		{"the environment comes first, and once", b + "/", []string{list, list}, []Found{{b, EnvPath}, {a, list}}},
	} {
		if got := Discover(env(tt.env), tt.configs...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if (Found{Path: a}).Exists() || !(Found{Path: dir}).Exists() || (Found{Path: list}).Exists() {
		t.Error("Exists is wrong about a missing folder, a folder or a file")
	}
}

func TestObsidianConfigs(t *testing.T) {
	home := t.TempDir()
	vars := map[string]string{"HOME": home, "APPDATA": filepath.Join(home, "AppData")}
	getenv := func(key string) string { return vars[key] }
	got := ObsidianConfigs(getenv)
	if len(got) == 0 || filepath.Base(got[0]) != "obsidian.json" {
		t.Fatalf("got %q", got)
	}
	if runtime.GOOS == "linux" { // the one platform with a variable for it
		vars["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
		if got := ObsidianConfigs(getenv)[0]; got != filepath.Join(home, "xdg/obsidian/obsidian.json") {
			t.Errorf("with XDG_CONFIG_HOME: %q", got)
		}
	}
	put(t, ObsidianConfigs(getenv)[0], fmt.Sprintf(`{"vaults":{"a":{"path":%q}}}`, home))
	if found := Discover(getenv); len(found) != 1 || found[0].Path != home {
		t.Errorf("Discover without paths = %v", found)
	}
	if got := ObsidianConfigs(func(string) string { return "" }); len(got) != 0 {
		t.Errorf("without a home: %q", got)
	}
}
