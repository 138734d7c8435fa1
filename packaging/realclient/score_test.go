//go:build realclient && linux

package realclient

import (
	"fmt"
	"testing"
)

// score counts how well berth names the writers. At each point that is scored somebody wrote or holds a turn.
type score struct {
	points      int
	named       int // one process was named
	right       int // and it was the one
	proven      int // it was said to be proven
	provenRight int
}

// add takes over what was said at one point: a pid (0 for none), whether it was called proven, and the truth.
func (s *score) add(pid int, proven bool, truth int) {
	s.points++
	if pid == 0 {
		return
	}
	s.named++
	if pid == truth {
		s.right++
	}
	if proven {
		s.proven++
		if pid == truth {
			s.provenRight++
		}
	}
}

func (s *score) plus(o score) score {
	return score{s.points + o.points, s.named + o.named, s.right + o.right, s.proven + o.proven, s.provenRight + o.provenRight}
}

// String prints precision (right among the named), recall (right among all), and the share of proven.
func (s score) String() string {
	return fmt.Sprintf("%3d points: precision %5.1f %%, recall %5.1f %%, proven %5.1f %%, right among the proven %5.1f %%",
		s.points, percent(s.right, s.named), percent(s.right, s.points), percent(s.proven, s.points), percent(s.provenRight, s.proven))
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

// minProven is the share of points at which the one client of a folder has to be proven, in percent.
const minProven = 95

// report prints the scores and fails the test when they are not good enough.
func report(t *testing.T, alone, among score) {
	t.Logf("one client in the folder:  %v", alone)
	t.Logf("several in the folder:     %v", among)
	all := alone.plus(among)
	t.Logf("all:                       %v", all)
	if got := percent(alone.proven, alone.points); got < minProven {
		t.Errorf("with one client in the folder %.1f %% are proven, want %d", got, minProven)
	}
	if all.provenRight != all.proven {
		t.Errorf("%d of %d that were called proven are wrong", all.proven-all.provenRight, all.proven)
	}
	if all.right != all.named {
		t.Errorf("%d of %d that were named are wrong", all.named-all.right, all.named)
	}
}
