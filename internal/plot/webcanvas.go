package plot

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A webCanvas writes svg elements: paths and texts with colours as attributes, and coordinates in
// hundredths of a pixel from the top. Unlike the library's canvas it uses no style, and a transform
// only for rotated text.
type webCanvas struct {
	b      strings.Builder
	height float64
	now    webState
	stack  []webState
}

// A webState is saved by Push.
type webState struct {
	colour color.NRGBA
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
	matrix [6]float64 // to the canvas: x' = m0 x + m2 y + m4, y' = m1 x + m3 y + m5
}

func newWebCanvas(_, height float64) *webCanvas {
	return &webCanvas{height: height, now: webState{colour: color.NRGBA{A: 0xff}, width: 1, matrix: [6]float64{1, 0, 0, 1,
		0, 0}}}
}

func (w *webCanvas) SetLineWidth(width vg.Length) { w.now.width = width }

func (w *webCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	w.now.dashes, w.now.offset = dashes, offset
}

func (w *webCanvas) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	w.now.colour = color.NRGBAModel.Convert(c).(color.NRGBA)
}

// Rotate, Translate and Scale change the transform.
func (w *webCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	w.multiply([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (w *webCanvas) Translate(p vg.Point) {
	w.multiply([6]float64{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}

func (w *webCanvas) Scale(x, y float64) { w.multiply([6]float64{x, 0, 0, y, 0, 0}) }

func (w *webCanvas) multiply(b [6]float64) {
	a := w.now.matrix
	w.now.matrix = [6]float64{a[0]*b[0] + a[2]*b[1], a[1]*b[0] + a[3]*b[1], a[0]*b[2] + a[2]*b[3], a[1]*b[2] + a[3]*b[3],
		a[0]*b[4] + a[2]*b[5] + a[4], a[1]*b[4] + a[3]*b[5] + a[5]}
}

func (w *webCanvas) Push() { w.stack = append(w.stack, w.now) }

func (w *webCanvas) Pop() {
	w.now = w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
}

// place converts a point to pixels from the left and the top.
func (w *webCanvas) place(p vg.Point) (x, y float64) {
	m := &w.now.matrix
	px, py := p.X.Points(), p.Y.Points()
	return m[0]*px + m[2]*py + m[4], w.height - (m[1]*px + m[3]*py + m[5])
}

// hundredths formats a coordinate.
func hundredths(x float64) string {
	x = math.Round(x*100) / 100
	if x == 0 {
		x = 0 // not −0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func (w *webCanvas) Stroke(path vg.Path) {
	if w.now.width <= 0 {
		return
	}
	fmt.Fprintf(&w.b, `<path fill="none" stroke="%s" stroke-width="%s"`, hex(w.now.colour),
		hundredths(w.now.width.Points()))
	w.opacity("stroke-opacity")
	if len(w.now.dashes) > 0 {
		words := make([]string, len(w.now.dashes))
		for i, d := range w.now.dashes {
			words[i] = hundredths(d.Points())
		}
		fmt.Fprintf(&w.b, ` stroke-dasharray="%s" stroke-dashoffset="%s"`, strings.Join(words, " "),
			hundredths(w.now.offset.Points()))
	}
	fmt.Fprintf(&w.b, ` d="%s"/>`, w.data(path))
}

func (w *webCanvas) Fill(path vg.Path) {
	fmt.Fprintf(&w.b, `<path fill="%s"`, hex(w.now.colour))
	w.opacity("fill-opacity")
	fmt.Fprintf(&w.b, ` d="%s"/>`, w.data(path))
}

func (w *webCanvas) opacity(name string) {
	if a := w.now.colour.A; a < 0xff {
		fmt.Fprintf(&w.b, ` %s="%.2g"`, name, float64(a)/0xff)
	}
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// data encodes a path. Arcs, which only marks have, are polygons.
func (w *webCanvas) data(path vg.Path) string {
	var b strings.Builder
	put := func(letter byte, p vg.Point) {
		x, y := w.place(p)
		b.WriteByte(letter)
		b.WriteString(hundredths(x))
		b.WriteByte(' ')
		b.WriteString(hundredths(y))
	}
	begun := false
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			put('M', part.Pos)
			begun = true
		case vg.LineComp:
			put('L', part.Pos)
		case vg.CurveComp:
			put('L', part.Pos)
		case vg.ArcComp:
			const corners = 16
			for k := range corners + 1 {
				sin, cos := math.Sincos(part.Start + part.Angle*float64(k)/corners)
				letter := byte('L')
				if k == 0 && !begun {
					letter = 'M'
				}
				put(letter, vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)})
			}
			begun = true
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

// FillString draws a text that begins at a point.
func (w *webCanvas) FillString(f font.Face, p vg.Point, text string) {
	if f.Font.Size <= 0 || text == "" {
		return
	}
	x, y := w.place(p)
	fmt.Fprintf(&w.b, `<text x="%s" y="%s" font-size="%s" fill="%s"`, hundredths(x), hundredths(y),
		hundredths(f.Font.Size.Points()), hex(w.now.colour))
	if m := w.now.matrix; m[1] != 0 {
		fmt.Fprintf(&w.b, ` transform="rotate(%s %s %s)"`, hundredths(-math.Atan2(m[1], m[0])*180/math.Pi), hundredths(x),
			hundredths(y))
	}
	if wide := f.Width(text).Points(); wide > 0 && !strings.ContainsFunc(text, lacks) {
		fmt.Fprintf(&w.b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, hundredths(wide))
	}
	fmt.Fprintf(&w.b, `>%s</text>`, html.EscapeString(text))
}

// DrawImage is not used by charts.
func (w *webCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("plot: a chart in a page has no images")
}
