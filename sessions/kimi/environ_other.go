//go:build !linux

package kimi

// environment is not known here.
func environment(int) (lookup func(string) (string, bool), ok bool) { return nil, false }
