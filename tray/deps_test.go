package tray

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// The toolkit stays out of what decides, and its app package, which needs cgo, out of what is tested.
func TestDependencies(t *testing.T) {
	for _, tt := range []struct{ pkg, not string }{
		{"berth/tray", "fyne.io/"},
		{"berth/tray", "github.com/godbus/"},
		{"berth/tray/desktop", "fyne.io/"},
		{"berth/tray/icons", "fyne.io/"},
		{"berth/tray/fyneui", "fyne.io/fyne/v2/app"},
		{"berth/tray/fyneui", "github.com/go-gl/"},
	} {
		deps := goList(t, "-deps", tt.pkg)
		if i := slices.IndexFunc(deps, func(d string) bool { return strings.HasPrefix(d, tt.not) }); i >= 0 {
			t.Errorf("%s depends on %s", tt.pkg, deps[i])
		}
	}
}

// Outside packages of the desktop have one owner each.
func TestOwners(t *testing.T) {
	owners := map[string][]string{
		"fyne.io/fyne/v2/app":     {"berth/cmd/berth-tray"},
		"fyne.io/systray":         {"berth/tray/fyneui"},
		"fyne.io/fyne/v2/widget":  {"berth/tray/fyneui"},
		"github.com/godbus/dbus/": {"berth/tray/desktop"},
	}
	for _, line := range goList(t, "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "berth/cmd/...", "berth/tray/...", "berth/sessions/...", "berth/watcher/...", "berth/locks/...") {
		words := strings.Fields(line)
		for _, imported := range words[1:] {
			for outside, allowed := range owners {
				if strings.HasPrefix(imported, outside) && !slices.Contains(allowed, words[0]) {
					t.Errorf("%s imports %s", words[0], imported)
				}
			}
		}
	}
}
