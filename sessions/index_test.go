package sessions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/locks"
	"berth/watcher"
)

// session is an open Session with key as its id, active right now.
func session(key string, change ...func(*Record)) *Record {
	r := &Record{Key: key, ID: key, WorkDir: "/p", Archived: No, Open: true, UpdatedAt: time.Now()}
	for _, c := range change {
		c(r)
	}
	return r
}

// activeNote makes a session a note that can be abandoned.
func activeNote(r *Record) { r.StatusWord = "active" }

func titled(title string) func(*Record)   { return func(r *Record) { r.Title = title } }
func withID(id string) func(*Record)      { return func(r *Record) { r.ID = id } }
func childOf(id string) func(*Record)     { return func(r *Record) { r.ParentID = id } }
func inGroups(gs ...string) func(*Record) { return func(r *Record) { r.Groups = gs } }
func openTurn(r *Record)                  { r.OpenTurn, r.TurnSince = true, time.Now() }

func lockedBy(pid int) func(*Record) {
	return func(r *Record) { r.Lock = &locks.File{Record: locks.Record{PID: pid}} }
}

func TestFirstListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a"), session("b", lockedBy(40))), nil)
		synctest.Wait()
		r.want("before the watcher has begun")
		select {
		case <-r.index.Ready():
			t.Error("Ready before the first listing")
		default:
		}
		r.rescan()
		<-r.index.Ready()
		r.want("listed", "a active", "b stale dead-lock")
		st := r.index.Snapshot().Stores[0]
		if st.Source != "kimi" || st.Root != "/home" || st.Sessions != 2 || !st.ListedAt.Equal(time.Now()) || st.Problem != "" {
			t.Errorf("store = %+v", st)
		}
	})
}

// TestListsByItself: without a Watcher, and with one that ends before it has said anything.
func TestListsByItself(t *testing.T) {
	ended := make(chan watcher.Batch)
	close(ended)
	for name, batches := range map[string]chan watcher.Batch{"no watcher": nil, "a watcher that ended": ended} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, newDisk("kimi", "/home", session("a")), func(cfg *IndexConfig) { cfg.Batches = batches })
				<-r.index.Ready()
				r.want("listed", "a active")
			})
		})
	}
}

func TestNoSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home"), func(cfg *IndexConfig) { cfg.Sources = nil })
		<-r.index.Ready()
		r.want("without sources")
	})
}

func TestEventsAddChangeRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a")), nil)
		sub := r.index.Subscribe(128)
		defer sub.Close()

		r.disk.put(session("b"))
		r.hint("b")
		r.disk.put(session("a", func(r *Record) { r.Archived = Yes }))
		r.hint("a")
		r.disk.remove("b")
		r.hint("b")

		r.want("in the end", "a archived")
		if got, want := events(sub), []string{"added b", "changed a", "removed b"}; !slices.Equal(got, want) {
			t.Errorf("events = %q, want %q", got, want)
		}
		if n := r.disk.count("List"); n != 1 {
			t.Errorf("%d listings, want only the first", n)
		}
	})
}

// TestEventTwice: another reading of the same says nothing.
func TestEventTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home"), nil)
		sub := r.index.Subscribe(128)
		defer sub.Close()
		r.disk.put(session("a"))
		r.hint("a", "a")
		r.hint("a")
		r.disk.remove("a")
		r.hint("a")
		r.hint("a", "never-there")
		if got, want := events(sub), []string{"added a", "removed a"}; !slices.Equal(got, want) {
			t.Errorf("events = %q, want %q", got, want)
		}
		r.want("in the end")
	})
}

// TestEventContent: an Event has the rows of the Snapshots before and after it, and the number of the latter.
func TestEventContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a")), nil)
		sub := r.index.Subscribe(128)
		defer sub.Close()
		first := r.row("a")
		r.disk.put(session("a", titled("new")))
		r.hint("a")
		second := r.row("a")
		r.disk.remove("a")
		r.hint("a")

		base := sub.Snapshot.Revision
		if got, want := <-sub.C, (Event{Revision: base + 1, Kind: Changed, Session: second, Previous: first}); !reflect.DeepEqual(got, want) {
			t.Errorf("event = %+v, want %+v", got, want)
		}
		if got, want := <-sub.C, (Event{Revision: base + 2, Kind: Removed, Session: second}); !reflect.DeepEqual(got, want) {
			t.Errorf("event = %+v, want %+v", got, want)
		}
		if second.Title != "new" || r.index.Snapshot().Revision != base+2 {
			t.Errorf("title %q, revision %d", second.Title, r.index.Snapshot().Revision)
		}
	})
}

// TestSweepRepairs: every event was dropped (B100, B152).
func TestSweepRepairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("changed"), session("removed"), session("same")),
			func(cfg *IndexConfig) { cfg.Sweep = 0 })
		r.disk.put(session("changed", lockedBy(40)))
		r.disk.remove("removed")
		r.disk.put(session("added"))
		r.disk.count("Load")

		pass(DefaultSweep - time.Second)
		r.want("before the sweep", "changed active", "removed active", "same active")
		pass(time.Second)
		r.want("after the sweep", "added active", "changed stale dead-lock", "same active")
		if n := r.disk.count("Load"); n > 4 {
			t.Errorf("the sweep read %d sessions, though one was the same", n)
		}
	})
}

// TestSweepAsksAgain: what a sweep finds unchanged on disk may have changed among the processes.
func TestSweepAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("locked", lockedBy(40)), session("turn", openTurn)),
			func(cfg *IndexConfig) { cfg.Sweep = time.Minute })
		r.want("at first", "locked stale dead-lock", "turn stale interrupted")
		r.procs.start(40, "/p") // as if it had been overlooked
		pass(time.Minute)
		r.want("after the sweep", "locked occupied lock", "turn occupied open-turn")
	})
}

// TestLossyEvents changes the disk at random and drops, doubles, delays and mixes the events. After one rescan all
// is right.
func TestLossyEvents(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, 2))
				r := newListedRig(t, newDisk("kimi", "/home"), nil)
				sub := r.index.Subscribe(1 << 16)
				defer sub.Close()
				var late []string
				for range 400 {
					key := fmt.Sprint("s", rnd.IntN(40))
					changeDisk(rnd, r.disk, key)
					switch rnd.IntN(4) {
					case 0: // dropped
					case 1:
						late = append(late, key)
					case 2:
						r.hint(key, key)
					default:
						r.hint(append(late, key)...)
						late = nil
					}
					if rnd.IntN(50) == 0 {
						r.batches <- watcher.Batch{Rescan: []string{"/home"}}
					}
				}
				r.rescan()
				r.checkAgainstDisk()
				checkReplay(t, sub, r.index.Snapshot())
			})
		})
	}
}

func changeDisk(rnd *rand.Rand, d *disk, key string) {
	switch rnd.IntN(4) {
	case 0:
		d.remove(key)
	case 1:
		d.put(session(key, withID(fmt.Sprint("id", rnd.IntN(30))), childOf(fmt.Sprint("id", rnd.IntN(60)))))
	default:
		d.put(session(key, activeNote, inGroups(fmt.Sprint("g", rnd.IntN(8)), fmt.Sprint("h", rnd.IntN(8)))))
	}
}

// checkAgainstDisk derives every row anew, with what it has to know of the others counted by hand.
func (r *rig) checkAgainstDisk() {
	r.t.Helper()
	ids, groups := map[string]int{}, map[string]int{}
	for _, rec := range r.disk.records {
		ids[rec.ID]++
		for _, g := range rec.Groups {
			groups[g]++
		}
	}
	var lines []string
	for key, rec := range r.disk.records {
		s := Situation{Record: rec, SameID: ids[rec.ID] > 1, ParentMissing: rec.ParentID != "" && ids[rec.ParentID] == 0}
		for _, g := range slices.Backward(rec.Groups) {
			if groups[g] > 1 {
				s.Group = g
			}
		}
		row, _ := Classify(s, time.Now(), DefaultPolicy())
		lines = append(lines, describe(row))
		if got := r.row(key); got != nil && got.AmbiguousGroup != s.Group {
			r.t.Errorf("%s is in group %q, want %q", key, got.AmbiguousGroup, s.Group)
		}
	}
	slices.Sort(lines)
	r.want("compared with the disk", lines...)
}

// checkReplay applies what sub received to the Snapshot that it began with.
func checkReplay(t *testing.T, sub *Subscription, want *Snapshot) {
	t.Helper()
	rows := map[string]*Session{}
	for s := range sub.Snapshot.All() {
		rows[s.Key] = s
	}
	revision := sub.Snapshot.Revision
	sub.Close()
	for e := range sub.C {
		if e.Revision < revision || e.Revision > revision+1 {
			t.Errorf("revision %d comes after %d", e.Revision, revision)
		}
		revision = e.Revision
		if e.Previous != nil && rows[e.Session.Key] != e.Previous {
			t.Errorf("%s: previous is not what came before", e.Session.Key)
		}
		rows[e.Session.Key] = e.Session
		if e.Kind == Removed {
			delete(rows, e.Session.Key)
		}
	}
	if len(rows) != want.Len() || revision != want.Revision {
		t.Errorf("%d rows at revision %d, want %d at %d", len(rows), revision, want.Len(), want.Revision)
	}
	for s := range want.All() {
		if rows[s.Key] != s {
			t.Errorf("%s: the events lead to another row", s.Key)
		}
	}
}

// TestChangesDuringAScan: what a scan has read may be older than what an event has found meanwhile.
func TestChangesDuringAScan(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *rig)
		want   []string
	}{
		{"nothing", func(*rig) {}, []string{"a active", "b active"}},
		{"removed", func(r *rig) { r.disk.remove("a"); r.hint("a") }, []string{"b active"}},
		{"changed", func(r *rig) { r.disk.put(session("a", lockedBy(40))); r.hint("a") }, []string{"a stale dead-lock", "b active"}},
		{"removed and made again", func(r *rig) {
			r.disk.remove("a")
			r.hint("a")
			r.disk.put(session("a", lockedBy(40)))
			r.hint("a")
		}, []string{"a stale dead-lock", "b active"}},
		{"removed, and the event is lost, but another scan is asked for", func(r *rig) { r.disk.remove("a"); r.rescan() }, []string{"b active"}},
		{"another appears", func(r *rig) { r.disk.put(session("c")); r.hint("c") }, []string{"a active", "b active", "c active"}},
	}
	for _, first := range []bool{true, false} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, first scan %v", tt.name, first), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, newDisk("kimi", "/home", session("a"), session("b")), nil)
					if !first {
						r.rescan()
						r.disk.put(session("a")) // so that the scan has something to read
					}
					hold := make(chan struct{})
					r.disk.set(func() { r.disk.held["a"] = hold })
					r.rescan() // stops with a's old content read and not yet handed over
					tt.change(r)
					close(hold)
					synctest.Wait()
					r.want("after the scan", tt.want...)
				})
			})
		}
	}
}

// TestRescansMerge: any number of requests during a scan make one more.
func TestRescansMerge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a")), nil)
		hold := make(chan struct{})
		r.disk.set(func() { r.disk.held["a"] = hold })
		for range 5 {
			r.rescan()
		}
		r.hint("index") // a change that means "everything"
		close(hold)
		synctest.Wait()
		if n := r.disk.count("List"); n != 2 {
			t.Errorf("%d listings, want 2", n)
		}
	})
}

// TestListFails: the rows stay, the store says why, and the time of the last proof is not renewed.
func TestListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a"), session("b")), nil)
		listed := time.Now()
		sub := r.index.Subscribe(128)
		defer sub.Close()

		pass(time.Minute)
		r.disk.set(func() { r.disk.listErr = errors.New("input/output error") })
		r.disk.remove("a")
		r.rescan()
		r.rescan()
		r.want("while it cannot be listed", "a active", "b active")
		if st := r.index.Snapshot().Stores[0]; st.Problem != "input/output error" || !st.ListedAt.Equal(listed) {
			t.Errorf("store = %+v, want the problem and %v", st, listed)
		}

		r.disk.set(func() { r.disk.listErr = nil })
		r.rescan()
		r.want("when it can be listed again", "b active")
		if st := r.index.Snapshot().Stores[0]; st.Problem != "" || !st.ListedAt.Equal(time.Now()) {
			t.Errorf("store = %+v", st)
		}
		if got := events(sub); !slices.Equal(got, []string{"snapshot", "removed a", "snapshot"}) && !slices.Equal(got, []string{"snapshot", "snapshot", "removed a"}) {
			t.Errorf("events = %q", got)
		}
	})
}

// TestFirstListingFails: the Index is ready, says so, and calls nobody an orphan.
func TestFirstListingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("child", childOf("parent")))
		d.listErr = errors.New("permission denied")
		r := newListedRig(t, d, nil)
		<-r.index.Ready()
		r.want("what was found before the error", "child active")
		if st := r.index.Snapshot().Stores[0]; st.Problem != "permission denied" || !st.ListedAt.IsZero() {
			t.Errorf("store = %+v", st)
		}
		r.disk.set(func() { d.listErr = nil })
		r.rescan()
		r.want("listed", "child active orphan")
	})
}

// TestLoadFails: one unreadable session does not disturb the others, keeps its last row, and is reported loudly
// once.
func TestLoadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r := newListedRig(t, newDisk("kimi", "/home", session("a"), session("b")), func(cfg *IndexConfig) {
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		r.disk.set(func() { r.disk.broken["a"] = errors.New("input/output error") })
		r.disk.put(session("a", lockedBy(40)))
		r.disk.put(session("b", lockedBy(40)))
		r.hint("a", "b")
		r.rescan()
		r.want("while a cannot be read", "a active", "b stale dead-lock")
		if got := strings.Count(log.String(), "cannot read session"); got != 1 {
			t.Errorf("reported %d times:\n%s", got, log.String())
		}
		r.disk.set(func() { delete(r.disk.broken, "a") })
		r.hint("a")
		r.want("when it can be read", "a stale dead-lock", "b stale dead-lock")
	})
}

// TestDuplicates: three notes with one id, spelled differently; two of them go.
func TestDuplicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("vault", "/vault",
			session("1", withID("Twin")), session("2", withID("twin ")), session("3", withID("TWIN")), session("4")), nil)
		r.want("three", "1 active duplicate-id", "2 active duplicate-id", "3 active duplicate-id", "4 active")
		if ev := r.row("1").AllEvidence; len(ev) != 1 || ev[0] != "another session of the store has the id Twin too" {
			t.Errorf("evidence = %q", ev)
		}
		r.disk.remove("2")
		r.hint("2")
		r.want("two", "1 active duplicate-id", "3 active duplicate-id", "4 active")
		r.disk.put(session("1", withID("other")))
		r.hint("1")
		r.want("none", "1 active", "3 active", "4 active")
	})
}

// TestStoresAreApart: an id, a group or a parent means nothing in another store.
func TestStoresAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := newDisk("vault", "/one", session("a", withID("x"), inGroups("g")))
		two := newDisk("vault", "/two", session("b", withID("x"), inGroups("g")), session("c", childOf("y")), session("d", withID("z")))
		three := newDisk("vault", "/three", session("e", withID("y")))
		r := newRig(t, one, func(cfg *IndexConfig) {
			cfg.Sources, cfg.Batches = []Source{one, two, three}, nil
		})
		synctest.Wait()
		r.want("all", "a active", "b active", "c active orphan", "d active", "e active")
	})
}

// TestAmbiguousGroups: a second note makes a group, a third joins it, and a group of one is none.
func TestAmbiguousGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, agent := inGroups("client", "agent"), inGroups("agent")
		r := newListedRig(t, newDisk("vault", "/vault", session("1", client)), nil)
		r.want("one", "1 active")

		r.disk.put(session("2", client))
		r.hint("2")
		r.want("two", "1 active ambiguous", "2 active ambiguous")
		r.disk.put(session("3", agent))
		r.hint("3")
		r.want("three", "1 active ambiguous", "2 active ambiguous", "3 active ambiguous")
		if got := []string{r.row("1").AmbiguousGroup, r.row("3").AmbiguousGroup}; !slices.Equal(got, []string{"client", "agent"}) {
			t.Errorf("groups = %q, want the first that is shared", got)
		}

		r.disk.remove("2")
		r.hint("2")
		r.want("two again", "1 active ambiguous", "3 active ambiguous")
		if got := r.row("1").AmbiguousGroup; got != "agent" {
			t.Errorf("group = %q, want the one that is still shared", got)
		}
		r.disk.put(session("3")) // closed: no implicit end matches it any more
		r.hint("3")
		r.want("one again", "1 active", "3 active")
	})
}

// TestOrphans: a parent that was not found yet is not missing; one that is gone is.
func TestOrphans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("vault", "/vault", session("child", childOf(" Parent ")), session("lone", childOf("nobody"))), nil)
		r.hint("child", "lone")
		r.want("before the first listing", "child active", "lone active")
		r.disk.put(session("parent"))
		r.rescan()
		r.want("listed", "child active", "lone active orphan", "parent active")
		r.disk.remove("parent")
		r.hint("parent")
		r.want("the parent is gone", "child active orphan", "lone active orphan")
		r.disk.put(session("parent"))
		r.hint("parent")
		r.want("and is back", "child active", "lone active orphan", "parent active")
	})
}

// TestHolderEnds: nothing happens on disk when a holder dies, and no time may pass (B52).
func TestHolderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", lockedBy(40)), session("b", lockedBy(40)), session("c", lockedBy(41))), nil)
		r.procs.start(40, "/elsewhere")
		r.procs.start(41, "/elsewhere")
		r.rescan()
		r.want("all live", "a occupied lock", "b occupied lock", "c occupied lock")
		before := time.Now()
		r.procs.kill(40)
		synctest.Wait()
		r.want("one has ended", "a stale dead-lock", "b stale dead-lock", "c occupied lock")
		if d := time.Since(before); d != 0 {
			t.Errorf("it took %v", d)
		}
	})
}

// TestHolderChanges: the end of somebody who no longer has a session is no news.
func TestHolderChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", lockedBy(40))), nil)
		r.procs.start(40, "/elsewhere")
		r.procs.start(41, "/elsewhere")
		r.rescan()
		r.disk.put(session("a", lockedBy(41)))
		r.hint("a")
		sub := r.index.Subscribe(128)
		defer sub.Close()
		r.procs.kill(40)
		synctest.Wait()
		if got := events(sub); got != nil {
			t.Errorf("events = %q", got)
		}
		r.procs.kill(41)
		synctest.Wait()
		r.want("the new holder has ended", "a stale dead-lock")
	})
}

// TestRemovedRowsAreForgotten: nothing waits for what is gone.
func TestRemovedRowsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", lockedBy(40), activeNote, withID("x"), childOf("y"), inGroups("g"))), nil)
		r.procs.start(40, "/elsewhere")
		r.rescan()
		r.hint("a.tmp.40")
		r.disk.remove("a")
		r.hint("a")
		r.procs.kill(40) // whoever is known to write is awaited as long as it runs
		synctest.Wait()
		r.stop()
		st := r.index.stores[0]
		left := len(r.index.awaited) + len(r.index.due.heap) + len(r.index.dirty) +
			len(st.entries) + len(st.byID) + len(st.children) + len(st.groups) + len(st.authors) +
			len(r.index.looks.askers) + len(r.index.grown)
		if left != 0 {
			t.Errorf("%d things are left: %+v", left, st)
		}
	})
}

// TestUnknownHolderEnds: a lock that could not be judged is judged again when the process it names ends.
func TestUnknownHolderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		foreign := func(r *Record) { r.Lock = &locks.File{Record: locks.Record{PID: 40, Hostname: "renamed"}} }
		r := newRig(t, newDisk("kimi", "/home", session("a", foreign)), nil)
		r.procs.start(40, "/elsewhere")
		r.rescan()
		judged := r.procs.judged()
		r.procs.kill(40)
		synctest.Wait()
		if r.procs.judged() == judged {
			t.Error("the lock was not judged again")
		}
		r.want("still unknown", "a occupied lock")
	})
}

// TestHolderEndsUnseen: where the end of a process cannot be waited for, it is looked at every half a minute.
func TestHolderEndsUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", lockedBy(40))), nil)
		r.procs.blind = true
		r.procs.start(40, "/elsewhere")
		r.rescan()
		pass(3 * recheckExit)
		r.want("it lives", "a occupied lock")
		r.procs.kill(40)
		pass(recheckExit)
		r.want("it has ended", "a stale dead-lock")
	})
}

// TestWriterEnds: the only client in the folder of an open turn ends.
func TestWriterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home"), nil)
		r.procs.start(50, "/p")
		r.disk.put(session("a", openTurn))
		r.disk.put(session("elsewhere", openTurn, func(r *Record) { r.WorkDir = "/q" }))
		r.rescan()
		r.want("it lives", "a occupied open-turn", "elsewhere stale interrupted")
		if h := r.row("a").Holder; h == nil || h.PID != 50 || h.Via != ViaOnlyCandidate {
			t.Errorf("holder = %+v", h)
		}
		r.procs.kill(50)
		synctest.Wait()
		r.want("it has ended", "a stale interrupted", "elsewhere stale interrupted")
	})
}

// TestWriterIsAServer: a server of the store may write any of its sessions, as long as it lives.
func TestWriterIsAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("a", openTurn))
		r := newRig(t, d, func(cfg *IndexConfig) {
			cfg.Sources = []Source{home{d, []Server{{PID: 60, Name: "Kimi server"}, {PID: 61, Name: "Kimi server that is gone"}}}}
		})
		r.procs.start(60, "/")
		r.rescan()
		r.want("it lives", "a occupied open-turn")
		if h := r.row("a").Holder; h.PID != 60 || h.Via != ViaServer {
			t.Errorf("holder = %+v", h)
		}
		r.procs.kill(60)
		synctest.Wait()
		r.want("it has ended", "a stale interrupted")
	})
}

// TestBackgroundTaskNeedsItsWriter: also work outside of a turn is going on only while somebody does it.
func TestBackgroundTaskNeedsItsWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", func(r *Record) { r.Work.Busy = Yes })), nil)
		r.procs.start(50, "/p")
		r.rescan()
		r.want("its writer lives", "a active busy")
		r.procs.kill(50)
		synctest.Wait()
		r.want("its writer has ended", "a active")
	})
}

// TestWitness: a temp file's name tells which of two clients writes, and the end of that one counts.
func TestWitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home"), nil)
		r.procs.start(50, "/p")
		r.procs.start(51, "/q")
		r.disk.put(session("a", openTurn))
		r.rescan()
		if h := r.row("a").Holder; h == nil || h.PID != 50 {
			t.Fatalf("by its folder: holder = %+v", h)
		}
		r.hint("a.tmp.51")
		if h := r.row("a").Holder; h == nil || h.PID != 51 || h.Via != ViaTempName {
			t.Fatalf("by the temp name: holder = %+v", h)
		}
		r.hint("a.tmp.99") // gone before anybody could look
		if h := r.row("a").Holder; h == nil || h.PID != 51 {
			t.Fatalf("after a name without a process: holder = %+v", h)
		}
		r.procs.kill(50)
		synctest.Wait()
		r.want("another client has ended", "a occupied open-turn")
		r.procs.kill(51)
		synctest.Wait()
		r.want("the writer has ended", "a stale interrupted")
		if got := strings.Join(r.row("a").AllEvidence, "\n"); !strings.Contains(got, "and pid 51 is gone") {
			t.Errorf("evidence = %s", got)
		}
	})
}

// TestInterruptedAfterGrowth: a turn that was seen to begin has a writer, though the process list may be older.
func TestInterruptedAfterGrowth(t *testing.T) {
	for name, known := range map[string]bool{"a session that was there": true, "a session that is new": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDisk("kimi", "/home")
				if known {
					d.put(session("a"))
				}
				r := newListedRig(t, d, nil)
				pass(time.Minute)
				r.disk.put(session("a", openTurn))
				r.hint("a")
				r.want("it has just grown", "a active")
				pass(growthSettle - time.Millisecond)
				r.want("a moment before", "a active")
				pass(time.Millisecond)
				r.want("nobody has shown up", "a stale interrupted")
			})
		})
	}
}

// TestInterruptedAtOnce: a turn that was open when we came has nobody whom we could have overlooked.
func TestInterruptedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", openTurn)), nil)
		r.want("listed", "a stale interrupted")
	})
}

// TestAbandoned: the deadline alone does it; no event, no sweep.
func TestAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("vault", "/vault", session("a", activeNote), session("b")), nil)
		pass(time.Hour)
		r.disk.put(session("c", activeNote))
		r.hint("c")
		pass(11*time.Hour - time.Millisecond)
		r.want("a moment before", "a active", "b active", "c active")
		pass(time.Millisecond)
		r.want("after 12 h", "a stale abandoned", "b active", "c active")
		pass(time.Hour)
		r.want("an hour later", "a stale abandoned", "b active", "c stale abandoned")
		r.disk.put(session("a", activeNote))
		r.hint("a")
		r.want("with new activity", "a active", "b active", "c stale abandoned")
	})
}

// TestSettle: something unfinished is read again when it must be finished, without an event (B11).
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home"), nil)
		end := time.Now().Add(3 * time.Second)
		r.disk.set(func() { r.disk.settle["a"] = until(end) })
		r.disk.put(session("a", titled("torn")))
		r.hint("a")
		r.disk.put(session("a", titled("whole"))) // and the event is lost
		r.disk.count("Load")
		pass(3*time.Second - time.Millisecond)
		if got := r.row("a").Title; got != "torn" {
			t.Errorf("before it settles: %q", got)
		}
		pass(time.Millisecond)
		if got := r.row("a").Title; got != "whole" {
			t.Errorf("after it settled: %q", got)
		}
		pass(time.Hour)
		if n := r.disk.count("Load"); n != 1 {
			t.Errorf("it was read %d times", n)
		}
	})
}

// until makes a Source want another reading at end, as long as that is to come.
func until(end time.Time) func(now time.Time) time.Time {
	return func(now time.Time) time.Time {
		if now.Before(end) {
			return end
		}
		return time.Time{}
	}
}

// TestSettlePassesDuringAScan: the reading took longer than what was in flight needed.
func TestSettlePassesDuringAScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", titled("torn"))), nil)
		hold := make(chan struct{})
		r.disk.set(func() {
			r.disk.held["a"] = hold
			r.disk.settle["a"] = until(time.Now().Add(3 * time.Second))
		})
		r.rescan()
		r.disk.put(session("a", titled("whole")))
		pass(10 * time.Second)
		close(hold)
		synctest.Wait()
		if got := r.row("a").Title; got != "whole" {
			t.Errorf("title = %q", got)
		}
	})
}

// TestSettleFails: the reading that should have settled it did not succeed; the next scan makes up for it.
func TestSettleFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home"), nil)
		r.disk.set(func() { r.disk.settle["a"] = until(time.Now().Add(3 * time.Second)) })
		r.disk.put(session("a"))
		r.hint("a")
		r.disk.set(func() { r.disk.broken["a"] = errors.New("input/output error") })
		pass(time.Minute)
		r.disk.set(func() { delete(r.disk.broken, "a") })
		r.rescan()
		if got := r.row("a").Settle; !got.IsZero() {
			t.Errorf("it still waits for %v", got)
		}
	})
}

// TestNeverSettles: a Source that wants to read for ever cannot keep the Index busy.
func TestNeverSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home"), nil)
		readings := time.Duration(0)
		r.disk.set(func() {
			r.disk.settle["a"] = func(now time.Time) time.Time {
				readings++
				return now.Add(-readings)
			}
		})
		r.disk.put(session("a"))
		r.disk.count("Load")
		r.hint("a")
		pass(time.Hour)
		if n := r.disk.count("Load"); n > 3 {
			t.Errorf("it was read %d times", n)
		}
	})
}

// TestChangeByID: a lock file and an index mark name a session by its id, wherever it is.
func TestChangeByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("bucket1/x", withID("X")), session("bucket2/x", withID("x")), session("y")), nil)
		r.disk.count("Load")
		r.disk.put(session("bucket1/x", withID("X"), lockedBy(40)))
		r.hint("locks/x.lock")
		r.want("one of two is locked", "bucket1/x stale dead-lock duplicate-id", "bucket2/x active duplicate-id", "y active")
		if n := r.disk.count("Load"); n != 2 {
			t.Errorf("%d sessions were read, want the two with the id", n)
		}
		r.hint("locks/nobody.lock")
		if n := r.disk.count("Load"); n != 0 {
			t.Errorf("%d sessions were read for an id that nobody has", n)
		}
	})
}

// TestManyChangesAtOnce: a few are told one by one, many as "take it anew".
func TestManyChangesAtOnce(t *testing.T) {
	for _, n := range []int{maxSingleEvents, maxSingleEvents + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newListedRig(t, newDisk("kimi", "/home"), nil)
				sub := r.index.Subscribe(1000)
				defer sub.Close()
				var keys []string
				for i := range n {
					keys = append(keys, fmt.Sprint("s", i))
					r.disk.put(session(keys[i]))
				}
				r.hint(keys...)
				got := events(sub)
				if n > maxSingleEvents && !slices.Equal(got, []string{"snapshot"}) || n <= maxSingleEvents && len(got) != n {
					t.Errorf("%d events, the first %q", len(got), got[0])
				}
				if r.index.Snapshot().Len() != n || r.index.Snapshot().Revision != sub.Snapshot.Revision+1 {
					t.Errorf("%d rows, revision %d", r.index.Snapshot().Len(), r.index.Snapshot().Revision)
				}
			})
		})
	}
}

// TestFirstListingIsNotToldRowByRow: a subscriber that is there from the start gets few events, and ends up right.
func TestFirstListingIsNotToldRowByRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home")
		for i := range 20 * partSize {
			d.put(session(fmt.Sprint("s", i)))
		}
		r := newRig(t, d, nil)
		sub := r.index.Subscribe(2 * maxSingleEvents)
		defer sub.Close()
		r.rescan()
		if got := len(events(sub)); sub.Err() != nil || got > 20+2*maxSingleEvents {
			t.Errorf("%d events, Err %v", got, sub.Err())
		}
		if n := r.index.Snapshot().Len(); n != 20*partSize {
			t.Errorf("%d rows", n)
		}
	})
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a"), session("b")), nil)
		a, b := r.row("a"), r.row("b")
		r.disk.put(session("a", lockedBy(40)))
		got, err := r.index.Refresh(t.Context(), a)
		if err != nil || got.Status != Stale || r.row("a") != got {
			t.Errorf("changed: %+v, %v", got, err)
		}
		again, err := r.index.Refresh(t.Context(), a)
		if err != nil || again != got {
			t.Errorf("unchanged: %+v, %v", again, err)
		}
		r.disk.remove("b")
		if got, err := r.index.Refresh(t.Context(), b); !errors.Is(err, ErrNotFound) || got != nil {
			t.Errorf("gone: %+v, %v", got, err)
		}
		r.want("in the end", "a stale dead-lock")
		broken := errors.New("input/output error")
		r.disk.set(func() { r.disk.broken["a"] = broken })
		if _, err := r.index.Refresh(t.Context(), a); !errors.Is(err, broken) {
			t.Errorf("unreadable: %v", err)
		}
		elsewhere := rowOf(&Record{Key: "a", Root: "/no/such/store"})
		if _, err := r.index.Refresh(t.Context(), elsewhere); !errors.Is(err, ErrNotFound) {
			t.Errorf("of no store: %v", err)
		}
	})
}

// TestRefreshWithoutRun: who asks an Index that does not run is told so and does not wait for ever.
func TestRefreshWithoutRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a")), nil)
		a := r.row("a")
		r.stop()
		if _, err := r.index.Refresh(t.Context(), a); !errors.Is(err, errEnded) {
			t.Errorf("after Run: %v", err)
		}
		asleep := NewIndex(IndexConfig{Sources: []Source{r.disk}, Prober: r.procs})
		why := errors.New("no patience")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if _, err := asleep.Refresh(ctx, a); !errors.Is(err, why) {
			t.Errorf("before Run: %v", err)
		}
	})
}

// TestTouch: sessions in use are kept in view, a lock or a sign of work makes one hot at once, the rest is left to
// the Watcher's own choice.
func TestTouch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := func(r *Record) { r.UpdatedAt = time.Now().Add(-2 * hotFor) }
		d := newDisk("kimi", "/home", session("new", old), session("old", old), session("locked", old, lockedBy(40)), session("turn", old, openTurn))
		touched := map[string]bool{}
		r := newListedRig(t, d, func(cfg *IndexConfig) {
			cfg.Sources = []Source{home{disk: d}}
			cfg.Touch = func(dir string) { touched[dir] = true }
		})
		if want := map[string]bool{"/home/locked": true, "/home/turn": true}; fmt.Sprint(touched) != fmt.Sprint(want) {
			t.Errorf("touched %v, want %v", touched, want)
		}
		r.disk.put(session("old", old, lockedBy(40)))
		r.hint("locks/old.lock")
		if !touched["/home/old"] {
			t.Error("a lock did not make its session hot")
		}
		r.disk.put(session("new"))
		r.hint("new")
		if !touched["/home/new"] {
			t.Error("work did not make its session hot")
		}
	})
}

// TestIdle: with deadlines, locks and an open turn in it, an Index in which nothing happens wakes up for its sweeps
// and for nothing else.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("note", activeNote), session("locked", lockedBy(40)), session("free"))
		r := newRig(t, d, func(cfg *IndexConfig) { cfg.Sweep = DefaultSweep })
		r.procs.start(40, "/elsewhere")
		r.procs.start(50, "/p")
		d.put(session("turn", openTurn))
		r.rescan()
		r.want("at first", "free active", "locked occupied lock", "note active", "turn occupied open-turn")
		sub := r.index.Subscribe(128)
		defer sub.Close()
		d.count("Load")

		const hours = 10
		pass(hours * time.Hour)
		if got := events(sub); got != nil {
			t.Errorf("events = %q", got)
		}
		if n := d.count("Load"); n != 0 {
			t.Errorf("%d sessions were read", n)
		}
		r.stop()
		if got, most := r.index.wakeups, int(hours*time.Hour/DefaultSweep); got > most {
			t.Errorf("the timer fired %d times, want at most %d", got, most)
		}
	})
}

// TestRunEnds in the middle of everything: a scan that hangs in the disk, processes that are waited for, deadlines
// and subscribers. The bubble ends only when every goroutine has.
func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", lockedBy(40)), session("b", activeNote)), nil)
		r.procs.start(40, "/p")
		r.rescan()
		sub := r.index.Subscribe(1)
		hold := make(chan struct{})
		r.disk.put(session("a", lockedBy(40)))
		r.disk.set(func() { r.disk.held["a"] = hold })
		r.rescan()
		time.AfterFunc(time.Second, func() { close(hold) })
		r.stop()
		if _, open := <-sub.C; open || sub.Err() != nil {
			t.Errorf("the subscription: open %v, Err %v", open, sub.Err())
		}
		if r.index.Snapshot().Len() != 2 {
			t.Error("the last Snapshot is gone")
		}
	})
}
