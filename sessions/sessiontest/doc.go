// Package sessiontest checks that a [sessions.Source] keeps the promises of its interface. Every Source
// of the program runs the same cases against real files:
//
//	func TestContract(t *testing.T) {
//		sessiontest.Run(t, sessiontest.Store{Open: …, Fill: …, Change: …, Break: …, Remove: …})
//	}
//
// It knows no layout: the five functions of a [Store] are all that a Source has to bring along.
package sessiontest
