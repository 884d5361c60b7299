package plot

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestLongLines draws a line of a hundred thousand points with as many as can be seen: none of its
// peaks is lost.
func TestLongLines(t *testing.T) {
	var points plotter.XYs
	for i := range 100_000 {
		y := math.Sin(float64(i) / 5000)
		if i == 54_321 {
			y = 7
		}
		if i == 54_322 {
			y = -7
		}
		points = append(points, plotter.XY{X: float64(i), Y: y})
	}
	fewer := visible(points)
	if len(fewer) > 2800 || fewer[0] != points[0] || fewer[len(fewer)-1] != points[len(points)-1] {
		t.Errorf("%d points, from %v to %v", len(fewer), fewer[0], fewer[len(fewer)-1])
	}
	if !slices.Contains(fewer, points[54_321]) || !slices.Contains(fewer, points[54_322]) {
		t.Error("a peak is lost")
	}
	if !slices.IsSortedFunc(fewer, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) }) {
		t.Error("points have changed places")
	}
	if short := points[:2800]; !slices.Equal(visible(short), short) {
		t.Error("a short line is another")
	}
}

// TestPieces draws a long line that goes up and down, solid and dashed. It is drawn in pieces, each
// of which begins where the one before it ended.
func TestPieces(t *testing.T) {
	s := Series{Name: "a"}
	for i := range 1000 {
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(i%2*(i%7)))
	}
	for _, dashed := range []bool{false, true} {
		s.Dashed = dashed
		svg, err := Chart{Series: []Series{s}}.picture("svg")
		if err != nil {
			t.Fatal(err)
		}
		longest := 0
		paths := regexp.MustCompile(`<path d="([^"]*)"`).FindAllStringSubmatch(string(svg), -1)
		for _, m := range paths {
			longest = max(longest, strings.Count(m[1], "L"))
		}
		if longest < piece || longest > piece+1 {
			t.Errorf("a path has %d segments, want %d", longest, piece)
		}
		save(t, Chart{Series: []Series{s}}, "a.png")
	}
}
