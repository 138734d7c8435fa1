package sessions

import (
	"errors"
	"slices"
	"testing"
)

// publishRow publishes a Snapshot with one Added row, as revision.
func publishRow(h *hub, revision uint64) {
	row := rowOf(&Record{})
	snap := snapshotOf(row)
	snap.Revision = revision
	h.publish(snap, []Event{{Kind: Added, Session: row, Revision: revision}})
}

// drain reads c until it is closed and returns the revisions it carried.
func drain(c <-chan Event) []uint64 {
	var got []uint64
	for e := range c {
		got = append(got, e.Revision)
	}
	return got
}

func TestSubscriptionBeginsWithTheSnapshot(t *testing.T) {
	h := newHub()
	if s := h.subscribe(1); s.Snapshot == nil || s.Snapshot.Revision != 0 || s.Snapshot.Len() != 0 {
		t.Errorf("before anything is known: Snapshot = %+v", s.Snapshot)
	}
	publishRow(h, 1)
	publishRow(h, 2)
	s := h.subscribe(10)
	publishRow(h, 3)
	publishRow(h, 4)
	h.close()
	if got := drain(s.C); s.Snapshot.Revision != 2 || !slices.Equal(got, []uint64{3, 4}) {
		t.Errorf("Snapshot %d, then events %v; want 2, then 3 and 4", s.Snapshot.Revision, got)
	}
	if err := s.Err(); err != nil {
		t.Errorf("Err = %v after the Index ended", err)
	}
}

// TestSlowReaderLags: a full buffer ends that Subscription, and no other.
func TestSlowReaderLags(t *testing.T) {
	h := newHub()
	slow, quick := h.subscribe(2), h.subscribe(3)
	for r := range uint64(3) {
		publishRow(h, r+1)
	}
	if got := drain(slow.C); !slices.Equal(got, []uint64{1, 2}) || !errors.Is(slow.Err(), ErrLagged) {
		t.Errorf("slow reader got %v, Err %v; want 1 and 2, ErrLagged", got, slow.Err())
	}
	h.close()
	if got := drain(quick.C); !slices.Equal(got, []uint64{1, 2, 3}) || quick.Err() != nil {
		t.Errorf("quick reader got %v, Err %v", got, quick.Err())
	}
	slow.Close()
	if !errors.Is(slow.Err(), ErrLagged) {
		t.Errorf("Close after the end changed Err to %v", slow.Err())
	}
}

func TestCloseTwice(t *testing.T) {
	h := newHub()
	s := h.subscribe(1)
	s.Close()
	s.Close()
	publishRow(h, 1)
	if got := drain(s.C); got != nil || s.Err() != nil {
		t.Errorf("a closed Subscription got %v, Err %v", got, s.Err())
	}
	if len(h.subs) != 0 {
		t.Errorf("%d Subscriptions are left", len(h.subs))
	}
}

func TestSubscribeAfterTheEnd(t *testing.T) {
	h := newHub()
	publishRow(h, 1)
	h.close()
	s := h.subscribe(0)
	defer s.Close()
	if got := drain(s.C); got != nil || s.Err() != nil || s.Snapshot.Revision != 1 {
		t.Errorf("got %v, Err %v, Snapshot %d; want nothing after Snapshot 1", got, s.Err(), s.Snapshot.Revision)
	}
}
