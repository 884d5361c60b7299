package output

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
)

// Runs gathers the courses of the replications of an experiment, which run at the same time. The
// zero Runs is ready for use; it may be used from several goroutines at once.
type Runs struct {
	lock sync.Mutex
	of   map[int][]history.Series
}

// Add takes the courses of a replication, by its number.
func (r *Runs) Add(index int, courses []history.Series) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.of == nil {
		r.of = make(map[int][]history.Series)
	}
	r.of[index] = courses
}

// TimeSeries are those of the first n replications, in their order: as many as the results of an
// experiment have. Others may have been run in advance.
func (r *Runs) TimeSeries(n int) (all [][]history.Series) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for i := range n {
		if c, ok := r.of[i]; ok {
			all = append(all, c)
		}
	}
	return all
}

// Bands draws the means of courses over several runs, each in a chart of its own, with a band for
// the confidence interval of the mean at each time, by Student's t. Each band holds for its time,
// and not for all times at once, and does not go below 0 where no level did. They are over
// hundredths of the time that all runs have. Capacities that never change are left out. It panics
// if the level is not between 0 and 1.
func Bands(title string, runs [][]history.Series, level float64) Picture {
	ps := plot.Panels{Title: legible(title), Note: fmt.Sprintf("lines: means of %d runs; bands: %.4g %% intervals of them",
		len(runs), 100*level)}
	if len(runs) == 0 {
		return Picture{ps}
	}
	for _, first := range runs[0] {
		if len(ps.Charts) == mostPanels {
			ps.Note += fmt.Sprintf("; the first %d of %d", mostPanels, len(runs[0]))
			break
		}
		if strings.HasSuffix(first.Name, " capacity") && constant(runs, first.Name) {
			continue
		}
		var all []history.Series
		start, end, lowest := first.Start, first.End, math.Inf(1)
		for _, run := range runs {
			for _, c := range run {
				if c.Name == first.Name {
					all = append(all, c)
					for _, p := range c.Points {
						lowest = min(lowest, p.Min)
					}
					start, end = max(start, c.Start), min(end, c.End)
					break
				}
			}
		}
		if !(end > start) {
			continue
		}
		const n = 100
		s := plot.Series{Unmarked: true}
		for k := range n {
			from, to := start+(end-start)*float64(k)/n, start+(end-start)*float64(k+1)/n
			var t sim.Tally
			for _, c := range all {
				t.Add(c.Integral(from, to) / (to - from))
			}
			s.Add(from, t.Mean())
			s.Add(to, t.Mean())
			if h := t.CI(level); t.N() > 1 {
				low := t.Mean() - h
				if lowest >= 0 {
					low = max(low, 0) // numbers and amounts are never below
				}
				s.Low, s.High = append(s.Low, low, low), append(s.High, t.Mean()+h, t.Mean()+h)
			}
		}
		ps.Charts = append(ps.Charts, plot.Chart{Title: legible(first.Name), XLabel: "time", FromZero: true,
			Series: []plot.Series{s}})
	}
	return Picture{ps}
}

// constant reports whether a level was the same all the time in all runs.
func constant(runs [][]history.Series, name string) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, run := range runs {
		for _, c := range run {
			if c.Name != name {
				continue
			}
			for _, p := range c.Points {
				low, high = min(low, p.Min), max(high, p.Max)
			}
		}
	}
	return low >= high
}

// WarmUp draws the beginning of a run and where it ends, by the rule that found it: the values, put
// together so that they can be seen, and the statistic that is smallest there.
func WarmUp(title string, x []float64, w analysis.WarmUp) Picture {
	note := fmt.Sprintf("the first %d of %d are left out", w.Skip, len(x))
	if !w.Found {
		note = "no end of the warm-up is found in the first half: the run is too short"
	}
	ps := plot.Panels{Title: legible(title), Note: note, Columns: 1}
	values, statistic := plot.Series{Unmarked: true}, plot.Series{Unmarked: true}
	size := max(1, (len(x)+2*parts-1)/(2*parts))
	least, top := 0.0, 0.0
	for i := 0; i+size <= len(x); i += size {
		var t sim.Tally
		for _, v := range x[i : i+size] {
			t.Add(v)
		}
		values.Add(float64(i)+float64(size)/2, t.Mean())
		least, top = min(least, t.Mean()), max(top, t.Mean())
	}
	for i, v := range w.Statistic {
		statistic.Add(float64(i*w.Batch), v)
	}
	end := plot.Series{Dashed: true, X: []float64{float64(w.Skip), float64(w.Skip)}, Y: []float64{least, top}}
	ps.Charts = []plot.Chart{
		{Title: fmt.Sprintf("means of %d in a row", size), XLabel: "number", FromZero: true, Series: []plot.Series{
			values, end}},
		{Title: "MSER-5, by how many are left out", XLabel: "left out", Series: []plot.Series{statistic}},
	}
	return Picture{ps}
}
