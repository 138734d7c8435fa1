package vault

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// EnvPath is the environment variable that names Kioku's vault (its docs/configuration-reference.md).
const EnvPath = "KIOKU_VAULT_PATH"

// Found is a vault and where its path comes from. The folder need not exist.
type Found struct {
	Path   string // absolute
	Origin string // EnvPath, or the path of the file that names it
}

// Discover returns the vaults that this user has: Kioku's from the environment, and those in Obsidian's
// own list. getenv is os.Getenv or a test's. Without obsidianConfigs the places of [ObsidianConfigs] are
// read. A file that is missing or broken names none. Each vault comes once, with its first origin.
func Discover(getenv func(string) string, obsidianConfigs ...string) []Found {
	var all []Found
	add := func(path, from string) {
		path, err := filepath.Abs(path)
		if err == nil && !slices.ContainsFunc(all, func(f Found) bool { return f.Path == path }) {
			all = append(all, Found{path, from})
		}
	}
	if path := strings.TrimSpace(getenv(EnvPath)); path != "" {
		add(path, EnvPath)
	}
	if len(obsidianConfigs) == 0 {
		obsidianConfigs = ObsidianConfigs(getenv)
	}
	for _, config := range obsidianConfigs {
		for _, path := range obsidianVaults(config) {
			add(path, config)
		}
	}
	return all
}

// obsidianVaults returns the absolute paths in an obsidian.json, which maps ids to objects with a path.
// They are sorted, since ids and their order mean nothing.
func obsidianVaults(config string) []string {
	b, err := readSmall(config)
	if err != nil {
		return nil
	}
	var list struct {
		Vaults map[string]json.RawMessage `json:"vaults"`
	}
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	var paths []string
	for _, raw := range list.Vaults {
		var v struct{ Path string }
		if json.Unmarshal(raw, &v) == nil && filepath.IsAbs(v.Path) {
			paths = append(paths, v.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// ObsidianConfigs returns where Obsidian keeps its list of vaults on this platform, most usual first:
// the user's configuration folder, and on Linux those of its Flatpak and Snap.
func ObsidianConfigs(getenv func(string) string) []string {
	var files []string
	for _, d := range obsidianDirs(getenv) {
		if filepath.IsAbs(d) {
			files = append(files, filepath.Join(d, "obsidian", "obsidian.json"))
		}
	}
	return files
}

// under joins a folder of the home, "" without a home.
func under(home, rel string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(rel))
}

// Exists reports whether the vault's folder is there.
func (f Found) Exists() bool {
	fi, err := os.Stat(f.Path)
	return err == nil && fi.IsDir()
}
