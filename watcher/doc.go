// Package watcher turns directories into coalesced batches of changed paths. It knows nothing of
// Sessions.
//
// # Guarantees
//
//   - A batch is a set of hints. A path may be reported twice, late, or not at all; the reader looks
//     at the disk. [Batch.Rescan] names the roots about which nothing may be assumed any more.
//   - The first change of a quiet path is sent at once. Changes that follow are merged per path and
//     sent after [Config.Quiet] without a change, at the latest after [Config.Ceiling].
//   - A directory that appears is listed after its watch is set, so nothing made in between is lost.
//   - When events may have been lost (queue overflow, watch limit, a root that went away and came
//     back, wake-up from sleep), every root of the instance is named in Rescan.
//   - There is no order among the events of a batch.
//   - While the reader is slow the Watcher goes on draining the kernel's queue and merges.
//
// # Budget
//
// The owner of a tree says per directory whether it is always watched ([Pinned]), watched only while
// it is hot ([Budgeted]), or never ([Skip]). Budgeted directories beyond the budget are given up
// oldest first; they are covered by the reader's sweeps. [Watcher.Touch] makes a directory hot.
//
// # Where watching does not work
//
// Network and foreign file systems (NFS, SMB, FUSE, 9p) do not report the other side's changes, and a
// machine has a limited number of watches. Such a root is polled: it is named in Rescan every
// [Config.Poll]. [Watcher.Status] says so, with the reason and what can be done about it.
package watcher
