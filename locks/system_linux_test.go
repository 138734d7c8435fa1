package locks

import (
	"os"
	"testing"
)

// A /proc that was mounted for another pid namespace shows processes that ours are not.
func TestForeignProcIsNotBelieved(t *testing.T) {
	s := NewSystem()
	own, ok := s.Identify(os.Getpid())
	if !ok {
		t.Fatal("this process cannot be identified")
	}
	s.fixed.Sandboxed, s.fixed.PIDNamespace = true, ""
	if _, ok := s.Identify(os.Getpid()); ok {
		t.Error("a process was identified")
	}
	if got := s.Alive(own); got != Unknown {
		t.Errorf("an identity is %s", got)
	}
}
