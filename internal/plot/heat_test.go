package plot

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Every pair of values has its rectangle, the numbers stand in them where they have room, and
// nothing lies on anything else.
func TestHeat(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {4, 3}, {9, 9}, {40, 25}} {
		h := Heat{Title: "final(recovered)", Note: "means of 20 replicas", XLabel: "beta (per day)", YLabel: "coverage (%)"}
		for i := range size[0] {
			h.X = append(h.X, fmt.Sprint(0.25*float64(i)))
		}
		for j := range size[1] {
			h.Y = append(h.Y, fmt.Sprint(10*j))
			row := make([]float64, size[0])
			for i := range row {
				row[i] = float64(100*j + 10*i + 1)
			}
			h.Z = append(h.Z, row)
		}
		svg, err := h.picture("svg")
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(svg, []byte("<path")); n < size[0]*size[1]+64 {
			t.Errorf("%v: %d rectangles", size, n)
		}
		all, width, height := texts(t, svg)
		apartFromEachOther(t, all, width, height, 6)
		if size[0] == 4 && !strings.Contains(string(svg), ">231</text>") {
			t.Error("the numbers are not in their rectangles")
		}
		again, err := h.picture("svg")
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("another picture of the same: %v", err)
		}
	}
}

// Colours go from dark to light, and what is missing has none of them.
func TestHeatColours(t *testing.T) {
	lightness := func(share float64) float64 {
		c := colour(share)
		return 0.3*float64(c.R) + 0.59*float64(c.G) + 0.11*float64(c.B)
	}
	for k := range 100 {
		if !(lightness(float64(k)/100) < lightness(float64(k+1)/100)) {
			t.Errorf("%d%% is not darker than %d%%", k, k+1)
		}
	}
	if c := colour(math.NaN()); c.R != c.G || c.G != c.B {
		t.Errorf("what is missing is %v", c)
	}
	h := Heat{X: []string{"a", "b"}, Y: []string{"c"}, Z: [][]float64{{math.NaN(), math.NaN()}}}
	if _, err := h.picture("png"); err != nil {
		t.Error(err)
	}
}

// Points are all marked, and no line is drawn between them.
func TestPoints(t *testing.T) {
	s := Series{Points: true}
	for i := range 5000 {
		s.X, s.Y = append(s.X, float64(i*7919%5000)), append(s.Y, float64(i))
	}
	svg, err := Chart{Series: []Series{s}}.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(svg, []byte("fill:#D55E00")); n != 5000 {
		t.Errorf("%d marks", n)
	}
	if bytes.Contains(svg, []byte("stroke:#D55E00")) {
		t.Error("there is a line")
	}
}
