package watcher

import "golang.org/x/sys/unix"

// foreignAt: see fs_linux.go.
func foreignAt(path string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return ""
	}
	return foreignName(unix.ByteSliceToString(st.Fstypename[:]), st.Flags&unix.MNT_LOCAL != 0)
}
