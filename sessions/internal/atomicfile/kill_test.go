package atomicfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary runs itself as the process that dies: stepEnv says where, fileEnv what it replaces.
const (
	stepEnv = "ATOMICFILE_DIE_AT"
	fileEnv = "ATOMICFILE_FILE"
)

var oldBytes, newBytes = bytes.Repeat([]byte("old\n"), 5000), bytes.Repeat([]byte("new line\n"), 7000)

func TestMain(m *testing.M) {
	if at := os.Getenv(stepEnv); at != "" {
		fmt.Println(dyingSteps(at).replace(os.Getenv(fileEnv), newBytes, nil))
		os.Exit(3) // only when nothing killed it
	}
	os.Exit(m.Run())
}

// dyingSteps are the real steps, but the process kills itself before or after the one that is named.
func dyingSteps(at string) steps {
	die := func(point string) {
		if point == at {
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		}
	}
	s := system
	s.create = func(path string) (*os.File, error) {
		die("before create")
		defer die("after create")
		return system.create(path)
	}
	s.write = func(f *os.File, data []byte) error {
		f.Write(data[:len(data)/2])
		die("half written")
		_, err := f.Write(data[len(data)/2:])
		return err
	}
	s.sync = func(f *os.File) error {
		die("before sync")
		return f.Sync()
	}
	s.rename = func(a, b string) error {
		die("before rename")
		defer die("after rename")
		return os.Rename(a, b)
	}
	s.wait = func(time.Duration) {}
	return s
}

// A process killed at any step leaves the old file or the new one, whole, and at most a hidden temp file.
func TestReplaceKilled(t *testing.T) {
	points := map[string][]byte{
		"before create": oldBytes, "after create": oldBytes, "half written": oldBytes, "before sync": oldBytes,
		"before rename": oldBytes, "after rename": newBytes,
	}
	for point, want := range points {
		t.Run(point, func(t *testing.T) {
			path := place(t, "note.md", string(oldBytes), 0o640)
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), stepEnv+"="+point, fileEnv+"="+path)
			if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() == 3 {
				t.Fatalf("the process was not killed: %s", out)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %v; want the %d of one version", len(got), err, len(want))
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
			for _, p := range left {
				if base := filepath.Base(p); base != "note.md" && !strings.HasPrefix(base, ".") {
					t.Errorf("left a visible file %s", base)
				}
			}
			if err := Replace(path, []byte("again"), nil); err != nil {
				t.Errorf("the next replacement: %v", err)
			}
		})
	}
}
