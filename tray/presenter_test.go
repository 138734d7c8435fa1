package tray

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/sessions"
)

// screen is a View that remembers what was drawn, and when.
type screen struct {
	mu    sync.Mutex
	start time.Time
	log   []string
	icon  IconState
	tip   string
	last  Window
}

func (s *screen) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%v ", time.Since(s.start).Round(time.Millisecond))+fmt.Sprintf(format, args...))
}

func (s *screen) ShowIcon(state IconState, tooltip string) {
	if state == s.icon && tooltip == s.tip {
		s.add("the same icon again")
	}
	if state != s.icon {
		s.add("icon %v", state)
	}
	s.icon, s.tip = state, tooltip
}

func (s *screen) ShowMenu(m MenuSpec) { s.add("menu %d", len(m.Rows)) }

func (s *screen) ShowWindow(w Window) {
	s.add("window %d", w.List.Len())
	s.mu.Lock()
	s.last = w
	s.mu.Unlock()
}

// take returns what was drawn since the last call.
func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.log, "; ")
	s.log = nil
	return out
}

// desk is a Presenter at work in a bubble of virtual time.
type desk struct {
	*Presenter
	screen *screen
	mu     sync.Mutex
	state  Update
}

// set changes the state without saying so.
func (d *desk) set(all ...*sessions.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = Update{Sessions: all, Connection: OwnService}
}

func (d *desk) present() Update {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// atDesk runs f beside a Presenter whose first drawing is done and forgotten.
func atDesk(t *testing.T, f func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{screen: &screen{start: time.Now()}}
		d.Presenter = NewPresenter(d.present, d.screen, English)
		ctx, cancel := context.WithCancel(context.Background())
		var run sync.WaitGroup
		run.Go(func() { d.Run(ctx) })
		defer run.Wait()
		defer cancel()
		synctest.Wait()
		if got := d.screen.take(); got != "" || d.screen.tip == "" {
			t.Errorf("at first: %q, tooltip %q", got, d.screen.tip)
		}
		f(d)
	})
}

// drawn checks what was drawn in the next while.
func (d *desk) drawn(t *testing.T, during time.Duration, want string) {
	t.Helper()
	time.Sleep(during)
	synctest.Wait()
	if got := d.screen.take(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Bug B124: no rebuild, no drawing, not even a timer, while nothing happens and nothing can be seen.
func TestNothingIsDrawnWhileNothingChanges(t *testing.T) {
	atDesk(t, func(d *desk) {
		d.set(session("a"))
		d.Changed(true)
		d.drawn(t, time.Second, "0s menu 5")
		for range 100 {
			d.Changed(true)
		}
		d.drawn(t, 24*time.Hour, "")
	})
}

func TestBurstsAreMerged(t *testing.T) {
	atDesk(t, func(d *desk) {
		d.SetVisible(true)
		d.drawn(t, 0, "0s window 0")
		for i := range 100 { // a burst of dull news, every 7 ms; the menu shows the newest
			d.set(session(fmt.Sprint(i)), session("a"))
			d.Changed(false)
			time.Sleep(7 * time.Millisecond)
		}
		// Four a second; the menu, which is rebuilt as a whole, at most every two seconds.
		d.drawn(t, 3*time.Second, "250ms window 2; 250ms menu 6; 500ms window 2; 750ms window 2; 2.25s menu 6")
	})
}

func TestNotableNewsIsDrawnAtOnce(t *testing.T) {
	atDesk(t, func(d *desk) {
		d.set(session("a"))
		d.Changed(false)
		d.drawn(t, 10*time.Millisecond, "")
		d.set(session("a", heldBy("Kimi", 1)))
		d.Changed(true)
		d.drawn(t, 0, "10ms icon occupied; 10ms menu 5")
		d.set(session("a", facts(sessions.FactWaiting)))
		d.Changed(true)
		d.drawn(t, 5*time.Second, "10ms icon attention; 2.01s menu 5")
	})
}

func TestMenuHoldsStillWhileOpen(t *testing.T) {
	atDesk(t, func(d *desk) {
		d.SetMenuOpen(true)
		d.set(session("a"))
		d.Changed(true)
		d.drawn(t, 3*time.Second, "")
		d.SetMenuOpen(false) // a row was clicked
		d.drawn(t, 0, "3s menu 5")
		d.SetMenuOpen(true)
		d.set()
		d.Changed(true)
		d.drawn(t, time.Minute, "11s menu 2") // nobody said that it closed
	})
}

func TestAgesAreRefreshedOnlyWhereTheyCanBeSeen(t *testing.T) {
	atDesk(t, func(d *desk) {
		d.set(session("a"))
		d.SetVisible(true)
		d.drawn(t, 65*time.Second, "0s window 1; 0s menu 5; 30s window 1; 1m0s window 1")
		d.SetVisible(false)
		d.drawn(t, time.Hour, "")
		d.Changed(true) // is not drawn into a hidden window
		d.drawn(t, time.Hour, "")
		d.set(session("a"), session("b"))
		d.Changed(false)
		d.SetVisible(true) // but there when it is seen again
		d.drawn(t, 0, "2h1m5s window 2; 2h1m5s menu 6")
	})
}

func TestWhatThePersonDoesIsShownAtOnce(t *testing.T) {
	atDesk(t, func(d *desk) {
		all := numbered(3)
		d.set(all...)
		d.SetVisible(true)
		d.drawn(t, 0, "0s window 3; 0s menu 7")
		d.SetFilter(Filter{Text: "000002"})
		d.drawn(t, 0, "0s window 1")
		d.Select(all[1].Path)
		d.drawn(t, 0, "0s window 1")
		if d.screen.last.Details.ID != all[1].ID || d.screen.last.Filter.Text != "000002" {
			t.Errorf("shown: %+v", d.screen.last)
		}
	})
}
