package diagram

import (
	"context"
	"errors"
	"testing"
)

// TestFramesAreApart checks that each graph lies inside its frame, that no two frames overlap, and
// that frames stand in one row if they fit.
func TestFramesAreApart(t *testing.T) {
	chain := func(n int) Graph {
		g := Graph{Title: "a chain"}
		for i := range n {
			g.Nodes = append(g.Nodes, Node{Name: "state"})
			if i > 0 {
				g.Edges = append(g.Edges, Edge{From: i - 1, To: i, Label: "on"})
			}
		}
		return g
	}
	d, err := Framed(t.Context(), "chains", []Graph{chain(5), chain(1), chain(2), chain(5), chain(1)})
	if err != nil {
		t.Fatal(err)
	}
	var frames []rect
	for _, s := range d.Shapes {
		if s.Radius == 10 && s.Fill.A == 0 {
			frames = append(frames, rect{s.At, xy(s.At.X+s.Width, s.At.Y+s.Height)})
		}
	}
	if len(frames) != 5 {
		t.Fatalf("%d frames, not 5", len(frames))
	}
	inside := make([]int, len(frames))
	for _, s := range d.Shapes {
		if s.Words != "state" {
			continue
		}
		for i, f := range frames {
			if s.At.X > f.min.X && s.At.X < f.max.X && s.At.Y > f.min.Y && s.At.Y < f.max.Y {
				inside[i]++
			}
		}
	}
	for i, n := range []int{5, 1, 2, 5, 1} {
		if inside[i] != n {
			t.Errorf("frame %d has %d states inside, not %d", i, inside[i], n)
		}
		for _, o := range frames[:i] {
			f := frames[i]
			if f.min.X < o.max.X && o.min.X < f.max.X && f.min.Y < o.max.Y && o.min.Y < f.max.Y {
				t.Errorf("frame %d overlaps another", i)
			}
		}
	}
	if frames[1].min.Y != frames[2].min.Y || frames[0].min.Y == frames[1].min.Y {
		t.Error("small frames are not side by side below the large one")
	}
}

// TestFramesTogetherTooLarge checks that the limit holds for the sum of all graphs.
func TestFramesTogetherTooLarge(t *testing.T) {
	half := Graph{Nodes: make([]Node, mostItems/2+1)}
	_, err := Framed(t.Context(), "", []Graph{half, {}, half})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Framed(ended, "", []Graph{{Nodes: make([]Node, 9)}}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error after the end of the context is %v", err)
	}
}
