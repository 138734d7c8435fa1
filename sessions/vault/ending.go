package vault

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// ending is what the block at the end of a closed note says.
type ending struct {
	started, ended time.Time
	summary        []string // clean lines, none for no summary
	touched        []string // names of notes, newest first
}

// block returns the lines of the end block (kioku.md section 1.10).
func (e *ending) block() []string {
	lines := []string{"---", "", endedHeading + formatTime(e.ended), "", "**Duration:** " + durationText(e.ended.Sub(e.started))}
	if len(e.summary) > 0 {
		lines = append(lines, "**Outcome:** "+e.summary[0])
		lines = append(lines, e.summary[1:]...)
	}
	lines = append(lines, "")
	if len(e.touched) == 0 {
		return append(lines, "_(no notes were modified during this session)_")
	}
	lines = append(lines, fmt.Sprintf("### Notes touched during session (%d)", len(e.touched)))
	for _, name := range e.touched {
		lines = append(lines, "- [["+name+"]]")
	}
	return lines
}

// durationText is "1h 30m", hours without limit, or "30m".
func durationText(d time.Duration) string {
	d = max(d, 0)
	minutes := int(d/time.Minute) % 60
	if d >= time.Hour {
		return fmt.Sprintf("%dh %dm", int(d/time.Hour), minutes)
	}
	return fmt.Sprintf("%dm", minutes)
}

// touched returns the names of the notes that changed after the session began and not after now: those
// of its project, or of the whole vault for a session without one; newest first, the note itself not.
func (s *Source) touched(ctx context.Context, n *note, started, now time.Time) ([]string, error) {
	folder := "."
	if n.meta.project != "" {
		folder = s.current().projectFolder(n.meta.project)
	}
	if folder == "" {
		return nil, nil
	}
	type touch struct {
		key string
		at  time.Time
	}
	var all []touch
	err := s.walk(ctx, folder, func(key string, d fs.DirEntry) {
		if fi, err := d.Info(); err == nil && key != n.key && fi.ModTime().After(started) && !fi.ModTime().After(now) {
			all = append(all, touch{key, fi.ModTime()})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("find touched notes: %w", err)
	}
	slices.SortFunc(all, func(a, b touch) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	var names []string
	for _, t := range all {
		names = append(names, linkName(t.key))
	}
	return names, nil
}

// linkName returns what a link calls the note. The name is a stranger's: it gets one line and no
// template marks.
func linkName(key string) string {
	return disarm(oneLine(strings.TrimSuffix(path.Base(key), ".md")))
}
