package plot

import (
	"math"
	"slices"
	"testing"
)

// Bars stand on the floor of their chart, which is a power of ten below all that is drawn on a
// logarithmic axis, and what has no height lies on it.
func TestBars(t *testing.T) {
	none := math.NaN()
	heights := Series{Bars: 0.8, X: []float64{0, 1, 2, 3}, Y: []float64{5, 0, none, 20}}
	line := Series{X: []float64{0, 3}, Y: []float64{0.3, 30}}
	for _, test := range []struct {
		chart Chart
		floor float64
	}{
		{Chart{Series: []Series{heights}}, 0},
		{Chart{LogY: true, Series: []Series{heights}}, 1},
		{Chart{LogY: true, Series: []Series{heights, line}}, 0.1},
		// or the bar would have no height
		{Chart{LogY: true, Series: []Series{{Bars: 1, X: []float64{0}, Y: []float64{100}}}}, 10},
		{Chart{LogY: true, Series: []Series{{Bars: 1, X: []float64{0}, Y: []float64{0}}}}, 1},
	} {
		floor := test.chart.floor()
		if math.Abs(floor-test.floor) > 1e-12*test.floor {
			t.Errorf("%+v: the floor is at %v, want %v", test.chart, floor, test.floor)
		}
		p, _, err := test.chart.draw(0, chartSizes)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.Y.Min-floor) > 1e-12 {
			t.Errorf("%+v: the axis begins at %v, the floor is at %v", test.chart, p.Y.Min, floor)
		}
	}
	got := heights.histogram(1)
	if want := []float64{1, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20, 20, 1}; !slices.Equal(got.Y, want) ||
		!slices.Equal(got.High, want) {
		t.Errorf("the outline is at %v, the upper edge at %v", got.Y, got.High)
	}
	if want := []float64{-0.4, -0.4, 0.4, 0.4}; !slices.Equal(got.X[:4], want) || !got.Unmarked || slices.Max(got.Low) !=
		1 {
		t.Errorf("the first bar goes from %v on %v", got.X[:4], got.Low)
	}
}

// An axis has room above what is drawn, and goes on to where it is told.
func TestRoom(t *testing.T) {
	flat := Series{X: []float64{0, 1}, Y: []float64{2, 2}}
	for _, test := range []struct {
		chart    Chart
		low, top float64 // of y, before ticks
		x        float64
	}{
		{Chart{}, 1, 5, 1},
		{Chart{Headroom: true}, 1, 5.2, 1},
		{Chart{Headroom: true, FromZero: true}, 0, 5.25, 1},
		{Chart{UpToX: 4.4}, 1, 5, 4.4},
		{Chart{UpToX: 0.5}, 1, 5, 1},
	} {
		c := test.chart
		c.Series = []Series{{X: []float64{0, 1}, Y: []float64{1, 5}}}
		p, _, err := c.draw(0, chartSizes)
		if err != nil {
			t.Fatal(err)
		}
		if want := linear(test.low, test.top, true); p.Y.Min != want.low || p.Y.Max != want.high || p.X.Max != test.x {
			t.Errorf("%+v: y from %v to %v, x to %v; want %v, %v and %v", test.chart, p.Y.Min, p.Y.Max, p.X.Max, want.low,
				want.high, test.x)
		}
	}
	for _, c := range []Chart{{Headroom: true}, {Headroom: true, UpToX: 3}, {Headroom: true, LogY: true,
		Series: []Series{flat}}, {Headroom: true, Series: []Series{flat}}} {
		p, _, err := c.draw(0, chartSizes)
		if err != nil || !(p.Y.Min < p.Y.Max) || !(p.X.Min < p.X.Max) || math.IsInf(p.Y.Max, 0) {
			t.Errorf("%+v: y from %v to %v, %v", c, p.Y.Min, p.Y.Max, err)
		}
	}
}

// Steps have a gap where there is no number, on both kinds of axes, and none where it is at an end.
func TestStepsWithGaps(t *testing.T) {
	none := math.NaN()
	s := Series{Steps: true, X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{none, 2, 3, none, none, 4, none}}
	for _, log := range []bool{false, true} {
		c := Chart{LogY: log, Series: []Series{s}}
		var pieces [][]float64
		for _, run := range c.runs(s.steps()) {
			piece := []float64{}
			for _, p := range run {
				piece = append(piece, p.X, p.Y)
			}
			pieces = append(pieces, piece)
		}
		want := [][]float64{{0, 2, 1, 2, 1, 3, 2, 3}, {4, 4, 5, 4}}
		if !slices.EqualFunc(pieces, want, slices.Equal) {
			t.Errorf("logarithmic %v: pieces %v, want %v", log, pieces, want)
		}
	}
}
