// Package locks says who claims a Session and whether that process still lives. It knows nothing of
// Sessions or Sources: it reads lock files, collects facts about processes from the kernel, and judges.
// It also takes the kernel locks ([Hold]) that guard our own work and join that of other programs.
//
// # The file
//
// The lock is the one of the Kimi client: <home>/locks/sessions/<session id>.lock, a JSON object with
// version (1), token, pid, hostname, startedAt (epoch milliseconds, the moment of locking) and
// clientIdentity. No published client writes it yet; the fields are those of the client's public
// pull-request discussion, so reading is lenient. Fields of our own (bootId, processStart,
// pidNamespace) may be added; readers ignore what they do not know. Beside the locks lie reclaim
// markers and temp files, which are never locks ([Leftover]). That there is no lock means that the
// session is not known to be held, never that it is free: clients without locks exist, and where a
// file system has no hard links the others go on without.
//
// # Taking
//
// [Take] publishes a lock as the clients do: a temp file "<lock>.tmp-<pid>-<n>" of mode 0600, a hard link
// to the lock's name, which fails when there is one, and the fields of the client and ours. Where hard links
// fail the file is made exclusively, and the [Lease] says so. Every hold has a token of its own; what is no
// longer there with our token and inode is not ours, and is left alone.
//
// # Removing
//
// [Reclaimer.Reclaim] removes a dead lock: two equal verdicts with a pause between; a guard against other
// berths; the store's own marker "<lock>.reclaim" against clients, published as they do; the lock read again
// and found the same by token, inode, size and time; its bytes into our trash; renamed to a temp name and
// looked at once more, since a rename takes whatever is there; unlinked; the marker removed whatever happened.
// A crash on the way leaves a marker or a temp file of a dead process, which clients and berth remove. A
// marker of a dead process is moved before it is removed, so that one that has just taken its place is found
// out and put back. A live holder's lock is never removed, by no option.
//
// # Stopping
//
// [System.Stop] asks a holder to end when a person wants it: handle of the process first, then its identity
// once more, one polite signal, a wait, and a result that says what happened. [System.Kill] needs that result.
//
// # Judging
//
// [Judge] is a pure function from a lock, facts about this host, facts about the process and the time
// to a [Judgement]: live, dead (with proof), or unknown (with the reason). A wrong "dead" corrupts
// someone's history, so weak proof is no proof. The rules:
//
//  1. A file that cannot be relied on (torn, empty, a link) is unknown, and so is one in a format that is not
//     fully known (a higher version, a lease); that one is never removed, either.
//  2. Another host is unknown. Names are compared without case, trailing dot, and a domain that only
//     one side has. If our boot id in the lock is that of this boot, the host was only renamed, and a
//     holder that is gone is dead, by hand. A machine id is not used: clones share it. An equal name is
//     this host, and proves nothing where another system may have it and write the lock: on a folder that
//     other machines share, and in containers and on Windows, all is unknown that would be dead, unless
//     the lock shows by our own fields that it is of this system.
//  3. Another pid namespace is unknown, and so is any lock that does not name its namespace when we
//     run in a sandbox, or when a process below ours has the lock's pid in a namespace of its own.
//  4. No pid, pid 1 (every container has one) and the id of a thread are unknown, the last not if the
//     lock records another boot id or a start stamp.
//  5. No such process is dead, and so is a zombie. A process that may not be examined exists.
//  6. A process of another user than the lock's owner is dead, unless a client could run in it (then
//     owner and user may differ by the file system, and times have to prove it) or the owner is the one
//     that stands for nobody.
//  7. A process with another start stamp than the lock records is dead, with the same it is live. Of
//     today's locks only times can be compared: a process that began more than 2 s after the lock is
//     dead if the clock is known not to have been set since, or, by hand, if its program is no client
//     and the lock's is; else unknown.
//  8. A lock that records another boot id is from before this boot: dead. By time alone (30 s before
//     the boot) it needs the same second witness as in rule 7.
//  9. A process that a [System] saw with this lock earlier ([System.Witness]) decides before rules 6 to
//     8 by time: with the same start stamp it is live, whatever the clock says. If it is gone, the holder
//     is dead: it was the holder, or the holder had ended before it came.
//
// Age alone proves nothing, so no rule asks for it.
//
// [Judgement.Automatic] is left false where a person has to look first: the host name was equal only
// in part, was empty or is one of many ("localhost"); a system with pids of its own has the same name; the
// witness was the program alone.
//
// A process is identified by boot id, pid and start stamp ([Identity]); wall-clock start times move
// when the clock is set and are only shown to people.
//
// # Clients
//
// A [System] also keeps a table of the client processes that are known to run. Nothing happens in it by itself: one
// who saw a process do what only a client does brings it in ([System.Meet]), and a look at all processes
// ([System.Look]) finds the rest by executable, command name, title and script. Those that have ended fall out when
// the table is next asked. On Linux it tells how much each of them has written ([System.Counters], wchar of
// proc_pid_io(5), which counts writes to terminals and sockets too); elsewhere that is not known.
//
// # What each platform can prove
//
// Linux has everything: boot id, start ticks, pid namespaces, users, programs. The kernel tells a
// [System] that lives long enough whether the clock was set since its start; a short command knows
// nothing of the time before itself, so of a reused pid it says "clock may have changed" where the
// service says dead. The end of a process is reported by the kernel ([System.AwaitExit]).
//
// macOS has the boot session's id, start times in microseconds, users, and the programs of one's own
// processes. Starts are noted by the wall clock of their moment, so times alone never prove a death.
//
// Windows has creation times and programs, no boot id and no owner (rules 6 and 8 stay silent). The
// Linux subsystem shares the machine's name, so only berth's own locks can be dead there, by hand.
//
// Elsewhere processes are not looked at: every readable lock of this host is unknown.
package locks
