// Package vector holds a picture as data: paths, rectangles, circles and texts with coordinates.
// It writes them as SVG; package plot writes them as PNG.
package vector

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// A Drawing is a picture on a white ground. Lengths are in pixels, and y grows downwards.
type Drawing struct {
	Title                    string // for the viewer of an SVG; it is not drawn
	Left, Top, Width, Height float64
	Shapes                   []Shape // later shapes cover earlier ones
}

// A Kind is what a shape is.
type Kind int

// The kinds of shapes.
const (
	Path Kind = iota
	Rect
	Circle
	Text
)

// A Point is a place in a drawing.
type Point struct{ X, Y float64 }

// A Curve leads from the end of the one before it to a point. A and B are the control points of a
// cubic Bézier curve; a straight line has none.
type Curve struct {
	A, B, To Point
	Straight bool
}

// A Shape is an element of a drawing. The zero value of a colour means that nothing is filled or
// stroked. The stroke of a text lies behind its letters.
type Shape struct {
	Kind Kind
	At   Point // start of a path, upper left corner of a rectangle, centre of a circle, baseline of a text

	Path   []Curve
	Closed bool // the path ends where it began

	Width, Height float64 // of a rectangle
	Radius        float64 // of a circle, or of the corners of a rectangle

	Words  string
	Size   float64 // of letters
	Bold   bool
	Anchor string // where At is in a text, as in SVG: start (or empty) or middle

	Fill, Stroke color.NRGBA
	Thick        float64   // width of the stroke
	Dashes       []float64 // lengths of dashes and gaps
}

// RGB is the colour 0xrrggbb.
func RGB(n uint32) color.NRGBA { return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff} }

// Hex is a colour as SVG writes it, or none.
func Hex(c color.NRGBA) string {
	if c.A == 0 {
		return "none"
	}
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// SVG writes the drawing as a self-contained SVG.
func (d Drawing) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s" width="%[3]s" height="%[4]s" `+
		`font-family="sans-serif">`+"\n",
		number(d.Left), number(d.Top), number(d.Width), number(d.Height))
	if d.Title != "" {
		fmt.Fprintf(&b, "<title>%s</title>\n", escape(d.Title))
	}
	Shape{Kind: Rect, At: Point{d.Left, d.Top}, Width: d.Width, Height: d.Height, Fill: RGB(0xffffff)}.svg(&b)
	for _, s := range d.Shapes {
		s.svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (s Shape) svg(b *bytes.Buffer) {
	x, y := number(s.At.X), number(s.At.Y)
	switch s.Kind {
	case Path:
		fmt.Fprintf(b, `<path d="%s"`, s.data())
	case Rect:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"`, x, y, number(s.Width), number(s.Height))
		if s.Radius > 0 {
			fmt.Fprintf(b, ` rx="%s"`, number(s.Radius))
		}
	case Circle:
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"`, x, y, number(s.Radius))
	case Text:
		fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"`, x, y, number(s.Size))
	}
	fmt.Fprintf(b, ` fill="%s"`, Hex(s.Fill))
	if s.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	if s.Anchor != "" {
		fmt.Fprintf(b, ` text-anchor="%s"`, s.Anchor)
	}
	if s.Stroke.A > 0 {
		fmt.Fprintf(b, ` stroke="%s" stroke-width="%s"`, Hex(s.Stroke), number(s.Thick))
	}
	if len(s.Dashes) > 0 {
		fmt.Fprintf(b, ` stroke-dasharray="%s"`, strings.Trim(fmt.Sprint(s.Dashes), "[]"))
	}
	if s.Kind != Text {
		b.WriteString("/>\n")
		return
	}
	if s.Stroke.A > 0 {
		b.WriteString(` stroke-linejoin="round" paint-order="stroke"`)
	}
	fmt.Fprintf(b, ">%s</text>\n", escape(s.Words))
}

// data is a path as the attribute d has it.
func (s Shape) data() string {
	d := "M" + s.At.String()
	for _, c := range s.Path {
		if c.Straight {
			d += "L" + c.To.String()
		} else {
			d += "C" + c.A.String() + " " + c.B.String() + " " + c.To.String()
		}
	}
	if s.Closed {
		d += "Z"
	}
	return d
}

// String is the point as SVG writes it.
func (p Point) String() string { return number(p.X) + "," + number(p.Y) }

// number writes tenths of a pixel.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64) // adding 0 turns -0 into 0
}

func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // writing to a buffer does not fail
	return b.String()
}
