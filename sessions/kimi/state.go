package kimi

import (
	"errors"
	"time"

	"berth/sessions"
	"berth/sessions/kimi/internal/rawjson"
)

// maxStateBytes is the size over which a state.json is not read. Real ones have about 400 bytes, and 150 more
// for each agent.
const maxStateBytes = 4 << 20

// placeholder is the title that the client gives to a session without one.
const placeholder = "New Session"

// state is what a state.json says, of either generation: version 2 has epoch milliseconds, cwd, id and version;
// the older one ISO strings, at most workDir, and neither id nor version.
type state struct {
	version            int
	id, forkedFrom     string
	parent             string // custom.parent_session_id
	title, customTitle string // the latter only in the oldest builds
	hasCustomTitle     bool
	prompt             string // beginning of lastPrompt
	cwd, workDir       string
	customCwd          string // custom.cwd
	reason             string // lastTurnReason; version 2 takes it out while a turn runs
	created, updated   time.Time
	archived           bool
	archivedAt         time.Time
	agents             []sessions.Agent // up to sessions.MaxAgents of them
	agentCount         int
}

var errNotJSON = errors.New("is not valid JSON")

// parseState reads a whole state.json.
func parseState(b []byte) (*state, error) {
	s := &state{}
	rest, ok := rawjson.Object(b, s.member)
	if !ok || !rawjson.Blank(rest) {
		return nil, errNotJSON
	}
	return s, nil
}

func (s *state) member(key, value []byte) {
	switch string(key) {
	case "id":
		s.id = rawjson.String(value)
	case "version":
		s.version, _ = rawjson.Int(value)
	case "cwd":
		s.cwd = rawjson.String(value)
	case "workDir":
		s.workDir = rawjson.String(value)
	case "createdAt":
		s.created = rawjson.Time(value)
	case "updatedAt":
		s.updated = rawjson.Time(value)
	case "archived":
		s.archived = rawjson.True(value)
	case "archivedAt":
		s.archivedAt = rawjson.Time(value)
	case "forkedFrom":
		s.forkedFrom = rawjson.String(value)
	case "lastTurnReason":
		s.reason = endReason(value)
	case "agents":
		rawjson.Object(value, s.agent)
	default:
		s.rest(key, value)
	}
}

// rest handles what titles are made of, and what users and other tools put in.
func (s *state) rest(key, value []byte) {
	switch string(key) {
	case "title":
		s.title = titleOf(value)
	case "customTitle":
		s.customTitle = titleOf(value)
	case "isCustomTitle":
		s.hasCustomTitle = rawjson.True(value)
	case "lastPrompt":
		s.prompt = titleOf(value)
	case "custom":
		s.parent = rawjson.String(memberOf(value, "parent_session_id"))
		s.customCwd = rawjson.String(memberOf(value, "cwd"))
	}
}

// agent takes one member of the agents map.
func (s *state) agent(key, value []byte) {
	s.agentCount++
	if len(s.agents) == sessions.MaxAgents {
		return
	}
	a := sessions.Agent{ID: string(key)}
	rawjson.Object(value, func(key, value []byte) {
		switch string(key) {
		case "type":
			a.Type = rawjson.String(value)
		case "parentAgentId":
			a.Parent = rawjson.String(value)
		}
	})
	s.agents = append(s.agents, a)
}

// name returns the title that the client shows, "" for a session that has none.
func (s *state) name() string {
	if s.title != "" && (s.title != placeholder || s.hasCustomTitle) {
		return s.title
	}
	return s.customTitle
}

// dir returns the work folder; cwd is the newest and truest of its places.
func (s *state) dir() string { return firstOf(s.cwd, s.workDir, s.customCwd) }

// titleOf returns the beginning of a text on one line.
func titleOf(v []byte) string {
	s, _ := rawjson.Prefix(v, maxTitleBytes)
	return cleanTitle(s)
}

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
