package sessions

import (
	"context"
	"fmt"
	"time"
)

// ActionReindexed: lines were appended to a client's own index.
const ActionReindexed ActionKind = "reindexed"

// IndexFault says what is wrong with a client's index about one Session.
type IndexFault string

const (
	IndexMissing     IndexFault = "missing"     // no line names it
	IndexConflicting IndexFault = "conflicting" // the newest line that names it says something else than the disk
	IndexUnclear     IndexFault = "unclear"     // what the line should be is not known; never written
)

// IndexLine is a Session that its client's index does not describe as it is.
type IndexLine struct {
	Root      string     `json:"root"`
	SessionID string     `json:"session_id"`
	Path      string     `json:"path"`
	Fault     IndexFault `json:"fault"`
	Why       string     `json:"why,omitempty"`
	Line      string     `json:"line,omitempty"` // that belongs there, without its line end
	Written   bool       `json:"written"`
}

// ReindexRequest says what to write. Missing lines are always appended, but for DryRun.
type ReindexRequest struct {
	Fix    bool `json:"fix,omitempty"` // append for conflicting lines, too
	DryRun bool `json:"dry_run,omitempty"`
}

// Reindexer is implemented by a Source whose client keeps an index of its Sessions that can fall behind.
type Reindexer interface {
	// Reindex compares the index with the disk and appends what is missing in it, one line a write; nothing that is
	// there changes. Sessions younger than a minute are left to their client. When it fails, the lines that were
	// written until then are among the result.
	Reindex(ctx context.Context, r ReindexRequest, now time.Time) ([]IndexLine, error)
	// IndexPath is the file that it appends to.
	IndexPath() string
}

// Reindex brings the clients' indexes of all stores up to date, and returns what was, or with DryRun would be, wrong
// with them.
func (s *Service) Reindex(ctx context.Context, r ReindexRequest) ([]IndexLine, error) {
	all := []IndexLine{}
	for _, st := range s.Index.stores {
		x, ok := st.src.(Reindexer)
		if !ok {
			continue
		}
		lines, err := x.Reindex(ctx, r, time.Now())
		all = append(all, lines...)
		n := 0
		for _, l := range lines {
			if l.Written {
				n++
			}
		}
		if n > 0 {
			if aerr := s.audit(Action{Kind: ActionReindexed, Source: st.src.Name(), Path: x.IndexPath(),
				Detail: fmt.Sprintf("lines appended: %d", n)}); err == nil {
				err = aerr
			}
		}
		if err != nil {
			return all, fmt.Errorf("reindex %s: %w", st.src.Root(), err)
		}
	}
	return all, nil
}
