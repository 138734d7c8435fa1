package locks

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// scene is what a row of the table starts from: Kimi took a lock at 10:00 on this host, in the process
// that began at 09:30, and it is noon. The clock's history is not known.
type scene struct {
	f   File
	h   HostFacts
	p   ProcessFacts
	now time.Time
}

func at(hour, minute, second int) time.Time {
	return time.Date(2026, 11, 29, hour, minute, second, 0, time.UTC)
}

func newScene() *scene {
	return &scene{
		f: File{UID: 1000, Record: Record{
			Version: 1, Token: "t", PID: 4242, Hostname: "devbox", StartedAt: at(10, 0, 0), Client: "kimi-code-cli 2.2.0",
		}},
		h: HostFacts{Hostname: "devbox", BootID: "boot-b", PIDNamespace: "pid:[1]", Boot: at(8, 0, 0)},
		p: ProcessFacts{
			State: Running, Start: 540000, StartTime: at(9, 30, 0), UID: 1000, EUID: 1000,
			Program: "/usr/bin/node", Comm: "kimi-code",
		},
		now: at(12, 0, 0),
	}
}

func (s *scene) judge() Judgement { return Judge(&s.f, s.h, s.p, s.now) }

// Edits of a scene that several rows share.
func gone(s *scene) { s.p = ProcessFacts{State: Gone, UID: -1, EUID: -1} }

func reused(s *scene) { s.p.StartTime, s.p.Start = at(11, 0, 0), 1080000 }

func editor(s *scene) { s.p.Program, s.p.Comm = "/usr/bin/vim", "vim" }

func stable(s *scene) { s.h.ClockStableSince = at(9, 0, 0) }

func beforeBoot(s *scene) { s.f.Record.StartedAt = at(7, 59, 0) }

func ownFields(s *scene) {
	r := &s.f.Record
	r.BootID, r.ProcessStart, r.PIDNamespace = "boot-b", 540000, "pid:[1]"
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name      string
		edits     []func(*scene)
		verdict   Verdict
		reason    string
		automatic bool
	}{
		{"no rule against it: alive and older than its lock", nil, Live, ReasonAlive, false},

		{"rule 1: torn", []func(*scene){gone, func(s *scene) { s.f.Problem = "torn" }}, Unknown, "torn", false},
		{"rule 1: empty for 9 h (B158)", []func(*scene){gone, func(s *scene) { s.f.Problem = "empty" }}, Unknown, "empty", false},
		{"rule 1: unknown version (B88)", []func(*scene){gone, func(s *scene) { s.f.Record.Version, s.f.Problem = 99, "version 99 is not known" }}, Unknown, ReasonFormat, false},
		{"rule 1: lease (B88)", []func(*scene){gone, func(s *scene) { s.f.Shape, s.f.Problem = ShapeLease, ProblemFormat }}, Unknown, ReasonFormat, false},
		{"rule 1: no version", []func(*scene){gone, func(s *scene) { s.f.Record.Version, s.f.Problem = 0, "no version" }}, Unknown, "no version", false},

		{"rule 2: other host, pid not here", []func(*scene){gone, host("old-pod")}, Unknown, ReasonOtherHost, false},
		{"rule 2: other host, pid alive here (B68)", []func(*scene){host("old-pod")}, Unknown, ReasonOtherHost, false},
		{"rule 2: other host, shut down for days (B76)", []func(*scene){gone, host("nas"), taken(at(0, 0, 0).AddDate(0, 0, -4))}, Unknown, ReasonOtherHost, false},
		{"rule 2: other domain", []func(*scene){gone, host("devbox.lan"), ownHost("devbox.example.com")}, Unknown, ReasonOtherHost, false},
		{"rule 2: name in capitals is this host (B71)", []func(*scene){gone, host("DEVBOX")}, Dead, ReasonNoProcess, true},
		{"rule 2: trailing dot is this host", []func(*scene){gone, host("devbox.")}, Dead, ReasonNoProcess, true},
		{"rule 2: domain on one side is this host, by hand (B71)", []func(*scene){gone, host("devbox.lan")}, Dead, ReasonNoProcess, false},
		{"rule 2: empty name is this host, by hand", []func(*scene){gone, host("")}, Dead, ReasonNoProcess, false},
		{"rule 2: empty name with our boot id", []func(*scene){gone, ownFields, host("")}, Dead, ReasonNoProcess, true},
		{"rule 2: localhost may be anyone, by hand", []func(*scene){gone, host("localhost"), ownHost("localhost")}, Dead, ReasonNoProcess, false},
		{"rule 2: own name unknown", []func(*scene){gone, ownHost("")}, Unknown, ReasonOtherHost, false},
		{"rule 2: equal name on a shared folder (B65)", []func(*scene){gone, remoteFolder}, Unknown, ReasonSharedFolder, false},
		{"rule 2: equal name in a container (B67)", []func(*scene){gone, sharedHostName}, Unknown, ReasonSharedName, false},
		{"rule 2: equal name in a container, lock of an earlier boot, by hand", []func(*scene){gone, ownFields, bootWas("boot-a"), sharedHostName}, Dead, ReasonNoProcess, false},
		{"rule 2: lock of berth on Windows, by hand", []func(*scene){gone, onWindows}, Dead, ReasonNoProcess, false},
		{"rule 2: lock of its Linux subsystem on Windows", []func(*scene){gone, onWindows, func(s *scene) { s.f.Record.BootID = "boot-l" }}, Unknown, ReasonSharedName, false},
		{"rule 2: shared folder, but our boot id", []func(*scene){gone, remoteFolder, ownFields}, Dead, ReasonNoProcess, true},
		{"rule 2: renamed, same boot, pid gone", []func(*scene){ownFields, gone, host("old-name")}, Dead, ReasonRenamedHost, false},
		{"rule 2: renamed, same boot, zombie", []func(*scene){ownFields, zombie, host("old-name")}, Dead, ReasonRenamedHost, false},
		{"rule 2: renamed, same boot, other process", []func(*scene){ownFields, reused, host("old-name")}, Dead, ReasonRenamedHost, false},
		{"rule 2: renamed, same boot, same process", []func(*scene){ownFields, host("old-name")}, Live, ReasonSameProcess, false},
		{"rule 2: other host in the same namespace number, pid gone", []func(*scene){ownFields, bootWas("boot-o"), gone, host("other")}, Unknown, ReasonOtherHost, false},
		{"rule 2: same boot, but a container with a name of its own (B64)", []func(*scene){ownFields, gone, host("6f1c2a"), namespace("pid:[2]")}, Unknown, ReasonOtherHost, false},

		{"rule 3: other namespace, pid not visible (B64)", []func(*scene){gone, namespace("pid:[2]")}, Unknown, ReasonNamespace, false},
		{"rule 3: other namespace, pid 2 alive here (B61)", []func(*scene){pidIs(2), namespace("pid:[2]")}, Unknown, ReasonNamespace, false},
		{"rule 3: namespace of an earlier boot says nothing", []func(*scene){gone, ownFields, namespace("pid:[2]"), bootWas("boot-a")}, Dead, ReasonNoProcess, true},
		{"rule 3: a container on the host's network has the pid inside", []func(*scene){gone, namesake}, Unknown, ReasonNamespace, false},
		{"rule 3: the process has another pid inside its own namespace", []func(*scene){reused, stable, inner}, Unknown, ReasonNamespace, false},
		{"rule 3: sandbox (B149)", []func(*scene){gone, sandbox}, Unknown, ReasonSandbox, false},
		{"rule 3: sandbox, lock of the same sandbox", []func(*scene){gone, sandbox, ownFields}, Dead, ReasonNoProcess, true},

		{"rule 4: pid 1 (B62)", []func(*scene){gone, pidIs(1)}, Unknown, ReasonNoPID, false},
		{"rule 4: no pid", []func(*scene){gone, pidIs(0)}, Unknown, ReasonNoPID, false},
		{"rule 4: negative pid is a group", []func(*scene){gone, pidIs(-4242)}, Unknown, ReasonNoPID, false},
		{"rule 4: thread id", []func(*scene){reused, stable, thread}, Unknown, ReasonThread, false},
		{"rule 4: thread id, but the lock has a start stamp", []func(*scene){reused, ownFields, thread}, Dead, ReasonReused, true},

		{"rule 5: gone", []func(*scene){gone}, Dead, ReasonNoProcess, true},
		{"rule 5: gone, lock of an earlier boot", []func(*scene){gone, beforeBoot}, Dead, ReasonNoProcess, true},
		{"rule 5: zombie", []func(*scene){zombie}, Dead, ReasonZombie, true},
		{"rule 5: permission denied, it exists", []func(*scene){hidden}, Unknown, ReasonNotExaminable, false},
		{"rule 5: platform that cannot tell", []func(*scene){untold}, Unknown, ReasonNotExaminable, false},

		{"rule 6: another user's process", []func(*scene){editor, otherUser}, Dead, ReasonOtherUser, true},
		{"rule 6: another user's process, by start no reuse", []func(*scene){editor, otherUser, stable}, Dead, ReasonOtherUser, true},
		{"rule 6: set-uid program of the owner", []func(*scene){editor, func(s *scene) { s.p.UID = 1001 }}, Live, ReasonAlive, false},
		{"rule 6: another user's client", []func(*scene){otherUser}, Unknown, ReasonForeignClient, false},
		{"rule 6: another user's client, began after the lock", []func(*scene){otherUser, reused, stable}, Dead, ReasonReused, true},
		{"rule 6: another user's client, executable not shown", []func(*scene){otherUser, noProgram("MainThread")}, Unknown, ReasonForeignClient, false},
		{"rule 6: another user's process, executable not shown", []func(*scene){otherUser, noProgram("vim")}, Dead, ReasonOtherUser, true},
		{"rule 6: owner squashed by NFS", []func(*scene){editor, func(s *scene) { s.f.UID = 65534 }}, Live, ReasonAlive, false},
		{"rule 6: no owners on this platform", []func(*scene){func(s *scene) { s.f.UID = -1 }}, Live, ReasonAlive, false},

		{"rule 7: began 1 s after the lock", []func(*scene){stable, began(at(10, 0, 1))}, Live, ReasonAlive, false},
		{"rule 7: reused by a client, clock not set since (B79)", []func(*scene){reused, stable}, Dead, ReasonReused, true},
		{"rule 7: reused by a client, clock history begins later", []func(*scene){reused, func(s *scene) { s.h.ClockStableSince = at(10, 0, 1) }}, Unknown, ReasonClock, false},
		{"rule 7: reused by a client, clock history not known", []func(*scene){reused}, Unknown, ReasonClock, false},
		{"rule 7: reused by an editor (B44), by hand", []func(*scene){reused, editor}, Dead, ReasonReused, false},
		{"rule 7: reused by an editor, lock of a client we do not know", []func(*scene){reused, editor, func(s *scene) { s.f.Record.Client = "acme 1.0" }}, Unknown, ReasonClock, false},
		{"rule 7: reused by a client replaced on disk", []func(*scene){reused, func(s *scene) { s.p.Program = "/usr/bin/node (deleted)"; s.p.Comm = "MainThread" }}, Unknown, ReasonClock, false},
		{"rule 7: an editor, older than the lock (B49)", []func(*scene){editor}, Live, ReasonAlive, false},
		{"rule 7: own start stamp equal, whatever the clock", []func(*scene){ownFields, began(at(23, 0, 0))}, Live, ReasonSameProcess, false},
		{"rule 7: own start stamp differs", []func(*scene){ownFields, reused}, Dead, ReasonReused, true},
		{"rule 7: live holder, clock +2 h (B157)", []func(*scene){clockSet(2 * time.Hour)}, Unknown, ReasonClock, false},
		{"rule 7: live holder, clock −2 h (B157)", []func(*scene){clockSet(-2 * time.Hour), func(s *scene) { s.now = at(10, 0, 0) }}, Live, ReasonAlive, false},
		{"rule 7: lock from the future", []func(*scene){taken(at(12, 0, 3))}, Unknown, ReasonClock, false},
		{"rule 7: lock without a time", []func(*scene){taken(time.Time{})}, Unknown, ReasonNoTime, false},

		{"rule 8: recorded boot id differs, pid alive", []func(*scene){ownFields, bootWas("boot-a")}, Dead, ReasonBeforeBoot, true},
		{"rule 8: recorded boot id differs, same stamp by chance", []func(*scene){ownFields, bootWas("boot-a"), began(at(9, 30, 0))}, Dead, ReasonBeforeBoot, true},
		{"rule 8: recorded boot id differs, pid is a thread", []func(*scene){ownFields, bootWas("boot-a"), thread}, Dead, ReasonBeforeBoot, true},
		{"rule 8: before boot by time, pid is a client, clock not known", []func(*scene){beforeBoot}, Unknown, ReasonClock, false},
		{"rule 8: before boot by time, pid is an editor, by hand", []func(*scene){beforeBoot, editor}, Dead, ReasonBeforeBoot, false},
		{"rule 8: 29 s before boot is not before boot", []func(*scene){taken(at(7, 59, 31)), began(at(7, 59, 32))}, Live, ReasonAlive, false},
		{"rule 8: before boot by time, but our boot id", []func(*scene){beforeBoot, editor, func(s *scene) { s.f.Record.BootID = "boot-b" }}, Dead, ReasonReused, false},

		{"rule 9: seen with the lock earlier, whatever the clock", []func(*scene){reused, seen(1080000, true)}, Live, ReasonSameProcess, false},
		{"rule 9: seen earlier, clock +2 h (B157)", []func(*scene){clockSet(2 * time.Hour), seen(540000, true)}, Live, ReasonSameProcess, false},
		{"rule 9: seen earlier under another user id", []func(*scene){editor, otherUser, seen(540000, true)}, Live, ReasonSameProcess, false},
		{"rule 9: another process than seen, clock not known", []func(*scene){reused, seen(540000, true)}, Dead, ReasonReused, true},
		{"rule 9: another than one that may have come after the holder", []func(*scene){reused, seen(540000, false)}, Dead, ReasonReused, true},
		{"rule 9: one that may have come after the holder still lives", []func(*scene){reused, seen(1080000, false)}, Unknown, ReasonClock, false},
		{"rule 9: seen earlier, gone now", []func(*scene){gone, seen(540000, true)}, Dead, ReasonNoProcess, true},
		{"rule 9: seen earlier, cannot be examined now", []func(*scene){hidden, seen(540000, true)}, Unknown, ReasonNotExaminable, false},
		{"rule 9: on a shared folder", []func(*scene){reused, seen(540000, true), remoteFolder}, Unknown, ReasonSharedFolder, false},
		{"rule 9: says nothing about another host", []func(*scene){reused, seen(540000, true), host("old-pod")}, Unknown, ReasonOtherHost, false},
		{"rule 9: says nothing about a namespace below ours", []func(*scene){reused, seen(540000, true), namesake}, Unknown, ReasonNamespace, false},
		{"rule 9: the lock's own start stamp is better", []func(*scene){ownFields, seen(1, true)}, Live, ReasonSameProcess, false},

		{"rule 10: three weeks old and alive", []func(*scene){
			taken(at(10, 0, 0).AddDate(0, 0, -21)), began(at(9, 0, 0).AddDate(0, 0, -21)), func(s *scene) { s.h.Boot = at(8, 0, 0).AddDate(0, 0, -30) },
		}, Live, ReasonAlive, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			for _, edit := range tt.edits {
				edit(s)
			}
			got := s.judge()
			if got.Verdict != tt.verdict || got.Reason != tt.reason || got.Automatic != tt.automatic {
				t.Errorf("got %s: %s (automatic %v), want %s: %s (automatic %v)\nevidence: %q",
					got.Verdict, got.Reason, got.Automatic, tt.verdict, tt.reason, tt.automatic, got.Evidence)
			}
			if len(got.Evidence) == 0 {
				t.Error("no evidence")
			}
		})
	}
}

func host(name string) func(*scene) { return func(s *scene) { s.f.Record.Hostname = name } }

func ownHost(name string) func(*scene) { return func(s *scene) { s.h.Hostname = name } }

func namespace(ns string) func(*scene) { return func(s *scene) { s.f.Record.PIDNamespace = ns } }

func bootWas(id string) func(*scene) { return func(s *scene) { s.f.Record.BootID = id } }

func pidIs(pid int) func(*scene) { return func(s *scene) { s.f.Record.PID = pid } }

func taken(when time.Time) func(*scene) { return func(s *scene) { s.f.Record.StartedAt = when } }

func began(when time.Time) func(*scene) { return func(s *scene) { s.p.StartTime = when } }

func remoteFolder(s *scene) { s.f.Remote = true }

func sharedHostName(s *scene) { s.h.SharedName = true }

func noProgram(comm string) func(*scene) { return func(s *scene) { s.p.Program, s.p.Comm = "", comm } }

// onWindows has no boot ids and shares its name with a subsystem.
func onWindows(s *scene) {
	s.h.BootID, s.h.PIDNamespace, s.h.SharedName = "", "", true
	s.f.Record.ProcessStart = 540000
}

func sandbox(s *scene) { s.h.Sandboxed = true }

func namesake(s *scene) { s.p.Namesake = 29310 }

func inner(s *scene) { s.p.Inner = true }

func thread(s *scene) { s.p.Thread = true }

func zombie(s *scene) { s.p.State, s.p.Program = Zombie, "" }

func hidden(s *scene) { s.p = ProcessFacts{State: Running, UID: -1, EUID: -1} }

func untold(s *scene) { s.p = ProcessFacts{UID: -1, EUID: -1} }

func seen(start uint64, holder bool) func(*scene) {
	return func(s *scene) { s.p.Witnessed, s.p.WitnessedHolder = start, holder }
}

func otherUser(s *scene) { s.p.UID, s.p.EUID = 0, 0 }

// clockSet moves the wall clock after the lock was taken: all that the kernel derives from it moves.
func clockSet(by time.Duration) func(*scene) {
	return func(s *scene) {
		s.now, s.h.Boot, s.p.StartTime = s.now.Add(by), s.h.Boot.Add(by), s.p.StartTime.Add(by)
	}
}

func TestJudgeEvidence(t *testing.T) {
	tests := []struct {
		name  string
		edits []func(*scene)
		want  []string
	}{
		{"gone", []func(*scene){gone}, []string{"pid 4242 is gone"}},
		{"alive", nil, []string{"pid 4242 is alive, program /usr/bin/node", "pid 4242 started 09:30:00, lock taken 10:00:00"}},
		{"reused", []func(*scene){reused, stable}, []string{"pid 4242 started 11:00:00, lock taken 10:00:00", "the clock was not set since 09:00:00"}},
		{"other host", []func(*scene){host("old\npod")}, []string{`the lock names host "old\npod", this is "devbox"`}},
		{"by hand", []func(*scene){gone, host("")}, []string{"pid 4242 is gone", `that host "" is this host "devbox" is likely, not certain`}},
		{"another day", []func(*scene){taken(at(10, 0, 0).AddDate(0, 0, -1))}, []string{
			"lock taken 2026-11-28 10:00:00, booted 08:00:00", "the clock may have been set since, and nothing else speaks against pid 4242",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			for _, edit := range tt.edits {
				edit(s)
			}
			if got := s.judge().Evidence; !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestJudgeEvidenceTimeZone(t *testing.T) {
	s := newScene()
	s.now = s.now.In(time.FixedZone("", 3600))
	if got := strings.Join(s.judge().Evidence, " "); !strings.Contains(got, "lock taken 11:00:00") {
		t.Errorf("evidence %q is not in now's time zone", got)
	}
}

// Every lock of the fixtures gets a verdict, with its pid gone and with its pid alive.
func TestJudgeFixtures(t *testing.T) {
	tests := []struct {
		file        string
		gone, alive Verdict
	}{
		{"plain", Dead, Live},
		{"pretty-with-newline", Dead, Live},
		{"identity-as-text", Dead, Live},
		{"started-as-text", Dead, Live},
		{"empty-hostname", Dead, Live},
		{"started-before-boot", Dead, Unknown},
		{"foreign-hostname", Unknown, Unknown},
		{"missing-pid", Unknown, Unknown},
		{"newer-version", Unknown, Unknown},
		{"torn", Unknown, Unknown},
		{"empty", Unknown, Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			f, err := Read(filepath.Join("testdata", "thread", tt.file+".lock"))
			if err != nil {
				t.Fatal(err)
			}
			began := time.UnixMilli(1795966576398).Add(-time.Minute)
			h := HostFacts{Hostname: "devbox", Boot: began.Add(-time.Hour)}
			now := began.Add(time.Hour)
			if got := Judge(f, h, ProcessFacts{State: Gone}, now); got.Verdict != tt.gone {
				t.Errorf("pid gone: got %s (%s), want %s", got.Verdict, got.Reason, tt.gone)
			}
			alive := ProcessFacts{State: Running, StartTime: began, UID: f.UID, EUID: f.UID, Program: "/usr/bin/node"}
			if got := Judge(f, h, alive, now); got.Verdict != tt.alive {
				t.Errorf("pid alive: got %s (%s), want %s", got.Verdict, got.Reason, tt.alive)
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	for name, edits := range map[string][]func(*scene){
		"live": nil, "gone": {gone}, "other host": {host("old-pod")}, "same process": {ownFields},
		"reused": {reused, stable}, "witness": {reused, seen(540000, true)}, "clock": {reused}, "editor": {reused, editor},
	} {
		b.Run(name, func(b *testing.B) {
			s := newScene()
			for _, edit := range edits {
				edit(s)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.judge()
			}
		})
	}
}
