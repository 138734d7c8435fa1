// Package kimi reads the home of the Kimi Code client: its Sessions, its lock files and the servers it
// names. It implements [sessions.Source] and [sessions.Served].
//
// # What is read
//
//	sessions/<bucket>/<id>/state.json                 metadata, two generations (else session-meta/state.json)
//	sessions/<bucket>/<id>/agents/<agent>/wire.jsonl  journals: 64 KiB at either end, never more
//	session_index.jsonl, sessions/index.jsonl         hints; the folders are the truth
//	sessions/.index-dirty/<id>.<ms>                   names only: "this session changed"
//	locks/sessions/<id>.lock                          through package locks
//	server/instances/*.json                           running servers
//	state.json.tmp.<pid>.<hex>, in a session          names only: "this process writes here", by a watcher
//	workspaces.json.tmp.<pid>.<hex>                   names only: "this process has the home open", at its start
//
// Settings, credentials, cache/ and search-index/ are never opened, and the server's token only for a call to a server of
// this home on loopback.
//
// # What is written
//
// Nothing but by a verb that a person asked for. [sessions.Reindexer] appends lines to session_index.jsonl.
// [sessions.Amender] replaces a session's state.json, spliced, under the session's lock in locks/sessions, and leaves a mark
// in sessions/.index-dirty. Before that it is made sure that no client can have the session in memory, since clients of today
// take no lock and write back what they have: every Kimi process of this user whose folder, kind and environment do not rule
// it out is in the way. A running server of the home makes the change itself. What another machine has open on a shared disk
// cannot be seen, unless it has a lock.
//
// # Where the facts come from
//
// The layout and the meaning of the records were established by running the clients 0.20.0, 0.30.0 and
// 2.1.0 against a local model and by reading the published bundles. The homes in testdata were filled by
// the real clients. Wire protocol 1.5 (client 2.x) ends each turn with a record; protocol 1.4 (0.20 to
// 0.30) does not, its turns end with their last step. A wire may hold both after an upgrade, so the shape
// of a turn's own records decides, not the header.
//
// # Bounds
//
// A state.json over 4 MiB is a problem of its row and is not read. At most [sessions.MaxAgents] journals
// of one Session are read, the main agent's and the newest; all of them count for its Stamp.
package kimi
