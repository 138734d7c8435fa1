package atomicfile

import "golang.org/x/sys/windows"

const busyError = windows.ERROR_SHARING_VIOLATION
