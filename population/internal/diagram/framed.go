package diagram

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/internal/vector"
)

// A frame surrounds one of several graphs of a drawing. Its heading is inside, at the top.
type frame struct {
	heading string
	rect
}

// Measures of frames.
const (
	framePadding = 14
	headingRoom  = 24 // above the graph
	headingSize  = 13
	frameGap     = 18 // between frames
)

// Framed lays several graphs out, each in a frame with its title as the heading. Frames stand
// beside one another, in their order, in rows that are no wider than the widest frame. The title is
// that of the drawing, and the legend is of all graphs. Errors and panics are those of
// [Graph.Drawing]; the limits are for all graphs together.
func Framed(ctx context.Context, title string, graphs []Graph) (vector.Drawing, error) {
	var parts []picture
	widest, steps, items := 0.0, 0, 0
	for _, g := range graphs {
		g.check()
		if items += newLayering(g).items(g); items > mostItems {
			return vector.Drawing{}, ErrTooLarge
		}
	}
	for _, g := range graphs {
		p, spent, err := g.pictureAfter(ctx, steps)
		if err != nil {
			return vector.Drawing{}, err
		}
		steps = spent
		p = p.framed(g.Title)
		widest = max(widest, p.frames[0].width())
		parts = append(parts, p)
	}
	var all picture
	at, bottom := xy(0, 0), 0.0
	for _, p := range parts {
		f := p.frames[0]
		if at.X > 0 && at.X+f.width() > widest {
			at = xy(0, bottom+frameGap)
		}
		all = all.with(p.shifted(at.X-f.min.X, at.Y-f.min.Y))
		bottom = max(bottom, at.Y+f.max.Y-f.min.Y)
		at.X += f.width() + frameGap
	}
	return all.drawing(title), nil
}

func (r rect) width() float64 { return r.max.X - r.min.X }

// framed is the picture in a frame.
func (p picture) framed(heading string) picture {
	r := p.bounds()
	r.max.X = max(r.max.X, r.min.X+textWidth(heading, headingSize))
	r.min = xy(r.min.X-framePadding, r.min.Y-framePadding-headingRoom)
	r.max = xy(r.max.X+framePadding, r.max.Y+framePadding)
	p.frames = []frame{{heading, r}}
	return p
}

// with is two pictures as one.
func (p picture) with(o picture) picture {
	return picture{
		frames: append(p.frames, o.frames...), boxes: append(p.boxes, o.boxes...), lines: append(p.lines, o.lines...),
		heads: append(p.heads, o.heads...), marks: append(p.marks, o.marks...), labels: append(p.labels, o.labels...),
	}
}

// shifted moves all that is in the picture.
func (p picture) shifted(dx, dy float64) picture {
	move := func(at *point) { at.X, at.Y = at.X+dx, at.Y+dy }
	moveRect := func(r *rect) { move(&r.min); move(&r.max) }
	p = picture{}.with(p) // a copy
	for i := range p.frames {
		moveRect(&p.frames[i].rect)
	}
	for i := range p.boxes {
		moveRect(&p.boxes[i].rect)
	}
	for i := range p.lines {
		l := &p.lines[i]
		move(&l.start)
		l.path = slices.Clone(l.path)
		for k := range l.path {
			c := &l.path[k]
			move(&c.A)
			move(&c.B)
			move(&c.To)
		}
	}
	for i := range p.heads {
		move(&p.heads[i].tip)
	}
	for i := range p.marks {
		move(&p.marks[i].centre)
	}
	for i := range p.labels {
		moveRect(&p.labels[i].rect)
	}
	return p
}

func (c *canvas) frame(f frame) {
	c.add(vector.Shape{Kind: vector.Rect, At: f.min, Width: f.width(), Height: f.max.Y - f.min.Y, Radius: 10,
		Stroke: vector.RGB(0xbbbbbb), Thick: 1})
	c.add(vector.Shape{Kind: vector.Text, At: xy(f.min.X+framePadding, f.min.Y+framePadding+headingSize/2), Bold: true,
		Words: f.heading, Size: headingSize, Fill: vector.RGB(0x555555)})
}
