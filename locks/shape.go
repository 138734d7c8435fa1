package locks

import (
	"path/filepath"
	"time"
)

// ShapeLease is the [File.Shape] of a lease: "lease.json" in the folder of the session, whose time of
// modification its holder renewed every 5 s, and which counted as stale after 30 s. Clients that were proposed
// and never published wrote it (pull requests 3316 and 3826 of the Kimi client).
const ShapeLease = "lease"

// LeaseName is the base name of a lease.
const LeaseName = "lease.json"

// ProblemFormat is the [File.Problem] of a lock that can be read and not be understood.
const ProblemFormat = ReasonFormat

// shape is one way in which a lock is kept on disk.
type shape struct {
	name    string // see [File.Shape]
	session func(path string) string
	parse   func(content []byte) (Record, string)
}

// shapes are the ways beside the lock file, by the base name. Another client's way is another entry.
var shapes = map[string]*shape{
	LeaseName: {
		name:    ShapeLease,
		session: func(path string) string { return filepath.Base(filepath.Dir(path)) },
		parse:   parseLease,
	},
}

var lockFile = &shape{
	session: func(path string) string { return sessionID(filepath.Base(path)) },
	parse:   parse,
}

func shapeOf(path string) *shape {
	if s := shapes[filepath.Base(path)]; s != nil {
		return s
	}
	return lockFile
}

// parseLease reads what a lease has in common with a lock. Its content is stated nowhere, so it never is
// well-formed.
func parseLease(content []byte) (Record, string) {
	r, problem := parse(content)
	if problem == "" || problem == problemNoVersion || r.Version != 0 {
		problem = ProblemFormat
	}
	return r, problem
}

// otherFormat reports whether f is a lock in a format that is not fully known: it may say in fields of its own
// what ends it, so it is never judged dead and never removed.
func (f *File) otherFormat() bool { return f.Shape != "" || f.Record.Version > knownVersion }

// format judges such a lock. Its age is for people.
func (c *claim) format() Judgement {
	words := "the lock is in a format that is not fully known"
	if c.f.Shape == ShapeLease {
		words = "a lease of a client that was never published; it was to be renewed every 5 s and to be stale after 30 s"
	} else if c.f.Problem != "" {
		words += ": " + c.f.Problem
	}
	return c.unknown(ReasonFormat, words, c.age())
}

// age says how long ago the lock was written, by the clocks of both machines.
func (c *claim) age() string {
	if c.f.ModTime.IsZero() {
		return "when it was written is not known"
	}
	age := c.now.Sub(c.f.ModTime).Round(time.Second)
	if age < 0 {
		return "it was written in the future, by " + (-age).String()
	}
	return "it was written " + age.String() + " ago"
}
