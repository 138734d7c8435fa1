// Package fyneui draws what package tray decided, with Fyne: the window, its dialogs and the icon in the
// panel. It reports what the user did and decides nothing itself.
//
// It takes a ready fyne.App and never imports Fyne's app package, so that it builds and is tested without
// cgo and without a display.
//
// # Threads
//
// Widgets are touched on Fyne's thread only. The View methods of [UI] ([UI.ShowIcon], [UI.ShowMenu],
// [UI.ShowWindow]) and [UI.Raise] may be called from any goroutine and queue one function there; the other
// methods belong to that thread. Callbacks of widgets arrive on it, so whatever may block, above all every
// verb, runs elsewhere and comes back with a finished value (bug B20).
package fyneui
