package kimi

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/locks"
	"berth/sessions"
)

// census tells of the running clients. *locks.System is one.
type census interface {
	Look()
	Clients() (known []locks.Client, looked time.Time)
	Identify(pid int) (locks.Identity, bool)
}

// crew is who runs and may have a session of this home in memory.
type crew struct {
	servers []sessions.Server // of this home
	// others are clients that are no such servers; each could have the session open.
	others []locks.Client
}

// crewOf looks through all processes for those that may have the session of d in memory. Clients of today write it from
// there over what others changed (fault 12 of the fact sheet), and leave no trace of which sessions they have, so whoever works in its
// folder counts, and whoever may work anywhere. The error says why it cannot be told.
func (s *Source) crewOf(ctx context.Context, d *document) (crew, error) {
	s.census.Look()
	known, looked := s.census.Clients()
	if looked.IsZero() {
		return crew{}, &sessions.Error{Err: sessions.ErrRefused, Session: d.id,
			Detail: "the processes of this system cannot be listed, so it is not known whether a client has the session open"}
	}
	c := crew{servers: s.runningServers(ctx, known)}
	for _, k := range known {
		if k.Program == s.Name() && !serves(c.servers, k.PID) && mayHave(k, d.meta.dir()) && s.mayUse(k.PID) {
			c.others = append(c.others, k)
		}
	}
	return c, nil
}

// runningServers are the servers of the home that run: known clients, and whatever else has the pid of one and answers
// like one. The file of a server that was killed stays, and names a stranger once its pid is given out again.
func (s *Source) runningServers(ctx context.Context, known []locks.Client) []sessions.Server {
	s.servers.refresh()
	var running []sessions.Server
	for _, server := range s.Servers() {
		isClient := slices.ContainsFunc(known, func(c locks.Client) bool { return c.PID == server.PID && c.Program == s.Name() })
		if _, there := s.census.Identify(server.PID); isClient || there && healthy(ctx, server) {
			running = append(running, server)
		}
	}
	return running
}

func serves(servers []sessions.Server, pid int) bool {
	return slices.ContainsFunc(servers, func(s sessions.Server) bool { return s.PID == pid })
}

// mayHave reports whether a client may have a session of the work folder dir open.
func mayHave(c locks.Client, dir string) bool {
	return c.Anywhere || c.Dir == "" || dir == "" || samePlace(c.Dir, dir)
}

// samePlace compares folders as they are on disk: a process shows where it really is.
func samePlace(a, b string) bool {
	if foldPath(a) == foldPath(b) {
		return true
	}
	real, err := filepath.EvalSymlinks(b)
	return err == nil && foldPath(a) == foldPath(real)
}

// mayUse reports whether the process pid may work in this home, by the environment that it was started with. Where that
// cannot be read, it may.
func (s *Source) mayUse(pid int) bool {
	lookup, ok := environment(pid)
	if !ok {
		return true
	}
	if dir, set := lookup(HomeVariable); set && !filepath.IsAbs(dir) {
		return true
	}
	userHome, _ := lookup("HOME")
	home := Home(lookup, userHome)
	return home == "" || samePlace(s.root, home) || samePlace(home, s.root)
}

// environ makes a look-up of the block of an environment: NAME=value, each with a NUL behind it.
func environ(block []byte) func(string) (string, bool) {
	vars := map[string]string{}
	for entry := range strings.SplitSeq(string(block), "\x00") {
		if name, value, ok := strings.Cut(entry, "="); ok {
			vars[name] = value
		}
	}
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

// alone returns the one server to ask, nil when nobody has the home open. It fails with ErrOccupied when a client other
// than a server may have the session in memory, and when several servers may.
func (c crew) alone(d *document) (*sessions.Server, error) {
	if len(c.others) > 0 {
		var names []string
		for _, o := range c.others {
			names = append(names, o.String())
		}
		return nil, &sessions.Error{Err: sessions.ErrOccupied, Session: d.id,
			Detail: "it may be open in " + strings.Join(names, ", "),
			Hint:   "a client writes what it has in memory over what others change; end it first, or do it there"}
	}
	switch len(c.servers) {
	case 0:
		return nil, nil
	case 1:
		return &c.servers[0], nil
	}
	return nil, &sessions.Error{Err: sessions.ErrOccupied, Session: d.id,
		Detail: fmt.Sprintf("%d servers of this home run, and which of them has it open cannot be told", len(c.servers)),
		Hint:   "end all of them but one"}
}
