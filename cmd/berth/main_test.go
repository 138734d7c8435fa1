package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sessions/vault/vaulttest"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"berth": main, "kimi-code": actClient})
}

// TestScripts runs the program as a user types it, with every home and runtime folder in the script's own.
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../sessions/kimi/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, dir := range map[string]string{
				"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "run",
				"KIMI_CODE_HOME": "kimi", "KIOKU_VAULT_PATH": "vault",
			} {
				e.Setenv(name, filepath.Join(e.WorkDir, dir))
			}
			e.Setenv("FIXTURES", fixtures)
			e.Setenv("TZ", "UTC")
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"copytree":    copyTree,
			"samplevault": sampleVault,
			"exitcode":    exitCodeIs,
			"gone":        gone,
		},
	})
}

// copyTree is "copytree FROM TO"; the copies are an hour old.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
	ts.Check(age(ts.MkAbs(args[1])))
}

// age makes every file below dir an hour old: what was written just now may be in flight, and is judged so.
func age(dir string) error {
	hourAgo := time.Now().Add(-time.Hour)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, hourAgo, hourAgo)
	})
}

// sampleVault is "samplevault DIR": the sample vault of the vault package's tests.
func sampleVault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: samplevault DIR")
	}
	ts.Check(vaulttest.Build(ts.MkAbs(args[0])))
}

// exitCodeIs is "exitcode N ARGS…": runs berth and compares its exit code.
func exitCodeIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N ARGS...")
	}
	err := ts.Exec("berth", args[1:]...)
	code := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		code = strings.TrimPrefix(exit.ProcessState.String(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("berth %s ended with %s (%v), want %s", strings.Join(args[1:], " "), code, err, args[0])
	}
}

// gone is "gone GLOB": nothing matches any more.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if (len(found) > 0) != neg {
		ts.Fatalf("%s: found %v", args[0], found)
	}
}

// TestImports keeps the graphical toolkit, cgo and X out of the command line program.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if strings.HasPrefix(dep, "fyne.io/") || strings.HasPrefix(dep, "berth/tray") || strings.HasPrefix(dep, "github.com/go-gl") {
			t.Errorf("cmd/berth imports %s", dep)
		}
	}
}

// hashTree describes every file below dir: what berth reads must look the same afterwards.
func hashTree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(content)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
