// Package icons holds the pictures of the tray and of the program as PNG, ready to embed. They are drawn by
// packaging/icons.
package icons

import (
	"embed"
	"fmt"

	"berth/tray"
)

//go:generate go run berth/packaging/icons -root ../..

//go:embed png/*.png
var files embed.FS

// Set is a set of colours.
type Set string

// The sets. Each state differs by shape, too; Mono has nothing else.
const (
	OnDark  Set = "on-dark"  // light lines, for dark panels
	OnLight Set = "on-light" // dark lines, for light panels
	Mono    Set = "mono"     // opacity only: a template image that macOS colours itself
)

// Sizes returns the heights in pixels in which there is a tray icon, the smallest first.
func Sizes() []int { return []int{16, 22, 24, 32, 48, 64} }

// Tray returns the PNG of a state, height pixels high: one of Sizes.
func Tray(state tray.IconState, set Set, height int) ([]byte, error) {
	return files.ReadFile(fmt.Sprintf("png/%s-%s-%d.png", state, set, height))
}

// App returns the PNG of the program's own icon, 128 pixels high.
func App() []byte {
	b, err := files.ReadFile("png/app.png")
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}
