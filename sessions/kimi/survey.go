package kimi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"berth/sessions"
)

// fileID is what lstat says of a file: enough to see that it is another one, or has another content.
type fileID struct {
	inode uint64
	size  int64
	mtime int64 // nanoseconds since 1970; 0 when there is no such file
	mode  fs.FileMode
}

func (f fileID) exists() bool        { return f.mtime != 0 }
func (f fileID) modified() time.Time { return time.Unix(0, f.mtime).UTC() }

// lstat returns the zero fileID and no error for a file that is not there.
func lstat(path string) (fileID, error) {
	info, err := os.Lstat(path)
	if gone(err) {
		return fileID{}, nil
	}
	if err != nil {
		return fileID{}, err
	}
	id := fileID{inode: inode(info), size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode()}
	if id.mtime == 0 {
		id.mtime = 1
	}
	return id, nil
}

// gone reports whether err means that there is nothing of this name.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// survey is the outside of one session: which files it has, before any of them is read.
type survey struct {
	id     string // the name of the folder
	dir    string
	folder fileID
	state  fileID
	// stateRel is where the metadata is, relative to dir.
	stateRel string
	agents   []agentFile
	lock     fileID
	index    indexEntry
	// err is the first thing that could not be looked at.
	err error
}

// agentFile is the journal of one agent.
type agentFile struct {
	name string
	wire fileID
}

// look surveys the session key, or returns ErrNotFound.
func (s *Source) look(key string) (*survey, error) {
	id, ok := splitKey(key)
	if !ok {
		return nil, notFound(key)
	}
	v := &survey{id: id, dir: s.path(key), stateRel: stateName}
	var err error
	if v.folder, err = lstat(v.dir); err != nil || !v.folder.mode.IsDir() {
		return nil, notFound(key)
	}
	v.lookAtState()
	agents := v.lookAtAgents()
	if !v.state.exists() && !agents && v.err == nil {
		return nil, notFound(key)
	}
	if path, err := s.lockPath(id); err == nil {
		v.lock, _ = lstat(path) // reading it says what is wrong with it
	}
	v.index = s.index.entry(id)
	return v, nil
}

func notFound(key string) error { return fmt.Errorf("read session %q: %w", key, sessions.ErrNotFound) }

// lookAtState finds the metadata: state.json, or where older builds of the second generation kept it.
func (v *survey) lookAtState() {
	for _, rel := range []string{stateName, metaName + "/" + stateName} {
		id, err := lstat(v.dir + "/" + rel)
		v.note(err)
		if id.exists() {
			v.state, v.stateRel = id, rel
			return
		}
	}
}

// lookAtAgents finds the journals. It reports whether there is a folder for them.
func (v *survey) lookAtAgents() bool {
	err := entries(v.dir+"/"+agentsName, func(d fs.DirEntry) bool {
		if d.IsDir() && !stray(d.Name()) {
			wire, err := lstat(v.dir + "/" + agentsName + "/" + d.Name() + "/" + wireName)
			v.note(err)
			v.agents = append(v.agents, agentFile{d.Name(), wire})
		}
		return true
	})
	if !gone(err) {
		v.note(err)
	}
	return err == nil
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

func (f fileID) hash(name string) uint64 {
	if !f.exists() {
		return hashText(name)
	}
	h := hash64(hashText(name) ^ f.inode)
	h = hash64(h ^ uint64(f.size))
	return hash64(h ^ uint64(f.mtime))
}

// hashText is FNV-1a.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hash64 mixes the bits of x so that sums of hashes stay apart (the finaliser of splitmix64).
func hash64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
