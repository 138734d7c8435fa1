package fyneui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Theme returns Fyne's theme in the density of a desktop program, with colours of our own for the light and
// the dark variant. Which of the two is Fyne's choice (the desktop's preference). Fonts are Fyne's; it takes
// letters that they lack, such as Chinese ones, from the system's fonts.
func Theme() fyne.Theme { return compact{theme.DefaultTheme()} }

type compact struct{ fyne.Theme }

// sizeNameCode is the size of fixed-width text. Fyne rounds a line's ascent up and forgets to make the line
// higher; at 14 nothing is rounded, while at 13 all underscores were cut off.
const sizeNameCode fyne.ThemeSizeName = "berthCode"

// Size makes everything a notch smaller than Fyne's touch-friendly sizes.
func (t compact) Size(name fyne.ThemeSizeName) float32 {
	if s, ok := sizes[name]; ok {
		return s
	}
	return t.Theme.Size(name)
}

var sizes = map[fyne.ThemeSizeName]float32{
	theme.SizeNameText:           13,
	sizeNameCode:                 14,
	theme.SizeNameCaptionText:    11.5,
	theme.SizeNameSubHeadingText: 16,
	theme.SizeNamePadding:        4,
	theme.SizeNameInnerPadding:   5,
	theme.SizeNameLineSpacing:    3,
	theme.SizeNameInlineIcon:     16,
	theme.SizeNameScrollBar:      10,
	theme.SizeNameScrollBarSmall: 4,
	theme.SizeNameInputRadius:    4,
}

// dense is the theme of text in many short paragraphs: lines close to one another.
type dense struct{ fyne.Theme }

// Size leaves less room around a line than compact does.
func (t dense) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNamePadding:
		return 2
	case theme.SizeNameInnerPadding:
		return 3
	}
	return t.Theme.Size(name)
}

// Color gives our palette where it has a colour of that name.
func (t compact) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	colors := darkColors
	if variant == theme.VariantLight {
		colors = lightColors
	}
	if c, ok := colors[name]; ok {
		return c
	}
	return t.Theme.Color(name, variant)
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

var lightColors = map[fyne.ThemeColorName]color.Color{
	theme.ColorNameBackground:        rgb(0xf3f4f6),
	theme.ColorNameForeground:        rgb(0x1c2530),
	theme.ColorNameInputBackground:   rgb(0xffffff),
	theme.ColorNameInputBorder:       rgb(0xc9d0d8),
	theme.ColorNameMenuBackground:    rgb(0xffffff),
	theme.ColorNameOverlayBackground: rgb(0xfafbfc),
	theme.ColorNameHeaderBackground:  rgb(0xf3f4f6),
	theme.ColorNameButton:            rgb(0xe2e6eb),
	theme.ColorNameDisabledButton:    rgb(0xebedf0),
	theme.ColorNameDisabled:          rgb(0x737d89),
	theme.ColorNamePlaceHolder:       rgb(0x5a6571),
	theme.ColorNameSeparator:         rgb(0xdce0e5),
	theme.ColorNameShadow:            color.NRGBA{A: 0x24},
	theme.ColorNameSelection:         rgb(0xcfe3fa),
	theme.ColorNameHover:             color.NRGBA{A: 0x10},
	theme.ColorNamePrimary:           rgb(0x1568c4),
	theme.ColorNameHyperlink:         rgb(0x1568c4),
	theme.ColorNameFocus:             rgb(0x6fabea),
	theme.ColorNameSuccess:           rgb(0x1b7f3c),
	theme.ColorNameWarning:           rgb(0xb05f00),
	theme.ColorNameError:             rgb(0xb82222),

	theme.ColorNameForegroundOnPrimary: rgb(0xffffff),
}

var darkColors = map[fyne.ThemeColorName]color.Color{
	theme.ColorNameBackground:        rgb(0x1e2227),
	theme.ColorNameForeground:        rgb(0xe4e8ec),
	theme.ColorNameInputBackground:   rgb(0x262b31),
	theme.ColorNameInputBorder:       rgb(0x3c444d),
	theme.ColorNameMenuBackground:    rgb(0x2a3037),
	theme.ColorNameOverlayBackground: rgb(0x262b31),
	theme.ColorNameHeaderBackground:  rgb(0x1e2227),
	theme.ColorNameButton:            rgb(0x353c45),
	theme.ColorNameDisabledButton:    rgb(0x2a3037),
	theme.ColorNameDisabled:          rgb(0x858f9a),
	theme.ColorNamePlaceHolder:       rgb(0x939da8),
	theme.ColorNameSeparator:         rgb(0x343b43),
	theme.ColorNameSelection:         rgb(0x203f5f),
	theme.ColorNameHover:             color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0x10},
	theme.ColorNamePrimary:           rgb(0x58aaf5),
	theme.ColorNameHyperlink:         rgb(0x58aaf5),
	theme.ColorNameFocus:             rgb(0x3f77ad),
	theme.ColorNameSuccess:           rgb(0x57c279),
	theme.ColorNameWarning:           rgb(0xf2ae49),
	theme.ColorNameError:             rgb(0xf27474),

	theme.ColorNameForegroundOnPrimary: rgb(0x0d1a28),
}
