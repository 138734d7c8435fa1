package main

import (
	"image"
	"image/color"
	"math"
)

// grid is the side of the square in which the tray icons are designed: 22 units, the usual height of an
// icon in a panel, so that straight edges on whole units are sharp there.
const grid = 22

// shape is a signed distance: negative inside, in units of the grid. Distances make edges smooth at every
// size, and outlines and gaps a matter of adding a number.
type shape func(x, y float64) float64

func disc(cx, cy, r float64) shape {
	return func(x, y float64) float64 { return math.Hypot(x-cx, y-cy) - r }
}

// stroke is the line around a shape's edge, of the given width.
func stroke(s shape, width float64) shape {
	return func(x, y float64) float64 { return math.Abs(s(x, y)) - width/2 }
}

// line is a straight stroke with round ends.
func line(x1, y1, x2, y2, width float64) shape {
	dx, dy := x2-x1, y2-y1
	return func(x, y float64) float64 {
		t := ((x-x1)*dx + (y-y1)*dy) / (dx*dx + dy*dy)
		t = min(max(t, 0), 1)
		return math.Hypot(x-x1-t*dx, y-y1-t*dy) - width/2
	}
}

// bow is the lower part of a circle as a stroke: everything up to half an opening of spread radians to each
// side of straight down.
func bow(cx, cy, r, spread, width float64) shape {
	return func(x, y float64) float64 {
		a := math.Atan2(x-cx, y-cy) // 0 is down
		a = min(max(a, -spread), spread)
		return math.Hypot(x-cx-r*math.Sin(a), y-cy-r*math.Cos(a)) - width/2
	}
}

// polygon is a convex polygon given clockwise (y grows downwards).
func polygon(points ...[2]float64) shape {
	return func(x, y float64) float64 {
		inside, dist := true, math.Inf(1)
		for i, p := range points {
			q := points[(i+1)%len(points)]
			dist = min(dist, line(p[0], p[1], q[0], q[1], 0)(x, y))
			if (q[0]-p[0])*(y-p[1])-(q[1]-p[1])*(x-p[0]) < 0 {
				inside = false
			}
		}
		if inside {
			return -dist
		}
		return dist
	}
}

// box is an upright square around (cx, cy) with round corners.
func box(cx, cy, half, radius float64) shape {
	return func(x, y float64) float64 {
		qx, qy := math.Abs(x-cx)-half+radius, math.Abs(y-cy)-half+radius
		return math.Hypot(max(qx, 0), max(qy, 0)) + min(max(qx, qy), 0) - radius
	}
}

func union(shapes ...shape) shape {
	return func(x, y float64) float64 {
		d := math.Inf(1)
		for _, s := range shapes {
			d = min(d, s(x, y))
		}
		return d
	}
}

func without(s, hole shape) shape {
	return func(x, y float64) float64 { return max(s(x, y), -hole(x, y)) }
}

func grow(s shape, by float64) shape {
	return func(x, y float64) float64 { return s(x, y) - by }
}

// layer is a shape and what it is filled with.
type layer struct {
	shape
	fill func(x, y float64) color.NRGBA
}

func flat(c color.NRGBA) func(x, y float64) color.NRGBA {
	return func(_, _ float64) color.NRGBA { return c }
}

// render draws the layers, the first at the bottom, on px by px transparent pixels; units is the side of
// the design.
func render(px int, units float64, layers []layer) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, px, px))
	scale := float64(px) / units
	for iy := range px {
		for ix := range px {
			x, y := (float64(ix)+0.5)/scale, (float64(iy)+0.5)/scale
			var c blend
			for _, l := range layers {
				cover := min(max(0.5-l.shape(x, y)*scale, 0), 1)
				if cover > 0 {
					c.over(l.fill(x, y), cover)
				}
			}
			img.SetNRGBA(ix, iy, c.pixel())
		}
	}
	return img
}

// blend is a pixel in the making: premultiplied, 0 to 1.
type blend struct{ r, g, b, a float64 }

func (p *blend) over(c color.NRGBA, cover float64) {
	a := cover * float64(c.A) / 255
	p.r = p.r*(1-a) + float64(c.R)/255*a
	p.g = p.g*(1-a) + float64(c.G)/255*a
	p.b = p.b*(1-a) + float64(c.B)/255*a
	p.a = p.a*(1-a) + a
}

func (p *blend) pixel() color.NRGBA {
	if p.a == 0 {
		return color.NRGBA{}
	}
	to8 := func(v float64) uint8 { return uint8(math.Round(min(v, 1) * 255)) }
	return color.NRGBA{to8(p.r / p.a), to8(p.g / p.a), to8(p.b / p.a), to8(p.a)}
}
