package watcher

import "golang.org/x/sys/unix"

// foreignAt names the kind of file system at path when it does not report all changes, else "". When
// it cannot be found out, the answer is "".
func foreignAt(path string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return ""
	}
	return foreignMagic(int64(st.Type)) // narrower on 32-bit machines
}
