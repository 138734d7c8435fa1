//go:build !windows

package locks

func heldWithoutSharing(error) bool { return false }
