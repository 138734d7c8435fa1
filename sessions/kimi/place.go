package kimi

import (
	"strconv"
	"strings"

	"berth/locks"
)

// role is what a path in the home is for.
type role uint8

const (
	noise       role = iota // nothing that matters to us
	homeDir                 // the home itself
	clientFile              // workspaces.json.tmp.<pid>.<hex>: every client writes it when it starts
	indexFile               // session_index.jsonl or sessions/index.jsonl
	sessionsDir             // sessions
	marksDir                // sessions/.index-dirty
	mark                    // sessions/.index-dirty/<id>.<ms>
	bucketDir               // sessions/<bucket>
	sessionDir              // sessions/<bucket>/<id>
	partDir                 // a folder in a session: agents, agents/<agent>, session-meta
	partFile                // a file of a session that we read, or its temp file
	lockDir                 // locks, locks/sessions
	lockFile                // locks/sessions/<id>.lock
	serverDir               // server, server/instances
	serverFile              // server/instances/<name>.json
)

// place is a path relative to the home, understood.
type place struct {
	role   role
	bucket string // for bucketDir and below
	key    string // for sessionDir and below
	id     string // for mark and lockFile
	writer int    // the pid in the name of a temp file of a session or a client, or 0
}

// The names that the client gives to things.
const (
	stateName   = "state.json"
	metaName    = "session-meta"
	agentsName  = "agents"
	wireName    = "wire.jsonl"
	mainAgent   = "main"
	dirtyName   = ".index-dirty"
	lockSuffix  = ".lock"
	spacesName  = "workspaces.json"
	indexName   = "session_index.jsonl"
	index2Name  = "sessions/index.jsonl"
	sessionsRel = "sessions"
	locksRel    = "locks/sessions"
	serversRel  = "server/instances"
)

// locate says what the slash-separated path rel, relative to the home, is for.
func locate(rel string) place {
	parts := strings.Split(rel, "/")
	switch parts[0] {
	case ".", "":
		return place{role: homeDir}
	case indexName:
		return place{role: indexFile}
	case "sessions":
		return locateSession(parts)
	case "locks":
		return locateLock(parts)
	case "server":
		return locateServer(parts)
	}
	if pid := tempWriter(parts[0], spacesName); pid != 0 && len(parts) == 1 {
		return place{role: clientFile, writer: pid}
	}
	return place{}
}

func locateSession(parts []string) place {
	if len(parts) == 1 {
		return place{role: sessionsDir}
	}
	switch {
	case len(parts) == 2 && parts[1] == "index.jsonl":
		return place{role: indexFile}
	case parts[1] == dirtyName:
		return locateMark(parts[2:])
	case stray(parts[1]):
		return place{}
	case len(parts) == 2:
		return place{role: bucketDir, bucket: parts[1]}
	case stray(parts[2]):
		return place{}
	}
	p := place{bucket: parts[1], key: strings.Join(parts[:3], "/")}
	p.role, p.writer = locatePart(parts[3:])
	return p
}

// locatePart understands what follows a session's folder.
func locatePart(parts []string) (role, int) {
	switch {
	case len(parts) == 0:
		return sessionDir, 0
	case len(parts) == 1 && (parts[0] == agentsName || parts[0] == metaName),
		len(parts) == 2 && parts[0] == agentsName:
		return partDir, 0
	}
	var want string
	switch {
	case len(parts) == 1, len(parts) == 2 && parts[0] == metaName:
		want = stateName
	case len(parts) == 3 && parts[0] == agentsName:
		want = wireName
	default:
		return noise, 0
	}
	name := parts[len(parts)-1]
	if name == want || len(parts) == 1 && name == locks.LeaseName {
		return partFile, 0
	}
	if pid := tempWriter(name, want); pid != 0 {
		return partFile, pid
	}
	return noise, 0
}

// tempWriter returns the pid in the name of a temp file for the file called name, "name.tmp.<pid>.<hex>",
// or 0. The client writes every state.json through one.
func tempWriter(temp, name string) int {
	rest, ok := strings.CutPrefix(temp, name+".tmp.")
	if !ok {
		return 0
	}
	digits, _, ok := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(digits)
	if !ok || err != nil || pid < 1 {
		return 0
	}
	return pid
}

// locateMark understands what follows sessions/.index-dirty.
func locateMark(parts []string) place {
	if len(parts) == 0 {
		return place{role: marksDir}
	}
	i := strings.LastIndexByte(parts[0], '.')
	if len(parts) != 1 || i < 1 {
		return place{}
	}
	if _, err := strconv.ParseUint(parts[0][i+1:], 10, 64); err != nil {
		return place{}
	}
	return place{role: mark, id: parts[0][:i]}
}

func locateLock(parts []string) place {
	switch {
	case len(parts) == 1, len(parts) == 2 && parts[1] == "sessions":
		return place{role: lockDir}
	case len(parts) == 3 && parts[1] == "sessions":
		if id, ok := strings.CutSuffix(parts[2], lockSuffix); ok && id != "" {
			return place{role: lockFile, id: id}
		}
	}
	return place{}
}

func locateServer(parts []string) place {
	switch {
	case len(parts) == 1, len(parts) == 2 && parts[1] == "instances":
		return place{role: serverDir}
	case len(parts) == 3 && parts[1] == "instances" && strings.HasSuffix(parts[2], ".json"):
		return place{role: serverFile}
	}
	return place{}
}

// stray reports whether a name in sessions or in a bucket is none of the client's: hidden files, copies and
// leftovers of other tools.
func stray(name string) bool {
	return name == "" || name[0] == '.' || strings.HasSuffix(name, ".bak") || strings.HasSuffix(name, ".tmp")
}

// splitKey checks that key has the form of a session's key and returns the folder's name, which is the id
// that the client knows the session by. Keys come from our own List as a rule, but also from callers.
func splitKey(key string) (id string, ok bool) {
	if len(key) > 1024 || strings.ContainsAny(key, "\\\x00") {
		return "", false
	}
	p := locate(key)
	if p.role != sessionDir || p.key != key {
		return "", false
	}
	return key[strings.LastIndexByte(key, '/')+1:], true
}
