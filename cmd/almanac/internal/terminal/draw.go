package terminal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"
)

var blocks = []rune("▁▂▃▄▅▆▇█")

// Blocks is a course as n blocks, each as high as the course at its middle: 0 is the lowest, and
// the highest is what the course reaches.
func Blocks(times, values []float64, n int) string {
	course := sample(times, values, n)
	top := slices.Max(course)
	var b strings.Builder
	for _, v := range course {
		i := 0
		if top > 0 {
			i = int(math.Round(max(v, 0) / top * float64(len(blocks)-1)))
		}
		b.WriteRune(blocks[i])
	}
	return b.String()
}

// sample is a course at the middles of n equal parts of its time, on straight lines between its
// points.
func sample(times, values []float64, n int) []float64 {
	course := make([]float64, n)
	first, last := times[0], times[len(times)-1]
	for i := range course {
		t := first + (last-first)*(float64(i)+0.5)/float64(n)
		j, _ := slices.BinarySearch(times, t)
		switch {
		case j == 0:
			course[i] = values[0]
		case j == len(times):
			course[i] = values[j-1]
		default:
			w := (t - times[j-1]) / (times[j] - times[j-1])
			course[i] = values[j-1] + w*(values[j]-values[j-1])
		}
	}
	return course
}

// A Line of a chart is a course with its name.
type Line struct {
	Name   string
	Values []float64
}

// Telling are the lines to draw on one scale, at most five, in the order given. What tells most is
// what comes or goes: of the lines that move by half their height or more, the one that moves
// farthest sets the scale, and those are drawn with it that are at most twice as high and move at
// least an eighth as far. Where no line comes or goes, the one that moves farthest sets the scale.
func Telling(lines []Line) []Line {
	extent := func(l Line) float64 { return slices.Max(l.Values) - slices.Min(l.Values) }
	var first *Line
	for _, share := range []float64{0.5, 0} {
		for i, l := range lines {
			if extent(l) > share*slices.Max(l.Values) && (first == nil || extent(l) > extent(*first)) {
				first = &lines[i]
			}
		}
		if first != nil {
			break
		}
	}
	if first == nil {
		return nil
	}
	fits := func(l Line) bool {
		return extent(l) >= extent(*first)/8 && slices.Max(l.Values) <= 2*slices.Max(first.Values)
	}
	var extents []float64
	for _, l := range lines {
		if fits(l) {
			extents = append(extents, extent(l))
		}
	}
	slices.Sort(extents)
	least := extents[max(len(extents)-len(inks), 0)]
	var kept []Line
	for _, l := range lines {
		if fits(l) && extent(l) >= least && len(kept) < len(inks) {
			kept = append(kept, l)
		}
	}
	return kept
}

// inks are what lines are drawn with: the colours of our pictures, as near as 256 come to them, and
// without colours a character.
var inks = []struct {
	colour asciigraph.AnsiColor
	mark   string
}{{166, "*"}, {32, "•"}, {35, "+"}, {175, "o"}, {178, "x"}}

const (
	chartHeight = 12
	leastWidth  = 24  // of a chart, in columns, beside its axis
	mostWidth   = 100 // more shows no more
)

// Chart draws lines over the same times, at most five, on one scale that begins at 0 unless the
// lines are far from it. It is "" where there is nothing to draw, or no room.
func (s *Screen) Chart(times []float64, lines []Line, x string, label func(float64) string) string {
	if len(times) < 2 || len(lines) == 0 {
		return ""
	}
	axis := 0
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		low, high = min(low, slices.Min(l.Values)), max(high, slices.Max(l.Values))
	}
	for _, v := range []float64{low, high, 0} {
		axis = max(axis, len(label(v)))
	}
	width := min(s.Columns-axis-6, mostWidth)
	if width < leastWidth {
		return ""
	}
	options := []asciigraph.Option{asciigraph.Height(chartHeight), asciigraph.YAxisValueFormatter(func(v float64) string {
		if math.Abs(v) < high*1e-9 { // what is left of a sum of steps
			v = 0
		}
		return label(v)
	}),
		asciigraph.XAxisRange(times[0], times[len(times)-1]), asciigraph.XAxisValueFormatter(func(v float64) string {
			return fmt.Sprintf("%.5g", v)
		})}
	if low < high/2 {
		options = append(options, asciigraph.LowerBound(0))
	}
	var courses [][]float64
	var marks []asciigraph.CharSet
	var colours []asciigraph.AnsiColor
	var names []string
	for i, l := range lines[:min(len(lines), len(inks))] {
		ink := inks[i]
		courses = append(courses, sample(times, l.Values, width))
		marks, colours = append(marks, asciigraph.CreateCharSet(ink.mark)), append(colours, ink.colour)
		if s.Colours {
			names = append(names, fmt.Sprintf("%s━%s %s", ink.colour, asciigraph.Default, l.Name))
		} else {
			names = append(names, ink.mark+" "+l.Name)
		}
	}
	if s.Colours {
		options = append(options, asciigraph.SeriesColors(colours...))
	} else {
		options = append(options, asciigraph.SeriesChars(marks...))
	}
	return fmt.Sprintf("%s\n%*s%s; across: %s\n", asciigraph.PlotMany(courses, options...), axis+3, "",
		strings.Join(names, "  "), x)
}
