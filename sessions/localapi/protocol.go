package localapi

import (
	"encoding/json"
	"errors"

	"berth/sessions"
)

// The paths, shared by both sides.
const (
	pathHealth   = "/api/v1/healthz"
	pathSessions = "/api/v1/sessions"
	pathStores   = "/api/v1/stores"
	pathLocks    = "/api/v1/locks"
	pathEnd      = "/api/v1/sessions:end"
	pathClose    = "/api/v1/sessions:close"
	pathStart    = "/api/v1/sessions:start"
	pathMark     = "/api/v1/sessions:mark"
	pathResume   = "/api/v1/sessions:resume"
	pathUnlock   = "/api/v1/sessions:unlock"
	pathStop     = "/api/v1/sessions:stop"
	pathAmend    = "/api/v1/sessions:amend"
	pathReindex  = "/api/v1/stores:reindex"
	pathFork     = "/api/v1/sessions:fork"
	pathUndo     = "/api/v1/actions:undo"
	pathUndoable = "/api/v1/actions/undoable"
	pathWS       = "/api/v1/ws"
)

// Health is the answer of /api/v1/healthz.
type Health struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// envelope wraps every answer.
type envelope struct {
	Code      int      `json:"code"`
	Msg       string   `json:"msg"`
	Data      any      `json:"data,omitempty"` // to decode, set it to a pointer first: large views pass once
	RequestID string   `json:"request_id"`
	Details   *failure `json:"details,omitempty"`
}

// failure carries a sessions.Error across.
type failure struct {
	Code       string              `json:"code"`
	Session    string              `json:"session,omitempty"`
	Detail     string              `json:"detail,omitempty"`
	Hint       string              `json:"hint,omitempty"`
	Candidates []*sessions.Session `json:"candidates,omitempty"`
	Diff       string              `json:"diff,omitempty"`
	Details    json.RawMessage     `json:"details,omitempty"`
}

type editRequest struct {
	Ref     string `json:"ref"`
	Summary string `json:"summary,omitempty"`
	DryRun  bool   `json:"dry_run,omitempty"`
}

type resumeRequest struct {
	Ref string `json:"ref"`
	Dir string `json:"dir,omitempty"`
}

// conditions pairs each error of the domain with its number. 40401, 40930 and 40931 are the Kimi server's.
var conditions = []struct {
	err  error
	code int
}{
	{sessions.ErrNoActive, 40402},
	{sessions.ErrNotActive, 40934},
	{sessions.ErrNotFound, 40401},
	{sessions.ErrStale, 40930},
	{sessions.ErrOccupied, 40931},
	{sessions.ErrAmbiguous, 40932},
	{sessions.ErrClosed, 40933},
	{sessions.ErrNotCapable, 40302},
	{sessions.ErrNoFolder, 40303},
	{sessions.ErrAskServer, 40304},
	{sessions.ErrTitleEmpty, 40305},
	{sessions.ErrUnsafeID, 40306},
	{sessions.ErrNoState, 40307},
	{sessions.ErrBadState, 40308},
	{sessions.ErrRefused, 40301},
}

const (
	codeValidation = 40001
	codeInternal   = 50001
)

// encodeError turns err into an envelope without a request id.
func encodeError(err error) envelope {
	env := envelope{Code: codeInternal, Msg: err.Error()}
	for _, c := range conditions {
		if errors.Is(err, c.err) {
			env.Code = c.code
			break
		}
	}
	f := &failure{Code: sessions.Code(err)}
	var e *sessions.Error
	if errors.As(err, &e) {
		f.Session, f.Detail, f.Hint, f.Candidates, f.Diff = e.Session, e.Detail, e.Hint, e.Candidates, e.Diff
		f.Details = encodeDetails(e.Details)
	}
	env.Details = f
	return env
}

// decodeError is the inverse: the caller can test the result with errors.Is.
func decodeError(env envelope) error {
	cause := errors.New(env.Msg)
	for _, c := range conditions {
		if c.code == env.Code {
			cause = c.err
		}
	}
	f := env.Details
	if f == nil || f.Detail == "" {
		return cause
	}
	e := &sessions.Error{Err: cause, Session: f.Session, Detail: f.Detail, Hint: f.Hint, Candidates: f.Candidates, Diff: f.Diff}
	if f.Details != nil {
		e.Details = f.Details // as JSON: the order of its keys stays
	}
	return e
}

// encodeDetails is details as JSON; what JSON cannot say is left out.
func encodeDetails(details any) json.RawMessage {
	if details == nil {
		return nil
	}
	b, err := json.Marshal(details)
	if err != nil {
		return nil
	}
	return b
}
