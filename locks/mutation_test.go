//go:build mutation

package locks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutations break one rule each: the text old, which is there once, becomes new.
var mutations = []struct{ rule, file, old, new string }{
	{"1 what cannot be read", "judge.go", `case f.Problem != "":`, `case false && f.Problem != "":`},
	{"2 another host", "judge.go", `case !same:`, `case false && !same:`},
	{"2 other domains", "judge.go", `(lockDomain == "" || ownDomain == "")`, `(lockDomain == lockDomain || ownDomain == "")`},
	{"2 empty name is not proved", "judge.go", "return true, false\n", "return true, true\n"},
	{"2 localhost is not proved", "judge.go", `return true, !genericName(own)`, `return true, true || genericName(own)`},
	{"2 likely is not certain", "judge.go", `case !c.hostProved:`, `case false:`},
	{"2 folder of several machines", "judge.go", `case c.f.Remote:`, `case false:`},
	{"2 name of several systems", "judge.go", `case c.h.SharedName && !c.ownKernel():`, `case false:`},
	{"2 earlier boot under a shared name", "judge.go", `return c.recordedBootDiffers() || c.r.ProcessStart != 0`, `return c.r.ProcessStart != 0`},
	{"2 renamed only in the same boot", "judge.go", `if !c.sameBoot() || c.r.PID`, `if c.r.PID`},
	{"2 renamed only in the same namespace", "judge.go", `c.r.PIDNamespace != c.h.PIDNamespace || !usable`, `!usable`},
	{"3 other namespace", "judge.go", `case c.otherNamespace():`, `case false:`},
	{"3 sandbox", "judge.go", `case h.Sandboxed && c.r`, `case false && c.r`},
	{"3 pid inside another process's namespace", "judge.go", `return c.p.Inner || c.p.Namesake != 0`, `return c.p.Namesake != 0`},
	{"3 namesake", "judge.go", `return c.p.Inner || c.p.Namesake != 0`, `return c.p.Inner`},
	{"3 namesake under any owner", "system.go", `return p.client || uid < 0`, `return uid < 0`},
	{"3 namespaces are of one boot", "judge.go", `c.h.PIDNamespace && !c.recordedBootDiffers()`, `c.h.PIDNamespace`},
	{"4 pid 1", "judge.go", `return pid > 1 &&`, `return pid > 0 &&`},
	{"4 thread", "judge.go", `case p.Thread:`, `case false:`},
	{"5 gone", "judge.go", `case p.State == Gone:`, `case false:`},
	{"5 zombie", "judge.go", `case p.State == Zombie:`, `case false:`},
	{"5 not known is not gone", "judge.go", `case p.State == Gone:`, `case p.State == Gone || p.State == NotKnown:`},
	{"6 other user", "judge.go", `case c.otherUser():`, `case false:`},
	{"6 a client may run in it", "judge.go", `if !c.p.mayHost() {`, `if true {`},
	{"6 a client whose executable is not shown", "clients.go", `path: cmp.Or(p.Program, p.Comm)`, `path: cmp.Or(p.Program)`},
	{"6 the owner who is nobody", "judge.go", `owner != overflowUID && `, ``},
	{"6 set-uid", "judge.go", ` && c.p.EUID != owner`, ``},
	{"6 times prove it all the same", "judge.go", `j := c.byTimes(); j.Verdict == Dead`, `j := c.byTimes(); false`},
	{"7 start stamp", "judge.go", `if c.r.ProcessStart == c.p.Start {`, `if true {`},
	{"7 start stamp, inverted", "judge.go", `if c.r.ProcessStart == c.p.Start {`, `if c.r.ProcessStart != c.p.Start {`},
	{"7 start stamps known", "judge.go", `return c.r.ProcessStart != 0 && c.p.Start != 0 &&`, `return c.p.Start != 0 &&`},
	{"7 began later", "judge.go", `case began.After(taken.Add(reuseSlack)):`, `case false:`},
	{"7 slack", "judge.go", `reuseSlack = 2 * time.Second`, `reuseSlack = 0`},
	{"7 a second witness", "judge.go", `case !since.IsZero() && !c.r.StartedAt.Before(since):`, `case true:`},
	{"7 clock watched long enough", "judge.go", ` && !c.r.StartedAt.Before(since):`, `:`},
	{"7 program alone is for people", "judge.go", `j.Automatic = false`, `_ = j`},
	{"7 clients that are not known", "judge.go", ` && knownProduct(c.r.Client)`, ``},
	{"7 lock of the future", "judge.go", `case taken.After(c.now.Add(reuseSlack)):`, `case false:`},
	{"8 recorded boot id", "judge.go", `case c.recordedBootDiffers():`, `case false:`},
	{"8 slack", "judge.go", `bootSlack = 30 * time.Second`, `bootSlack = 0`},
	{"8 before boot by time", "judge.go", `case !c.sameBoot() && !c.h.Boot.IsZero()`, `case false && !c.h.Boot.IsZero()`},
	{"9 seen before", "judge.go", `case c.witnessed():`, `case false:`},
	{"9 seen, but perhaps not the holder", "judge.go", `(seen != c.p.Start || c.p.WitnessedHolder)`, `(seen != c.p.Start || seen != 0)`},
	{"9 the same as seen", "judge.go", `if c.p.Witnessed == c.p.Start {`, `if false {`},
	{"9 whose witness counts", "witness.go", `(j.Verdict != Unknown || inDoubt) && p.State`, `(inDoubt || !inDoubt) && p.State`},
	{"9 a proof is kept", "witness.go", `(j.Verdict != Unknown || inDoubt)`, `(j.Verdict == Live || inDoubt)`},
	{"10 age", "judge.go", `case taken.IsZero():`, "case c.now.Sub(taken) > 14*24*time.Hour:\n\t\treturn c.dead(ReasonReused, \"old\")\n\tcase taken.IsZero():"},
}

// TestMutations shows that no rule can be broken without a test that fails, and which. It takes a few
// seconds for each:
//
//	go test -tags mutation -run Mutations -v ./locks
func TestMutations(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.rule, func(t *testing.T) {
			source, err := os.ReadFile(m.file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), m.old); n != 1 {
				t.Fatalf("%q is there %d times", m.old, n)
			}
			failed := testsWith(t, m.file, strings.Replace(string(source), m.old, m.new, 1))
			t.Logf("caught by %s", strings.Join(failed, ", "))
			if len(failed) == 0 {
				t.Error("nothing fails")
			}
		})
	}
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// testsWith runs the tests of the rules with other content in one file, and returns those that fail.
func testsWith(t *testing.T, file, content string) []string {
	t.Helper()
	dir := t.TempDir()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: filepath.Join(dir, "mutant")}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "mutant"), content)
	write(t, filepath.Join(dir, "overlay"), string(overlay))
	out, err := exec.Command("go", "test", "-vet=off", "-overlay", filepath.Join(dir, "overlay"), "-run", "^(TestJudge|TestSimulation|TestTestify|TestMayOwn)$", ".").CombinedOutput()
	var failed []string
	for _, m := range failedTest.FindAllSubmatch(out, -1) {
		failed = append(failed, string(m[1]))
	}
	if err != nil && failed == nil {
		t.Fatalf("the tests do not run: %v\n%s", err, out)
	}
	return failed
}
