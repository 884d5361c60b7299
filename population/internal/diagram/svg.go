package diagram

import (
	"image/color"
	"math"

	"github.com/almanac-sim/almanac/internal/vector"
)

// A style is how edges of a kind are drawn.
type style struct {
	colour color.NRGBA
	width  float64
	dashes []float64
	word   string // in the legend
}

// The colours stay apart for colour-blind eyes (Okabe and Ito).
var styles = [kinds]style{
	Clock:   {vector.RGB(0x444444), 1.5, nil, "clock"},
	Contact: {vector.RGB(0xd55e00), 2.5, nil, "by contact"},
	Entry:   {vector.RGB(0x0072b2), 1.5, nil, "enters"},
	Planned: {vector.RGB(0x009e73), 1.5, []float64{6, 4}, "planned"},
}

var ink, white = vector.RGB(0x111111), vector.RGB(0xffffff)

const (
	margin     = 20
	titleRoom  = 34 // from the top of the title to the top of the picture
	legendRoom = 40 // from the bottom of the picture to the bottom of the legend
	sampleSize = 30 // the line in the legend
)

// drawing is the picture with a title and a legend.
func (p picture) drawing(title string) vector.Drawing {
	bounds := p.bounds()
	inside := bounds
	if title != "" {
		corner := xy(inside.min.X, inside.min.Y-titleRoom)
		bounds = bounds.union(rect{corner, xy(corner.X+textWidth(title, titleSize), inside.min.Y)})
	}
	legend := p.legend(xy(inside.min.X, inside.max.Y+legendRoom-labelSize/2))
	if len(legend.lines) > 0 {
		bounds = bounds.union(legend.bounds())
		bounds.max.Y = max(bounds.max.Y, inside.max.Y+legendRoom)
	}
	x, y := math.Floor(bounds.min.X)-margin, math.Floor(bounds.min.Y)-margin
	width, height := math.Ceil(bounds.max.X)+margin-x, math.Ceil(bounds.max.Y)+margin-y
	c := canvas{vector.Drawing{Title: title, Left: x, Top: y, Width: width, Height: height}}
	if title != "" {
		c.add(
			vector.Shape{
				Kind:  vector.Text,
				At:    xy(inside.min.X, inside.min.Y-titleRoom+titleSize),
				Words: title,
				Size:  titleSize,
				Bold:  true,
				Fill:  ink,
			},
		)
	}
	c.picture(p)
	c.picture(legend)
	return c.Drawing
}

// bounds is what the picture takes of the page.
func (p picture) bounds() rect {
	var all []rect
	for _, f := range p.frames {
		all = append(all, f.rect)
	}
	for _, b := range p.boxes {
		all = append(all, b.rect)
	}
	for _, l := range p.labels {
		all = append(all, l.rect)
	}
	for _, m := range p.marks {
		all = append(all, around(m.centre, 2*markRadius, 2*markRadius))
	}
	for _, l := range p.lines {
		all = append(all, l.bounds())
	}
	if len(all) == 0 {
		return rect{}
	}
	sum := all[0]
	for _, r := range all {
		sum = sum.union(r)
	}
	return sum
}

// bounds is not tight for loops, whose control points lie a little outside.
func (l line) bounds() rect {
	r := rect{l.start, l.start}
	for _, c := range l.path {
		r = r.union(rect{c.To, c.To})
		if !c.Straight {
			r = r.union(rect{c.A, c.A}).union(rect{c.B, c.B})
		}
	}
	return r
}

// legend shows the kinds in use, in a row that begins at a point.
func (p picture) legend(at point) picture {
	var used [kinds]bool
	for _, l := range p.lines {
		used[l.kind] = true
	}
	var legend picture
	for k, style := range styles {
		if !used[k] {
			continue
		}
		kind, tip := Kind(k), xy(at.X+sampleSize, at.Y)
		end := xy(tip.X-headLength(kind)/2, at.Y)
		legend.lines = append(legend.lines, line{kind, at, []curve{{To: end, Straight: true}}})
		legend.heads = append(legend.heads, head{kind, tip, xy(1, 0)})
		word := Edge{Label: style.word, Kind: kind}
		legend.labelRightOf(word, tip)
		at.X = tip.X + labelSpace + labelWidth(word) + margin
	}
	return legend
}

// A canvas collects the shapes of a drawing.
type canvas struct{ vector.Drawing }

func (c *canvas) add(s vector.Shape) { c.Shapes = append(c.Shapes, s) }

// picture adds lines first and labels last, because later shapes cover earlier ones.
func (c *canvas) picture(p picture) {
	for _, f := range p.frames {
		c.frame(f)
	}
	for _, l := range p.lines {
		c.line(l)
	}
	for _, h := range p.heads {
		c.head(h)
	}
	for _, m := range p.marks {
		c.mark(m)
	}
	for _, b := range p.boxes {
		c.box(b)
	}
	for _, l := range p.labels {
		c.label(l)
	}
}

func (c *canvas) line(l line) {
	style := styles[l.kind]
	c.add(
		vector.Shape{
			Kind:   vector.Path,
			At:     l.start,
			Path:   l.path,
			Stroke: style.colour,
			Thick:  style.width,
			Dashes: style.dashes,
		},
	)
}

func (c *canvas) head(h head) {
	length := headLength(h.kind)
	base := xy(h.tip.X-length*h.direction.X, h.tip.Y-length*h.direction.Y)
	across := xy(-h.direction.Y*length*0.45, h.direction.X*length*0.45)
	c.add(vector.Shape{Kind: vector.Path, At: h.tip, Closed: true, Fill: styles[h.kind].colour, Path: []curve{
		{
			To:       xy(base.X+across.X, base.Y+across.Y),
			Straight: true,
		},
		{To: xy(base.X-across.X, base.Y-across.Y), Straight: true},
	}})
}

func (c *canvas) mark(m mark) {
	s := vector.Shape{
		Kind:   vector.Circle,
		At:     m.centre,
		Radius: markRadius,
		Fill:   styles[m.kind].colour,
		Stroke: styles[m.kind].colour,
		Thick:  1.5,
	}
	if m.open {
		s.Fill = white
	}
	c.add(s)
}

func (c *canvas) box(b box) {
	c.add(
		vector.Shape{
			Kind:   vector.Rect,
			At:     b.min,
			Width:  b.max.X - b.min.X,
			Height: b.max.Y - b.min.Y,
			Radius: 8,
			Fill:   vector.RGB(0xf4f6f9),
			Stroke: vector.RGB(0x333333),
			Thick:  1.4,
		},
	)
	middle := xy((b.min.X+b.max.X)/2, (b.min.Y+b.max.Y)/2)
	name := vector.Shape{
		Kind:   vector.Text,
		At:     xy(middle.X, middle.Y+5),
		Words:  b.node.Name,
		Size:   nameSize,
		Fill:   ink,
		Anchor: "middle",
	}
	if b.node.Note == "" {
		c.add(name)
		return
	}
	name.At.Y = middle.Y - 2
	c.add(name)
	c.add(
		vector.Shape{
			Kind:   vector.Text,
			At:     xy(middle.X, middle.Y+14),
			Words:  b.node.Note,
			Size:   noteSize,
			Fill:   vector.RGB(0x777777),
			Anchor: "middle",
		},
	)
}

// label adds a label with a white seam, which separates it from lines nearby.
func (c *canvas) label(l label) {
	at, anchor := xy((l.min.X+l.max.X)/2, l.max.Y-3), "middle"
	if l.atEnd {
		at.X, anchor = l.min.X, "start"
	}
	c.add(
		vector.Shape{
			Kind:   vector.Text,
			At:     at,
			Words:  l.text,
			Size:   labelSize,
			Fill:   styles[l.kind].colour,
			Anchor: anchor,
			Stroke: white,
			Thick:  4,
		},
	)
}
