package plot

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Names, numbers and labels of the axes lie on nothing else, whatever the ranges, and the picture
// is the same again. Each block has a line at 0. A narrow one for a page has no numbers.
func TestForest(t *testing.T) {
	nan := math.NaN()
	for _, n := range []int{1, 3, 9} {
		f := Forest{Title: "outbreak: differences from “base”", Note: "points: means; thick lines: intervals of the " +
			"means; thin lines: 95 % of paired runs", Heads: [2]string{"mean (95 % CI of the mean)", "95 % of paired runs"}}
		for i, size := range []float64{1e-5, 1, 123, 98_765, 4e8, 3e12} {
			b := ForestBlock{Name: fmt.Sprint("final(something of a long name ", i, ")")}
			for k := range n {
				x := size * float64(k-1)
				b.Rows = append(b.Rows, ForestRow{Name: fmt.Sprint("a scenario ", k), Mean: x, Low: x - size/4, High: x + size/4,
					OuterLow: x - size, OuterHigh: x + size, Colour: k,
					Texts: [2]string{"−12,345 (−23,456 to −1,234)", "−123,456 to 1,234"}})
			}
			f.Blocks = append(f.Blocks, b)
		}
		f.Blocks = append(f.Blocks, ForestBlock{Name: "never", Rows: []ForestRow{{Name: "none", Mean: nan, Low: nan,
			High: nan, OuterLow: nan, OuterHigh: nan, Texts: [2]string{"–", "–"}}}})
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		all, width, height := texts(t, svg)
		apartFromEachOther(t, all, width, height, 6)
		if zeros := strings.Count(string(svg), "stroke-dasharray:3"); zeros != len(f.Blocks) {
			t.Errorf("%d lines at 0 in %d blocks", zeros, len(f.Blocks))
		}
		if again, err := f.SVG(); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("another picture of the same: %v", err)
		}
		for _, width := range []float64{160, 390, 720, 1400} {
			web := string(f.Web(Size{Width: width, Text: 14}))
			if numbers := strings.Contains(web, "−123,456 to 1,234"); numbers != (width >= 720) ||
				strings.Contains(web, "style=") {
				t.Errorf("%g pixels: numbers %v", width, numbers)
			}
		}
	}
	for _, f := range []Forest{{}, {Blocks: []ForestBlock{{}}},
		{Blocks: []ForestBlock{{Rows: []ForestRow{{Name: "潜"}}}}}} {
		for _, format := range []string{"svg", "png", "pdf"} {
			if _, err := f.picture(format); err != nil {
				t.Errorf("%+v: %v", f, err)
			}
		}
	}
}
