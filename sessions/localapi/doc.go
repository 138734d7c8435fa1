// Package localapi is the door between the service and its clients on the same machine: HTTP with JSON on
// a Unix socket (a named pipe on Windows), and a WebSocket for what happens.
//
// Paths, envelope and error codes are those of the Kimi server where it has them, so that one client
// library can read both: every answer is HTTP 200 with {code, msg, data, request_id, details}, code 0 for
// success. The socket's folder is private to the user; whoever can open it is trusted like the user.
//
//	GET  /api/v1/healthz             {"version", "pid"}
//	GET  /api/v1/sessions?since=N    a sessions.View; waits for a revision above N
//	GET  /api/v1/stores              []sessions.Store
//	GET  /api/v1/locks               []sessions.LockRow
//	POST /api/v1/sessions:close      {"ref", "summary", "dry_run"} -> sessions.Edit
//	POST /api/v1/sessions:end        sessions.EndRequest -> sessions.Edit (without a ref: never a guess)
//	POST /api/v1/sessions:start      sessions.StartRequest -> sessions.Edit
//	POST /api/v1/sessions:mark       {"ref", "dry_run"} -> sessions.Edit
//	POST /api/v1/sessions:resume     {"ref", "dir"} -> sessions.Launch (checked; nothing is started)
//	POST /api/v1/sessions:unlock     sessions.UnlockRequest -> sessions.Unlocked
//	POST /api/v1/sessions:stop       sessions.StopRequest -> sessions.StopOutcome
//	POST /api/v1/sessions:amend      sessions.AmendRequest -> sessions.Edit (archive, restore, rename)
//	POST /api/v1/stores:reindex      sessions.ReindexRequest -> []sessions.IndexLine
//	POST /api/v1/sessions:fork       sessions.ForkRequest -> sessions.Fork
//	POST /api/v1/actions:undo        sessions.UndoRequest -> sessions.Undone
//	GET  /api/v1/actions/undoable    the newest sessions.Undoable
//	GET  /api/v1/ws                  one sessions.Update a frame: a view first, then events
package localapi
