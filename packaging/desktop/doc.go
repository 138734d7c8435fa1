// Package desktop checks berth-tray on a real desktop: a screen in memory, a session bus, a window manager
// and a panel that shows tray icons, all private to the test and ended with it. The tests stand behind the
// build tag "desktop" and need the packages in apt-packages.txt:
//
//	go build -tags gles -o build/berth-tray-checked ./cmd/berth-tray
//	go test -tags desktop -count=1 -v ./packaging/desktop
//
// BERTH_TRAY names the binary to test; without it, build/berth-tray-checked of this repository is taken. It
// is built without the tag migrated_fynedo, so that Fyne reports calls from wrong goroutines, each of which
// fails the test. Pictures of the screen are left in build/screenshots.
package desktop
