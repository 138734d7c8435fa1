package locks

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// newWorld makes the world of a seed, always the same one.
func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 20261129))}
	w.now = w.span()
	w.makeMachines()
	w.makeJudge()
	w.makeHolder()
	w.makeOthers()
	w.takeLock()
	w.makeLooks()
	return w
}

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

// span returns a length of time between a second and two months, short ones as often as long ones.
func (w *world) span() time.Duration {
	return time.Duration(math.Exp(w.Float64()*math.Log(5e6)) * float64(time.Second))
}

// between returns a moment from one to before another, often close to one of them.
func (w *world) between(from, to instant) instant {
	length := min(to, w.now+1) - from
	if length <= 0 {
		return from
	}
	near := time.Duration(math.Exp(w.Float64()*math.Log(float64(length)))) % length
	switch w.IntN(3) {
	case 0:
		return from + near
	case 1:
		return from + length - 1 - near
	}
	return from + time.Duration(w.Int64N(int64(length)))
}

func (w *world) makeMachines() {
	system := pick(w, linuxOS, linuxOS, linuxOS, macOS, windowsOS)
	w.remote = w.chance(30)
	w.subsystem = system == windowsOS && w.chance(50)
	name := pick(w, "devbox", "devbox", "devbox.lan", "DEVBOX", "localhost", "ubuntu")
	w.here = w.makeMachine("A", system, name)
	if w.chance(8) {
		w.rename(w.here, pick(w, "newbox", "ubuntu", "devbox.lan", "devbox"))
	}
	w.there = w.makeMachine("B", pick(w, linuxOS, linuxOS, macOS, windowsOS), w.otherName())
	if w.subsystem {
		w.there.system, w.there.names = linuxOS, w.here.names
	}
	for _, m := range []*machine{w.here, w.there} {
		w.makeBoots(m)
	}
	// The kernel of this moment is what judges.
	w.here.lastBoot().to = never
	for _, m := range []*machine{w.here, w.there} {
		for _, b := range m.boots {
			w.makeSpaces(b)
		}
	}
}

func (w *world) makeMachine(label string, system platform, name string) *machine {
	return &machine{label: label, system: system, names: []naming{{0, name}}}
}

func (w *world) rename(m *machine, name string) {
	m.names = append(m.names, naming{w.between(0, w.now), name})
}

// otherName is the name of another machine, which on a network folder may be any.
func (w *world) otherName() string {
	if !w.remote {
		return "guest"
	}
	return pick(w, "other", "devbox", "devbox.lan", "devbox.example.com", "localhost", "ubuntu", "newbox")
}

func (w *world) makeBoots(m *machine) {
	from := instant(0)
	for n := 1 + w.IntN(3); n > 0 && from <= w.now; n-- {
		b := &boot{machine: m, id: fmt.Sprintf("boot-%s%d", m.label, len(m.boots)+1), from: from, to: never, rate: 1 + w.NormFloat64()*1e-6}
		if n > 1 {
			b.to = w.between(from, w.now)
			from = b.to + time.Duration(w.Int64N(int64(time.Hour)))
		}
		w.setClock(b)
		m.boots = append(m.boots, b)
	}
	if last := m.lastBoot(); w.chance(30) {
		last.to = max(last.from, w.now-w.span())
	}
}

// setClock makes the history of a wall clock: wrong at first (a clock in local time, an empty
// battery), set right by the network or by people, set and taken back at once.
func (w *world) setClock(b *boot) {
	if w.chance(30) {
		b.wrong = w.shift()
		w.set(b, b.from+time.Duration(w.Int64N(int64(time.Minute))), -b.wrong)
	}
	for w.chance(40) {
		when, by := w.between(b.from, b.to), w.shift()
		w.set(b, when, by)
		if w.chance(40) {
			w.set(b, w.between(when, b.to), -by)
		}
	}
}

func (w *world) set(b *boot, when instant, by time.Duration) {
	b.steps = append(b.steps, step{when, by})
	slices.SortFunc(b.steps, func(x, y step) int { return int(x.when - y.when) })
}

func (w *world) shift() time.Duration {
	sign := pick(w, -1, 1)
	return time.Duration(sign) * pick(w, time.Second, 3*time.Second, 31*time.Second, time.Hour, 2*time.Hour, w.span())
}

// makeSpaces makes the namespace that a kernel begins with, and containers on Linux. The number of an
// ended one is given out again.
func (w *world) makeSpaces(b *boot) {
	if b.machine.system != linuxOS {
		b.spaces = []*space{{boot: b, from: b.from, to: b.to}}
		return
	}
	b.spaces = []*space{{boot: b, number: sharedNS, from: b.from, to: b.to}}
	for w.chance(45) {
		s := &space{boot: b, parent: pick(w, b.spaces...), to: never}
		s.from = w.between(s.parent.from, s.parent.to)
		if w.chance(30) {
			s.to = w.between(s.from, s.parent.to)
		}
		s.to = min(s.to, s.parent.to)
		s.ownName = pick(w, "", "", w.containerName(b.machine), b.machine.nameAt(w.now))
		s.number = w.spaceNumber(s)
		b.spaces = append(b.spaces, s)
	}
}

// containerName is one that another machine's containers may have only on a network folder.
func (w *world) containerName(m *machine) string {
	if m == w.here || w.remote {
		return "6f1c2a"
	}
	return "guest-6f1c2a"
}

func (w *world) spaceNumber(s *space) string {
	for n := 4026532200; ; n++ {
		number := fmt.Sprintf("pid:[%d]", n)
		taken := slices.ContainsFunc(s.boot.spaces, func(o *space) bool {
			return o.number == number && o.from < s.to+reuse && s.from < o.to+reuse
		})
		if !taken {
			return number
		}
	}
}

func (w *world) makeJudge() {
	b := w.here.lastBoot()
	j := judgeTruth{space: b.spaces[0], uid: pick(w, 1000, 1000, 1000, 0, 1001), began: never}
	if w.chance(35) {
		j.space = w.running(b)
	}
	j.sees = j.space
	if j.space.parent != nil && w.chance(15) {
		j.sees = j.space.parent // a /proc that was mounted for another namespace
	}
	if w.here.system == linuxOS {
		j.packed = w.chance(5)
		j.hidesPIDs = w.chance(10)
		if w.chance(70) {
			j.began = w.between(b.from, b.from+(w.now-b.from)/pick[instant](w, 1, 1, 1000))
		}
	}
	j.noExe, j.noStat, j.noStatus = w.chance(10), w.chance(5), w.chance(3)
	w.judge = j
}

// running returns any namespace of a boot that still runs.
func (w *world) running(b *boot) *space {
	s := pick(w, b.spaces...)
	if !s.runs(w.now) {
		return b.spaces[0]
	}
	return s
}

func (w *world) makeHolder() {
	s := w.holderSpace()
	p := &proc{space: s, pid: pick(w, 4242, 4242, 4242, 57, 2, 1), outer: w.outerPID()}
	if s.parent == nil && p.pid < 57 {
		p.pid = 4242 // the low ones are the kernel's
	}
	p.began = w.between(s.from, s.to)
	p.uid = pick(w, 1000, 1000, 1000, 1000, 0, 1001)
	p.euid = p.uid
	if w.chance(5) {
		p.uid = pick(w, 0, 1000) // a set-uid program
	}
	p.thread = w.here.system == linuxOS && w.chance(2)
	w.end(p)
	w.holder = p
	w.processes = append(w.processes, p)
}

// holderSpace is any place from which the folder can be written.
func (w *world) holderSpace() *space {
	m := w.here
	if w.remote && w.chance(40) || w.chance(8) {
		m = w.there
	}
	b := m.lastBoot()
	if w.chance(25) {
		b = pick(w, m.boots...)
	}
	if m == w.here && b == m.lastBoot() && w.chance(50) {
		return w.judge.space
	}
	return pick(w, b.spaces...)
}

// outerPID is what a process in a container is called outside.
func (w *world) outerPID() int {
	if w.chance(10) {
		return pick(w, 4242, 57)
	}
	return 20_000 + w.IntN(10_000)
}

// end decides when a process ends: with its namespace, or before, and then perhaps as a zombie.
func (w *world) end(p *proc) {
	p.ended = p.space.to
	if w.chance(50) {
		p.ended = min(w.between(p.began+1, p.space.to), p.space.to)
	}
	p.reaped = p.ended
	if w.here.system != windowsOS && !p.thread && w.chance(25) {
		p.reaped = min(p.space.to, p.ended+w.span())
	}
}

// makeOthers fills the pid that the lock names with other processes, before and after the holder, and
// namespaces below with processes that have it there.
func (w *world) makeOthers() {
	for w.chance(60) {
		p := &proc{space: w.judge.sees, pid: w.holder.pid, outer: w.outerPID()}
		if w.chance(30) {
			p.space = pick(w, w.judge.sees.boot.spaces...)
		}
		if p.space != w.judge.sees && w.chance(30) {
			p.pid, p.outer = w.outerPID(), w.holder.pid
		}
		p.began = w.between(p.space.from, p.space.to)
		if w.chance(50) && w.holder.reaped < w.now { // after the holder
			p.began = max(p.space.from, w.between(w.holder.reaped+reuse, w.now))
		}
		p.thread = w.here.system == linuxOS && w.chance(10)
		w.end(p)
		p.uid = pick(w, 1000, 1000, 0, 1001)
		p.euid = p.uid
		exe := pick(w, "/usr/bin/vim", "/usr/bin/vim", "/usr/lib/systemd/systemd", "/usr/bin/node", "/opt/kimi")
		p.exe, p.comm = exe, func(instant) string { return exe[strings.LastIndexByte(exe, '/')+1:] }
		if w.fits(p) {
			w.processes = append(w.processes, p)
		}
	}
}

// reuse is the least time until a pid is given out again. The kernel goes round all others first.
const reuse = 2 * tick

// fits reports whether no pid is given twice at a time.
func (w *world) fits(p *proc) bool {
	if p.began > w.now || !p.space.runs(p.began) {
		return false
	}
	return !slices.ContainsFunc(w.processes, func(o *proc) bool {
		if o.began >= p.reaped+reuse || p.began >= o.reaped+reuse {
			return false
		}
		seen, other := p.pidIn(w.judge.sees), o.pidIn(w.judge.sees)
		return o.space == p.space && o.pid == p.pid || seen != 0 && seen == other
	})
}

func (w *world) takeLock() {
	h, l := w.holder, &w.lock
	l.taken = w.between(h.began, h.ended)
	l.published = min(l.taken+time.Duration(w.IntN(int(3*time.Millisecond))), h.ended, w.now)
	l.own = w.chance(35) && !h.thread
	l.startedAt = !w.chance(3)
	w.chooseClient()
	w.chooseOwner()
	l.hostname = w.spelled(h.space.hostname(l.taken))
	l.damage = pick(w, "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", pick(w, "torn", "empty", "huge", "newer"))
	l.content = w.written()
}

// makeLooks lets the judge look at the lock: now, and perhaps once before. The clock may be set between
// the parts of a look.
func (w *world) makeLooks() {
	j, b := &w.judge, w.judge.space.boot
	earliest := max(w.lock.published, b.from, j.space.from)
	if w.chance(40) {
		at := w.between(earliest, w.now)
		j.witness = &look{at, at, at}
	}
	j.final = look{w.now, w.now, w.now}
	if w.chance(5) {
		j.final.boot = max(earliest, w.now-time.Second)
		w.set(b, w.between(j.final.boot, w.now), w.shift())
	}
	if j.began > j.final.boot {
		j.began = never
	}
}

// chooseClient lets the holder be a client, in a program that can run it. The title that Kimi gives
// its process comes a second after its start.
func (w *world) chooseClient() {
	h := w.holder
	w.lock.client = pick(w, "kimi-code-cli 2.2.0", "kimi-code-cli/2.2.0", "kimi-code-cli 2.2.0", "acme 1.0", "")
	title := pick(w, "node", "MainThread", "kimi")
	if !knownProduct(w.lock.client) {
		h.exe, h.comm = "/opt/acme", func(instant) string { return "acme" }
		return
	}
	h.exe = pick(w, "/usr/bin/node", "/usr/bin/node (deleted)", "/opt/kimi", "/usr/share/code/code", "/usr/bin/bun")
	h.comm = func(t instant) string {
		if t < h.began+time.Second {
			return title
		}
		return "kimi-code"
	}
}

// chooseOwner is whom the file system shows. One that shows the same for all is NFS for root, or a
// foreign file system that was mounted for one user.
func (w *world) chooseOwner() {
	w.lock.owner = w.holder.euid
	if w.here.system == windowsOS {
		w.lock.owner = -1
	}
	w.ownersHidden = w.lock.owner != -1 && knownProduct(w.lock.client) && w.chance(10)
	if w.ownersHidden {
		w.lock.owner = pick(w, overflowUID, 1000, 1001)
	}
}

// spelled is how a client writes the name of its host.
func (w *world) spelled(name string) string {
	switch w.IntN(20) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return name + "."
	case 2:
		short, _, _ := strings.Cut(name, ".")
		return short
	case 3:
		if w.holder.space.boot.machine == w.here || w.remote {
			return "" // no guest does so
		}
	}
	return name
}

// written returns the bytes of the lock.
func (w *world) written() []byte {
	h, l := w.holder, &w.lock
	b := h.space.boot
	fields := map[string]any{
		"version": 1, "token": "t", "pid": h.pid, "hostname": l.hostname, "clientIdentity": l.client,
	}
	if l.startedAt {
		fields["startedAt"] = b.wall(l.taken).UnixMilli()
	}
	if l.own {
		fields["processStart"] = h.start()
		if b.machine.system != windowsOS {
			fields["bootId"] = b.id
		}
		if h.space.number != "" {
			fields["pidNamespace"] = h.space.number
		}
	}
	if l.damage == "newer" {
		fields["version"] = 2
	}
	content, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the world is made wrong
	}
	return w.damaged(content)
}

func (w *world) damaged(content []byte) []byte {
	switch w.lock.damage {
	case "torn":
		return content[:w.IntN(len(content)-1)+1]
	case "empty":
		return nil
	}
	return content
}
