package tray

import (
	"context"
	"sync"
	"time"
)

// The pace of drawing.
const (
	// drawEvery is the least time between two drawings of dull news: four a second.
	drawEvery = 250 * time.Millisecond
	// menuEvery is the least time between two changes of the menu. Every change rebuilds the whole native
	// menu with new item ids, and a click on an id that is gone is lost (bug B124).
	menuEvery = 2 * time.Second
	// menuHold is how long the menu stays as it is after it was opened: nobody tells us that it closed.
	menuHold = 8 * time.Second
	// ageEvery is how often "3 min ago" is worked out anew while the window can be seen.
	ageEvery = 30 * time.Second
)

// View draws. Its methods are called from the Presenter's goroutine, one at a time; they hand the finished
// value to the drawing thread and return.
type View interface {
	// ShowIcon and ShowMenu are called only when what they are given differs from the last time.
	ShowIcon(state IconState, tooltip string)
	ShowMenu(MenuSpec)
	// ShowWindow is called only while the window can be seen.
	ShowWindow(Window)
}

// Presenter keeps a View in step with a state that changes: the newest one, merged when much happens, at once
// when a person waits for it, and nothing at all while nothing changes.
type Presenter struct {
	state func() Update
	view  View
	wake  chan struct{} // one slot: wake-ups merge

	mu      sync.Mutex
	in      Input // but for its Update and Now, which are taken when it is drawn
	visible bool  // the window
	dirty   bool  // something changed since it was drawn
	urgent  bool  // and a person waits for it
	hold    time.Time
}

// NewPresenter returns a Presenter of what state returns; its window is not visible yet. state is called from
// Run's goroutine, at most four times a second but for what a person does. Nothing happens before Run.
func NewPresenter(state func() Update, view View, lang Lang) *Presenter {
	return &Presenter{state: state, view: view, in: Input{Lang: lang}, dirty: true, urgent: true, wake: make(chan struct{}, 1)}
}

// Changed says that state returns something new. Notable news is drawn at once, the rest merged with what
// follows.
func (p *Presenter) Changed(notable bool) {
	p.mu.Lock()
	p.dirty = true
	p.urgent = p.urgent || notable
	p.mu.Unlock()
	p.signal()
}

// SetFilter changes what the list shows.
func (p *Presenter) SetFilter(f Filter) {
	p.change(func() { p.in.Filter = f })
}

// Select shows the Session at path in the details; "" shows none.
func (p *Presenter) Select(path string) {
	p.change(func() { p.in.Selected = path })
}

// SetVisible says whether the window can be seen. While it cannot, it is not drawn.
func (p *Presenter) SetVisible(visible bool) {
	p.change(func() { p.visible = visible })
}

// SetMenuOpen keeps the menu as it is for a while after it was opened, so that it does not change under the
// pointer; false, when a row was clicked, ends that.
func (p *Presenter) SetMenuOpen(open bool) {
	p.mu.Lock()
	p.hold = time.Time{}
	if open {
		p.hold = time.Now().Add(menuHold)
	}
	p.mu.Unlock()
	p.signal()
}

// change does set and has the result drawn at once: a person did it.
func (p *Presenter) change(set func()) {
	p.mu.Lock()
	set()
	p.dirty, p.urgent = true, true
	p.mu.Unlock()
	p.signal()
}

func (p *Presenter) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run draws until ctx is done, which is the only reason for it to return.
func (p *Presenter) Run(ctx context.Context) error {
	first := FirstMenu(p.in.Lang)
	d := drawing{view: p.view, menu: first, next: first}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.wake:
		case <-timer.C:
		}
		p.draw(&d, time.Now())
		timer.Stop()
		if due := p.due(&d, time.Now()); !due.IsZero() {
			timer.Reset(time.Until(due))
		}
	}
}

// draw shows what is due at now.
func (p *Presenter) draw(d *drawing, now time.Time) {
	p.mu.Lock()
	in, visible, hold := p.in, p.visible, p.hold
	due := d.due(now, p.dirty, p.urgent, visible)
	build := !due.IsZero() && !due.After(now)
	if build {
		p.dirty, p.urgent = false, false
	}
	p.mu.Unlock()
	if build {
		in.Update, in.Now = p.state(), now
		d.show(Build(in), visible, now)
	}
	d.showMenu(hold, now)
}

// due is when draw has something to do next, zero for never.
func (p *Presenter) due(d *drawing, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return earlier(d.due(now, p.dirty, p.urgent, p.visible), d.menuDue(p.hold))
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// drawing remembers what is on screen and since when. Only Run's goroutine uses it.
type drawing struct {
	view    View
	at      time.Time // of the last drawing; zero before the first
	icon    IconState
	tooltip string
	menu    MenuSpec // on screen
	menuAt  time.Time
	next    MenuSpec // what the menu should be
}

// due is when to draw: at once when a person waits, else in a while; the ages of what can be seen from time
// to time; never when nothing happens.
func (d *drawing) due(now time.Time, dirty, urgent, visible bool) time.Time {
	switch {
	case dirty && urgent:
		return now
	case dirty:
		return d.at.Add(drawEvery)
	case visible:
		return d.at.Add(ageEvery)
	}
	return time.Time{}
}

func (d *drawing) menuDue(hold time.Time) time.Time {
	if d.menu.Equal(d.next) {
		return time.Time{}
	}
	due := d.menuAt.Add(menuEvery)
	if hold.After(due) {
		return hold
	}
	return due
}

func (d *drawing) show(vm ViewModel, visible bool, now time.Time) {
	if first := d.at.IsZero(); first || vm.Icon != d.icon || vm.Tooltip != d.tooltip {
		d.icon, d.tooltip = vm.Icon, vm.Tooltip
		d.view.ShowIcon(vm.Icon, vm.Tooltip)
	}
	if visible {
		d.view.ShowWindow(vm.Window)
	}
	d.at, d.next = now, vm.Menu
}

func (d *drawing) showMenu(hold, now time.Time) {
	if due := d.menuDue(hold); due.IsZero() || due.After(now) {
		return
	}
	d.menu, d.menuAt = d.next, now
	d.view.ShowMenu(d.menu)
}
