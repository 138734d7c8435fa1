package locks

import (
	"os"
	"testing"
	"time"
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

// What was seen of the namespaces below ours serves until the lock may be younger than the look.
func TestNamesakeLooksAgain(t *testing.T) {
	tests := []struct {
		name string
		edit func(*System, *File)
		kept bool
	}{
		{"lock older than the look", func(*System, *File) {}, true},
		{"lock as old as the look", func(s *System, f *File) { f.ModTime = s.innerAt }, false},
		{"look too long ago", func(s *System, f *File) { s.innerAt = s.innerAt.Add(-innerTTL) }, false},
		{"clock set since the look", func(s *System, f *File) { s.innerBoot = s.innerBoot.Add(time.Hour) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, f := NewSystem(), &File{UID: os.Getuid(), Record: Record{PID: 1 << 30}, ModTime: time.Now().Add(-time.Minute)}
			s.innerAt, s.innerBoot = time.Now(), s.clock.boot()
			s.inner = map[int][]innerProcess{f.Record.PID: {{pid: 7, client: true}}}
			tt.edit(s, f)
			if kept := s.namesake(f) == 7; kept != tt.kept {
				t.Errorf("answered from memory: %v", kept)
			}
		})
	}
}

func TestMayOwn(t *testing.T) {
	tests := []struct {
		name  string
		p     innerProcess
		owner int
		want  bool
	}{
		{"its user", innerProcess{uids: [2]int{1000, 1000}}, 1000, true},
		{"its effective user", innerProcess{uids: [2]int{1000, 0}}, 0, true},
		{"another user", innerProcess{uids: [2]int{1000, 1000}}, 1001, false},
		{"another user, but a client", innerProcess{uids: [2]int{1000, 1000}, client: true}, 1001, true},
		{"nobody", innerProcess{uids: [2]int{1000, 1000}}, overflowUID, true},
		{"owner not known", innerProcess{uids: [2]int{1000, 1000}}, -1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.mayOwn(tt.owner); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
