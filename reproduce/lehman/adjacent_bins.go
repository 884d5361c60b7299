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
// it.
type adjacentSays struct{ printed, saved []float64 }

// paperAdjacent is what the paper says, and the correction.
//
// A bin is Qw/Qn wide. Where Qt0 is a sum of rounded terms, it is off by up to half a unit of Qt0
// for each cycle, which with a width like 0.1 adds up in one direction over stretches of many
// cycles. Once it is off by a bin or more, the event is farther away than one bin.
//
// If all multiples of Qw are exact, the phase of a time is off by half a unit of the quotient at
// most, which is far less than 1/Qn; so the bin differs by one at most (see [paperSequence]).
var paperAdjacent = adjacentSays{printed: []float64{0.1}, saved: []float64{roundedTenth, 0.125, 20}}

// adjacentBins are Qn.
const adjacentBins = 10_000

// measureAdjacent checks the claim after so many cycles, the fewest first.
func measureAdjacent(run *reproduce.Runner, says adjacentSays, cycles []int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Events that Algorithm 2 does not find, of 1000, with 10,000 bins",
		Columns: []string{"Qw", "cycles", "error of Qt0 in bins", "not found"}}
	all, done := (len(says.printed)+len(says.saved))*len(cycles), 0
	check := func(c reproduce.Checker, width float64, because string) {
		for _, n := range cycles {
			lost, drift := cancelAfter(run, width, n)
			table.Rows = append(table.Rows, []float64{width, float64(n), drift, float64(lost)})
			c.Check(fmt.Sprintf("events not found after %d cycles, Qw = %.8g", n, width), float64(lost), 0, 0, because)
			done++
			run.Options.ReportProgress(float64(done) / float64(all))
		}
	}
	for _, width := range says.printed {
		check(f.For(reproduce.Printed), width, "“its normal bin or … an adjacent bin above or below”: all of them")
	}
	for _, width := range says.saved {
		check(f.For(reproduce.Corrected), width,
			"every multiple of Qw is exact, so that the bin differs by one at most")
	}
	f.Tables = append(f.Tables, table)
	f.Chart("drift", adjacentChart(table, says))
	last := table.Rows[len(cycles)-1]
	f.Measured = fmt.Sprintf("With Qw = %g and 10,000 bins, Qt0 is off by %.1f bins after %s cycles, and Algorithm 2 "+
		"finds %.0f of 1000 events that were scheduled at the start; with a Qw whose multiples are exact it finds "+
		"all of them.",
		last[0], math.Abs(last[2]), scientific(last[1]), 1000-last[3])
	f.Notes = append(f.Notes,
		"It takes many cycles. A run of 30 years in cycles of 0.1 years has 300 of them, after which Qt0 is off by less "+
			"than a thousandth of one of 75 million bins.",
		"What saves it is what saves lehman-in-sequence: a width of few binary digits. The search of the bins beside is "+
			"still needed then: with Qw = 20 and Qn = 10 an event at 46 is in bin 2 if it is scheduled at the start, and "+
			"is looked for in bin 3 from 40 on. With a power of two it is in its own bin always.")
	return f
}

// cancelAfter schedules 1000 events for the cycle after the next so many, lets these pass, and
// cancels all events. It returns how many are not found, and by how many bins Qt0 is off.
func cancelAfter(run *reproduce.Runner, width float64, cycles int) (lost int, drift float64) {
	const events = 1000
	r := random.New(run.Options.Seed, 0x61646a61, math.Float64bits(width), uint64(cycles))
	c := newPaperCalendar(events, adjacentBins, width)
	for n := int32(1); n <= events; n++ {
		run.FailOn(c.schedule(n, (float64(cycles)+1+r.Float64())*width))
	}
	c.pass(run, cycles)
	for n := int32(1); n <= events; n++ {
		err := c.cancel(n)
		if err != nil && !errors.Is(err, errLost) {
			run.FailOn(err)
		}
		lost += int(yes(err != nil))
	}
	// The product is not rounded before it is taken away: what is left is the error of Qt0.
	return lost, math.FMA(-float64(cycles), width, c.from) / width * adjacentBins
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

func adjacentChart(t reproduce.Table, says adjacentSays) plot.Chart {
	c := plot.Chart{Title: "Error of Qt0, in bins of a ten-thousandth of a cycle", XLabel: "cycles", YLabel: "bins",
		LogX: true, FromZero: true, LegendBeside: true}
	for _, width := range append(append([]float64(nil), says.printed...), says.saved...) {
		s := plot.Series{Name: fmt.Sprintf("Qw = %.8g", width)}
		for _, row := range t.Rows {
			if row[0] == width {
				s.Add(row[1], math.Abs(row[2]))
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}
