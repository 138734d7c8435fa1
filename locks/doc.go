// Package locks says who claims a Session and whether that process still lives. It knows nothing of
// Sessions or Sources: it reads lock files, collects facts about processes from the kernel, and judges.
//
// # The file
//
// The lock is the one of the Kimi client: <home>/locks/sessions/<session id>.lock, a JSON object with
// version (1), token, pid, hostname, startedAt (epoch milliseconds, the moment of locking) and
// clientIdentity. No published client writes it yet; the fields are those of the client's public
// pull-request discussion, so reading is lenient. Fields of our own (bootId, processStart,
// pidNamespace) may be added; readers ignore what they do not know.
//
// # Judging
//
// [Judge] is a pure function from a lock, facts about this host, facts about the process and the time
// to a [Judgement]: live, dead (with proof), or unknown (with the reason). A wrong "dead" corrupts
// someone's history, so weak proof is no proof: another host, another pid namespace, a clock that was
// set, an unreadable file all give unknown. Age alone proves nothing.
//
// A process is identified by boot id, pid and start ticks ([Identity]); wall-clock start times move
// when the clock is set and are only shown to people.
package locks
