package sessions

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"berth/locks"
	"berth/watcher"
)

// View is a Snapshot in the shape that leaves the process: the object of `list --json` and of the local API.
type View struct {
	Revision uint64               `json:"revision"`
	Sessions []*Session           `json:"sessions"` // the latest activity first
	Stores   []Store              `json:"stores,omitempty"`
	Coverage []watcher.RootStatus `json:"coverage,omitempty"` // absent when nothing is watched
}

// Find returns the Session that ref names, as [Snapshot.Find] does.
func (v *View) Find(ref string) (*Session, error) { return find(slices.Values(v.Sessions), ref) }

// Update is what a watching client gets: first a View, then Events, and a View again whenever so much
// changed, or so much was missed, that it has to start over.
type Update struct {
	View  *View  `json:"view,omitempty"`
	Event *Event `json:"event,omitempty"`
	// News are those of everything that changed when a View stands for it; an Event has its own.
	News []News `json:"news,omitempty"`
}

// AllNews returns what a person should be told because of u.
func (u *Update) AllNews() []News {
	if u.Event != nil {
		return u.Event.News
	}
	return u.News
}

// watchBuffer is how many Events a slow reader may be behind before it gets a new View instead.
const watchBuffer = 1024

// View returns the newest View. When since is its revision, it waits for the next one until ctx ends; any other
// number is of the past, or of another run of the service.
func (s *Service) View(ctx context.Context, since uint64) (*View, error) {
	select {
	case <-s.Index.Ready():
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	sub := s.Index.Subscribe(1)
	defer sub.Close()
	snap := sub.Snapshot
	if since > 0 && snap.Revision == since {
		select {
		case <-sub.C:
			snap = s.Index.Snapshot()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return s.view(snap), nil
}

// Stores returns the stores and their state, without waiting for their sessions.
func (s *Service) Stores(context.Context) ([]Store, error) { return s.Index.Stores(), nil }

func (s *Service) view(snap *Snapshot) *View {
	v := &View{Revision: snap.Revision, Sessions: snap.Sorted(nil), Stores: snap.Stores}
	if s.Coverage != nil {
		v.Coverage = s.Coverage()
	}
	return v
}

// Watch calls fn with a View and then with every Event in order, until ctx ends, the Index ends, or fn
// fails. It returns fn's error, and nil otherwise.
func (s *Service) Watch(ctx context.Context, fn func(Update) error) error {
	for {
		again, err := s.watchOnce(ctx, fn)
		if err != nil || !again {
			return err
		}
	}
}

// watchOnce serves one Subscription; again says that the reader has to start over.
func (s *Service) watchOnce(ctx context.Context, fn func(Update) error) (again bool, err error) {
	select {
	case <-s.Index.Ready():
	case <-ctx.Done():
		return false, nil
	}
	sub := s.Index.Subscribe(watchBuffer)
	defer sub.Close()
	v := s.view(sub.Snapshot)
	if err := fn(Update{View: v}); err != nil {
		return false, err
	}
	for {
		select {
		case e, open := <-sub.C:
			if !open {
				return errors.Is(sub.Err(), ErrLagged), nil
			}
			if e.Revision <= v.Revision {
				continue // the View that was sent shows it already
			}
			u := Update{Event: &e}
			if e.Kind == Reset {
				v = s.view(s.Index.Snapshot())
				u = Update{View: v, News: e.News}
			}
			if err := fn(u); err != nil {
				return false, err
			}
		case <-ctx.Done():
			return false, nil
		}
	}
}

// LockRow is one lock file, or one holder inferred without a lock.
type LockRow struct {
	Path      string   `json:"path,omitempty"` // of the lock file
	SessionID string   `json:"session_id"`
	Token     string   `json:"token,omitempty"` // of the lock; Unlock wants it back
	Title     string   `json:"title,omitempty"` // absent when no session has this id
	Holder    *Holder  `json:"holder,omitempty"`
	Problem   string   `json:"problem,omitempty"`
	Evidence  []string `json:"evidence,omitempty"`
}

// Locks returns every lock of every store, and every holder known without one, with the evidence. What
// clients left behind while they took or reclaimed a lock is in it too.
func (s *Service) Locks(ctx context.Context) ([]LockRow, error) {
	v, err := s.View(ctx, 0)
	if err != nil {
		return nil, err
	}
	var rows []LockRow
	known := map[string]bool{}
	for _, row := range v.Sessions {
		if row.Holder == nil {
			continue
		}
		r := LockRow{SessionID: row.ID, Title: row.Name(), Holder: row.Holder, Evidence: row.Holder.Evidence}
		if row.Lock != nil {
			r.Path, r.Problem, r.Token = row.Lock.Path, row.Lock.Problem, row.Lock.Record.Token
			known[r.Path] = true
		}
		rows = append(rows, r)
	}
	for _, st := range s.Index.stores {
		if l, ok := st.src.(Locked); ok {
			rows = append(rows, s.strayLocks(l.LockDir(), known)...)
		}
	}
	return rows, nil
}

// strayLocks are the files of a lock folder that no session's row shows.
func (s *Service) strayLocks(dir string, known map[string]bool) []LockRow {
	files, left, err := locks.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no client of this store ever took a lock
	}
	if err != nil {
		return []LockRow{{Path: dir, Problem: err.Error()}}
	}
	var rows []LockRow
	for _, f := range files {
		if !known[f.Path] {
			rows = append(rows, s.strayLock(f))
		}
	}
	for _, l := range left {
		rows = append(rows, LockRow{Path: l.Path, Problem: "left over: not a lock"})
	}
	return rows
}

// strayLock is a lock whose session is not there (any more).
func (s *Service) strayLock(f *locks.File) LockRow {
	j := s.Prober.Judge(f, time.Now())
	h := holder(Situation{Record: &Record{Lock: f}, Lock: j})
	return LockRow{Path: f.Path, SessionID: f.SessionID, Token: f.Record.Token, Holder: h, Problem: f.Problem, Evidence: j.Evidence}
}
