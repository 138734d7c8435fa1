package kimi

import (
	"strconv"
	"strings"
	"time"

	"berth/sessions/kimi/internal/rawjson"
)

// record holds the raw members of one line of a journal that mean something to us.
type record struct {
	kind, turnID, time, reason, outcome, id, what, request, event, info, task, from, input, version, created []byte
}

// read takes one record from the beginning of b and returns what follows it.
func (r *record) read(b []byte) (rest []byte, ok bool) {
	*r = record{}
	return rawjson.Object(b, r.member)
}

func (r *record) member(key, value []byte) {
	switch string(key) {
	case "type":
		r.kind = value
	case "turnId":
		r.turnID = value
	case "time":
		r.time = value
	case "reason":
		r.reason = value
	case "outcome":
		r.outcome = value
	case "id":
		r.id = value
	case "kind":
		r.what = value
	case "request":
		r.request = value
	case "event":
		r.event = value
	case "info":
		r.info = value
	case "taskId":
		r.task = value
	case "fromTurnId":
		r.from = value
	case "input":
		r.input = value
	case "protocol_version":
		r.version = value
	case "created_at":
		r.created = value
	}
}

// turn returns the record's turn id, or noTurn.
func (r *record) turn() int { return turnOf(r.turnID) }

func turnOf(v []byte) int {
	if id, ok := rawjson.Int(v); ok && id >= 0 {
		return id
	}
	return noTurn
}

// foldInto gives the record to f. Unknown kinds are ignored: new ones appear with each release.
func (r *record) foldInto(f *fold) {
	at := rawjson.Time(r.time)
	f.heard(at)
	switch string(r.kind) {
	case `"context.append_loop_event"`:
		r.foldStep(f, at)
	case `"turn.prompt"`:
		f.prompt(r.turn(), at)
	case `"agent.turn.started"`:
		f.started(r.turn(), at)
	case `"turn.ended"`:
		f.ended(r.turn(), endReason(r.reason), at)
	case `"agent.turn.ended"`:
		f.outcome(r.turn(), endReason(r.outcome), at)
	case `"turn.cancel"`:
		f.cancel(r.turn(), at)
	case `"context.undone"`:
		f.undone(max(turnOf(r.from), 0))
	case `"agent.switched"`:
		if !rawjson.Is(r.reason, "undo") { // an undo names its turns in the record that follows
			f.undone(0)
		}
	default:
		r.foldActivity(f)
	}
}

// foldActivity handles the records that are about other work than turns.
func (r *record) foldActivity(f *fold) {
	switch string(r.kind) {
	case `"interaction.request"`:
		f.ask(interaction{id: rawjson.String(r.id), kind: rawjson.String(r.what), turn: turnOf(memberOf(r.request, "turnId"))})
	case `"interaction.resolved"`:
		f.answer(rawjson.String(r.id))
	case `"task.started"`:
		f.run(r.taskID())
	case `"task.terminated"`:
		f.stop(r.taskID())
	case `"full_compaction.begin"`:
		f.compacting = true
	case `"full_compaction.complete"`, `"full_compaction.cancel"`:
		f.compacting = false
	case `"metadata"`:
		f.legacy = legacyVersion(rawjson.String(r.version))
	}
}

// taskID is in the record's info, in some versions beside it.
func (r *record) taskID() string {
	if id := rawjson.String(memberOf(r.info, "taskId")); id != "" {
		return id
	}
	return rawjson.String(r.task)
}

// foldStep handles what a turn consists of. Events without a turn id, tool results, are not needed: the
// step that they belong to tells the same.
func (r *record) foldStep(f *fold, at time.Time) {
	var kind, id, finish []byte
	rawjson.Object(r.event, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind = value
		case "turnId":
			id = value
		case "finishReason":
			finish = value
		}
	})
	n := turnOf(id)
	if n == noTurn {
		return
	}
	last := rawjson.Is(kind, "step.end") && !rawjson.Is(finish, "tool_use")
	f.step(n, last, endReason(finish), at)
}

// memberOf returns the raw value of one member of the object b, nil when it has none.
func memberOf(b []byte, name string) []byte {
	var v []byte
	rawjson.Object(b, func(key, value []byte) {
		if string(key) == name {
			v = value
		}
	})
	return v
}

// endReason translates how a turn ended, from the three vocabularies of the journals: the reason of
// turn.ended, the outcome of agent.turn.ended, the finishReason of a step. "" is an end whose reason the
// record does not tell.
func endReason(v []byte) string {
	switch string(v) {
	case `"completed"`, `"done"`, `"end_turn"`, `"stop"`, `"max_tokens"`, `"length"`:
		return "completed"
	case `"cancelled"`, `"aborted"`, `"interrupted"`:
		return "cancelled"
	case ``, `null`:
		return ""
	}
	return "failed"
}

// firstLineOf returns the beginning of the first text in the input of a turn.prompt.
func firstLineOf(input []byte) string {
	title := ""
	rawjson.Elements(input, func(part []byte) bool {
		s, _ := rawjson.Prefix(memberOf(part, "text"), maxTitleBytes)
		title = cleanTitle(s)
		return title == ""
	})
	return title
}

// legacyVersion reports whether a wire with this protocol version has turns without an end of their own. An
// unknown version is taken for a newer one.
func legacyVersion(v string) bool {
	major, minor, ok := parseVersion(v)
	return ok && major == 1 && minor < 5
}

// newerVersion reports whether v is a protocol that this program has not been made for.
func newerVersion(v string) bool {
	major, minor, ok := parseVersion(v)
	return ok && (major > 1 || major == 1 && minor > 5)
}

func parseVersion(v string) (major, minor int, ok bool) {
	a, b, _ := strings.Cut(v, ".")
	major, errA := strconv.Atoi(a)
	minor, errB := strconv.Atoi(b)
	return major, minor, errA == nil && errB == nil
}
