package locks

import (
	"os"

	"golang.org/x/sys/unix"
)

// remoteTypes are the statfs types of file systems that another machine may write to as well. FUSE
// stands for sshfs and virtiofs; that a local encrypted folder counts too costs a click, not a lock.
var remoteTypes = map[uint32]bool{
	unix.NFS_SUPER_MAGIC:   true,
	unix.SMB_SUPER_MAGIC:   true,
	unix.CIFS_SUPER_MAGIC:  true,
	unix.SMB2_SUPER_MAGIC:  true,
	unix.V9FS_MAGIC:        true,
	unix.FUSE_SUPER_MAGIC:  true,
	unix.AFS_SUPER_MAGIC:   true,
	unix.CEPH_SUPER_MAGIC:  true,
	unix.OCFS2_SUPER_MAGIC: true,
	0x01161970:             true, // GFS2
	0x0bd00bd0:             true, // Lustre
	0x786f4256:             true, // VirtualBox shared folder
	0xbacbacbc:             true, // VMware shared folder
}

func remote(f *os.File) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return true
	}
	return remoteTypes[uint32(st.Type)]
}
