// Package tray decides what the desktop shows: which rows, in which words, which buttons can be pressed
// and why the others cannot. It turns the Sessions of a Snapshot into plain data ([ViewModel]) and runs
// the [Presenter] that does so whenever something changed. It draws nothing, reads no files and imports no
// toolkit; package fyneui draws what it is given and reports what the user did.
//
// # What needs attention
//
// The icon is for one look, so it must be able to fall silent. A Session needs attention when somebody
// has to act and the matter is fresh: a question waits for an answer, a dead lock is in the way, or it was
// interrupted, damaged, written by two or left open within the last [FreshFor]. Older matters keep their
// Status in the window and are no longer counted.
//
// # Words
//
// Every text for people is in one table, in English and in simplified Chinese. Evidence and problems are
// sentences of the service and are shown as they are. Titles are untrusted: control and direction
// characters are removed and long ones are cut by the width they take on screen.
//
// # Threads
//
// Everything but the Presenter is a pure function of its arguments and may be called from anywhere. The
// Presenter's methods may be called from any goroutine; it calls its [View] from the goroutine of
// [Presenter.Run] only.
package tray
