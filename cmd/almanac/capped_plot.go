package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// writeCapped writes the numbers of a process and its pictures. Of one that was interrupted there are only its rounds.
func writeCapped(dir string, r *cappedReport) error {
	errs := []error{
		writeFile(dir, "capped.json", func(w io.Writer) error { return printJSON(w, r) }),
		writeFile(dir, "rounds.csv", func(w io.Writer) error { return roundsCSV(w, r.record.rows) }),
	}
	if len(r.record.rows) > 0 {
		errs = append(errs, poolChart(r).Save(filepath.Join(dir, "pool.svg")))
	}
	if r.Measured != nil {
		limit := orNone(r.Limit)
		title := fmt.Sprintf("%s, λ = %s, %s", r.name(), format.Rate(r.Rate), format.Count(r.Bins, "bin"))
		errs = append(errs,
			writeFile(dir, "waits.csv", func(w io.Writer) error { return waitsCSV(w, r.Measured.Waits, limit.Waits) }),
			waitsChart(title, "wait, in rounds", shares(r.Measured.Waits), limit.Waits).Save(filepath.Join(dir, "waits.svg")),
			loadsChart(title, r.Measured.Loads, limit.Loads).Save(filepath.Join(dir, "loads.svg")))
	}
	return errors.Join(errs...)
}

// writeThreshold writes the numbers of a batch and its pictures.
func writeThreshold(dir string, r *thresholdReport) error {
	title := fmt.Sprintf("threshold, %d accepted in a round, %s, %s", r.Capacity, format.Count(r.Balls, "ball"), format.Count(r.Bins, "bin"))
	errs := []error{
		writeFile(dir, "capped.json", func(w io.Writer) error { return printJSON(w, r) }),
		writeFile(dir, "rounds.csv", func(w io.Writer) error { return roundsCSV(w, r.rows) }),
		writeFile(dir, "waits.csv", func(w io.Writer) error { return waitsCSV(w, r.Waits, nil) }),
	}
	if r.Balls > 0 {
		left := plot.Series{X: []float64{0}, Y: []float64{float64(r.Balls)}}
		for _, row := range r.rows {
			left.X, left.Y = append(left.X, float64(row.number)), append(left.Y, float64(row.Pool))
		}
		chart := plot.Chart{Title: title, XLabel: "round", YLabel: "balls left after the round", LogY: true, LegendBeside: true,
			Series: []plot.Series{thinned(left)}}
		errs = append(errs,
			chart.Save(filepath.Join(dir, "pool.svg")),
			waitsChart(title, "rounds before a ball was accepted", shares(r.Waits), nil).Save(filepath.Join(dir, "waits.svg")),
			loadsChart(title, shares(r.Loads), nil).Save(filepath.Join(dir, "loads.svg")))
	}
	return errors.Join(errs...)
}

// roundsCSV writes a line for each round that was kept.
func roundsCSV(w io.Writer, rows []cappedRow) error {
	if _, err := io.WriteString(w, "round,arrived,thrown,accepted,served,pool,wait_sum,wait_max\n"); err != nil {
		return err
	}
	var b []byte
	for _, r := range rows {
		b = strconv.AppendInt(b[:0], int64(r.number), 10)
		for _, x := range []int{r.Arrived, r.Thrown, r.Accepted, r.Served, r.Pool, r.WaitSum, r.WaitMax} {
			b = strconv.AppendInt(append(b, ','), int64(x), 10)
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// waitsCSV writes a line for each waiting time; the limit is empty where there is none.
func waitsCSV(w io.Writer, waits []int, limit []float64) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"wait", "balls", "share", "limit"}}
	for wait, share := range shares(waits) {
		expected := ""
		if wait < len(limit) {
			expected = format.Number(limit[wait])
		}
		lines = append(lines, []string{strconv.Itoa(wait), strconv.Itoa(waits[wait]), format.Number(share), expected})
	}
	return out.WriteAll(lines)
}

// shares are counts as parts of their sum.
func shares(counts []int) []float64 {
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

// poolChart is the pool over time, or for greedy, which has none, the balls in the bins. The axis of time is logarithmic, to show how
// it comes from the empty start, unless the start is warm.
func poolChart(r *cappedReport) plot.Chart {
	label, of := "pool per bin", func(row cappedRow) int { return row.Pool }
	if r.kind == capped.Greedy {
		label, of = "balls per bin", func(row cappedRow) int { return row.held }
	}
	chart := plot.Chart{
		Title:  fmt.Sprintf("%s, λ = %s, %s", r.name(), format.Rate(r.Rate), format.Count(r.Bins, "bin")),
		XLabel: "round", YLabel: label, LogX: !r.Warm, FromZero: !r.Warm, LegendBeside: true,
	}
	if r.Incomplete {
		chart.Title += " (incomplete)"
	}
	rows := r.record.rows
	last := float64(rows[len(rows)-1].number)
	chart.Series = append(chart.Series, overTime(rows, float64(r.Bins), !r.Warm, of))
	if r.limit != nil {
		long := r.limit.Pool
		if r.kind == capped.Greedy {
			long = r.limit.Wait * r.limit.Rate // by Little's law
		}
		if !r.Warm {
			chart.Series = append(chart.Series, pathFromEmpty(r, last))
		}
		chart.Series = append(chart.Series, level("limit, long run", 1, last, long))
	}
	return headroom(chart)
}

// overTime is what rounds have, per bin. Where there are too many for a line a point stands for several: their mean, and a
// band from the least to the most of them. Along a logarithmic axis that is the more the later they are.
func overTime(rows []cappedRow, bins float64, logX bool, of func(cappedRow) int) plot.Series {
	const growth = 0.005
	s := plot.Series{Name: "measured"}
	same := (len(rows) + mostPoints - 1) / mostPoints
	grouped := false
	for from := 0; from < len(rows); {
		group := same
		if logX {
			group = max(1, int(growth*float64(from)))
		}
		some := rows[from:min(from+group, len(rows))]
		from += group
		sum, least, most := 0, math.MaxInt, 0
		for _, row := range some {
			x := of(row)
			sum, least, most = sum+x, min(least, x), max(most, x)
		}
		grouped = grouped || len(some) > 1
		s.X = append(s.X, float64(some[0].number+some[len(some)-1].number)/2)
		s.Y = append(s.Y, float64(sum)/float64(len(some))/bins)
		s.Low, s.High = append(s.Low, float64(least)/bins), append(s.High, float64(most)/bins)
	}
	if !grouped {
		s.Low, s.High = nil, nil
	}
	return s
}

// headroom leaves some room above all that is drawn.
func headroom(c plot.Chart) plot.Chart {
	low, high, x := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range c.Series {
		for i, y := range s.Y {
			if !math.IsNaN(y) {
				low, high, x = min(low, y), max(high, y), s.X[i]
			}
		}
		for i := range s.Low {
			low, high = min(low, s.Low[i]), max(high, s.High[i])
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return c
	}
	if c.FromZero {
		low = min(low, 0)
	}
	if high == low { // a range needs a length
		return reaching(c, x, high+1)
	}
	return reaching(c, x, high+0.05*(high-low))
}

// reaching widens the range of a chart to a point, by what cannot be seen: a band without height.
func reaching(c plot.Chart, x, y float64) plot.Chart {
	none := math.NaN()
	c.Series = append(c.Series, plot.Series{X: []float64{x, x}, Y: []float64{none, none}, Low: []float64{y, y}, High: []float64{y, y}})
	return c
}

// pathFromEmpty is how the limit of many bins comes from empty bins to its long run.
func pathFromEmpty(r *cappedReport, last float64) plot.Series {
	const most, work = 100_000, 2_000_000
	// A round takes a time for each load.
	rounds := min(last, most, work/float64(len(r.limit.Loads)))
	if r.Relaxation != nil { // later it is the long run, to the width of a line
		rounds = min(rounds, math.Ceil(10**r.Relaxation))
	}
	s := plot.Series{Name: "limit, from empty"}
	for i, y := range r.limit.FromEmpty(int(rounds)) {
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

// unmarked is so many points that none of them is marked.
const unmarked = 40

// level is a line at the same height.
func level(name string, from, to, y float64) plot.Series {
	s := plot.Series{Name: name}
	for i := range unmarked {
		s.X = append(s.X, from+(to-from)*float64(i)/(unmarked-1))
		s.Y = append(s.Y, y)
	}
	return s
}

// bars are a histogram that stands on a floor.
func bars(name string, heights []float64, width, floor float64) plot.Series {
	s := plot.Series{Name: name}
	corner := func(x, y float64) {
		s.X, s.Y = append(s.X, x), append(s.Y, max(y, floor))
		s.Low, s.High = append(s.Low, floor), append(s.High, max(y, floor))
	}
	for i, y := range heights {
		left, right := float64(i)-width/2, float64(i)+width/2
		corner(left, floor)
		corner(left, y)
		corner(right, y)
		corner(right, floor)
	}
	for len(s.X) > 0 && len(s.X) < unmarked {
		corner(s.X[len(s.X)-1], floor)
	}
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
	scaled := func(shares []float64) (all []float64, lowest float64) {
		lowest = million
		for _, y := range shares {
			if y *= million; y < least {
				y = math.NaN()
			} else {
				lowest = min(lowest, y)
			}
			all = append(all, y)
		}
		return all, lowest
	}
	heights, lowest := scaled(measured)
	law, lowestLaw := scaled(limit)
	if len(measured) > fewBars {
		chart.Series = append(chart.Series, thinned(line("measured", heights)))
	} else {
		floor := math.Pow(10, math.Ceil(math.Log10(min(lowest, lowestLaw)))-1) // a decade, where the axis begins
		for i, y := range heights {
			if math.IsNaN(y) {
				heights[i] = floor
			}
		}
		chart.Series = append(chart.Series, bars("measured", heights, 0.8, floor))
		chart = reaching(chart, lastBar(len(heights)), floor)
	}
	if len(law) > 0 {
		chart.Series = slices.Insert(chart.Series, 1, thinned(line("limit", law)))
	}
	return chart
}

// fewBars is up to how many bars can be told apart.
const fewBars = 60

// lastBar is where an axis of bars ends. It has room for five, so that whole numbers are marked.
func lastBar(bars int) float64 {
	const fewest = 5
	return float64(max(bars, fewest)) - 1 + 0.4
}

// loadsChart is how many of the bins hold how many balls, beside the limit.
func loadsChart(title string, measured, limit []float64) plot.Chart {
	chart := plot.Chart{Title: title, XLabel: "balls in a bin after a round", YLabel: "share of the bins", FromZero: true, LegendBeside: true}
	add := func(name string, shares []float64, width float64) {
		switch {
		case len(shares) > fewBars:
			chart.Series = append(chart.Series, thinned(line(name, shares)))
		case len(shares) > 0:
			chart.Series = append(chart.Series, bars(name, shares, width, 0))
		}
	}
	add("measured", measured, 0.8)
	add("limit", limit, 0.4)
	return headroom(reaching(chart, lastBar(len(measured)), 0))
}

// plotSweep draws the pool and the waits over what is swept.
func plotSweep(dir string, r *sweepReport) error {
	if len(r.Points) == 0 {
		return nil
	}
	pool, waits := sweepCharts(r)
	var errs []error
	if r.config.Kind != capped.Greedy { // which has no pool
		errs = append(errs, pool.Save(filepath.Join(dir, "sweep-pool.svg")))
	}
	return errors.Join(append(errs, waits.Save(filepath.Join(dir, "sweep-waits.svg")))...)
}

// sweepCharts are the charts of a sweep: what was measured with a band of two standard errors, and what theory says.
func sweepCharts(r *sweepReport) (pool, waits plot.Chart) {
	label := "capacity"
	if r.Sweep == "rate" {
		label = "1/(1−λ)"
	}
	title := fmt.Sprintf("%s, %s", r.subject(), format.Count(r.config.Bins, "bin"))
	pool = plot.Chart{Title: title, XLabel: label, YLabel: "pool per bin", LogX: r.Sweep == "rate", FromZero: true, LegendBeside: true}
	waits = plot.Chart{Title: title, XLabel: label, YLabel: "wait, in rounds", LogX: r.Sweep == "rate", FromZero: true, LegendBeside: true}
	var xs []float64
	for i := range r.Points {
		xs = append(xs, r.x(r.sweep.values[i].value))
	}
	measured := func(name string, of func(*cappedMeasured) cappedMean) plot.Series {
		s := plot.Series{Name: name, X: xs}
		for _, p := range r.Points {
			m := of(p.Measured)
			off := 0.0
			if m.Error != nil {
				off = 2 * *m.Error
			}
			s.Y, s.Low, s.High = append(s.Y, m.Mean), append(s.Low, m.Mean-off), append(s.High, m.Mean+off)
		}
		return s
	}
	pool.Series = append(pool.Series, measured("measured", func(m *cappedMeasured) cappedMean { return m.Pool }))
	waits.Series = append(waits.Series,
		measured("longest in a round", func(m *cappedMeasured) cappedMean { return m.Longest }),
		measured("mean", func(m *cappedMeasured) cappedMean { return m.Wait }))
	curve := r.theory()
	pool.Series = append(pool.Series,
		curve("limit", func(t sweepTheory) *float64 { return t.limit.Pool }),
		curve("estimate", func(t sweepTheory) *float64 { return t.estimate.Pool }))
	waits.Series = append(waits.Series,
		curve("longest, limit", func(t sweepTheory) *float64 { return t.limit.Longest }),
		curve("mean, limit", func(t sweepTheory) *float64 { return t.limit.Wait }),
		curve("longest, estimate", func(t sweepTheory) *float64 { return t.estimate.Longest }))
	return headroom(pool), headroom(waits)
}

// x is where a value stands on the axis.
func (r *sweepReport) x(value float64) float64 {
	if r.Sweep == "rate" {
		return 1 / (1 - value)
	}
	return value
}

// sweepTheory is what theory says somewhere on the axis.
type sweepTheory struct {
	x               float64
	limit, estimate *cappedTheory
}

// theory returns how to draw a curve of it, through the points and, where that makes it rounder, between them.
func (r *sweepReport) theory() func(name string, of func(sweepTheory) *float64) plot.Series {
	var all []sweepTheory
	for i, p := range r.Points {
		all = append(all, sweepTheory{r.x(r.sweep.values[i].value), orNone(p.Limit), orNone(p.Estimate)})
		if r.Sweep == "capacity" || r.config.Kind != capped.Capped || i+1 == len(r.Points) {
			continue
		}
		from, to := all[len(all)-1].x, r.x(r.Points[i+1].Rate)
		const between = 10
		for k := 1; k < between; k++ {
			c := r.config
			x := from * math.Pow(to/from, float64(k)/between)
			if c.Rate = 1 - 1/x; c.Rate > 0 && c.Rate < 1 {
				limit, _, estimate := theoryOf(c, capped.CappedLimit(c.Capacity, c.Rate), 1)
				all = append(all, sweepTheory{x, orNone(limit), orNone(estimate)})
			}
		}
	}
	return func(name string, of func(sweepTheory) *float64) plot.Series {
		s := plot.Series{Dashed: true}
		for _, t := range all {
			if y := of(t); y != nil {
				s.X, s.Y = append(s.X, t.x), append(s.Y, *y)
			}
		}
		if len(s.X) > 0 {
			s.Name = name
		}
		return s
	}
}
