package tray

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The toolkit stays behind one package, and its app package, which needs cgo, behind the program.
func TestImports(t *testing.T) {
	for _, tt := range []struct{ pkg, not string }{
		{"berth/tray", "fyne.io/"},
		{"berth/tray/desktop", "fyne.io/"},
		{"berth/tray/icons", "fyne.io/"},
		{"berth/tray/fyneui", "fyne.io/fyne/v2/app"},
		{"berth/tray/fyneui", "github.com/go-gl/"},
		{"berth/tray", "github.com/godbus/"},
		{"berth/tray", "berth/sessions/"}, // only the types, none of the parts
	} {
		out, err := exec.Command("go", "list", "-deps", tt.pkg).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", tt.pkg, err)
		}
		deps := strings.Fields(string(out))
		if i := slices.IndexFunc(deps, func(d string) bool { return strings.HasPrefix(d, tt.not) && !strings.Contains(d, "/internal/") }); i >= 0 {
			t.Errorf("%s imports %s", tt.pkg, deps[i])
		}
	}
}
