package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// private lists what the demo sets for the command it runs: the stores, and folders that keep the
// command apart from the user's own berth.
func private(st *stage) map[string]string {
	return map[string]string{
		"KIMI_CODE_HOME":   st.home(),
		"KIOKU_VAULT_PATH": st.vault(),
		"XDG_CONFIG_HOME":  filepath.Join(st.dir, "config"),
		"XDG_STATE_HOME":   filepath.Join(st.dir, "state"),
		"XDG_CACHE_HOME":   filepath.Join(st.dir, "cache"),
		"XDG_RUNTIME_DIR":  filepath.Join(st.dir, "run"),
	}
}

// environment is base with the demo's own settings, and with the way to the session bus and to the
// Wayland screen, which are otherwise found through XDG_RUNTIME_DIR.
func environment(base []string, st *stage) []string {
	vars := map[string]string{}
	for _, kv := range base {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	if dir := vars["XDG_RUNTIME_DIR"]; dir != "" {
		if vars["DBUS_SESSION_BUS_ADDRESS"] == "" {
			vars["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + filepath.Join(dir, "bus")
		}
		if w := vars["WAYLAND_DISPLAY"]; w != "" && !filepath.IsAbs(w) {
			vars["WAYLAND_DISPLAY"] = filepath.Join(dir, w)
		}
	}
	for name, value := range private(st) {
		vars[name] = value
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	return env
}

// prepareEnvironment makes the private folders, and the file that lets another terminal join.
func prepareEnvironment(st *stage) error {
	var script strings.Builder
	for name, value := range private(st) {
		if err := os.MkdirAll(value, 0o700); err != nil {
			return err
		}
		fmt.Fprintf(&script, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	if err := writeConfig(st); err != nil {
		return err
	}
	file := filepath.Join(st.dir, "env")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		return err
	}
	st.say("to look at it from another terminal:  . '%s'", file)
	return nil
}

// config leaves dead locks where they are, so that they can be looked at, and removed with berth unlock.
const config = "# the demo's own configuration\nreclaim: ask\n"

func writeConfig(st *stage) error {
	dir := filepath.Join(private(st)["XDG_CONFIG_HOME"], "berth")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600)
}
