//go:build desktop

package desktop

import (
	"bytes"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/packaging/desktop/sni"
	"berth/sessions/vault/vaulttest"

	"github.com/godbus/dbus/v5"
)

// program is a running berth-tray.
type program struct {
	cmd   *exec.Cmd
	out   bytes.Buffer // complete when ended is closed
	ended chan struct{}
}

// start starts berth-tray with settings on top of the desktop's. It is ended with the test, and its log
// must be free of Fyne's complaints about wrong goroutines.
func (s *screen) start(settings []string, args ...string) *program {
	s.t.Helper()
	p := &program{cmd: s.command(binary(s.t), args...), ended: make(chan struct{})}
	p.cmd.Env = slices.Concat(s.env, settings)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { defer close(p.ended); p.cmd.Wait() }()
	s.t.Cleanup(func() {
		p.cmd.Process.Kill() // it has ended already when all went well
		<-p.ended
		if strings.Contains(p.out.String(), "Error in Fyne call thread") || s.t.Failed() {
			s.t.Errorf("berth-tray printed:\n%s", &p.out)
		}
	})
	return p
}

func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("BERTH_TRAY"); path != "" {
		return path
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "build", "berth-tray-checked"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (p *program) pid() int { return p.cmd.Process.Pid }

// finish waits until the program ended by itself and checks its exit code.
func (p *program) finish(t *testing.T, code int) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("berth-tray does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}

// item returns the program's icon on the bus, nil while there is none.
func item(t *testing.T, bus *dbus.Conn, p *program) *sni.Item {
	t.Helper()
	items, err := sni.Items(bus)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if it.PID == uint32(p.pid()) {
			return &it
		}
	}
	return nil
}

// menu returns the program's menu as text, nil while there is none.
func menu(t *testing.T, bus *dbus.Conn, p *program) []string {
	t.Helper()
	it := item(t, bus, p)
	if it == nil {
		return nil
	}
	m, err := it.Menu()
	if err != nil {
		return nil
	}
	return m.Lines()
}

// sample makes a small vault: two notes that cannot be told apart, and a third. It returns the settings
// that point berth at it and at no other store.
func sample(t *testing.T) (vault string, settings []string) {
	t.Helper()
	vault = t.TempDir()
	for _, n := range vaulttest.Notes() {
		if !slices.Contains([]string{"shop-a", "shop-b", "started"}, n.Name) {
			continue
		}
		path := filepath.Join(vault, filepath.FromSlash(n.Key))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(n.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Minute)
		if n.Name == "shop-b" {
			at = at.Add(30 * time.Second)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return vault, []string{"KIOKU_VAULT_PATH=" + vault, "KIMI_CODE_HOME=" + t.TempDir()}
}

// ambiguousRows are the two notes of one client in one project, the one that was written last first.
var ambiguousRows = []string{"○ Fix the total of the cart — codex-cli · shop · 07-18 20:00", "○ Price list in two currencies — codex-cli · shop · 07-18 20:00"}

// TestTray is one sitting at the desktop; the steps build on one another.
func TestTray(t *testing.T) {
	s := startDesktop(t, "wm tray notify")
	vault, settings := sample(t)
	bus := s.bus()
	p := s.start(settings, "--hidden")

	step := func(name string, f func(*testing.T)) {
		if !t.Failed() {
			t.Run(name, f)
			s.shot(strings.ReplaceAll(name, " ", "-"))
		}
	}
	step("icon and menu appear", func(t *testing.T) { iconAndMenu(t, s, bus, p) })
	step("nothing is sent while nothing happens", func(t *testing.T) { silence(t, bus) })
	step("a click on the icon shows the window", func(t *testing.T) {
		s.click(middle(s.trayIcon()), 1)
		eventually(t, "the window is there", func() bool { return len(s.windows(p.pid())) == 1 })
	})
	step("a note is closed by mouse", func(t *testing.T) { closeNote(t, s, bus, p, vault) })
	step("the icon survives the panel", func(t *testing.T) {
		s.run("./desktop-down", "tray")
		eventually(t, "the icon is gone", func() bool { return s.trayIcon().Empty() })
		s.run("./desktop-up", "tray")
		eventually(t, "the icon is back", func() bool { return item(t, bus, p) != nil && !s.trayIcon().Empty() })
	})
	step("a second start raises the window", func(t *testing.T) {
		s.key("ctrl+w")
		eventually(t, "the window is hidden", func() bool { return len(s.windows(p.pid())) == 0 })
		s.start(settings).finish(t, 0)
		eventually(t, "the window is back", func() bool { return len(s.windows(p.pid())) == 1 })
	})
	step("quit quits", func(t *testing.T) {
		s.pick(t, menu(t, bus, p), `"Quit"`)
		p.finish(t, 0)
	})
}

func iconAndMenu(t *testing.T, s *screen, bus *dbus.Conn, p *program) {
	want := []string{
		`"Ambiguous (2)" disabled`,
		`"` + ambiguousRows[0] + `"`,
		`"` + ambiguousRows[1] + `"`,
		`----`,
		`"Recent" disabled`,
		`"○ Add retry to the uploader — demo"`,
		`----`,
		`"Open berth"`,
		`"Quit"`,
	}
	var got []string
	eventually(t, "the menu is complete", func() bool {
		got = menu(t, bus, p)
		return slices.Contains(got, want[0])
	})
	if !slices.Equal(got, want) {
		t.Errorf("menu is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	it := item(t, bus, p)
	if icon, err := it.Icon(); err != nil || icon.Bounds().Dx() < 16 {
		t.Errorf("icon: %v", err)
	}
	if it.Tooltip() != "berth: 2 ambiguous" {
		t.Errorf("tooltip = %q", it.Tooltip())
	}
	eventually(t, "the panel shows the icon", func() bool { return !s.trayIcon().Empty() })
	if w := s.windows(p.pid()); len(w) > 0 {
		t.Errorf("a hidden start shows the windows %v", w)
	}
}

// silence checks that an icon at rest leaves the panel alone (bug B124: an open menu closed every two
// seconds). What was sent at the start may still be on its way.
func silence(t *testing.T, bus *dbus.Conn) {
	signals, err := sni.Signals(bus)
	if err != nil {
		t.Fatal(err)
	}
	const rest = 3 * time.Second
	last := "none"
	for quiet, over := time.After(rest), time.After(patience); ; quiet = time.After(rest) {
		select {
		case sig := <-signals:
			last = sig.Name + " from " + sig.Sender
		case <-quiet:
			return
		case <-over:
			t.Fatalf("signals keep coming, the last was %s", last)
		}
	}
}

// closeNote goes through the panel's menu and the dialog of the window by mouse.
func closeNote(t *testing.T, s *screen, bus *dbus.Conn, p *program, vault string) {
	s.pick(t, menu(t, bus, p), `"`+ambiguousRows[0]+`"`)
	var button image.Rectangle
	eventually(t, "the dialog can be confirmed", func() bool {
		button = highlighted(s.shot("the-dialog-opens"))
		return !button.Empty()
	})
	s.run("xdotool", "type", "closed by mouse")
	s.shot("the-dialog-is-filled-in")
	s.click(middle(button), 1)
	eventually(t, "one of the two notes is done", func() bool {
		return strings.Count(notes(t, vault), "\nstatus: done\n") == 1
	})
	all := notes(t, vault)
	for text, n := range map[string]int{"**Outcome:** closed by mouse": 1, "## Session ended": 1, "ended_at:": 1, "\nstatus: active\n": 2} {
		if strings.Count(all, text) != n {
			t.Errorf("%q is %d times in the vault, want %d:\n%s", text, strings.Count(all, text), n, all)
		}
	}
	eventually(t, "nothing is ambiguous any more", func() bool {
		rows := menu(t, bus, p)
		return len(rows) > 0 && !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, "Ambiguous") })
	})
}

// notes returns all notes of a vault, one after another.
func notes(t *testing.T, vault string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vault, "Projects", "*", "sessions", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, content...)
	}
	return string(all)
}

// pick opens the icon's menu in the panel and clicks the first row that reads like row. The panel does not
// tell where its rows are; they share its height evenly, but for the separators.
func (s *screen) pick(t *testing.T, rows []string, row string) {
	t.Helper()
	s.click(middle(s.trayIcon()), 3)
	var m image.Rectangle
	eventually(t, "the panel's menu is open", func() bool { m = s.trayMenu(); return !m.Empty() })
	s.shot("the-menu-is-open")
	separators := 0
	for _, r := range rows {
		if r == "----" {
			separators++
		}
	}
	height := float64(m.Dy()-separators) / float64(len(rows)-separators)
	y := float64(m.Min.Y)
	for _, r := range rows {
		switch r {
		case row:
			s.click(image.Pt(m.Min.X+60, int(y+height/2)), 1)
			return
		case "----":
			y++
		default:
			y += height
		}
	}
	t.Fatalf("no row %s among\n%s", row, strings.Join(rows, "\n"))
}

// Without a session bus there is no icon; the window is all there is, and quitting must not crash (B122).
func TestWithoutSessionBus(t *testing.T) {
	s := startDesktop(t, "wm")
	_, settings := sample(t)
	settings = append(settings, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	for _, quit := range []struct {
		name string
		do   func(p *program)
	}{
		{"by key", func(*program) { s.key("ctrl+q") }},
		{"by closing the window", func(*program) { s.key("alt+F4") }},
		{"by SIGTERM", func(p *program) { p.cmd.Process.Signal(syscall.SIGTERM) }},
	} {
		t.Run(quit.name, func(t *testing.T) {
			p := s.start(settings)
			eventually(t, "the window is there", func() bool { return len(s.windows(p.pid())) == 1 })
			s.run("xdotool", "windowactivate", "--sync", s.windows(p.pid())[0])
			s.shot("without-session-bus")
			quit.do(p)
			p.finish(t, 0)
		})
	}
}

// Without a tray host a hidden start stays hidden, a second start shows the window, and closing that ends
// the program, since nothing could bring it back (B121, B146).
func TestWithoutTrayHost(t *testing.T) {
	s := startDesktop(t, "wm")
	_, settings := sample(t)
	p := s.start(settings, "--hidden")
	eventually(t, "the first listens for a second", func() bool {
		_, err := os.Stat(filepath.Join(s.lookup("XDG_RUNTIME_DIR"), "berth", "tray.sock"))
		return err == nil
	})
	s.start(settings).finish(t, 0)
	eventually(t, "the window is there", func() bool { return len(s.windows(p.pid())) == 1 })
	s.run("xdotool", "windowactivate", "--sync", s.windows(p.pid())[0])
	s.shot("without-tray-host")
	s.key("ctrl+w")
	p.finish(t, 0)
}

// When the session bus dies there is no icon any more, and everything else goes on.
func TestSessionBusDies(t *testing.T) {
	s := startDesktop(t, "wm tray")
	vault, settings := sample(t)
	bus := s.bus()
	p := s.start(settings)
	eventually(t, "the icon is there", func() bool { return item(t, bus, p) != nil })
	s.run("./desktop-down", "dbus")
	// Two notes less that cannot be told apart: something else to show.
	if err := os.RemoveAll(filepath.Join(vault, "Projects", "shop")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the window is there", func() bool { return len(s.windows(p.pid())) == 1 })
	s.start(settings).finish(t, 0) // it answers a second start
	s.shot("the-session-bus-died")
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.finish(t, 0)
}

func TestWithoutDisplay(t *testing.T) {
	cmd := exec.Command(binary(t))
	cmd.Env = []string{"HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != 1 {
		t.Errorf("exit code %d, %v, want 1", code, err)
	}
	if !bytes.Contains(out, []byte("berth serve")) || bytes.Contains(out, []byte("goroutine ")) {
		t.Errorf("it says %q, want plain words that name berth serve", out)
	}
}
