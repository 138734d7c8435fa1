package locks

import "strings"

// proof says by what the death of the holder can be proved, "" when it lives or nothing proves it. It
// knows the truth and asks of each kind of proof only whether the judge could see it, so it shares no
// step with Judge: no order of rules, and no time of a clock where the truth has one. Between what must
// be found (sure) and what may be lie the roundings of clocks, and times against what was seen before.
func (w *world) proof(sure bool) string {
	if w.holder.alive(w.now) || !w.legible() {
		return ""
	}
	if w.lock.own && w.otherBootNamed() && w.writtenHere() {
		return "the lock names an earlier boot"
	}
	if !w.placeKnown() {
		return ""
	}
	for _, p := range []struct {
		words string
		holds bool
	}{
		{"the pid is free", w.pidFree()},
		{"another start stamp", w.otherStamp()},
		{"not the process that was seen before", w.otherThanSeen()},
		{"another user", w.otherUsersProcess()},
		{"began later, and the clock was watched", w.beganLater(sure)},
		{"times, and a program that is no client", w.strangerByTimes(sure)},
	} {
		if p.holds {
			return p.words
		}
	}
	return ""
}

func (w *world) legible() bool { return w.lock.damage == "" && w.holder.pid > 1 }

func (w *world) otherBootNamed() bool {
	return w.holder.space.boot != w.judge.space.boot && w.holder.space.boot.machine.system != windowsOS && w.here.system != windowsOS
}

// thisPlaceNamed reports whether the lock names the boot and the namespace that the judge looks into.
func (w *world) thisPlaceNamed() bool {
	h, j := w.holder.space, &w.judge
	return w.lock.own && h.boot == j.space.boot && h.number == j.space.number && j.sees == j.space && w.here.system != windowsOS
}

// writtenHere reports whether it is certain that a kernel of this machine wrote the lock.
func (w *world) writtenHere() bool {
	return !w.remote && sameName(w.lock.hostname, w.judge.space.hostname(w.now))
}

// placeKnown reports whether the lock's pid counts where the judge looks: the lock says so, or nobody
// else can have written it, except those in namespaces below, who can be seen.
func (w *world) placeKnown() bool {
	if w.thisPlaceNamed() {
		return true
	}
	switch {
	case w.lock.own && w.holder.space.number != "", !w.writtenHere(), w.judge.packed:
		return false
	case w.here.system == windowsOS: // the subsystem's locks are not like that
		return w.lock.own && !w.subsystemHolds()
	}
	return w.judge.space.parent == nil && !w.namesakeSeen() && !w.innerOccupant()
}

func (w *world) subsystemHolds() bool { return w.holder.space.boot.machine != w.here }

// namesakeSeen reports whether a process that may be the holder has the pid in a namespace below.
func (w *world) namesakeSeen() bool {
	for _, p := range w.belowJudge() {
		owner := w.lock.owner == overflowUID || p.uid == w.lock.owner || p.euid == w.lock.owner
		if p.pid == w.holder.pid && (owner || w.mayBeClient(p)) {
			return true
		}
	}
	return false
}

func (w *world) innerOccupant() bool {
	p := w.occupant(w.now)
	return p != nil && p.space != w.judge.sees && !w.judge.noStatus
}

// examined returns the living process that has the pid, if the judge can learn about it. What shows as
// a thread is none: a client may name one of its own.
func (w *world) examined() *proc {
	p := w.occupant(w.now)
	if p == nil || !p.alive(w.now) || p.thread && !w.judge.noStatus || !w.shown(p) {
		return nil
	}
	return p
}

// shown reports whether the kernel tells the judge more of p than that it exists.
func (w *world) shown(p *proc) bool {
	return !w.judge.noStat && (!w.judge.hidesPIDs || w.mayExamine(p))
}

// pidFree reports whether nothing has the pid or a zombie that the judge can tell to be one.
func (w *world) pidFree() bool {
	p := w.occupant(w.now)
	return w.asked() && (p == nil || !p.thread && !p.alive(w.now) && w.shown(p))
}

// otherStamp holds for a stamp of this boot. Those of Windows are of no boot.
func (w *world) otherStamp() bool {
	sameBoot := w.holder.space.boot == w.judge.space.boot || w.here.system == windowsOS
	p := w.occupant(w.now)
	return p != nil && w.shown(p) && w.lock.own && sameBoot
}

// otherThanSeen holds when the judge saw the pid's process while the lock was there: that was the holder,
// or came after it, and it has ended.
func (w *world) otherThanSeen() bool {
	l := w.judge.witness
	if l == nil || w.lock.own || w.examined() == nil || !w.nameWas(l.host) {
		return false
	}
	seen := w.occupant(l.process)
	if seen == nil || !seen.alive(l.process) || !w.shown(seen) || seen == w.occupant(w.now) {
		return false
	}
	return w.judge.noStatus || !seen.thread && seen.space == w.judge.sees
}

// seenBefore reports whether the process that has the pid had it when the judge saw the lock before.
func (w *world) seenBefore() bool {
	l := w.judge.witness
	return l != nil && w.occupant(l.process) == w.occupant(w.now)
}

// nameWas reports whether the judge's host had the lock's name at an earlier moment already.
func (w *world) nameWas(t instant) bool { return sameName(w.lock.hostname, w.judge.space.hostname(t)) }

// otherUsersProcess holds where the file system tells the true owner. A program that can run a client is
// spared by design: people give whole folders to another user.
func (w *world) otherUsersProcess() bool {
	p := w.examined()
	if p == nil || w.judge.noStatus || w.lock.owner < 0 || w.lock.owner == overflowUID || w.mayBeClient(p) {
		return false
	}
	return p.uid != w.lock.owner && p.euid != w.lock.owner
}

// mayBeClient reports whether p runs in a program of a client, as far as the judge can see.
func (w *world) mayBeClient(p *proc) bool {
	comm := p.comm(w.now)
	if w.exeSeen(p) && !clientPrograms[p.exe] {
		return comm == "kimi-code"
	}
	return clientPrograms[p.exe] || clientPrograms[comm]
}

// clientPrograms are those of this world, by path and by the name that their processes begin with.
var clientPrograms = map[string]bool{
	"/usr/bin/node": true, "/usr/bin/node (deleted)": true, "/opt/kimi": true, "/usr/share/code/code": true, "/usr/bin/bun": true,
	"node": true, "MainThread": true, "kimi": true, "kimi-code": true,
}

func (w *world) exeSeen(p *proc) bool { return !w.judge.noExe && w.mayExamine(p) }

// beganLater holds when the clock was watched over the taking and what followed. Where the
// clock was set or the boot was another before the watch began, it may prove as much or nothing.
func (w *world) beganLater(sure bool) bool {
	p, taken := w.examined(), w.lock.taken
	if p == nil || w.here.system != linuxOS || !w.lock.startedAt || w.judge.began > w.now {
		return false
	}
	if !sure || w.holder.space.boot != w.judge.space.boot {
		return !sure && p.began > taken
	}
	const rounding = 2 * tick
	return w.watchedSince(w.now)+rounding < taken && p.began > taken+reuseSlack+rounding
}

// strangerByTimes is left to people, and needs times that agree as the clock is set now.
func (w *world) strangerByTimes(sure bool) bool {
	p, b := w.examined(), w.judge.space.boot
	if p == nil || !w.lock.startedAt || !w.exeSeen(p) || w.mayBeClient(p) || !strings.HasPrefix(w.lock.client, "kimi") {
		return false
	}
	if sure && w.seenBefore() {
		return false // seeing is stronger than times
	}
	taken, rounding, latest := w.holder.space.boot.wall(w.lock.taken), 2*tick, b.wall(w.now)
	if !sure {
		rounding, latest = -rounding, latest.Add(reuseSlack)
	}
	late := w.startTime(p, w.judge.final).After(taken.Add(reuseSlack+rounding)) || taken.Before(b.bootWall(w.now).Add(-bootSlack-rounding))
	return late && !taken.After(latest)
}

// sameName reports whether two names may be of one host: no case, no dot at the end, and no domain
// where one has none.
func sameName(lock, own string) bool {
	lock, own = strings.ToLower(strings.TrimSuffix(lock, ".")), strings.ToLower(strings.TrimSuffix(own, "."))
	return lock == "" || lock == own || strings.HasPrefix(own, lock+".") || strings.HasPrefix(lock, own+".")
}
