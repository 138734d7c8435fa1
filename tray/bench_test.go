package tray

import (
	"fmt"
	"testing"

	"berth/sessions"
)

// mixed makes n Sessions of every kind, as a busy home has them.
func mixed(n int) []*sessions.Session {
	all := numbered(n)
	for i, s := range all {
		switch i % 50 {
		case 0:
			heldBy("Kimi in a terminal", 1000+i)(s)
		case 1:
			status(sessions.Stale, sessions.ReasonInterrupted)(s)
		case 2:
			s.Source, s.Project = "vault", fmt.Sprintf("project %d", i%7)
			ambiguous("g")(s)
		case 3, 4, 5:
			status(sessions.Archived)(s)
		}
		s.Title = fmt.Sprintf("支持 retry number %d of the upload", i)
	}
	return all
}

// BenchmarkViewModel measures Build and the words of the 30 rows that a window shows, beside the floor: one walk
// over the same Sessions that looks at their Status.
func BenchmarkViewModel(b *testing.B) {
	for _, n := range []int{500, 10_000} {
		in := input(mixed(n)...)
		in.Selected = in.Sessions[n/2].Path
		b.Run(fmt.Sprintf("build/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := Build(in)
				for i := range 30 {
					vm.Window.List.Row(i)
				}
			}
		})
		search := in
		search.Filter.Text = "upload 99"
		b.Run(fmt.Sprintf("search/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Build(search)
			}
		})
		b.Run(fmt.Sprintf("floor/%d", n), func(b *testing.B) {
			open := 0
			for b.Loop() {
				for _, s := range in.Sessions {
					if isOpen(s) {
						open++
					}
				}
			}
		})
	}
}
