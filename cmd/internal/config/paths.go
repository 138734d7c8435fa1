package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// Paths are the places of our own files. None of them is ever inside a store.
type Paths struct {
	Config  string // the configuration file
	State   string // folder: lock files of our own, what was remembered
	Runtime string // folder, private to the user: the socket
}

// Socket is where the local API listens.
func (p Paths) Socket() string { return filepath.Join(p.Runtime, "api.sock") }

// Instance is the file whose lock says that a service runs.
func (p Paths) Instance() string { return filepath.Join(p.Runtime, "service.lock") }

// Locks is the folder of the locks taken around a write.
func (p Paths) Locks() string { return filepath.Join(p.State, "locks") }

// Witnesses is the file that remembers which process was seen with which lock.
func (p Paths) Witnesses() string { return filepath.Join(p.State, "witnesses.json") }

// Reclaimed is the folder where removed locks are kept.
func (p Paths) Reclaimed() string { return filepath.Join(p.State, "reclaim") }

// Images is the folder where files are kept as they were before an edit.
func (p Paths) Images() string { return filepath.Join(p.State, "before") }

// News is the file that remembers what a person was told.
func (p Paths) News() string { return filepath.Join(p.State, "news.jsonl") }

// Audit is the trail of what was done.
func (p Paths) Audit() string { return filepath.Join(p.State, "audit.jsonl") }

// Projects is the file that remembers where projects have their folders.
func (p Paths) Projects() string { return filepath.Join(p.State, "projects.json") }

// DefaultPaths follows the XDG variables on Linux and the platform's own places elsewhere; an XDG variable
// that is set wins everywhere, so that tests can point berth at folders of theirs.
func DefaultPaths(env func(string) string) Paths {
	home := env("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	config, state := platformDirs(env, home)
	p := Paths{
		Config: filepath.Join(first(env("XDG_CONFIG_HOME"), config), "berth", "config.yaml"),
		State:  filepath.Join(first(env("XDG_STATE_HOME"), state), "berth"),
	}
	p.Runtime = filepath.Join(p.State, "run")
	if dir := env("XDG_RUNTIME_DIR"); dir != "" {
		p.Runtime = filepath.Join(dir, "berth")
	}
	if file := env("BERTH_CONFIG"); file != "" {
		p.Config = file
	}
	return p
}

func platformDirs(env func(string) string, home string) (config, state string) {
	switch runtime.GOOS {
	case "darwin":
		dir := filepath.Join(home, "Library", "Application Support")
		return dir, dir
	case "windows":
		return env("APPDATA"), env("LOCALAPPDATA")
	}
	return filepath.Join(home, ".config"), filepath.Join(home, ".local", "state")
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
