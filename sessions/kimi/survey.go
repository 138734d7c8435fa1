package kimi

import (
	"fmt"

	"berth/locks"
	"berth/sessions"
)

// survey is the outside of one session: which files it has and how they look, before any of them is read.
type survey struct {
	id     string // the name of the folder
	dir    string
	folder folder
	// stateRel is where the metadata is, relative to dir.
	stateRel string
	state    sight
	agents   []agentFile
	lock     fileID
	leased   bool // lock is not the client's lock file but a lease in the folder
	index    indexEntry
	// err is the first thing that could not be looked at.
	err error
}

// sight is a file as it was seen.
type sight struct {
	fileID
	file file  // when open
	open bool  // it was seen by opening it
	err  error // why it could not be opened, when that was tried
}

// agentFile is the journal of one agent.
type agentFile struct {
	name string
	wire sight
}

// look surveys the session key, or returns ErrNotFound. With reading it sees what every Load reads by opening it,
// which spares a look at each. The caller closes the survey.
func (s *Source) look(key string, reading bool) (*survey, error) {
	id, ok := splitKey(key)
	if !ok {
		return nil, notFound(key)
	}
	v := &survey{id: id, dir: s.path(key)}
	var err error
	if v.folder, err = openFolder(v.dir); err != nil {
		return nil, notFound(key)
	}
	v.lookAtState(reading)
	agents := v.lookAtAgents(reading)
	if !v.state.exists() && !agents && v.err == nil {
		v.close()
		return nil, notFound(key)
	}
	v.lookAtLock(s.lockDir + id + lockSuffix)
	v.index = s.index.entry(id)
	return v, nil
}

// lookAtLock looks for the lock, and for the lease that clients which were never published kept in its place
// (bug B88). Reading it says what is wrong with it.
func (v *survey) lookAtLock(path string) {
	if v.lock, _ = lstat(path); !v.lock.exists() {
		v.lock, _ = v.folder.lstat(locks.LeaseName)
		v.leased = v.lock.exists()
	}
}

func notFound(key string) error { return fmt.Errorf("read session %q: %w", key, sessions.ErrNotFound) }

// close closes everything that is open. Nothing was written, so there is nothing to be learned from its errors.
func (v *survey) close() {
	_ = v.folder.Close()
	v.state.close()
	for i := range v.agents {
		v.agents[i].wire.close()
	}
}

func (s *sight) close() {
	if s.open {
		_ = s.file.Close()
		s.open = false
	}
}

// see looks at the file rel, by opening it if asked to. What cannot be opened is looked at.
func (v *survey) see(rel string, reading bool) sight {
	var failed error
	if reading {
		f, err := v.folder.open(rel)
		if gone(err) {
			return sight{}
		}
		if err == nil {
			id, err := f.stat()
			v.note(err)
			return sight{fileID: id, file: f, open: true}
		}
		failed = err
	}
	id, err := v.folder.lstat(rel)
	v.note(err)
	return sight{fileID: id, err: failed}
}

// lookAtState finds the metadata: state.json, or where older builds of the second generation kept it.
func (v *survey) lookAtState(reading bool) {
	v.stateRel = stateName
	if v.state = v.see(stateName, reading); v.state.exists() {
		return
	}
	const older = metaName + "/" + stateName
	if v.state = v.see(older, reading); v.state.exists() {
		v.stateRel = older
	}
}

// lookAtAgents finds the journals. It reports whether there is a folder for them.
func (v *survey) lookAtAgents(reading bool) bool {
	if v.lookAtOnlyAgent(reading) {
		return true
	}
	err := v.folder.entries(agentsName, func(e entry) bool {
		if e.isDir() && !stray(e.name) {
			v.lookAtAgent(e.name, reading && e.name == mainAgent)
		}
		return true
	})
	if !gone(err) {
		v.note(err)
	}
	return err == nil
}

func (v *survey) lookAtAgent(name string, reading bool) {
	v.agents = append(v.agents, agentFile{name, v.see(wireRel(name), reading)})
}

// wireRel is where the journal of an agent is, relative to the session's folder.
func wireRel(agent string) string { return agentsName + "/" + agent + "/" + wireName }

// lookAtOnlyAgent spares listing the folder when the main agent's is the only one in it, as in most sessions: a
// folder has a link from its parent, one from itself, and one from each folder in it. File systems that do not count
// so say something other than three.
func (v *survey) lookAtOnlyAgent(reading bool) bool {
	if dir, err := v.folder.lstat(agentsName); err != nil || dir.links != 3 || !dir.kind.IsDir() {
		return false
	}
	if main, err := v.folder.lstat(agentsName + "/" + mainAgent); err != nil || !main.kind.IsDir() {
		return false
	}
	v.lookAtAgent(mainAgent, reading)
	return true
}

func (v *survey) note(err error) {
	if v.err == nil {
		v.err = err
	}
}

// stamp hashes the survey. The order of the agents does not matter.
func (v *survey) stamp() sessions.Stamp {
	sum := v.state.hash(v.stateRel) + v.lock.hash("lock") + hashText(v.index.workDir) + hash64(uint64(v.index.state))
	for _, a := range v.agents {
		sum += a.wire.hash(a.name)
	}
	if sum == 0 {
		sum = 1 // the zero Stamp equals nothing
	}
	return sessions.Stamp(sum)
}
