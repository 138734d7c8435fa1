package kimi

import (
	"os"
	"strconv"
)

// environment returns the variables that a process of ours was started with, false when they cannot be read. A client
// that changes its title overwrites its arguments, not these (seen with 2.1.0).
func environment(pid int) (lookup func(string) (string, bool), ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || len(b) == 0 {
		return nil, false
	}
	return environ(b), true
}
