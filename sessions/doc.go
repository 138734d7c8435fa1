// Package sessions is the domain: what a Session is, which Status it has and why, the [Index] that
// keeps all of them, and the verbs of the [Service]. It has no user interface, no sockets, and no
// knowledge of any on-disk layout; that is the business of a [Source].
//
// # From disk to Status
//
// A Source reads a [Record]: what the disk says about one Session, no opinion. The Index adds what is
// known about locks, processes and other Sessions, and [Classify] derives the Status. A Status is never
// stored as truth. Every Status comes with reasons (code words), and evidence (sentences with values).
//
// # Concurrency
//
// Records, Sessions and Snapshots are immutable once published and may be read from any goroutine. The
// Index is owned by the goroutine in [Index.Run]; everything else talks to it by its methods.
package sessions
