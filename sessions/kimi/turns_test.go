package kimi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sessions/kimi/kimitest"
)

// TestOpenTurns says when each of the turns began that are open, in seconds. Two processes may give their turns one id.
func TestOpenTurns(t *testing.T) {
	P, S, E := kimitest.Prompt, kimitest.Step, kimitest.End
	for _, c := range []struct {
		name, protocol, wire string
		want                 []int
	}{
		{"none", "1.5", P(0, 0, "a") + E(0, 5, "completed"), nil},
		{"one", "1.5", P(0, 3, "a"), []int{3}},
		{"one, at work", "1.5", P(0, 3, "a") + S(0, 4, "tool_use"), []int{3}},
		{"two", "1.5", P(0, 3, "a") + P(1, 7, "b"), []int{3, 7}},
		{"the outer of two", "1.5", P(0, 3, "a") + P(1, 7, "b") + E(1, 9, "completed"), []int{3}},
		{"the inner of two", "1.5", P(0, 3, "a") + P(1, 7, "b") + E(0, 9, "completed"), []int{7}},
		{"two with one id", "1.5", P(1, 3, "a") + P(1, 7, "b"), []int{3, 7}},
		{"two with one id, both ended", "1.5", P(1, 3, "a") + P(1, 7, "b") + E(1, 8, "completed") + E(1, 9, "completed"), nil},
		{"the older protocol has one at a time", "1.4", oldPrompt(3) + oldStep(4, "end_turn") + oldPrompt(7), []int{7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire := kimitest.Header(c.protocol) + c.wire
			r := loadWire(t, wire, sec(100))
			var got []int
			for _, begun := range r.OpenTurns {
				got = append(got, int(begun.Sub(kimitest.Began)/time.Second))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("open turns = %v, want %v", got, c.want)
			}
			if r.WireBytes != int64(len(wire)) {
				t.Errorf("%d bytes, want %d:\n%s", r.WireBytes, len(wire), strings.TrimSpace(wire))
			}
		})
	}
}
