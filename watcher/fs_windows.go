package watcher

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// foreignAt: see fs_linux.go. Paths like \\server\share and \\wsl$\distribution are remote drives too.
func foreignAt(path string) string {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return ""
	}
	if windows.GetDriveType(volume) == windows.DRIVE_REMOTE {
		return "network drive"
	}
	return ""
}
