//go:build !linux && !darwin && !windows

package locks

import "os"

func remote(*os.File) bool { return true }
