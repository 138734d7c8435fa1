// Package desktop answers what the desktop session offers: a display, a session bus, a host for tray icons,
// a way to show a folder. It is the owner of D-Bus in berth. It draws nothing and knows no Sessions.
//
// On Linux and the BSDs the tray is on the session bus, and any part of it may be missing or come later. On
// macOS and Windows the system itself is display, bus and host, and the answers here are always yes.
package desktop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNoDisplay means that no window can be opened.
var ErrNoDisplay = errors.New("no display")

// ErrNotFolder means that OpenFolder was given something that is not a directory.
var ErrNotFolder = errors.New("not a folder")

// OpenFolder shows dir in the user's file manager and returns when that was started (some openers stay until it is
// closed). dir may come from a file that anybody wrote: unless it is an absolute path of a directory, nothing
// is started and the error is ErrNotFolder, since an opener would run or open whatever else it is.
func OpenFolder(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("open %q: %w", dir, ErrNotFolder)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("open %q: %w", dir, ErrNotFolder)
	}
	out, err := exec.Command(opener(runtime.GOOS), dir).CombinedOutput()
	if err != nil && runtime.GOOS != "windows" { // explorer.exe returns 1 when all went well
		return fmt.Errorf("open folder with %s: %w: %s", opener(runtime.GOOS), err, strings.TrimSpace(string(out)))
	}
	return nil
}

func opener(goos string) string {
	switch goos {
	case "darwin":
		return "open"
	case "windows":
		return "explorer.exe"
	}
	return "xdg-open"
}
