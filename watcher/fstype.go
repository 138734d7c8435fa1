package watcher

// The kernel reports what goes through it. What another machine, another kernel or a file system's own
// server does to a file passes it by, so these are polled. A file system that is not listed is taken
// for a local one.

// foreignMagics are values of f_type: statfs(2), linux/magic.h, and the file systems' own sources for
// those that are not part of Linux.
var foreignMagics = map[uint32]string{
	0x00006969: "NFS",
	0x0000517B: "SMB",
	0xFF534D42: "SMB",      // the cifs module
	0xFE534D42: "SMB",      // its SMB2 number
	0x65735546: "FUSE",     // also virtiofs, sshfs, rclone
	0x01021997: "9p",       // WSL 2 drives, virtual machines
	0x53464846: "WSL",      // WSL 1: drvfs and lxfs
	0x786F4256: "vboxsf",   // VirtualBox shared folders
	0xBACBACBC: "vmhgfs",   // VMware shared folders
	0x7C7C6670: "prl_fs",   // Parallels shared folders
	0x5346414F: "AFS",      // OpenAFS
	0x6B414653: "AFS",      // the kernel's own
	0x73757245: "Coda",     //
	0x0000564C: "NCP",      //
	0x00C36400: "Ceph",     //
	0x0BD00BD0: "Lustre",   //
	0x47504653: "GPFS",     //
	0x01161970: "GFS2",     // shared disks: several kernels write
	0x7461636F: "OCFS2",    //
	0x20030528: "OrangeFS", //
	0x19830326: "BeeGFS",   //
	0xAAD7AAEA: "PanFS",    //
	0x61636673: "ACFS",     //
	0x013111A8: "IBRIX",    //
}

// foreignMagic names the file system with this f_type, or returns "" when it is watched. Only the low
// 32 bits count: the field is signed on some machines and wider on others.
func foreignMagic(fsType int64) string { return foreignMagics[uint32(fsType)] }

// localNames are the values of f_fstypename on macOS for which the kernel sees every change.
var localNames = map[string]bool{
	"apfs": true, "hfs": true, "ufs": true, "msdos": true, "exfat": true, "ntfs": true, "udf": true,
	"cd9660": true, "tmpfs": true, "devfs": true, "nullfs": true, "unionfs": true, "zfs": true,
}

// foreignName names the file system with this f_fstypename, or returns "" when it is watched. local is
// the kernel's own word, MNT_LOCAL: a FUSE file system may claim to be local, so an unknown name is not
// believed.
func foreignName(name string, local bool) string {
	if name == "" || (local && localNames[name]) {
		return ""
	}
	return name
}
