package main

import (
	"image"
	"image/color"
	"math"
)

// palette is the colours of one set of tray icons.
type palette struct {
	name  string
	glyph color.NRGBA
	// halo is a faint line around the glyph in the other brightness, so that the icon can still be read
	// when a panel's colour was guessed wrong. None for mono.
	halo                     color.NRGBA
	occupied, attention, off color.NRGBA
	mark                     color.NRGBA // the sign inside the triangle; transparent cuts it out
}

var palettes = []palette{
	{
		name:  "on-dark",
		glyph: color.NRGBA{0xf5, 0xf7, 0xfa, 0xff}, halo: color.NRGBA{0x10, 0x18, 0x20, 0xb0},
		occupied: color.NRGBA{0x4c, 0xa6, 0xff, 0xff}, attention: color.NRGBA{0xff, 0xb0, 0x20, 0xff},
		off: color.NRGBA{0xff, 0x5c, 0x5c, 0xff}, mark: color.NRGBA{0x20, 0x18, 0x00, 0xff},
	},
	{
		name:  "on-light",
		glyph: color.NRGBA{0x24, 0x32, 0x40, 0xff}, halo: color.NRGBA{0xff, 0xff, 0xff, 0xa0},
		occupied: color.NRGBA{0x16, 0x72, 0xd6, 0xff}, attention: color.NRGBA{0xe8, 0x8b, 0x00, 0xff},
		off: color.NRGBA{0xd0, 0x2f, 0x2f, 0xff}, mark: color.NRGBA{0xff, 0xff, 0xff, 0xff},
	},
	{
		name:  "mono", // a template: the system colours it by its opacity
		glyph: color.NRGBA{A: 0xff}, occupied: color.NRGBA{A: 0xff}, attention: color.NRGBA{A: 0xff}, off: color.NRGBA{A: 0xff},
	},
}

// anchor is the motif: ring, stock, shank and arms, on the grid of 22.
func anchor() shape {
	const w = 2
	return union(
		stroke(disc(11, 4, 2), 1.7),
		line(11, 6.5, 11, 19, w),
		line(7, 9, 15, 9, w),
		bow(11, 11.6, 7.4, 1.22, w),
		polygon([2]float64{2.2, 14.6}, [2]float64{4.6, 10.4}, [2]float64{7.2, 14.2}),
		polygon([2]float64{14.8, 14.2}, [2]float64{17.4, 10.4}, [2]float64{19.8, 14.6}),
	)
}

// Where the badge of a state sits, and how far the anchor keeps away from it.
const (
	badgeX, badgeY = 15.9, 16
	badgeGap       = 1.3
)

// trayIcon draws one state ("quiet", "occupied", "attention", "offline") in one palette.
func trayIcon(state string, p palette, px int) *image.NRGBA {
	var layers []layer
	switch state {
	case "occupied":
		layers = badged(p, disc(badgeX, badgeY, 4.6), p.occupied)
	case "attention":
		sign := union(line(badgeX, badgeY-1.9, badgeX, badgeY+0.7, 1.5), disc(badgeX, badgeY+2.9, 0.85))
		layers = badged(p, warning(), p.attention)
		if p.mark.A == 0 {
			layers[len(layers)-1].shape = without(warning(), sign)
		} else {
			layers = append(layers, layer{sign, flat(p.mark)})
		}
	case "offline":
		slash := line(3.5, 19, 18.5, 3, 2.2)
		glyph := p.glyph
		glyph.A = 0xa0
		layers = outlined(p, without(anchor(), grow(slash, badgeGap)), glyph, slash, p.off)
	default:
		layers = outlined(p, anchor(), p.glyph, nil, color.NRGBA{})
	}
	return render(px, grid, layers)
}

// warning is a triangle with round corners.
func warning() shape {
	return grow(polygon([2]float64{badgeX, badgeY - 4.2}, [2]float64{badgeX + 4.4, badgeY + 3.6}, [2]float64{badgeX - 4.4, badgeY + 3.6}), 1.1)
}

func badged(p palette, badge shape, c color.NRGBA) []layer {
	return outlined(p, without(anchor(), grow(badge, badgeGap)), p.glyph, badge, c)
}

// outlined is a glyph and, above it, a sign (may be nil), with the palette's halo around both.
func outlined(p palette, glyph shape, gc color.NRGBA, sign shape, sc color.NRGBA) []layer {
	both := glyph
	if sign != nil {
		both = union(glyph, sign)
	}
	var layers []layer
	if p.halo.A > 0 {
		layers = append(layers, layer{grow(both, 0.9), flat(p.halo)})
	}
	layers = append(layers, layer{glyph, flat(gc)})
	if sign != nil {
		layers = append(layers, layer{sign, flat(sc)})
	}
	return layers
}

// appIcon is the icon of the program: the anchor above two waves on a harbour-blue square.
func appIcon(px int) *image.NRGBA {
	const units = 64.0
	tile := box(32, 32, 29, 13)
	lift := func(s shape) shape { // the anchor, twice its size
		return func(x, y float64) float64 { return s((x-32)/1.95+11, (y-29)/1.95+11) * 1.95 }
	}
	white := flat(color.NRGBA{0xff, 0xff, 0xff, 0xff})
	return render(px, units, []layer{
		{tile, func(_, y float64) color.NRGBA {
			return mix(color.NRGBA{0x2f, 0x86, 0xd8, 0xff}, color.NRGBA{0x0f, 0x35, 0x66, 0xff}, (y-3)/58)
		}},
		{within(tile, wave(49, 2.2)), flat(color.NRGBA{0xff, 0xff, 0xff, 0x38})},
		{within(tile, wave(54.5, 2.2)), flat(color.NRGBA{0xff, 0xff, 0xff, 0x26})},
		{lift(anchor()), white},
	})
}

func within(a, b shape) shape {
	return func(x, y float64) float64 { return max(a(x, y), b(x, y)) }
}

// wave is a band that swings around height y; its distance is only right near the edge, which is enough.
func wave(y0, width float64) shape {
	return func(x, y float64) float64 {
		return math.Abs(y-y0-1.6*math.Sin(x/64*6*math.Pi)) - width/2
	}
}

func mix(a, b color.NRGBA, t float64) color.NRGBA {
	t = min(max(t, 0), 1)
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-t) + float64(y)*t)) }
	return color.NRGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), m(a.A, b.A)}
}
