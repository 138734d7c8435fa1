package locks

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	simScenarios = flag.Int("scenarios", 20_000, "how many worlds the simulation makes")
	simSeed      = flag.Uint64("seed", 0, "seed of the simulation's first world; 0 for a random one")
)

// The promises of Judge in random worlds. "go test ./locks -run Simulation -v" prints the seed and what
// came of it; -seed and -scenarios repeat a run or make a longer one.
func TestSimulation(t *testing.T) {
	first := *simSeed
	if first == 0 {
		first = rand.Uint64()
	}
	seen := map[string]int{}
	for n := range *simScenarios {
		seed := first + uint64(n)
		w := newWorld(seed)
		a := w.decide()
		if broken := w.broken(a); broken != "" {
			t.Fatalf("seed %d: %s\n%s: %s (automatic %v) by %q\nproof: %q\n%s\nhost %+v\nprocess %+v\n", seed, broken, a.Verdict, a.Reason, a.Automatic, a.Evidence, w.proof(true), w.story(), a.host, a.process)
		}
		w.count(a, seen)
	}
	t.Logf("seed %d, %d worlds", first, *simScenarios)
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%8d %s", seen[k], k)
	}
}

// broken says which promise an answer breaks, "" for none.
func (w *world) broken(a answer) string {
	lives := w.holder.alive(w.judge.final.process)
	switch {
	case lives && a.Verdict == Dead:
		return "a living holder is judged dead"
	case a.Automatic && (a.Verdict != Dead || !w.sameSystem()):
		return "a person should have been asked"
	case a.Verdict == Live && !lives && w.thisPlaceNamed() && w.examined() != nil:
		return "a dead holder is judged live although its start stamp is known"
	case a.Verdict != Dead && w.proof(true) != "":
		return "a death that can be proved is not"
	case a.Verdict == Dead && w.proof(false) == "":
		return "dead without a proof"
	}
	return ""
}

// sameSystem reports whether the holder was of this machine and, if of this boot, of the namespace that
// judges, one below it, or one that has ended so that its number was given out again.
func (w *world) sameSystem() bool {
	h, own := w.holder.space, w.judge.space
	return h.boot.machine == w.here && (h.boot != own.boot || own.contains(h) || h.number == own.number)
}

func (w *world) count(a answer, seen map[string]int) {
	truth := "dead, no proof"
	if w.holder.alive(w.now) {
		truth = "alive"
	} else if w.proof(true) != "" {
		truth = "dead, provable"
	}
	verdict := string(a.Verdict)
	if a.Automatic {
		verdict += " (automatic)"
	}
	seen[fmt.Sprintf("holder %s: judged %s", truth, verdict)]++
	seen[strings.TrimSpace(fmt.Sprintf("  reason %s: %s", a.Verdict, a.Reason))]++
	if p := w.proof(true); p != "" {
		seen["proof "+p]++
	}
}
