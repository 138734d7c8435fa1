package kimi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"berth/sessions"
)

var _ sessions.Reindexer = (*Source)(nil)

// IndexPath is session_index.jsonl, the one index file that clients write.
func (s *Source) IndexPath() string { return s.path(indexName) }

// settledAfter is the age from which a session without a line was forgotten: its client writes the line right after the
// folder.
const settledAfter = time.Minute

// Reindex implements [sessions.Reindexer]. A line is {"sessionId","sessionDir","workDir"}, with absolute folders; the last
// one about a session counts.
func (s *Source) Reindex(ctx context.Context, r sessions.ReindexRequest, now time.Time) ([]sessions.IndexLine, error) {
	if s.census == nil && !r.DryRun {
		return nil, refusal(sessions.ErrNotCapable, s.root, "this home is only read")
	}
	faults, err := s.indexFaults(ctx, now)
	if err != nil || r.DryRun {
		return faults, err
	}
	for i := range faults {
		f := &faults[i]
		if f.Fault == sessions.IndexMissing || f.Fault == sessions.IndexConflicting && r.Fix {
			if err := errors.Join(context.Cause(ctx), appendLine(s.IndexPath(), f.Line)); err != nil {
				return faults, err
			}
			f.Written = true
		}
	}
	return faults, nil
}

// indexFaults compares the index with the folders, which are the truth.
func (s *Source) indexFaults(ctx context.Context, now time.Time) ([]sessions.IndexLine, error) {
	known, err := readIndex(s.root, s.log)
	if err != nil {
		return nil, err
	}
	folders := map[string][]string{}
	err = s.List(ctx, func(key string) {
		if id, ok := splitKey(key); ok {
			folders[id] = append(folders[id], key)
		}
	})
	if err != nil {
		return nil, err
	}
	var faults []sessions.IndexLine
	for id, keys := range folders {
		rec, err := s.Load(keys[0], now)
		if err != nil || young(rec, now) {
			continue // a folder that is no session, or one that its client is about to enter
		}
		f := s.indexFault(id, rec, known[id])
		if len(keys) > 1 && f.Fault != "" {
			f.Fault, f.Why, f.Line = sessions.IndexUnclear, fmt.Sprintf("%d folders have this id", len(keys)), ""
		}
		if f.Fault != "" {
			faults = append(faults, f)
		}
	}
	slices.SortFunc(faults, func(a, b sessions.IndexLine) int { return strings.Compare(a.SessionID, b.SessionID) })
	return faults, nil
}

// young reports whether the session was made a moment ago.
func young(r *sessions.Record, now time.Time) bool {
	made := r.CreatedAt
	if made.IsZero() {
		if id, err := lstat(r.Path); err == nil && id.exists() {
			made = id.modified()
		}
	}
	return now.Sub(made) < settledAfter
}

// indexFault says what is wrong with what the index knows about one session. Fault is "" when nothing is.
func (s *Source) indexFault(id string, r *sessions.Record, known indexRecord) sessions.IndexLine {
	f := sessions.IndexLine{Root: s.root, SessionID: id, Path: r.Path}
	switch {
	case known.id == "":
		f.Fault = sessions.IndexMissing
	case known.deleted:
		f.Fault, f.Why = sessions.IndexConflicting, "the index says that it was deleted"
	case !samePlace(known.dir, r.Path):
		f.Fault, f.Why = sessions.IndexConflicting, "the index has it in "+known.dir
	case r.WorkDir != "" && foldPath(known.workDir) != foldPath(r.WorkDir):
		f.Fault, f.Why = sessions.IndexConflicting, "the index has it for "+known.workDir
	default:
		return f
	}
	switch {
	case r.ID != id:
		f.Fault, f.Why = sessions.IndexUnclear, "its metadata is that of another session, "+r.ID
	case r.WorkDir == "":
		f.Fault, f.Why = sessions.IndexUnclear, "its work folder is not known"
	default:
		f.Line = indexEntryOf(id, r.Path, r.WorkDir)
	}
	return f
}

// indexEntryOf is a line of the index, without its line end.
func indexEntryOf(id, dir, workDir string) string {
	return `{"sessionId":` + jsonText(id) + `,"sessionDir":` + jsonText(dir) + `,"workDir":` + jsonText(workDir) + `}`
}

// appendTries is how often a line is written again because the client replaced the file meanwhile: it drops garbage from
// it now and then.
const appendTries = 3

// errReplaced says that a line went into a file that has another in its place now.
var errReplaced = errors.New("the index is replaced over and over")

// appendLine adds one line in one write, behind a line end when the last line has none (fault 19 of the fact sheet: two
// entries on one line).
func appendLine(path, line string) error {
	for range appendTries {
		err := appendOnce(path, line)
		if !errors.Is(err, errReplaced) {
			return err
		}
	}
	return fmt.Errorf("append to %s: %w", path, errReplaced)
}

func appendOnce(path, line string) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("append to %s: %w", path, fs.ErrInvalid)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	guard, err := lineEndMissing(f, info.Size())
	if err != nil {
		return err
	}
	if _, err := f.WriteString(guard + line + "\n"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(info, now) {
		return errReplaced
	}
	return nil
}

// lineEndMissing returns the line end that is to be written first, "" when the file ends with one.
func lineEndMissing(r io.ReaderAt, size int64) (string, error) {
	if size == 0 {
		return "", nil
	}
	var last [1]byte
	if _, err := r.ReadAt(last[:], size-1); err != nil {
		return "", err
	}
	if last[0] == '\n' {
		return "", nil
	}
	return "\n", nil
}
