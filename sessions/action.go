package sessions

import "time"

// ActionKind says what was done to a Session, or what was seen to happen to it.
type ActionKind string

const (
	ActionClosed    ActionKind = "closed"     // we ended a work session
	ActionMarked    ActionKind = "marked"     // we wrote a resume marker
	ActionUndone    ActionKind = "undone"     // we took an edit of ours back
	ActionResumed   ActionKind = "resumed"    // we checked a Session and handed out the command that opens it
	ActionReclaimed ActionKind = "reclaimed"  // we removed a dead holder's lock
	ActionStopped   ActionKind = "stopped"    // we asked a holder to end
	ActionTook      ActionKind = "took"       // a client has the Session now
	ActionWrote     ActionKind = "wrote"      // a client wrote in the Session, the first time since another did
	ActionTaken     ActionKind = "taken-over" // another client has the Session now
	ActionNoticed   ActionKind = "noticed"    // something a person should know; Detail says what
)

// Action is one line of the audit trail: who did what to which Session, when. It names ids and paths and has
// nothing of a Session's content.
type Action struct {
	At       time.Time  `json:"at"`
	ID       string     `json:"id"` // names this action, to undo it
	Kind     ActionKind `json:"action"`
	Session  string     `json:"session,omitempty"`
	Source   string     `json:"source,omitempty"`
	Path     string     `json:"path,omitempty"` // of the file that was written or removed
	Detail   string     `json:"detail,omitempty"`
	Evidence []string   `json:"evidence,omitempty"`
	By       int        `json:"by,omitempty"` // pid of the berth process that did it
}
