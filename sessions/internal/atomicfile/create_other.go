//go:build !linux && !darwin && !windows

package atomicfile

// renameNew: not known here.
func renameNew(string, string) error { return errNoRename }
