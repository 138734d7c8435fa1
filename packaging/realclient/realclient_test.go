//go:build realclient && linux

package realclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const version = "2.1.0"

// install returns the client's program. It skips the test when the packages cannot be fetched.
func install(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "build", "realclient-"+version))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("./install.sh", dir, version)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 4 {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		t.Skip(lines[len(lines)-1])
	}
	if err != nil {
		t.Fatalf("install the client: %v\n%s", err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// world is a user's home with the real client, its fake model, and berth.
type world struct {
	kimi, berth string
	root        string // acts as the user's home directory
	model       *model
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{kimi: install(t), berth: os.Getenv("BERTH"), root: t.TempDir(), model: newModel(t)}
	if w.berth == "" {
		w.berth, _ = filepath.Abs(filepath.Join("..", "..", "build", "berth"))
	}
	if err := os.MkdirAll(w.home(), 0o700); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`default_model = "fake/echo"

[providers.fake]
type = "openai"
base_url = "%s/v1"
api_key = "not-a-key"

[models."fake/echo"]
provider = "fake"
model = "echo"
max_context_size = 131072
`, w.model.URL)
	if err := os.WriteFile(filepath.Join(w.home(), "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) home() string { return filepath.Join(w.root, ".kimi-code") }

// work returns a work folder by its name.
func (w *world) work(name string) string { return filepath.Join(w.root, "work", name) }

// command prepares a program with this home and nothing of the user's own.
func (w *world) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = w.root
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + w.root, "KIMI_CODE_HOME=" + w.home(),
		"XDG_CONFIG_HOME=" + filepath.Join(w.root, "config"), "XDG_STATE_HOME=" + filepath.Join(w.root, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(w.root, "cache"), "XDG_RUNTIME_DIR=" + filepath.Join(w.root, "run"),
	}
	return cmd
}

// client is a started client process.
type client struct {
	*exec.Cmd
	out bytes.Buffer
}

// start starts the client in a work folder; whatever happens, it is gone when the test ends.
func (w *world) start(t *testing.T, name string, args ...string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	c := &client{Cmd: w.command(ctx, w.kimi, args...)}
	c.Dir, c.Stdout, c.Stderr = w.work(name), &c.out, &c.out
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// finish waits for the client and checks its exit code.
func (c *client) finish(t *testing.T, code int) {
	t.Helper()
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != code {
		t.Errorf("kimi %q ended with %d, want %d:\n%s", c.Args[1:], got, code, &c.out)
	}
}

// settled says that a session is open and nobody is at work in it.
func settled(reason string) func(row) bool {
	return func(r row) bool { return r.Status == "active" && !r.Work.Busy && r.Work.LastTurnReason == reason }
}

// heldBy says that a turn runs in a session, and that its process is known.
func heldBy(pid int) func(row) bool {
	return func(r row) bool {
		return r.Status == "occupied" && r.Work.Busy && r.has("busy") && r.Holder != nil && r.Holder.PID == pid
	}
}

const soon = 10 * time.Second

// TestRealClient lets real clients work and compares what berth says with what they do. The scenes build
// on one another.
func TestRealClient(t *testing.T) {
	w := newWorld(t)
	watch := startWatch(t, w.command(context.Background(), w.berth, "watch", "--json"))
	scenes := []struct {
		name string
		play func(*world, *testing.T, *watcher)
	}{
		{"prints", (*world).prints},
		{"resume", (*world).resume},
		{"interleave", (*world).interleave},
		{"kill", (*world).kill},
		{"seen within a second", (*world).seen},
		{"berth changes nothing", (*world).untouched},
	}
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) { s.play(w, t, watch) })
	}
}

// prints makes three sessions of one turn each.
func (w *world) prints(t *testing.T, watch *watcher) {
	tests := []struct {
		folder, prompt, reason string
		code                   int
	}{
		{"plain", "hello there", "completed", 0},
		{"my project ünïcode 项目", "run something [tool]", "completed", 0},
		{"failed", "please [fail]", "failed", 1},
	}
	for _, tt := range tests {
		w.start(t, tt.folder, "-p", tt.prompt).finish(t, tt.code)
		r := watch.await(t, w.work(tt.folder), tt.folder+" is settled", soon, settled(tt.reason))
		if r.Title != tt.prompt {
			t.Errorf("title = %q, want the first prompt %q", r.Title, tt.prompt)
		}
	}
}

// resume adds a turn to a session and looks at it while the model is silent.
func (w *world) resume(t *testing.T, watch *watcher) {
	c := w.start(t, "plain", "-c", "-p", "and again [hold]")
	watch.await(t, w.work("plain"), "the resumed session is held", soon, heldBy(c.Process.Pid))
	w.model.release("")
	c.finish(t, 0)
	watch.await(t, w.work("plain"), "the resumed session is settled", soon, settled("completed"))
}

// interleave lets a second client write a whole turn inside the turn of a first.
func (w *world) interleave(t *testing.T, watch *watcher) {
	first := w.start(t, "shared", "-p", "hold me [hold]")
	r := watch.await(t, w.work("shared"), "the first writer holds it", soon, heldBy(first.Process.Pid))
	w.start(t, "shared", "-S", r.ID, "-p", "second writer").finish(t, 0)
	watch.await(t, w.work("shared"), "the first writer still holds it", soon, heldBy(first.Process.Pid))
	w.model.release("")
	first.finish(t, 0)
	watch.await(t, w.work("shared"), "it is settled, and the two writers have left their mark", soon, func(r row) bool {
		return settled("completed")(r) && r.has("two-writers")
	})
}

// kill ends a client in the middle of a turn.
func (w *world) kill(t *testing.T, watch *watcher) {
	c := w.start(t, "killed", "-p", "killed in the middle [hold]")
	watch.await(t, w.work("killed"), "it is held", soon, heldBy(c.Process.Pid))
	c.Process.Kill()
	c.finish(t, -1)
	watch.await(t, w.work("killed"), "it is interrupted", soon, func(r row) bool {
		return r.Status == "stale" && slices.Equal(r.Reasons, []string{"interrupted"}) && !r.Work.Busy
	})
}

// seen checks how soon each of the sessions was named.
func (w *world) seen(t *testing.T, watch *watcher) {
	if n := len(watch.all()); n != 5 {
		t.Errorf("%d sessions, want 5", n)
	}
	for _, r := range watch.all() {
		d := watch.delay(t, r.Path)
		t.Logf("%s was seen %v after its folder was made", filepath.Base(r.WorkDir), d.Round(time.Millisecond))
		if d > time.Second {
			t.Errorf("%s was seen only %v after its folder was made", r.WorkDir, d)
		}
	}
}

// untouched reads the quiet home in every way there is and compares all that is in it.
func (w *world) untouched(t *testing.T, _ *watcher) {
	before := tree(t, w.home())
	for _, args := range [][]string{
		{"list", "--all", "--json"}, {"list", "--all", "--no-service"}, {"locks"}, {"doctor"}, {"serve", "--once"},
	} {
		if out, err := w.command(t.Context(), w.berth, args...).CombinedOutput(); err != nil {
			t.Errorf("berth %q: %v\n%s", args, err, out)
		}
	}
	if after := tree(t, w.home()); !slices.Equal(before, after) {
		t.Errorf("the home was\n%s\nand is now\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// tree describes everything below dir, one line each: name, mode, size, time of change, content.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
