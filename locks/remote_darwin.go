package locks

import (
	"os"

	"golang.org/x/sys/unix"
)

func remote(f *os.File) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return true
	}
	return st.Flags&unix.MNT_LOCAL == 0
}
