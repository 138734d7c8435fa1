//go:build desktop

package desktop

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// screen is a running desktop. Its methods fail the test when something does not work.
type screen struct {
	t   *testing.T
	env []string // what programs on it are started with
}

// startDesktop brings a desktop with these parts up; it is ended with the test.
func startDesktop(t *testing.T, parts string) *screen {
	t.Helper()
	// The exports are for a shell, so a shell turns them into a list.
	cmd := exec.Command("bash", "-c", `env=$(./desktop-up) || exit 1; eval "$env"; exec env -0`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
		"DESKTOP_PARTS=" + parts}
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("desktop-up: %v", err)
	}
	s := &screen{t: t, env: strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")}
	t.Cleanup(func() { s.run("./desktop-down") })
	return s
}

// command prepares a program on this desktop.
func (s *screen) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	return cmd
}

// run runs a program to its end and returns what it printed.
func (s *screen) run(name string, args ...string) string {
	s.t.Helper()
	out, err := s.command(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// bus connects to the desktop's session bus.
func (s *screen) bus() *dbus.Conn {
	s.t.Helper()
	c, err := dbus.Connect(s.lookup("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

func (s *screen) lookup(name string) string {
	for _, kv := range s.env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// shot keeps a picture of the screen under a name and returns it.
func (s *screen) shot(name string) image.Image {
	s.t.Helper()
	dir := filepath.Join("..", "..", "build", "screenshots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(dir, name+".png")
	s.run("import", "-window", "root", file)
	content, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		s.t.Fatal(err)
	}
	return picture
}

// click clicks a mouse button (1 is the left one) at a place on the screen.
func (s *screen) click(at image.Point, button int) {
	s.t.Helper()
	s.run("xdotool", "mousemove", fmt.Sprint(at.X), fmt.Sprint(at.Y), "click", fmt.Sprint(button))
}

// key presses a key such as "Return" or "ctrl+q" in the focused window.
func (s *screen) key(name string) {
	s.t.Helper()
	s.run("xdotool", "key", "--clearmodifiers", name)
}

// windows returns the visible windows of a process that have our title.
func (s *screen) windows(pid int) []string {
	// xdotool fails when there is none.
	out, _ := s.command("xdotool", "search", "--all", "--onlyvisible", "--pid", fmt.Sprint(pid), "--name", "^berth$").Output()
	return strings.Fields(string(out))
}

// trayIcon and trayMenu are what the panel's tray shows: its only icon, and the menu that it opened. They
// are told apart by their size; the rectangle is empty while there is none.
func (s *screen) trayIcon() image.Rectangle {
	return s.panelWindow(func(size image.Point) bool { return size.X >= 16 && size.Y >= 16 && size.Y < 64 })
}

func (s *screen) trayMenu() image.Rectangle {
	return s.panelWindow(func(size image.Point) bool { return size.Y >= 64 })
}

// panelWindow finds a window of the process in which the panel runs its tray.
func (s *screen) panelWindow(fits func(size image.Point) bool) image.Rectangle {
	out, _ := s.command("xdotool", "search", "--onlyvisible", "--class", "wrapper-2.0").Output()
	for _, id := range strings.Fields(string(out)) {
		var w, x, y, width, height, screen int
		geometry, _ := s.command("xdotool", "getwindowgeometry", "--shell", id).Output()
		fmt.Sscanf(string(geometry), "WINDOW=%d\nX=%d\nY=%d\nWIDTH=%d\nHEIGHT=%d\nSCREEN=%d", &w, &x, &y, &width, &height, &screen)
		if x >= 0 && fits(image.Pt(width, height)) {
			return image.Rect(x, y, x+width, y+height)
		}
	}
	return image.Rectangle{}
}

// middle is where to click on r.
func middle(r image.Rectangle) image.Point { return r.Min.Add(r.Size().Div(2)) }

// highlighted returns where the button is that a dialog recommends: the one in the theme's primary colour
// (fyneui's palette, dark or light). The rectangle is empty while there is none that can be pressed. Thin
// things in that colour, such as the caret of a text, are no buttons.
func highlighted(picture image.Image) image.Rectangle {
	const minRun = 12
	var button image.Rectangle
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		run := 0
		for x := b.Min.X; x < b.Max.X; x++ {
			if !primary(picture.At(x, y)) {
				run = 0
				continue
			}
			if run++; run >= minRun {
				button = button.Union(image.Rect(x+1-run, y, x+1, y+1))
			}
		}
	}
	return button
}

func primary(c color.Color) bool {
	n := color.NRGBAModel.Convert(c)
	return n == color.NRGBA{0x58, 0xaa, 0xf5, 0xff} || n == color.NRGBA{0x15, 0x68, 0xc4, 0xff}
}

// patience is how long anything may take. A run on a quiet machine needs a fraction of a second each.
const patience = 20 * time.Second

// eventually asks until ok says yes, and fails the test when it does not for too long.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		<-tick.C
	}
}
