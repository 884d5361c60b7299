package allocation

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// Shares are counts as parts of their sum.
func Shares(counts []int) []float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	parts := make([]float64, len(counts))
	for i, n := range counts {
		parts[i] = float64(n) / float64(max(1, sum))
	}
	return parts
}

// mostPoints is how many points a line over time has at most.
const mostPoints = 2000

// title says what a chart of the process is of.
func (p *Point) title() string {
	return fmt.Sprintf("%s, λ = %s, %s", p.Name(), format.Rate(p.Rate), format.Count(p.Bins, "bin"))
}

// WaitsChart is the histogram of waiting times.
func (p *Point) WaitsChart() plot.Chart {
	return waitsChart(p.title(), "wait, in rounds", Shares(p.Measured.Waits), orNone(p.Limit).Waits)
}

// LoadsChart is how many of the bins hold how many balls.
func (p *Point) LoadsChart() plot.Chart {
	return loadsChart(p.title(), p.Measured.Loads, orNone(p.Limit).Loads)
}

// PoolChart is the pool over time, or for greedy, which has none, the balls in the bins. The axis
// of time is logarithmic, to show how it comes from the empty start, unless the start is warm.
func (p *Point) PoolChart() plot.Chart {
	label, of := "pool per bin", func(row Row) float64 { return float64(row.Pool) }
	if p.kind == capped.Greedy {
		label, of = "balls per bin", func(row Row) float64 { return float64(row.Held) }
	}
	chart := plot.Chart{
		Title:  p.title(),
		XLabel: "round", YLabel: label, LogX: !p.Warm, FromZero: !p.Warm, Headroom: true, LegendBeside: true,
	}
	if p.Incomplete {
		chart.Title += " (incomplete)"
	}
	rows := p.record.rows
	last := float64(rows[len(rows)-1].Number)
	chart.Series = append(chart.Series, overTime("measured", rows, float64(p.Bins), !p.Warm, of))
	if p.limit != nil {
		long := p.limit.Pool
		if p.kind == capped.Greedy {
			long = p.limit.Wait * p.limit.Rate // by Little's law
		}
		if !p.Warm {
			chart.Series = append(chart.Series, p.pathFromEmpty(last))
		}
		chart.Series = append(chart.Series, level("limit, long run", 1, last, long))
	}
	return chart
}

// WaitingChart is how long the balls waited that were served in a round, over time.
func (p *Point) WaitingChart() plot.Chart {
	chart := plot.Chart{Title: p.title(), XLabel: "round", YLabel: "wait, in rounds", LogX: !p.Warm, FromZero: true,
		Headroom: true, LegendBeside: true}
	rows := p.record.rows
	last := float64(rows[len(rows)-1].Number)
	chart.Series = append(chart.Series,
		overTime("longest", rows, 1, !p.Warm, func(row Row) float64 { return float64(row.WaitMax) }),
		overTime("mean", rows, 1, !p.Warm, func(row Row) float64 {
			return float64(row.WaitSum) /
				float64(max(1, row.Served))
		}))
	limit, _, _ := p.Theories()
	add := func(name string, y *float64) {
		if y != nil {
			s := level(name, 1, last, *y)
			s.Dashed = true
			chart.Series = append(chart.Series, s)
		}
	}
	add("longest, limit", limit.Longest)
	add("mean, limit", limit.Wait)
	return chart
}

// overTime is what rounds have, per so many. Where there are too many for a line a point stands for
// several: their mean, and a band from the least to the most of them. Along a logarithmic axis that
// is the more the later they are.
func overTime(name string, rows []Row, per float64, logX bool, of func(Row) float64) plot.Series {
	const growth = 0.005
	s := plot.Series{Name: name}
	same := (len(rows) + mostPoints - 1) / mostPoints
	grouped := false
	for from := 0; from < len(rows); {
		group := same
		if logX {
			group = max(1, int(growth*float64(from)))
		}
		some := rows[from:min(from+group, len(rows))]
		from += group
		sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
		for _, row := range some {
			x := of(row)
			sum, least, most = sum+x, min(least, x), max(most, x)
		}
		grouped = grouped || len(some) > 1
		s.X = append(s.X, float64(some[0].Number+some[len(some)-1].Number)/2)
		s.Y = append(s.Y, sum/float64(len(some))/per)
		s.Low, s.High = append(s.Low, least/per), append(s.High, most/per)
	}
	if !grouped {
		s.Low, s.High = nil, nil
	}
	return s
}

// pathFromEmpty is how the limit of many bins comes from empty bins to its long run.
func (p *Point) pathFromEmpty(last float64) plot.Series {
	const most, work = 100_000, 2_000_000
	// A round takes a time for each load.
	rounds := min(last, most, work/float64(len(p.limit.Loads)))
	if p.Relaxation != nil { // later it is the long run, to the width of a line
		rounds = min(rounds, math.Ceil(10**p.Relaxation))
	}
	s := plot.Series{Name: "limit, from empty"}
	for i, y := range p.limit.FromEmpty(int(rounds)) {
		s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, y)
	}
	return thinned(s)
}

// thinned is a series with as many points as a line needs; the last one stays.
func thinned(s plot.Series) plot.Series {
	step := (len(s.X) + mostPoints - 1) / mostPoints
	if step <= 1 {
		return s
	}
	t := plot.Series{Name: s.Name}
	for i := (len(s.X) - 1) % step; i < len(s.X); i += step {
		t.X, t.Y = append(t.X, s.X[i]), append(t.Y, s.Y[i])
	}
	return t
}

// level is a line at the same height.
func level(name string, from, to, y float64) plot.Series {
	return plot.Series{Name: name, X: []float64{from, to}, Y: []float64{y, y}, Unmarked: true}
}

// bars are heights at 0, 1, 2, ….
func bars(name string, heights []float64, width float64) plot.Series {
	s := line(name, heights)
	s.Bars = width
	return s
}

// line is numbers at 0, 1, 2, ….
func line(name string, y []float64) plot.Series {
	s := plot.Series{Name: name, Y: y}
	for i := range y {
		s.X = append(s.X, float64(i))
	}
	return s
}

// waitsChart is the histogram of waiting times, beside the law that they have in the limit.
func waitsChart(title, label string, measured, limit []float64) plot.Chart {
	chart := plot.Chart{Title: title, XLabel: label, YLabel: "balls in a million", LogY: true, LegendBeside: true}
	const million, least = 1e6, 1e-5 // what is below least is not drawn
	scaled := func(shares []float64) (all []float64) {
		for _, y := range shares {
			if y *= million; y < least {
				y = math.NaN()
			}
			all = append(all, y)
		}
		return all
	}
	if heights := scaled(measured); len(heights) > fewBars {
		chart.Series = append(chart.Series, thinned(line("measured", heights)))
	} else {
		chart.Series = append(chart.Series, bars("measured", heights, barWidth))
		chart.UpToX = lastBar(len(heights))
	}
	if law := scaled(limit); len(law) > 0 {
		chart.Series = append(chart.Series, thinned(line("limit", law)))
	}
	return chart
}

// fewBars is up to how many bars can be told apart.
const fewBars = 60

// barWidth leaves a gap between bars.
const barWidth = 0.8

// lastBar is where an axis of bars ends. It has room for five, so that whole numbers are marked.
func lastBar(bars int) float64 {
	const fewest = 5
	return float64(max(bars, fewest)) - 1 + barWidth/2
}

// loadsChart is how many of the bins hold how many balls, beside the limit.
func loadsChart(title string, measured, limit []float64) plot.Chart {
	chart := plot.Chart{Title: title, XLabel: "balls in a bin after a round", YLabel: "share of the bins", FromZero: true,
		Headroom: true, UpToX: lastBar(len(measured)), LegendBeside: true}
	add := func(name string, shares []float64, width float64) {
		switch {
		case len(shares) > fewBars:
			chart.Series = append(chart.Series, thinned(line(name, shares)))
		case len(shares) > 0:
			chart.Series = append(chart.Series, bars(name, shares, width))
		}
	}
	add("measured", measured, barWidth)
	add("limit", limit, barWidth/2)
	return chart
}
