package plot

import (
	"cmp"
	"fmt"
	"html"
	"image/color"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	gonumfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Files for print have no text but the outlines of letters, so that they look the same everywhere
// and need no font: a journal takes neither a font that it does not have nor a replacement.

// A letter is a glyph of the font at its place in a text.
type letter struct {
	glyph sfnt.GlyphIndex
	x     int // from the start of the text, in units of the font
}

// letters places the glyphs of a text, as its width is measured. The font must have all of them.
func letters(s string) (all []letter, em int) {
	f, buf := face().Face, &sfnt.Buffer{}
	em = int(f.UnitsPerEm())
	size, x := fixed.Int26_6(em), 0
	for _, r := range s {
		g, err := f.GlyphIndex(buf, r)
		if err != nil {
			panic("plot: " + err.Error()) // the font is part of the program
		}
		if n := len(all); n > 0 {
			if kern, err := f.Kern(buf, all[n-1].glyph, g, size, font.HintingNone); err == nil {
				x += int(kern)
			}
		}
		all = append(all, letter{g, x})
		advance, err := f.GlyphAdvance(buf, g, size, font.HintingNone)
		if err != nil {
			panic("plot: " + err.Error())
		}
		x += int(advance)
	}
	return all, em
}

// outline is the outline of a glyph, in units of the font. The y axis points down.
func outline(g sfnt.GlyphIndex) sfnt.Segments {
	f := face().Face
	segments, err := f.LoadGlyph(&sfnt.Buffer{}, g, fixed.Int26_6(f.UnitsPerEm()), nil)
	if err != nil {
		panic("plot: " + err.Error())
	}
	return segments
}

// arguments is the number of points of each operation.
var arguments = map[sfnt.SegmentOp]int{sfnt.SegmentOpMoveTo: 1, sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2,
	sfnt.SegmentOpCubeTo: 3}

var outlinable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<text x="([^"]*)" y="([^"]*)" transform="scale\(1, -1\)"\s*style="([^"]*)"[^>]*>` +
		`([^<]*)</text>`)
})

var sizeOrFill = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`font-size:([\d.]+)px|(fill:#[0-9A-Fa-f]{6})`)
})

// outlined replaces texts of an SVG by outlines: each glyph is defined once, and used wherever it
// occurs. The words are kept as labels for screen readers. A text with letters that the font lacks
// stays a text.
func outlined(svg string) string {
	used := map[sfnt.GlyphIndex]bool{}
	svg = outlinable().ReplaceAllStringFunc(svg, func(element string) string {
		m := outlinable().FindStringSubmatch(element)
		words := html.UnescapeString(m[4])
		switch {
		case strings.TrimSpace(words) == "":
			return ""
		case strings.ContainsFunc(words, lacks):
			return element
		}
		size, fill := 0.0, ""
		for _, part := range sizeOrFill().FindAllStringSubmatch(m[3], -1) {
			if part[2] != "" {
				fill = ` style="` + part[2] + `"`
			} else {
				size, _ = strconv.ParseFloat(part[1], 64)
			}
		}
		all, em := letters(words)
		var b strings.Builder
		fmt.Fprintf(&b, `<g role="img" aria-label="%s" transform="scale(1, -1) translate(%s, %s) scale(%.5g)"%s>`, m[4],
			m[1], m[2], size/float64(em), fill)
		for _, l := range all {
			if len(outline(l.glyph)) == 0 { // a space
				continue
			}
			used[l.glyph] = true
			fmt.Fprintf(&b, `<use xlink:href="#l%d" x="%d"/>`, l.glyph, l.x)
		}
		b.WriteString("</g>")
		return b.String()
	})
	if len(used) == 0 {
		return svg
	}
	var b strings.Builder
	b.WriteString("<defs>\n")
	for _, g := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, `<path id="l%d" d="`, g)
		for _, s := range outline(g) {
			b.WriteByte("MLQC"[s.Op])
			for i, p := range s.Args[:arguments[s.Op]] {
				if i > 0 {
					b.WriteByte(' ')
				}
				fmt.Fprintf(&b, "%d %d", int(p.X), int(p.Y))
			}
		}
		b.WriteString("Z\"/>\n")
	}
	b.WriteString("</defs>\n<g ")
	return strings.Replace(svg, "<g ", b.String(), 1)
}

// A printCanvas draws texts as outlines, colours that are not opaque as they are (the library's PDF
// canvas takes them as multiplied by their opacity), and arcs as curves (there, an arc breaks a
// path off).
type printCanvas struct{ vg.Canvas }

func (c printCanvas) Fill(path vg.Path)   { c.Canvas.Fill(curved(path)) }
func (c printCanvas) Stroke(path vg.Path) { c.Canvas.Stroke(curved(path)) }

// curved replaces the arcs of a path by cubic curves of at most a quarter of a circle, which differ
// from it by less than 0.03 % of its radius.
func curved(path vg.Path) (out vg.Path) {
	for _, part := range path {
		if part.Type != vg.ArcComp {
			out = append(out, part)
			continue
		}
		at := func(angle, radius, along float64) vg.Point { // a point, moved along the tangent
			sin, cos := math.Sincos(angle)
			return vg.Point{X: part.Pos.X + vg.Length(radius*cos-along*sin), Y: part.Pos.Y + vg.Length(radius*sin+along*cos)}
		}
		r := part.Radius.Points()
		if len(out) == 0 {
			out.Move(at(part.Start, r, 0))
		} else {
			out.Line(at(part.Start, r, 0))
		}
		n := max(1, math.Ceil(math.Abs(part.Angle)/(math.Pi/2)-1e-9))
		step := part.Angle / n
		reach := 4.0 / 3 * math.Tan(step/4) * r
		for k := range int(n) {
			from := part.Start + float64(k)*step
			out.CubeTo(at(from, r, reach), at(from+step, r, -reach), at(from+step, r, 0))
		}
	}
	return out
}

func (c printCanvas) SetColor(colour color.Color) {
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(cmp.Or[color.Color](colour, color.Black)).(color.NRGBA)})
}

// straight is a colour whose components are not multiplied by its opacity.
type straight struct{ color.NRGBA }

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

func (c printCanvas) FillString(f gonumfont.Face, at vg.Point, text string) {
	all, em := letters(text)
	scale := f.Font.Size / vg.Length(em)
	var path vg.Path
	for _, l := range all {
		place := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + scale*vg.Length(l.x+int(p.X)), Y: at.Y - scale*vg.Length(p.Y)}
		}
		open := false
		for _, s := range outline(l.glyph) {
			if s.Op == sfnt.SegmentOpMoveTo && open {
				path.Close()
			}
			open = true
			switch to := place(s.Args[arguments[s.Op]-1]); s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(to)
			case sfnt.SegmentOpLineTo:
				path.Line(to)
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(s.Args[0]), to)
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(s.Args[0]), place(s.Args[1]), to)
			}
		}
		if open {
			path.Close()
		}
	}
	if len(path) > 0 {
		c.Canvas.Fill(path)
	}
}
