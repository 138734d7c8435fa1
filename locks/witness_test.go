package locks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTestify(t *testing.T) {
	running := ProcessFacts{State: Running, Start: 7}
	tests := []struct {
		name   string
		j      Judgement
		p      ProcessFacts
		ok     bool
		holder bool
	}{
		{"alive", Judgement{Verdict: Live, Reason: ReasonAlive}, running, true, true},
		{"only the clock is in doubt", Judgement{Verdict: Unknown, Reason: ReasonClock}, running, true, false},
		{"a lock without a time", Judgement{Verdict: Unknown, Reason: ReasonNoTime}, running, true, false},
		{"other host (B68)", Judgement{Verdict: Unknown, Reason: ReasonOtherHost}, running, false, false},
		{"other namespace (B64)", Judgement{Verdict: Unknown, Reason: ReasonNamespace}, running, false, false},
		{"another user's client", Judgement{Verdict: Unknown, Reason: ReasonForeignClient}, running, true, false},
		{"dead, and the next process may prove less", Judgement{Verdict: Dead, Reason: ReasonReused}, running, true, false},
		{"no process", Judgement{Verdict: Dead, Reason: ReasonNoProcess}, ProcessFacts{State: Gone}, false, false},
		{"no start stamp", Judgement{Verdict: Live, Reason: ReasonAlive}, ProcessFacts{State: Running}, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, ok := testify(sighting{Token: "t"}, tt.j, &tt.p)
			if ok != tt.ok || ok && w.Holder != tt.holder {
				t.Errorf("got %v, holder %v", ok, w.Holder)
			}
		})
	}
}

func witnessOf(token string, seen time.Time) witness {
	return witness{sighting: sighting{Token: token, PID: 4242}, Start: 7, Seen: seen}
}

func TestWitnessesAreBounded(t *testing.T) {
	b := newWitnessBook("", "boot-b")
	for n := range maxWitnesses + 10 {
		b.add(witnessOf(fmt.Sprint(n), at(9, 0, 0).Add(time.Duration(n)*time.Second)))
	}
	if len(b.known) != maxWitnesses || b.knows(witnessOf("9", time.Time{}).sighting) || !b.knows(witnessOf("10", time.Time{}).sighting) {
		t.Errorf("kept %d", len(b.known))
	}
}

func TestWitnessesSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "witnesses.json")
	b := newWitnessBook(path, "boot-b")
	want := witnessOf("t", at(10, 0, 0))
	b.add(want)
	if err := b.save(); err != nil {
		t.Fatal(err)
	}
	for boot, found := range map[string]bool{"boot-b": true, "boot-c": false} {
		again := newWitnessBook(path, boot)
		again.load()
		if again.knows(want.sighting) != found {
			t.Errorf("%s: found %v, want %v", boot, !found, found)
		}
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", fi.Mode(), err)
	}
}

// The first save in a new boot leaves nothing of the old one.
func TestWitnessesOfAnotherBootAreDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "witnesses.json")
	old := newWitnessBook(path, "boot-a")
	old.add(witnessOf("old", at(8, 0, 0)))
	b := newWitnessBook(path, "boot-b")
	b.add(witnessOf("new", at(10, 0, 0)))
	if err := errors.Join(old.save(), b.save()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), `"old"`) || !strings.Contains(string(content), `"new"`) {
		t.Errorf("%s (%v)", content, err)
	}
}

// B14: what we know is not lost with the file, and the file not with our save.
func TestDamagedWitnessFileIsKeptAside(t *testing.T) {
	for name, content := range map[string]string{"torn": `{"boot_id":"boot-b","witn`, "empty": "", "other": `[]`} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "witnesses.json")
			write(t, path, content)
			b := newWitnessBook(path, "boot-b")
			b.load()
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("loading changed it to %q (%v)", got, err)
			}
			b.add(witnessOf("t", at(10, 0, 0)))
			if err := b.save(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path + ".bad"); err != nil || string(got) != content {
				t.Errorf("kept aside %q (%v)", got, err)
			}
			again := newWitnessBook(path, "boot-b")
			again.load()
			if !again.knows(witnessOf("t", time.Time{}).sighting) {
				t.Error("not rebuilt")
			}
		})
	}
}

// B17: two services, many saves, and the file is whole at every moment.
func TestTwoServicesShareTheWitnessFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "witnesses.json")
	const each = 60
	var wg sync.WaitGroup
	for service := range 2 {
		b := newWitnessBook(path, "boot-b")
		wg.Go(func() {
			for n := range each {
				b.add(witnessOf(fmt.Sprint(service, "-", n), at(10, 0, n)))
				if err := b.save(); err != nil {
					t.Error(err)
				}
				if content, err := os.ReadFile(path); err != nil {
					t.Error(err)
				} else if _, ok := parseWitnesses(content, "boot-b"); !ok {
					t.Errorf("torn: %q", content)
				}
			}
		})
	}
	wg.Wait()
	all := newWitnessBook(path, "boot-b")
	all.load()
	if len(all.known) != 2*each {
		t.Errorf("%d of %d left", len(all.known), 2*each)
	}
}

func TestSaveWitnessesSavesWhenItEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "witnesses.json")
	s := NewSystem(WithWitnesses(path))
	if s.witnesses.path == "" {
		return // this platform has no boot id, and so nothing to keep
	}
	s.witnesses.add(witnessOf("t", at(10, 0, 0)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.SaveWitnesses(ctx, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// A failed save ends nothing and is told.
func TestSaveWitnessesTellsOfFailure(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, "")
	b := newWitnessBook(filepath.Join(blocked, "witnesses.json"), "boot-b")
	b.add(witnessOf("t", at(10, 0, 0)))
	s := &System{witnesses: b}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan error, 1)
	done := make(chan error, 1)
	go func() { done <- s.SaveWitnesses(ctx, func(err error) { told <- err }) }()
	if err := <-told; err == nil {
		t.Error("no error")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func FuzzParseWitnesses(f *testing.F) {
	f.Add([]byte(`{"boot_id":"b","witnesses":[{"token":"t","pid":4242,"started_at":1,"start":7,"holder":true,"seen":"2026-11-29T10:00:00Z"}]}`))
	f.Add([]byte(`{"boot_id":"b","witnesses":null}`))
	f.Add([]byte(`{"boot_id":"a"}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		all, ok := parseWitnesses(content, "b")
		if !ok && all != nil {
			t.Error("witnesses from a damaged file")
		}
		for _, w := range all {
			if w.Token == "" || !usablePID(w.PID) || w.Start == 0 {
				t.Errorf("cannot testify: %+v", w)
			}
		}
		again, ok := parseWitnesses(formatWitnesses(all, "b"), "b")
		if !ok || len(again) != len(all) {
			t.Errorf("%d of %d survive", len(again), len(all))
		}
	})
}
