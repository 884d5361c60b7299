package lehman

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// widthSays is what is said of the width of a cycle, in mean times to an event.
type widthSays struct {
	large, small float64 // widths that are “much too large” and “much too small”
	good         float64 // one that is neither
	law          widthLaw
}

// A widthLaw is what a width leads to, from theory.
type widthLaw struct {
	near  func(x float64) float64 // share of the events in the tenth of the bins that comes next
	later func(x float64) float64 // share of the bins with an event for a later cycle
}

// paperWidth has widths of a hundred times and a hundredth of the mean time to an event.
//
// N events, N bins, a cycle of x times the mean time to an event: with exponential times, a bin at
// u of a cycle ahead has x·e^(−ux) events of this pass on average, and that times
// e^(−x)/(1 − e^(−x)) of later ones, by Poisson's law. So a tenth of the bins has
// (1 − e^(−x/10))/(1 − e^(−x)) of all events, and a bin has one for a later cycle with probability
// 1 − ∫ exp(−x·e^(−ux)/(e^x − 1)) du.
var paperWidth = widthSays{large: 100, small: 0.01, good: 1, law: widthLaw{
	near: func(x float64) float64 { return math.Expm1(-x/10) / math.Expm1(-x) },
	later: func(x float64) float64 {
		const parts = 1000
		sum := 0.0
		for i := range parts {
			u := (float64(i) + 0.5) / parts
			sum += -math.Expm1(-x*math.Exp(-u*x)/math.Expm1(x)) / parts
		}
		return sum
	}}}

// cycleWidths are the widths that are tried, besides those of the paper's sentences.
var cycleWidths = []float64{0.03, 0.1, 0.3, 3, 10, 30}

// measureWidth checks the claim with n events in n bins.
func measureWidth(run *reproduce.Runner, says widthSays, n, snapshots int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "The calendar by the width of a cycle, in mean times to an event",
		Columns: []string{"width", "events in the next tenth of the bins", "SE", "theory", "bins with an event for a later " +
			"cycle", "SE", "theory", "bins passed for an event", "comparisons for an event", "steps for an event"}}
	widths := append([]float64{says.small}, append(append([]float64(nil), cycleWidths[:3]...), says.good)...)
	widths = append(append(widths, cycleWidths[3:]...), says.large)
	by := map[float64][]float64{}
	for i, x := range widths {
		row := watchWidth(run, says.law, x, n, snapshots)
		table.Rows, by[x] = append(table.Rows, row), row
		for _, k := range []struct {
			what   string
			column int
		}{{"events in the next tenth of the bins", 1}, {"bins with an event for a later cycle", 4}} {
			f.For(reproduce.Control).Check(fmt.Sprintf("share of %s, width %g", k.what, x), row[k.column], row[k.column+2],
				5.5*row[k.column+1]+10/float64(n),
				"from the law; 5.5 standard errors, which Student's law with 20 snapshots goes beyond once in 40 000; and "+
					"10/N, as N events fill bins by the binomial law")
		}
		run.Options.ReportProgress(float64(i+1) / float64(len(widths)))
	}
	large, small, good := by[says.large], by[says.small], by[says.good]
	f.For(reproduce.Printed).AtLeast("much too large: share of the events in the next tenth of the bins", large[1],
		reproduce.Chosen("lehman: cluster"))
	f.For(reproduce.Printed).AtLeast("much too small: share of the bins with an event for a later cycle", small[4],
		reproduce.Chosen("lehman: most"))
	f.Between("steps for an event, neither over much too large", good[9]/large[9], 0, 1, 0,
		"“to find a good speed”: the good width takes fewer steps")
	f.Between("steps for an event, neither over much too small", good[9]/small[9], 0, 1, 0,
		"“to find a good speed”: the good width takes fewer steps")
	f.Tables = append(f.Tables, table)
	f.Chart("steps", widthChart(table))
	f.Measured = fmt.Sprintf("With a cycle of %g mean times to an event, %.1f %% of the events are in the next tenth of "+
		"the bins; with one of %g, %.0f %% of the bins have an event for a later cycle. An event takes %.1f and %.1f "+
		"steps, and %.1f with a cycle of %g.", says.large, 100*large[1], says.small, 100*small[4], large[9], small[9],
		good[9], says.good)
	f.Notes = append(f.Notes,
		fmt.Sprintf("With a cycle of one mean time, the next tenth of the bins has %.0f %% of the events, and %.0f %% of "+
			"the bins have one for a later cycle.", 100*good[1], 100*good[4]),
		"Too small costs more than too large: empty bins are passed in proportion to 1/Qw, while a longer list costs "+
			"the logarithm of its length to sort.")
	return f
}

// watchWidth is the hold model in the paper's calendar with a cycle of x mean times, looked at so
// many times. It returns a row of the table.
func watchWidth(run *reproduce.Runner, law widthLaw, x float64, n, snapshots int) []float64 {
	r := random.New(run.Options.Seed, 0x77696474, math.Float64bits(x))
	c := newPaperCalendar(n, n, x)
	forEach(run, n, func(i int) error { return c.schedule(int32(i+1), r.Exp()) })
	hold := func(ops int) {
		forEach(run, ops, func(int) error {
			id := c.dispatch()
			return c.schedule(id, c.now+r.Exp())
		})
	}
	hold(n)
	c.passed, c.compared = 0, 0
	near, later := make([]float64, snapshots), make([]float64, snapshots)
	for i := range snapshots {
		hold(2 * n) // two jumps of every event, after which little is as it was
		near[i], later[i] = c.shares()
	}
	a, b := reproduce.Mean(near), reproduce.Mean(later)
	ops := float64(2 * n * snapshots)
	passed, compared := float64(c.passed)/ops, float64(c.compared)/ops
	return []float64{x, a.Mean, a.SE, law.near(x), b.Mean, b.SE, law.later(x), passed, compared, passed + compared + 2}
}

// shares are that of the events which are in the next tenth of the bins, and that of the bins with
// an event for a later cycle than the next visit.
func (c *paperCalendar) shares() (near, later float64) {
	n, nearby, bins := len(c.heads), 0, 0
	for i, j := range c.heads {
		ahead := (i - c.bin + n) % n
		// The next visit to a bin that is passed is in the next cycle.
		end := c.to
		if i < c.bin {
			end += c.width
		}
		beyond := false
		for j = max(j, -j); j > 0; j = c.links[j] {
			if ahead < n/10 {
				nearby++
			}
			beyond = beyond || c.at[j] >= end
		}
		bins += int(yes(beyond))
	}
	return float64(nearby) / float64(c.pending), float64(bins) / float64(n)
}

func widthChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Steps for an event by the width of a cycle", XLabel: "width, in mean times to an event",
		YLabel: "steps", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "all"}, {Name: "bins passed"}, {Name: "comparisons"}}}
	for _, row := range t.Rows {
		for i, column := range []int{9, 7, 8} {
			if row[column] > 0 {
				c.Series[i].Add(row[0], row[column])
			}
		}
	}
	return c
}
