package locks

import (
	"slices"
	"time"
)

// file is the lock as Read finds it.
func (w *world) file() *File {
	f := &File{UID: w.lock.owner, Remote: w.remote, Size: int64(len(w.lock.content)), ModTime: time.Unix(0, 0)}
	if w.lock.damage == "huge" {
		f.Problem = "larger than 64 KiB"
		return f
	}
	f.Record, f.Problem = parse(w.lock.content)
	return f
}

// hostFacts are what the kernel says of the machine at a moment, as facts_*.go ask it.
func (w *world) hostFacts(t instant) HostFacts {
	j, b := &w.judge, w.judge.space.boot
	h := HostFacts{Hostname: j.space.hostname(t), BootID: b.id, PIDNamespace: j.space.number, Boot: b.bootWall(t)}
	switch w.here.system {
	case windowsOS:
		h.BootID, h.SharedName = "", true
	case linuxOS:
		h.ClockStableSince = w.stableSince(t)
		h.SharedName = j.space.parent != nil
		h.Sandboxed = j.packed || j.sees != j.space || j.space.parent != nil && j.space.hasMachineName()
		if j.sees != j.space {
			h.PIDNamespace = ""
		}
	}
	return h
}

// stableSince is what a clock log knows.
func (w *world) stableSince(t instant) time.Time {
	if w.judge.began > t {
		return time.Time{}
	}
	return w.judge.space.boot.wall(w.watchedSince(t))
}

// watchedSince is the moment since which a clock log has heard of no step. It hears of one when it is
// next asked, at the latest now.
func (w *world) watchedSince(t instant) instant {
	since := w.judge.began
	for _, s := range w.judge.space.boot.steps {
		if s.when > w.judge.began && s.when <= t {
			since = s.when + (t-s.when)/4*time.Duration(w.lock.taken%5)
		}
	}
	return since
}

// processFacts are what the kernel says of the lock's pid, as facts_*.go ask it.
func (w *world) processFacts(l look) ProcessFacts {
	f := ProcessFacts{UID: -1, EUID: -1}
	p := w.occupant(l.process)
	switch {
	case !usablePID(w.holder.pid) || !w.asked(): // not known
	case p == nil:
		f.State = Gone
	case !w.shown(p):
		f.State = Running
	default:
		f = w.visible(p, l)
	}
	return f
}

// asked reports whether the kernel answers a question for a pid at all.
func (w *world) asked() bool { return w.here.system == linuxOS || !w.judge.noStat }

func (w *world) visible(p *proc, l look) ProcessFacts {
	f := ProcessFacts{State: Running, Start: p.start(), StartTime: w.startTime(p, l), UID: -1, EUID: -1}
	if l.process >= p.ended {
		f.State = Zombie
	}
	if w.here.system != windowsOS {
		f.Comm = p.comm(l.process)
	}
	if w.here.system != windowsOS && !w.judge.noStatus {
		f.UID, f.EUID = p.uid, p.euid
		f.Thread = p.thread
		f.Inner = p.space != w.judge.sees
	}
	if f.State == Running && !w.judge.noExe && w.mayExamine(p) {
		f.Program = p.exe
	}
	return f
}

// startTime is computed from a boot that moves with the clock, or noted when the process began.
func (w *world) startTime(p *proc, l look) time.Time {
	b := w.judge.space.boot
	if w.here.system != linuxOS {
		return b.wall(p.began)
	}
	return b.bootWall(l.boot).Add(time.Duration(p.ticks()) * tick)
}

// mayExamine reports whether the kernel lets the judge look into p.
func (w *world) mayExamine(p *proc) bool {
	return w.judge.uid == 0 || w.judge.uid == p.uid && p.uid == p.euid
}

// answer is a judgement and all that it was made from.
type answer struct {
	Judgement
	file    *File
	host    HostFacts
	process ProcessFacts
}

// decide is System.Judge, and before it System.Witness, with the world for a kernel.
func (w *world) decide() answer {
	a := answer{file: w.file()}
	s := w.system()
	if l := w.judge.witness; l != nil {
		w.testify(s, a.file, *l)
	}
	a.process = w.processFacts(w.judge.final)
	s.addWitness(&a.process, a.file)
	a.host = w.hostFacts(w.now)
	now := w.judge.space.boot.wall(w.now)
	a.Judgement = Judge(a.file, a.host, a.process, now)
	if a.Verdict == Dead && a.file.Record.PIDNamespace == "" {
		a.process.Namesake = s.namesake(a.file)
		a.Judgement = Judge(a.file, a.host, a.process, now)
	}
	return a
}

// system returns a System that has just looked through the process table of the world.
func (w *world) system() *System {
	h := w.hostFacts(w.now)
	s := &System{innerAt: time.Now(), innerBoot: h.Boot, inner: map[int][]innerProcess{}}
	s.clock = newClockLog(nil, func() time.Time { return h.Boot })
	s.fixed = HostFacts{BootID: h.BootID, PIDNamespace: h.PIDNamespace, Sandboxed: h.Sandboxed, SharedName: h.SharedName}
	s.witnesses = newWitnessBook("", h.BootID)
	for _, p := range w.belowJudge() {
		facts := w.visible(p, w.judge.final)
		s.inner[p.pid] = append(s.inner[p.pid], innerProcess{pid: p.outer, uids: [2]int{p.uid, p.euid}, client: facts.mayHost()})
	}
	return s
}

func (w *world) testify(s *System, f *File, l look) {
	k, ok := s.sighting(f)
	if !ok {
		return
	}
	p := w.processFacts(l)
	if seen, ok := testify(k, Judge(f, w.hostFacts(l.host), p, w.judge.space.boot.wall(l.host)), &p); ok {
		s.witnesses.add(seen)
	}
}

// belowJudge returns the processes that live in a namespace below the one that the judge looks into.
func (w *world) belowJudge() []*proc {
	return slices.DeleteFunc(slices.Clone(w.processes), func(p *proc) bool {
		return !p.exists(w.now) || p.space == w.judge.sees || p.pidIn(w.judge.sees) == 0
	})
}
