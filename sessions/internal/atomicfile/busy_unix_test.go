//go:build unix

package atomicfile

import "syscall"

const busyError = syscall.EBUSY
