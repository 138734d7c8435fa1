package kimi

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"berth/sessions"
	"berth/sessions/kimi/internal/rawjson"
)

// Bounds for the files of servers. A home has one server as a rule.
const (
	maxServers     = 64
	maxServerBytes = 64 << 10
)

// serverFiles keeps what server/instances says. The client writes one file per server, touches it every 15 seconds
// and leaves it behind when it is killed. It is safe for concurrent use.
type serverFiles struct {
	dir string

	mu     sync.Mutex
	folder fileID
	list   []sessions.Server
}

// current returns the servers. It looks into the folder when that changed since the last time: a server's file
// appears and goes, but never changes its mind.
func (s *serverFiles) current() []sessions.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if folder, err := lstat(s.dir); err != nil || folder != s.folder {
		s.read()
	}
	return s.list
}

// refresh reads the folder again and reports whether the servers are others than before.
func (s *serverFiles) refresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

func (s *serverFiles) read() (changed bool) {
	s.folder, _ = lstat(s.dir)
	var list []sessions.Server
	// A folder that cannot be listed names no servers.
	_ = entries(s.dir, func(e entry) bool {
		if strings.HasSuffix(e.name, ".json") && e.isRegular() {
			if server, ok := readServer(s.dir + "/" + e.name); ok {
				list = append(list, server)
			}
		}
		return len(list) < maxServers
	})
	slices.SortFunc(list, func(a, b sessions.Server) int { return a.PID - b.PID })
	changed = !slices.EqualFunc(list, s.list, func(a, b sessions.Server) bool {
		return a.PID == b.PID && a.Where == b.Where && a.Address == b.Address && a.StartedAt.Equal(b.StartedAt)
	})
	s.list = list
	return changed
}

// readServer reads one file. One that is torn or says nothing of a process is no server.
func readServer(path string) (sessions.Server, bool) {
	f, err := open(path)
	if err != nil {
		return sessions.Server{}, false
	}
	defer f.Close()
	b := make([]byte, maxServerBytes)
	n, err := f.ReadAt(b, 0)
	if ignoreEOF(err) != nil {
		return sessions.Server{}, false
	}
	return parseServer(b[:n])
}

func parseServer(b []byte) (sessions.Server, bool) {
	server := sessions.Server{Name: "Kimi server"}
	var host string
	var port int
	_, ok := rawjson.Object(b, func(key, value []byte) {
		switch string(key) {
		case "pid":
			server.PID, _ = rawjson.Int(value)
		case "port":
			if n, ok := rawjson.Int(value); ok {
				port = n
				server.Where = fmt.Sprintf("port %d", port)
			}
		case "host":
			host = rawjson.String(value)
		case "started_at":
			server.StartedAt = rawjson.Time(value)
		}
	})
	if host != "" && port > 0 && port < 1<<16 {
		server.Address = net.JoinHostPort(host, strconv.Itoa(port))
	}
	return server, ok && server.PID > 0
}
