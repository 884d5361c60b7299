package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Raster draws an SVG as a picture of dots. It knows what the diagrams of models are made of, and nothing else: rectangles with round corners, circles,
// paths of M, L, C and Z with commas in their places, and texts, filled and stroked in #rrggbb. An attribute that it would have to know and does not is no
// error, but an element is.
func Raster(svg []byte) ([]byte, error) {
	in := xml.NewDecoder(bytes.NewReader(svg))
	var shapes []shape
	var box [4]float64
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("plot: not an SVG: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		s := shape{kind: start.Name.Local, is: map[string]string{}}
		for _, a := range start.Attr {
			s.is[a.Name.Local] = a.Value
		}
		switch s.kind {
		case "svg":
			if _, err := fmt.Sscan(s.is["viewBox"], &box[0], &box[1], &box[2], &box[3]); err != nil || !(box[2] > 0 && box[3] > 0) {
				return nil, fmt.Errorf("plot: viewBox %q: it has no size", s.is["viewBox"])
			}
		case "title", "text":
			var words string
			if err := in.DecodeElement(&words, &start); err != nil {
				return nil, fmt.Errorf("plot: not an SVG: %w", err)
			}
			if s.words = words; s.kind == "text" {
				shapes = append(shapes, s)
			}
		case "rect", "circle", "path":
			shapes = append(shapes, s)
		default:
			return nil, fmt.Errorf("plot: an SVG with <%s> cannot be drawn as dots", s.kind)
		}
	}
	if box[2] == 0 {
		return nil, errors.New("plot: there is no <svg>")
	}
	// A pixel of the SVG is a point here; both are the unit of their sizes of letters.
	return render("png", vg.Length(box[2]), vg.Length(box[3]), func(c draw.Canvas) {
		r := raster{c, box[0], box[1] + box[3]}
		for _, s := range shapes {
			r.draw(s)
		}
	})
}

// A shape is an element of an SVG.
type shape struct {
	kind, words string
	is          map[string]string
}

func (s shape) number(name string) float64 {
	x, _ := strconv.ParseFloat(s.is[name], 64)
	return x
}

// colour is the value of an attribute, or nil for none.
func (s shape) colour(name string) color.Color {
	n, err := strconv.ParseUint(strings.TrimPrefix(s.is[name], "#"), 16, 32)
	if err != nil || len(s.is[name]) != len("#rrggbb") {
		return nil
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

// A raster draws shapes. Its canvas has y upwards, from the bottom.
type raster struct {
	draw.Canvas
	left, bottom float64
}

func (r raster) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x - r.left), Y: vg.Length(r.bottom - y)}
}

func (r raster) draw(s shape) {
	if s.kind == "text" {
		r.write(s)
		return
	}
	path := r.path(s)
	if c := s.colour("fill"); c != nil {
		r.SetColor(c)
		r.Fill(path)
	}
	if c := s.colour("stroke"); c != nil {
		r.SetColor(c)
		r.SetLineWidth(vg.Length(s.number("stroke-width")))
		var dashes []vg.Length
		for word := range strings.FieldsSeq(s.is["stroke-dasharray"]) {
			if x, err := strconv.ParseFloat(word, 64); err == nil {
				dashes = append(dashes, vg.Length(x))
			}
		}
		r.SetLineDash(dashes, 0)
		r.Stroke(path)
	}
}

// path is the outline of a shape.
func (r raster) path(s shape) (p vg.Path) {
	switch s.kind {
	case "circle":
		radius := s.number("r")
		p.Move(r.at(s.number("cx")+radius, s.number("cy")))
		p.Arc(r.at(s.number("cx"), s.number("cy")), vg.Length(radius), 0, 2*math.Pi)
	case "rect":
		x, y := s.number("x"), s.number("y")
		right, bottom, round := x+s.number("width"), y+s.number("height"), s.number("rx")
		p.Move(r.at(x+round, y))
		for _, corner := range []struct{ x, y, start float64 }{{right - round, y + round, math.Pi / 2}, {right - round, bottom - round, 0}, {x + round, bottom - round, -math.Pi / 2}, {x + round, y + round, math.Pi}} {
			sin, cos := math.Sincos(corner.start)
			p.Line(r.at(corner.x+round*cos, corner.y-round*sin))
			if round > 0 {
				p.Arc(r.at(corner.x, corner.y), vg.Length(round), corner.start, -math.Pi/2)
			}
		}
	default:
		return r.data(s.is["d"])
	}
	p.Close()
	return p
}

// data is a path as d has it.
func (r raster) data(d string) (p vg.Path) {
	for d != "" {
		letter := d[0]
		end := 1 + strings.IndexAny(d[1:], "MLCZ")
		if end == 0 {
			end = len(d)
		}
		var at []vg.Point
		for word := range strings.FieldsSeq(d[1:end]) {
			x, y, _ := strings.Cut(word, ",")
			px, _ := strconv.ParseFloat(x, 64)
			py, _ := strconv.ParseFloat(y, 64)
			at = append(at, r.at(px, py))
		}
		switch {
		case letter == 'M' && len(at) == 1:
			p.Move(at[0])
		case letter == 'L' && len(at) == 1:
			p.Line(at[0])
		case letter == 'C' && len(at) == 3:
			p.CubeTo(at[0], at[1], at[2])
		case letter == 'Z':
			p.Close()
		}
		d = d[end:]
	}
	return p
}

// bold is the weight that package golang.org/x/image/font calls WeightBold.
const bold = 3

// write draws a text at its baseline, on the seam that its stroke is.
func (r raster) write(s shape) {
	sty := style(vg.Length(s.number("font-size")))
	if s.is["font-weight"] == "bold" {
		sty.Font.Weight = bold
	}
	words := plain(s.words)
	x := s.number("x")
	if s.is["text-anchor"] == "middle" {
		x -= width(sty, words).Points() / 2
	}
	at := r.at(x, s.number("y"))
	if seam := s.colour("stroke"); seam != nil { // letters cannot be stroked here: the seam is the text all around itself
		sty.Color = seam
		for k := range 8 {
			sin, cos := math.Sincos(float64(k) * math.Pi / 4)
			half := vg.Length(s.number("stroke-width") / 2)
			r.FillText(sty, vg.Point{X: at.X + half*vg.Length(cos), Y: at.Y + half*vg.Length(sin)}, words)
		}
	}
	sty.Color = s.colour("fill")
	r.FillText(sty, at, words)
}
