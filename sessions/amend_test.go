package sessions

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"berth/locks"
)

// ledgered is a home whose Sessions can be amended.
type ledgered struct {
	*disk
	same  bool // it is that way already
	fail  error
	asked []Amendment
}

func (l *ledgered) PlanAmend(_ context.Context, key string, a Amendment) (*Edit, error) {
	e := &Edit{Path: l.root + "/" + key, Before: []byte("a"), After: []byte("b"), Message: "planned"}
	if l.same {
		e.After = e.Before
	}
	return e, l.fail
}

func (l *ledgered) AmendSession(ctx context.Context, key string, a Amendment) (*Edit, error) {
	l.asked = append(l.asked, a)
	return &Edit{Path: l.root + "/" + key, Message: "done"}, nil
}

// TestServiceAmend: what is asked of a Source, when, and what is kept of it.
func TestServiceAmend(t *testing.T) {
	held := func(r *Record) {
		r.Lock = &locks.File{SessionID: r.ID, Record: locks.Record{PID: 4242, Hostname: "elsewhere"}}
	}
	for _, tt := range []struct {
		name   string
		change func(*Record)
		r      AmendRequest
		same   bool
		fail   error
		want   error
		asked  int
		kept   []ActionKind
	}{
		{"archived", nil, AmendRequest{Kind: AmendArchive}, false, nil, nil, 1, []ActionKind{ActionArchived}},
		{"renamed", nil, AmendRequest{Kind: AmendRename, Title: "t"}, false, nil, nil, 1, []ActionKind{ActionRenamed}},
		{"only looked at", nil, AmendRequest{Kind: AmendRestore, DryRun: true}, false, nil, nil, 0, nil},
		{"that way already", nil, AmendRequest{Kind: AmendRestore}, true, nil, nil, 0, nil},
		{"refused by the source", nil, AmendRequest{Kind: AmendArchive}, false, ErrStale, ErrStale, 0, nil},
		{"held", held, AmendRequest{Kind: AmendArchive}, false, nil, ErrOccupied, 0, nil},
		{"unknown", nil, AmendRequest{Kind: "burn"}, false, nil, ErrRefused, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := session("s1", withID("s1"))
				if tt.change != nil {
					tt.change(rec)
				}
				l := &ledgered{disk: newDisk("kimi", "/home", rec), same: tt.same, fail: tt.fail}
				rig := newRig(t, l.disk, func(cfg *IndexConfig) { cfg.Sources, cfg.Batches = []Source{l}, nil })
				var kept []ActionKind
				s := &Service{Index: rig.index, Prober: rig.procs, Audit: func(a Action) error { kept = append(kept, a.Kind); return nil }}
				<-rig.index.Ready()
				tt.r.Ref = "s1"
				_, err := s.Amend(t.Context(), tt.r)
				if !errors.Is(err, tt.want) || len(l.asked) != tt.asked || len(kept) != len(tt.kept) || len(kept) > 0 && kept[0] != tt.kept[0] {
					t.Errorf("got %v, asked %d times, kept %v; want %v, %d, %v", err, len(l.asked), kept, tt.want, tt.asked, tt.kept)
				}
				if tt.asked > 0 && (l.asked[0].ID != "s1" || l.asked[0].Title != tt.r.Title || l.asked[0].Now.IsZero()) {
					t.Errorf("asked for %+v", l.asked[0])
				}
			})
		})
	}
}
