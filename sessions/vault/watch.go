package vault

import (
	"path"

	"berth/sessions"
	"berth/watcher"
)

// Watch covers every folder that Kioku indexes, and .kioku for its configuration. Changes of anything
// but notes are noise.
func (s *Source) Watch() watcher.Root {
	return watcher.Root{Path: s.root, Dir: s.watchMode, Ignore: s.ignored}
}

func (s *Source) watchMode(rel string) watcher.Mode {
	if rel == ".kioku" {
		return watcher.Pinned
	}
	if s.current().hides(rel) || path.Base(rel) == "node_modules" {
		return watcher.Skip
	}
	return watcher.Pinned
}

func (s *Source) ignored(rel string) bool {
	return rel != configKey && !isNote(s.settings.Load(), rel)
}

// Changed maps an event to the note it is about. What is no note and went away was a folder that may
// have held some, since [Source.Watch] ignores all other files.
func (s *Source) Changed(e watcher.Event) sessions.Change {
	key, ok := s.key(e.Path)
	switch {
	case !ok:
		return sessions.Change{}
	case key == configKey:
		return sessions.Change{All: s.refresh()}
	case isNote(s.settings.Load(), key):
		return sessions.Change{Keys: []string{key}}
	case e.Op&watcher.Remove != 0 && !s.settings.Load().hides(key):
		return sessions.Change{All: true}
	}
	return sessions.Change{}
}
