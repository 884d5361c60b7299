package diagram

import "unicode"

// Sizes of type, in pixels.
const (
	titleSize = 17
	nameSize  = 15
	noteSize  = 11
	labelSize = 12
)

// textWidth estimates how wide a text is. The font is the viewer's choice, so the estimate errs to the wide side.
func textWidth(text string, size float64) float64 {
	ems := 0.0
	for _, r := range text {
		ems += letterWidth(r)
	}
	return ems * size
}

// letterWidth is in ems.
func letterWidth(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0 // drawn over the letter before it, or not at all
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0x1f000:
		return 1.05
	case r == 'm', r == 'w', r == 'M', r == 'W':
		return 0.9
	case unicode.IsUpper(r):
		return 0.72
	}
	return 0.6
}
