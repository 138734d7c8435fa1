package fyneui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/tray"
)

// The shapes of the Glyphs, on a square of 16. Letters would depend on the fonts at hand. A hole is drawn the
// other way round than its outline: Fyne forgets fill rules when it colours an SVG.
var shapes = map[tray.Glyph]string{
	tray.GlyphWaiting:  `<path d="M8 1.5 14.5 8 8 14.5 1.5 8Z"/>`,
	tray.GlyphOccupied: `<circle cx="8" cy="8" r="5"/>`,
	tray.GlyphStale:    `<path d="M8 2.5 14 13.5 2 13.5Z"/>`,
	tray.GlyphActive:   `<path d="M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10Z M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6Z"/>`,
	tray.GlyphClosed:   `<path d="M2.6 8.6 4.1 7.1 6.6 9.6 12 4.2 13.5 5.7 6.6 12.6Z"/>`,
	tray.GlyphArchived: `<path d="M3 3H13V13H3Z M5 5V11H11V5Z"/>`,
	tray.GlyphUnknown:  `<circle cx="8" cy="8" r="2"/>`,
}

var toneColors = map[tray.Tone]fyne.ThemeColorName{
	tray.ToneNormal:    theme.ColorNameSuccess,
	tray.ToneAttention: theme.ColorNameWarning,
	tray.ToneOccupied:  theme.ColorNamePrimary,
	tray.ToneStale:     theme.ColorNamePlaceHolder,
	tray.ToneFaded:     theme.ColorNameDisabled,
}

var toneImportance = map[tray.Tone]widget.Importance{
	tray.ToneNormal:    widget.MediumImportance,
	tray.ToneAttention: widget.WarningImportance,
	tray.ToneOccupied:  widget.HighImportance,
	tray.ToneStale:     widget.MediumImportance,
	tray.ToneFaded:     widget.LowImportance,
}

type shapeKey struct {
	glyph tray.Glyph
	tone  tray.Tone
}

// shapeIcons are made once, so that Fyne's cache of rendered icons, which goes by the resource, works.
var shapeIcons = makeShapes()

func makeShapes() map[shapeKey]fyne.Resource {
	icons := map[shapeKey]fyne.Resource{}
	for g, path := range shapes {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16" height="16">` + path + `</svg>`
		for tone, c := range toneColors {
			plain := fyne.NewStaticResource("status-"+string(g)+".svg", []byte(svg))
			icons[shapeKey{g, tone}] = theme.NewColoredResource(plain, c)
		}
	}
	return icons
}

func shapeIcon(g tray.Glyph, tone tray.Tone) fyne.Resource { return shapeIcons[shapeKey{g, tone}] }
