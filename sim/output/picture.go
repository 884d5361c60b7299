package output

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/quantile"
	"github.com/almanac-sim/almanac/sim/history"
)

// A Picture is a drawing that can be saved: .svg, .png or .pdf, by the ending of the name. The same
// numbers give the same bytes.
type Picture struct {
	drawing interface{ Save(path string) error }
}

// Save writes the picture to a file.
func (p Picture) Save(path string) error {
	if p.drawing == nil {
		return errors.New("output: there is nothing in the picture; it is made by Levels, Histogram and others")
	}
	if err := p.drawing.Save(path); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// legible is a name as it can be drawn: in one line, without what is no letter, of which pictures
// in XML may have none.
func legible(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "\ufffd"))
}

const (
	mostPanels = 24  // charts of a picture; of more, the first
	parts      = 200 // into which the time is cut where there is more to see than has room
	fewPoints  = 400 // of a course that is drawn as it was
)

// TimeSeries draws courses over time, each in a chart of its own: as they were if changes are few,
// and otherwise the means over 200 parts of the time, with a band from the least to the most in
// each. Where the units in use of a resource and its capacity are among them, they are in one
// chart.
func TimeSeries(title string, courses []history.Series) Picture {
	ps := plot.Panels{Title: legible(title)}
	capacity := map[string]history.Series{}
	for _, c := range courses {
		if name, ok := strings.CutSuffix(c.Name, " capacity"); ok {
			capacity[name] = c
		}
	}
	coarse := false
	for _, c := range courses {
		name, used := strings.CutSuffix(c.Name, " in use")
		limit, limited := capacity[name]
		if of, ok := strings.CutSuffix(c.Name, " capacity"); ok && slices.ContainsFunc(courses, func(x history.Series) bool {
			return x.Name == of+" in use"
		}) {
			continue
		}
		if len(c.Points) == 0 {
			continue
		}
		chart := plot.Chart{Title: legible(c.Name), XLabel: "time", FromZero: true, Series: []plot.Series{line(c, &coarse)}}
		if used && limited {
			s := line(limit, &coarse)
			s.Same, s.Dashed, s.Low, s.High = true, true, nil, nil
			chart.Title, chart.Series = chart.Title+" (dashed: capacity)", append(chart.Series, s)
		}
		ps.Charts = append(ps.Charts, chart)
	}
	var notes []string
	if len(ps.Charts) > mostPanels {
		notes = append(notes, fmt.Sprintf("the first %d of %d", mostPanels, len(ps.Charts)))
		ps.Charts = ps.Charts[:mostPanels]
	}
	if coarse {
		notes = append(notes, "lines: means over parts of the time; bands: from least to most")
	}
	ps.Note = strings.Join(notes, "; ")
	return Picture{ps}
}

// line is a course as it is drawn.
func line(c history.Series, coarse *bool) (s plot.Series) {
	s.Unmarked = true
	if c.Sampled {
		for _, p := range c.Points {
			s.Add(p.From, p.Mean)
		}
		return s
	}
	points := c.Points
	if len(points) > fewPoints {
		points = cut(c)
	}
	wide := slices.ContainsFunc(points, func(p history.Point) bool { return p.Min < p.Max })
	for _, p := range points {
		s.Add(p.From, p.Mean)
		s.Add(p.To, p.Mean)
		if wide {
			s.Low, s.High = append(s.Low, p.Min, p.Min), append(s.High, p.Max, p.Max)
		}
	}
	*coarse = *coarse || wide
	return s
}

// cut puts the points of a course together into parts of equal length.
func cut(c history.Series) []history.Point {
	means := c.Means(parts)
	all := make([]history.Point, parts)
	k := 0
	for i := range all {
		from := c.Start + (c.End-c.Start)*float64(i)/parts
		p := history.Point{From: from, To: c.Start + (c.End-c.Start)*float64(i+1)/parts, Mean: means[i], Min: means[i],
			Max: means[i]}
		for k < len(c.Points) && c.Points[k].To <= p.From {
			k++
		}
		for j := k; j < len(c.Points) && c.Points[j].From < p.To; j++ {
			p.Min, p.Max = min(p.Min, c.Points[j].Min), max(p.Max, c.Points[j].Max)
		}
		all[i] = p
	}
	return all
}

// Utilization draws which share of their units resources had in use, over time, in the means over
// fiftieths of it. The courses are those of a simulation that keeps them: resources are known by
// their names, with "in use" and "capacity".
func Utilization(title string, courses []history.Series) Picture {
	chart := plot.Chart{Title: legible(title), Note: "means over fiftieths of the time", XLabel: "time",
		YLabel: "units in use (%)", FromZero: true}
	for _, used := range courses {
		name, ok := strings.CutSuffix(used.Name, " in use")
		i := slices.IndexFunc(courses, func(c history.Series) bool { return c.Name == name+" capacity" })
		if !ok || i < 0 || !(used.End > used.Start) {
			continue
		}
		const n = 50
		s := plot.Series{Name: legible(name), Unmarked: true}
		for k := range n {
			from := used.Start + (used.End-used.Start)*float64(k)/n
			to := used.Start + (used.End-used.Start)*float64(k+1)/n
			share := 100 * used.Integral(from, to) / courses[i].Integral(from, to)
			if math.IsNaN(share) || math.IsInf(share, 0) {
				share = math.NaN() // there were no units
			}
			s.Add(from, share)
			s.Add(to, share)
		}
		chart.Series = append(chart.Series, s)
	}
	return Picture{chart}
}

// Histogram draws a histogram of observations, with lines at quantiles: by default the median and
// 90 %. Of a tally that has kept a sample of its observations, it draws the sample. Where a few are
// far beyond the others, the largest half percent is not drawn. It panics if a share is not between
// 0 and 1.
func Histogram(title string, o history.Observations, shares ...float64) Picture {
	if len(shares) == 0 {
		shares = []float64{0.5, 0.9}
	}
	x := slices.Sorted(slices.Values(o.Values()))
	chart := plot.Chart{Title: legible(title), XLabel: legible(o.Name), YLabel: "share of observations (%)",
		FromZero: true}
	chart.Note = fmt.Sprintf("%d observations", o.N)
	if o.Batch > 1 {
		chart.Note += fmt.Sprintf(", a sample of %d of them", len(x))
	}
	if len(x) == 0 {
		return Picture{chart}
	}
	low, high := x[0], x[len(x)-1]
	if math.IsInf(4*(high-low), 1) { // no axis is that long
		chart.Note += fmt.Sprintf("; they are from %.3g to %.3g, which is too far apart to be drawn", low, high)
		return Picture{chart}
	}
	if far := quantile.Of(x, 0.995); high-low > 1.5*(far-low) && far > low {
		chart.Note += fmt.Sprintf("; those beyond %.3g, up to %.3g, are not drawn", far, high)
		high = far
	}
	bars := plot.Series{Bars: 1, X: []float64{low}, Y: []float64{100}}
	if high > low {
		// Freedman and Diaconis's rule, within what a picture has room for.
		width := 2 * (quantile.Of(x, 0.75) - quantile.Of(x, 0.25)) / detmath.Cbrt(float64(len(x)))
		n := 40
		if width > 0 {
			n = int(max(10, min(60, math.Ceil((high-low)/width))))
		}
		bars = plot.Series{Bars: (high - low) / float64(n), X: make([]float64, n), Y: make([]float64, n)}
		for i := range bars.X {
			bars.X[i] = low + (float64(i)+0.5)*bars.Bars
		}
		for _, v := range x {
			if v <= high {
				bars.Y[min(n-1, int((v-low)/bars.Bars))] += 100 / float64(len(x))
			}
		}
	}
	chart.Series = append(chart.Series, bars)
	top := slices.Max(bars.Y)
	for _, p := range shares {
		if !(p > 0 && p < 1) {
			panic(fmt.Sprintf("output: Histogram with a quantile of %v: it must be between 0 and 1, such as 0.9", p))
		}
		q, name := quantile.Of(x, p), fmt.Sprintf("%.4g %%", 100*p)
		if p == 0.5 {
			name = "median"
		}
		if q <= high {
			chart.Series = append(chart.Series, plot.Series{Name: fmt.Sprintf("%s: %.3g", name, q), Dashed: true,
				X: []float64{q, q}, Y: []float64{0, top}})
		}
	}
	return Picture{chart}
}
