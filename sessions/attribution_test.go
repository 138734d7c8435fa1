package sessions

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/watcher"
)

// grows makes a Session's journals size bytes long.
func grows(size int64) func(*Record) { return func(r *Record) { r.WireBytes = size } }

// turnsAt opens turns that began so long after the test's beginning.
func turnsAt(after ...time.Duration) func(*Record) {
	return func(r *Record) {
		r.OpenTurn = true
		for _, d := range after {
			r.TurnSince = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
			r.OpenTurns = append(r.OpenTurns, r.TurnSince)
		}
	}
}

// wantHolder checks who is said to hold a.
func (r *rig) wantHolder(when string, pid int, via Via, c Certainty) {
	r.t.Helper()
	h := r.row("a").Holder
	if h == nil || h.PID != pid || h.Via != via || h.Certainty != c {
		r.t.Errorf("%s: holder = %+v, want pid %d via %s, %s", when, h, pid, via, c)
	}
}

// wantLast checks who is said to have written in a last; 0 is nobody.
func (r *rig) wantLast(when string, pid int) {
	r.t.Helper()
	last := r.row("a").LastWriter
	if pid == 0 && last == nil {
		return
	}
	if last == nil || last.PID != pid || last.Certainty != Proven || !strings.Contains(last.Name, "Kimi (pid ") {
		r.t.Errorf("%s: last writer = %+v, want pid %d", when, last, pid)
	}
}

// TestAuthorOfATurn: a client gives itself away when it begins a turn; whatever other clients are there, its end is the
// end of the turn's hope.
func TestAuthorOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
		r.procs.start(50, "/p")
		r.procs.start(51, "/p")
		r.hint("a.tmp.51")
		r.disk.put(session("a", grows(2000), turnsAt(0)))
		r.hint("a")
		r.wantHolder("it began a turn", 51, ViaTempName, Proven)
		r.wantLast("it began a turn", 51)
		pass(time.Hour)
		r.wantHolder("an hour later", 51, ViaTempName, Proven)
		r.procs.kill(51)
		synctest.Wait()
		r.want("it was killed", "a stale interrupted")
		r.wantLast("it was killed", 51)
	})
}

// TestCountersTellTwoClientsApart: a second client begins a turn inside the first one's, without a temp name.
func TestCountersTellTwoClientsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
		r.procs.start(50, "/p")
		r.hint("a.tmp.50")
		r.disk.put(session("a", grows(2000), turnsAt(0)))
		r.hint("a")
		pass(time.Minute)

		r.procs.start(51, "/p")
		r.procs.Meet(51, "kimi") // it said that it has the store open
		r.procs.write(51, 30_000)
		r.hint("a") // something happened in the home
		pass(500 * time.Millisecond)
		r.procs.write(51, 2100)
		r.disk.put(session("a", grows(4000), turnsAt(0, time.Minute)))
		r.hint("a")
		r.wantHolder("the second began", 51, ViaWriteCounter, Proven)
		r.wantLast("the second began", 51)

		r.procs.kill(51)
		synctest.Wait()
		r.wantHolder("the second was killed", 50, ViaTempName, Proven)
		r.procs.kill(50)
		pass(growthSettle)
		r.want("both were killed", "a stale interrupted")
	})
}

// TestCountersThatProveNothing: what two clients may have written, and what a client wrote at some time, is nobody's.
func TestCountersThatProveNothing(t *testing.T) {
	for name, write := range map[string]func(p *procs){
		"both wrote":                   func(p *procs) { p.write(50, 3000); p.write(51, 3000) },
		"one wrote, but it was a long": func(p *procs) { time.Sleep(time.Minute); p.write(50, 3000) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, newDisk("kimi", "/home", session("a", grows(100), turnsAt(-time.Hour))), nil)
				r.procs.start(50, "/p")
				r.procs.start(51, "/p")
				for _, pid := range []int{50, 51} {
					r.procs.mu.Lock()
					r.procs.clients[pid-50].Started = time.Now().Add(-2 * time.Hour)
					r.procs.mu.Unlock()
				}
				r.rescan()
				r.hint("a")
				pass(500 * time.Millisecond)
				write(r.procs)
				r.disk.put(session("a", grows(2000), turnsAt(-time.Hour)))
				r.hint("a")
				r.wantHolder("it grew", 0, ViaOneOf, OneOf)
				r.wantLast("it grew", 0)
			})
		})
	}
}

// TestWriterEndsBeforeItIsSeen: a print writes its last words and is gone when they are read. They are its all the same,
// and nobody else's who wrote something at that time.
func TestWriterEndsBeforeItIsSeen(t *testing.T) {
	for name, named := range map[string]bool{"its temp name is seen": true, "no temp name is seen": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
				r.procs.start(50, "/p")
				r.procs.start(51, "/p")
				r.procs.Meet(50, "kimi")
				r.procs.Meet(51, "kimi")
				r.hint("a")
				pass(300 * time.Millisecond)
				r.procs.write(50, 5000) // it draws
				r.procs.write(51, 5000)
				r.procs.kill(51)
				if named {
					r.hint("a.tmp.51")
				}
				r.disk.put(session("a", grows(2000)))
				r.hint("a")
				if named {
					r.wantLast("it wrote and ended", 51)
				} else {
					r.wantLast("it wrote and ended", 0)
				}
				pass(time.Minute)
				r.hint("a")
				pass(300 * time.Millisecond)
				r.procs.write(50, 5000)
				r.disk.put(session("a", grows(4000)))
				r.hint("a")
				r.wantLast("the other wrote long after", 50)
			})
		})
	}
}

// TestLateNames: the making of a temp file was missed, and its end is told. It tells who wrote if nobody else may have.
func TestLateNames(t *testing.T) {
	for name, other := range map[string]bool{"nobody else": false, "another client": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newListedRig(t, newDisk("kimi", "/home"), nil)
				r.procs.start(50, "/p")
				r.procs.Meet(50, "kimi")
				if other {
					r.procs.start(51, "/p")
					r.procs.Meet(51, "kimi")
				}
				r.disk.put(session("a", grows(2000), turnsAt(0)))
				r.hint("a")
				r.batches <- watcher.Batch{Events: []watcher.Event{{Root: "/home", Path: "/home/a.tmp.50", Op: watcher.Remove}}}
				synctest.Wait()
				if other {
					r.wantHolder("told late", 0, ViaOneOf, OneOf)
				} else {
					r.wantHolder("told late", 50, ViaTempName, Proven)
				}
			})
		})
	}
}

// TestStrangerEndsBeforeItIsSeen: nobody knows who it was, but it was somebody.
func TestStrangerEndsBeforeItIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
		r.procs.start(50, "/p")
		r.procs.Meet(50, "kimi")
		r.hint("a")
		pass(300 * time.Millisecond)
		r.procs.write(50, 5000)
		r.hint("a.tmp.99")
		r.disk.put(session("a", grows(2000)))
		r.hint("a")
		r.wantLast("a stranger wrote", 0)
	})
}

// TestLastWriterStays: who wrote last is known after the turn, and changes when another writes.
func TestLastWriterStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
		r.wantLast("nobody was seen", 0)
		for i, pid := range []int{50, 51} {
			r.procs.start(pid, "/p")
			r.hint("a.tmp." + map[int]string{50: "50", 51: "51"}[pid])
			r.disk.put(session("a", grows(int64(1000*(i+1)))))
			r.hint("a")
			r.wantLast("it wrote", pid)
		}
		r.procs.kill(51)
		pass(time.Hour)
		r.hint("a")
		r.wantLast("it has ended", 51)
		r.disk.remove("a")
		r.hint("a")
		r.disk.put(session("a"))
		r.hint("a")
		r.wantLast("it was made anew", 0)
	})
}

// TestLooks: all processes are looked through when nobody known can have written, in the background, and not again and
// again.
func TestLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("kimi", "/home", session("a", grows(100))), nil)
		if n := r.procs.lookCount(); n != 0 {
			t.Errorf("%d looks before there was anything to ask", n)
		}
		for i := range int64(50) {
			r.disk.put(session("a", grows(200+i)))
			r.hint("a")
		}
		if n := r.procs.lookCount(); n != 0 {
			t.Errorf("%d looks for growths of which only the writer's name is missing", n)
		}
		r.disk.put(session("a", grows(300), openTurn))
		r.hint("a")
		r.hint("a")
		if n := r.procs.lookCount(); n != 1 {
			t.Errorf("%d looks for a turn of an unknown writer, want 1", n)
		}
		for range 10 {
			r.procs.start(50, "/p") // nobody tells
			r.disk.put(session("a", grows(1000), turnsAt(time.Second)))
			r.hint("a")
			r.disk.put(session("a", grows(1000)))
			r.hint("a")
		}
		if n := r.procs.lookCount(); n != 1 {
			t.Errorf("%d looks within two seconds, want 1", n)
		}
		pass(time.Hour)
		if n := r.procs.lookCount(); n > 2 {
			t.Errorf("%d looks in an idle hour", n-1)
		}
	})
}

// TestBlind: where processes cannot be seen nothing is said of them, and the store is ready all the same.
func TestBlind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", turnsAt(-time.Hour))), nil)
		r.procs.mu.Lock()
		r.procs.sandbox = true
		r.procs.mu.Unlock()
		r.rescan()
		<-r.index.Ready()
		r.want("listed", "a active")
		if got := strings.Join(r.row("a").AllEvidence, "\n"); !strings.Contains(got, "cannot be listed") {
			t.Errorf("evidence = %s", got)
		}
		pass(time.Hour)
		if n := r.procs.lookCount(); n != 1 {
			t.Errorf("%d looks, want 1", n)
		}
	})
}

// TestMeetNamesServers: a server is called what the store calls it.
func TestMeetNamesServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("kimi", "/home", session("a", grows(100)))
		r := newListedRig(t, d, func(cfg *IndexConfig) {
			cfg.Sources = []Source{home{d, []Server{{PID: 60, Name: "Kimi server", Where: "port 58627"}}}}
		})
		r.procs.start(60, "/")
		r.hint("a.tmp.60")
		r.disk.put(session("a", grows(2000), turnsAt(0)))
		r.hint("a")
		r.wantHolder("it began a turn", 60, ViaTempName, Proven)
		if got := HolderName(r.row("a").Holder); got != "Kimi server (pid 60, port 58627)" || r.row("a").LastWriter.Name != got {
			t.Errorf("holder %q, last writer %+v", got, r.row("a").LastWriter)
		}
	})
}

// TestReadyWaitsForTheFirstLook: one who asks once gets the right answer.
func TestReadyWaitsForTheFirstLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newDisk("kimi", "/home", session("a", turnsAt(0))), nil)
		r.procs.start(50, "/p")
		r.rescan()
		<-r.index.Ready()
		if row := r.row("a"); row.Status != Occupied || row.Holder.PID != 50 {
			t.Errorf("when it is ready: %s, %+v", row.Status, row.Holder)
		}
	})
}
