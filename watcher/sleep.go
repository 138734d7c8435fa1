package watcher

import "time"

// clocks are two readings taken at the same moment: one that stops while the machine sleeps, and one
// that does not. Only differences between readings mean anything.
type clocks struct{ awake, all time.Duration }

// sleepGap is how far the two clocks may drift apart between two looks for other reasons.
const sleepGap = 10 * time.Second

// slept reports whether the machine slept between two readings, before and now.
func slept(before, now clocks) bool {
	return (now.all-before.all)-(now.awake-before.awake) > sleepGap
}
