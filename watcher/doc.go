// Package watcher turns directories into coalesced batches of changed paths. It knows nothing of
// Sessions.
//
// # Guarantees
//
//   - A batch is a set of hints. A path may be reported twice, late, or not at all; the reader looks
//     at the disk. [Batch.Rescan] names the roots about which nothing may be assumed any more.
//   - The first batch names every root in Rescan, whatever the state of the root, and comes when all
//     watches are set. A reader that lists the roots when it gets that batch, and not before, misses
//     nothing. With many directories it takes a while: about 30 µs for each with warm caches.
//   - The first change of a quiet path is sent at once. Changes that follow are merged per path and
//     sent after [Config.Quiet] without a change, at the latest after [Config.Ceiling]. Rescans are
//     merged by the same rule.
//   - A directory that appears is listed after its watch is set, so nothing made in between is lost.
//   - Names are reported even when nothing has them any more, such as those of temporary files.
//   - When events may have been lost (queue overflow, wake-up from sleep), all watches are set anew,
//     and then every root is named in Rescan. A root that went away, came back, or can no longer be
//     watched is named itself.
//   - There is no order among the events of a batch.
//   - While the reader is slow the Watcher goes on draining the kernel's queue and merges. Beyond some
//     thousand changed paths of one root, the root is named in Rescan instead.
//   - Only names, contents and metadata are watched: reading the files makes no events.
//   - While everything is watched and nothing happens, there is one timer, of 30 seconds.
//
// # Roots
//
// A root that does not exist is waited for by watching its nearest existing parent. A root whose parent
// is renamed, or that is mounted over, makes no event; that is found within 30 seconds. Symbolic links
// below a root are not followed. Roots may overlap. Two paths that lead to one directory by way of
// symbolic links or bind mounts do not work together: the root that comes second is polled.
//
// # Budget
//
// The owner of a tree says per directory whether it is always watched ([Pinned]), watched only while
// it is hot ([Budgeted]), or never ([Skip]). A Budgeted directory is hot when it is new, when something
// changes in it, or after [Watcher.Touch]. At the start the budget is filled with those that changed
// last. Budgeted directories beyond the budget are given up, the one used longest ago first; they are
// covered by the reader's sweeps.
//
// # Where watching does not work
//
// Network and foreign file systems (NFS, SMB, FUSE, 9p) do not report the other side's changes, and a
// machine has a limited number of watches. Such a root is polled: it is named in Rescan every
// [Config.Poll]. At the limit, Budgeted directories are given up first, and a root that is polled holds
// no watches, so that other programs get them. It is tried again after a minute, two, four, up to an
// hour. [Watcher.Status] says all that, with the reason and what can be done about it.
//
// # Systems
//
// On Linux everything above holds. On macOS and BSD (kqueue) each watched directory and each file in it
// takes an open file. On Windows the parents of a watched directory cannot be renamed, sleep may go
// unnoticed, and two paths of one directory are not recognised. On systems other than Linux, macOS and
// Windows every file system is taken for a local one. The reader's sweeps make up for all of it.
package watcher
