package lehman

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// adjacentSays is with which widths of a cycle an event is said to be in its bin or in one beside
// it, and how far ahead.
type adjacentSays struct {
	printed, saved []float64
	ahead, limit   float64 // cycles ahead times Qn, with Qw = 20: as printed, and as corrected
}

// paperAdjacent is what the paper says, and the correction.
//
// A bin is Qw/Qn wide. Where Qt0 is a sum of rounded terms, it is off by up to half a unit of Qt0
// for each cycle, which with a width like 0.1 adds up in one direction over stretches of many
// cycles. Once it is off by a bin or more, the event is farther away than one bin. In a short run
// it is not.
//
// If all multiples of Qw are exact, Qt0 is too, and so is te − Qt0 for an event that is not overdue
// (see [paperSequence], also for when none is). The quotient v, the cycles ahead, is rounded by
// 2⁻⁵³·v at most, which is 2⁻⁵³·v·Qn bins, and the product with Qn by 2⁻⁵³·Qn. When the event is
// cancelled the same happens with a v that is no larger. Together that is 2⁻⁵²·(v+1)·Qn bins at
// most, and where it is less than 1 the bin differs by one at most. So (v+1)·Qn < 2⁵² is enough.
// With v·Qn = 10¹⁷, as with 10⁸ bins and 10⁹ cycles ahead, it is off by several bins.
var paperAdjacent = adjacentSays{printed: []float64{0.1}, saved: []float64{roundedTenth, 0.125, 20}, ahead: 1e17,
	limit: 1 << 52}

// adjacentBins are Qn.
const adjacentBins = 10_000

// measureAdjacent checks the claim after so many cycles, the fewest first.
func measureAdjacent(run *reproduce.Runner, says adjacentSays, cycles []int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Events that Algorithm 2 does not find, of 1000, with 10,000 bins",
		Columns: []string{"Qw", "cycles", "error of Qt0 in bins", "not found"}}
	all, done := (len(says.printed)+len(says.saved))*len(cycles)+2, 0
	one := func(c reproduce.Checker, width, n float64, pass passing, what, because string) (lost int) {
		lost, drift := cancelAfter(run, width, n, pass)
		table.Rows = append(table.Rows, []float64{width, n, drift, float64(lost)})
		c.Check("events not found "+what, float64(lost), 0, 0, because)
		done++
		run.Options.ReportProgress(float64(done) / float64(all))
		return lost
	}
	check := func(c reproduce.Checker, width float64, because string) {
		for _, n := range cycles {
			one(c, width, float64(n), (*paperCalendar).pass, fmt.Sprintf("after %d cycles, Qw = %.8g", n, width), because)
		}
	}
	for _, width := range says.printed {
		check(f.For(reproduce.Printed), width, "“its normal bin or … an adjacent bin above or below”: all of them")
	}
	for _, width := range says.saved {
		check(f.For(reproduce.Corrected), width,
			"every multiple of Qw is exact, and (cycles + 1)·Qn is below 2⁵², so that the bin differs by one at most")
	}
	one(f.For(reproduce.Corrected), 20, math.Floor(says.limit/adjacentBins)-3, (*paperCalendar).jump,
		"as many cycles ahead as the condition allows, Qw = 20",
		"every multiple of Qw is exact, and (cycles + 1)·Qn is below 2⁵², so that the bin differs by one at most")
	far := one(f.For(reproduce.Printed), 20, says.ahead/adjacentBins, (*paperCalendar).jump,
		"many cycles ahead, Qw = 20, multiples exact", "“its normal bin or … an adjacent bin above or below”: all "+
			"of them")
	f.Tables = append(f.Tables, table)
	f.Chart("drift", adjacentChart(table, says, cycles[len(cycles)-1]))
	last := table.Rows[len(cycles)-1]
	f.Measured = fmt.Sprintf("With Qw = %g and 10,000 bins, Qt0 is off by %.1f bins after %s cycles, and Algorithm 2 "+
		"finds %.0f of 1000 events that were scheduled at the start. With a Qw whose multiples are exact it finds all of "+
		"them as long as cycles ahead times Qn is below 2⁵²; where that is %s it finds %d.",
		last[0], math.Abs(last[2]), scientific(last[1]), 1000-last[3], scientific(says.ahead), 1000-far)
	f.Notes = append(f.Notes,
		"It takes many cycles. A run of 30 years in cycles of 0.1 years has 300 of them, after which Qt0 is off by less "+
			"than a thousandth of one of 75 million bins. So exact multiples are not necessary in a short run.",
		"Cancelling fails by the drift that spoils lehman-in-sequence, but the condition is another. With exact multiples "+
			"an event that is not overdue is in its bin or one beside it if (cycles ahead + 1)·Qn is below 2⁵²; the proof "+
			"is in reproduce/lehman/adjacent_bins.go. Farther ahead the quotient is rounded by more than a bin.",
		"The search of the bins beside is still needed then: with Qw = 20 and Qn = 10 an event at 46 is in bin 2 if it is "+
			"scheduled at the start, and is looked for in bin 3 from 40 on. If Qw is a power of two, or Qn is and the "+
			"multiples of Qw/Qn are exact, it is always in its own bin.")
	return f
}

// A passing lets cycles pass in which no event is due.
type passing = func(c *paperCalendar, run *reproduce.Runner, cycles int)

// cancelAfter schedules 1000 events for the cycle after the next so many, lets these pass, and
// cancels all events. It returns how many are not found, and by how many bins Qt0 is off.
func cancelAfter(run *reproduce.Runner, width, cycles float64, pass passing) (lost int, drift float64) {
	const events = 1000
	r := random.New(run.Options.Seed, 0x61646a61, math.Float64bits(width), uint64(cycles))
	c := newPaperCalendar(events, adjacentBins, width)
	for n := int32(1); n <= events; n++ {
		run.FailOn(c.schedule(n, (cycles+1+r.Float64())*width))
	}
	pass(c, run, int(cycles))
	for n := int32(1); n <= events; n++ {
		err := c.cancel(n)
		if err != nil && !errors.Is(err, errLost) {
			run.FailOn(err)
		}
		lost += int(yes(err != nil))
	}
	// The product is not rounded before it is taken away: what is left is the error of Qt0.
	return lost, math.FMA(-cycles, width, c.from) / width * adjacentBins
}

// pass is Algorithm 3 as it goes through so many cycles in which no event is due: the bins are left
// as they are, unless unsorted, and the edges move.
func (c *paperCalendar) pass(run *reproduce.Runner, cycles int) {
	for i := range cycles {
		run.CheckpointEvery(patience, i)
		c.from += c.width
		c.to = c.from + c.width
	}
}

// jump is pass where all multiples of Qw are exact, so that the sums are products.
func (c *paperCalendar) jump(_ *reproduce.Runner, cycles int) {
	c.from = float64(cycles) * c.width
	c.to = c.from + c.width
}

// adjacentChart shows the error of Qt0 up to so many cycles.
func adjacentChart(t reproduce.Table, says adjacentSays, most int) plot.Chart {
	c := plot.Chart{Title: "Error of Qt0, in bins of a ten-thousandth of a cycle", XLabel: "cycles", YLabel: "bins",
		LogX: true, FromZero: true, LegendBeside: true}
	for _, width := range append(append([]float64(nil), says.printed...), says.saved...) {
		s := plot.Series{Name: fmt.Sprintf("Qw = %.8g", width)}
		for _, row := range t.Rows {
			if row[0] == width && row[1] <= float64(most) {
				s.Add(row[1], math.Abs(row[2]))
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}
