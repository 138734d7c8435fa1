package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Floating point may round differently on another processor; more than this is another picture.
const tolerance = 2

// drawn is everything this command draws, drawn once.
var drawn = sync.OnceValue(drawAll)

// drawnTray is one of the tray's icons.
func drawnTray(state string, p palette, px int) *image.NRGBA {
	return drawn()[fmt.Sprintf("tray/icons/png/%s-%s-%d.png", state, p.name, px)]
}

func TestCommittedIconsAreWhatThisCommandDraws(t *testing.T) {
	for name, want := range drawn() {
		b, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := difference(got, want); d > tolerance {
			t.Errorf("%s differs by %d; run go generate ./tray/icons", name, d)
		}
	}
}

// Colour must not be the only sign, and the picture must survive the smallest panel (bug B131): the
// opacity alone tells any two states apart.
func TestStatesDifferByShapeAlone(t *testing.T) {
	const least = 12 // pixels whose opacity differs clearly
	for _, p := range palettes {
		for _, px := range traySizes {
			for i, a := range states {
				for _, b := range states[i+1:] {
					if n := opacityDiffers(drawnTray(a, p, px), drawnTray(b, p, px)); n < least {
						t.Errorf("%s %dpx: %s and %s differ in %d pixels only", p.name, px, a, b, n)
					}
				}
			}
		}
	}
}

// Each set stands out on the panel it is made for.
func TestContrastOnItsPanel(t *testing.T) {
	for _, tt := range []struct {
		palette int
		panel   color.NRGBA
	}{
		{0, color.NRGBA{0x2b, 0x2b, 0x2b, 0xff}},
		{1, color.NRGBA{0xf2, 0xf1, 0xf0, 0xff}},
	} {
		p := palettes[tt.palette]
		img := drawnTray("quiet", p, 22)
		clear := 0
		for i := 0; i < len(img.Pix); i += 4 {
			if img.Pix[i+3] > 200 && abs(int(img.Pix[i])-int(tt.panel.R)) > 120 {
				clear++
			}
		}
		if clear < 60 {
			t.Errorf("%s: only %d of 484 pixels stand out", p.name, clear)
		}
	}
}

func opacityDiffers(a, b *image.NRGBA) int {
	n := 0
	for i := 3; i < len(a.Pix); i += 4 {
		if abs(int(a.Pix[i])-int(b.Pix[i])) > 80 {
			n++
		}
	}
	return n
}

// difference is the largest distance of any channel, premultiplied.
func difference(a, b image.Image) int {
	if a.Bounds() != b.Bounds() {
		return 255
	}
	most := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2), int(a1) - int(a2)} {
				most = max(most, abs(d)/257)
			}
		}
	}
	return most
}

func abs(n int) int { return max(n, -n) }
