package locks

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func remote(f *os.File) bool {
	abs, err := filepath.Abs(f.Name())
	if err != nil {
		return true
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(abs) + `\`)
	if err != nil {
		return true
	}
	return windows.GetDriveType(root) != windows.DRIVE_FIXED
}
