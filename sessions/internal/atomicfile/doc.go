// Package atomicfile replaces a file so that readers, a crash and a power cut see the old bytes or the
// new ones and nothing between.
//
// The steps are: a temp file in the same folder, made exclusively; write; mode and owner of the old file;
// sync; a last look at the old file; rename; sync of the folder. The temp file is removed on every error
// path. It stays behind only when the process dies between its creation and the rename; its name starts
// with a dot and ends in ".tmp" ([TempName]), so that stores which hide dot-files do not see it.
//
// The new file is a new inode: hard links are split, and extended attributes and access-control lists
// are not carried over. A caller that cares looks first.
package atomicfile
