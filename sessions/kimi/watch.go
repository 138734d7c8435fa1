package kimi

import (
	"os"
	"path/filepath"
	"strings"

	"berth/sessions"
	"berth/watcher"
)

// Watch covers the few folders in which sessions, locks and servers come and go, always; the folders of a
// session while it is in use; and nothing else. Logs, caches, histories and blobs change often and say
// nothing about a session (bug B104).
func (s *Source) Watch() watcher.Root {
	return watcher.Root{Path: s.root, Dir: dirMode, Ignore: ignored}
}

func dirMode(rel string) watcher.Mode {
	switch locate(rel).role {
	case homeDir, sessionsDir, marksDir, bucketDir, lockDir, serverDir:
		return watcher.Pinned
	case sessionDir, partDir:
		return watcher.Budgeted
	}
	return watcher.Skip
}

func ignored(rel string) bool { return locate(rel).role == noise }

// Changed says what an event means. Events of the servers' files are answered with the sessions whose last
// reading ended inside a turn: a server that comes or goes matters to those alone, and a server rewrites its
// file every 15 seconds without any news in it.
func (s *Source) Changed(e watcher.Event) sessions.Change {
	rel, ok := s.relative(e.Path)
	if !ok {
		return sessions.Change{}
	}
	moved := e.Op&(watcher.Create|watcher.Remove) != 0
	switch p := locate(rel); p.role {
	case homeDir, sessionsDir, lockDir:
		return sessions.Change{All: moved}
	case bucketDir:
		return s.bucketChanged(p.bucket, e.Op)
	case sessionDir, partDir, partFile:
		c := sessions.Change{Keys: []string{p.key}, Writer: writer(p.writer)}
		c.Late = c.Writer != 0 && e.Op&watcher.Create == 0
		return c
	case clientFile:
		return sessions.Change{Writer: writer(p.writer)}
	case mark:
		if e.Op&(watcher.Create|watcher.Write) != 0 {
			return sessions.Change{IDs: []string{p.id}}
		}
	case lockFile:
		return sessions.Change{IDs: []string{p.id}}
	case indexFile:
		return sessions.Change{IDs: s.index.refresh()}
	case serverDir, serverFile:
		if s.servers.refresh() {
			return sessions.Change{Keys: s.turns.keys()}
		}
	}
	return sessions.Change{}
}

// writer returns the pid of the client behind a temp file, 0 for our own: that a verb of ours wrote makes us no client.
func writer(pid int) int {
	if pid == os.Getpid() {
		return 0
	}
	return pid
}

// relative returns path relative to the home, with slashes.
func (s *Source) relative(path string) (string, bool) {
	if path == s.root {
		return ".", true
	}
	rel, ok := strings.CutPrefix(path, s.root)
	if !ok || rel == "" || !isSeparator(rel[0]) && !isSeparator(s.root[len(s.root)-1]) {
		return "", false
	}
	return strings.TrimPrefix(filepath.ToSlash(rel), "/"), true
}

func isSeparator(c byte) bool { return c == '/' || c == filepath.Separator }

// bucketChanged names the sessions of a bucket that appeared. The sessions of one that went away are not
// known here.
func (s *Source) bucketChanged(bucket string, op watcher.Op) sessions.Change {
	if op&watcher.Remove != 0 {
		return sessions.Change{All: true}
	}
	if op&watcher.Create == 0 {
		return sessions.Change{}
	}
	var keys []string
	err := s.listBucket(bucket, func(key string) bool {
		keys = append(keys, key)
		return true
	})
	if err != nil && !gone(err) {
		s.log.Debug("cannot list a new bucket", "path", s.path(sessionsRel+"/"+bucket), "err", err)
		return sessions.Change{All: true}
	}
	return sessions.Change{Keys: keys}
}
