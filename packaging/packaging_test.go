// Package packaging holds no code of the product, only what ships it. Its test keeps the names that
// desktops, installers and the code share from drifting apart.
package packaging

import (
	"go/ast"
	"go/parser"
	"go/token"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	fyneApp = "../FyneApp.toml"
	desktop = "linux/org.berth.Berth.desktop"
)

// setting returns the value of a "key = value" line, without quotes; both TOML and desktop files have
// such lines.
func setting(t *testing.T, file, key string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(key) + `\s*=\s*(.*?)\s*$`).FindSubmatch(content)
	if m == nil {
		t.Fatalf("%s has no %s", file, key)
	}
	return strings.Trim(string(m[1]), `"`)
}

// literals returns the strings that the non-test Go files of a folder contain.
func literals(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					found = append(found, s)
				}
			}
			return true
		})
	}
	return found
}

func TestNamesAgree(t *testing.T) {
	id := setting(t, fyneApp, "ID")
	tests := []struct{ what, got, want string }{
		{"name of the desktop file", filepath.Base(desktop), id + ".desktop"},
		{"Icon of the desktop file", setting(t, desktop, "Icon"), id},
		{"Name of the desktop file", setting(t, desktop, "Name"), setting(t, fyneApp, "Name")},
		{"GenericName", setting(t, desktop, "GenericName"), setting(t, fyneApp, "GenericName")},
		{"Comment", setting(t, desktop, "Comment"), setting(t, fyneApp, "Comment")},
		{"program of the desktop file", strings.Fields(setting(t, desktop, "Exec"))[0], "berth-tray"},
		{"Fyne's threading", setting(t, fyneApp, "fyneDo"), "true"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s is %q, want %q", tt.what, tt.got, tt.want)
		}
	}
}

func TestCodeAgrees(t *testing.T) {
	if id := setting(t, fyneApp, "ID"); !slices.Contains(literals(t, "../cmd/berth-tray"), id) {
		t.Errorf("cmd/berth-tray does not name itself %s", id)
	}
	version := setting(t, fyneApp, "Version")
	if all := literals(t, "../cmd/internal/daemon"); !slices.Contains(all, version) && !slices.Contains(all, version+"-dev") {
		t.Errorf("the code has another version than %s", version)
	}
	for _, program := range []string{"berth", "berth-tray"} {
		if _, err := os.Stat(filepath.Join("..", "cmd", program, "main.go")); err != nil {
			t.Errorf("program %s: %v", program, err)
		}
	}
}

func TestIconIsThere(t *testing.T) {
	f, err := os.Open(filepath.Join("..", setting(t, fyneApp, "Icon")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil || c.Width < 256 || c.Width != c.Height {
		t.Errorf("icon is %d by %d, %v; want a square PNG of 256 or more", c.Width, c.Height, err)
	}
}

func TestScriptsAreExecutable(t *testing.T) {
	for _, name := range []string{"run", "test", "install", "desktop/desktop-up", "desktop/desktop-down", "realclient/install.sh", "../.ci/run"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s: %v, not executable", name, err)
		}
	}
}
