package locks

import (
	"context"
	"time"
)

// WaitBy replaces the pause of a Reclaimer.
func (r *Reclaimer) WaitBy(wait func()) {
	r.wait = func(context.Context, time.Duration) error { wait(); return nil }
}

// AtStep lets a test stop at the steps of a removal: f may end the process, or fail with an error.
func (r *Reclaimer) AtStep(f func(step string) error) { r.step = f }

// Link replaces the hard link by which a Reclaimer publishes.
func (r *Reclaimer) Link(link func(from, to string) error) { r.link = link }

// WithLink is cfg with another hard link.
func (cfg TakeConfig) WithLink(link func(from, to string) error) TakeConfig {
	cfg.link = link
	return cfg
}

// Steps are the steps of a removal in their order.
var Steps = []string{stepGuard, stepMarker, stepRead, stepTrash, stepMoved, stepUnlinked, stepSynced}
