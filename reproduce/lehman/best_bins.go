package lehman

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// A stepsLaw is the steps for an event with so many events a bin, when ordering takes so many
// comparisons for an event.
type stepsLaw func(load, comparisons float64) float64

// paperSteps are the steps with cancelling.
//
// M bins are passed for N events: 1/λ each. An event is dropped (1) and dispatched (1), and ordered
// by c(λ) comparisons. To cancel it, it is found in a list with a Poisson number of others, of mean
// λ, each as likely above it as below: 1 + λ/2. If it takes 1 + λ/2 to find the earliest in an
// unordered list, as it does, the sum is 1/λ + λ + a constant, which is least at λ = 1 exactly,
// where 1/e of the bins are empty. With Algorithm 5, c(λ) begins as λ/2 too, since two tickets take
// one comparison, and the best is near 1. Without cancelling it is near √2, as in Erickson, Ladner
// and LaMarca.
var paperSteps stepsLaw = func(load, comparisons float64) float64 {
	return dispatchSteps(load, comparisons) + 1 + load/2
}

func dispatchSteps(load, comparisons float64) float64 { return 1/load + 2 + comparisons }

// bestLoads are the events a bin at which steps are counted.
var bestLoads = []float64{0.5, 0.7, 0.8, 1, 1.2, math.Sqrt2, 1.7, 2, 2.5}

// measureBestBins checks the claim, counting with n events, in ten parts.
func measureBestBins(run *reproduce.Runner, says binsSays, cancelling stepsLaw, n int) reproduce.Finding {
	var f reproduce.Finding
	means := meanComparisons(run.Options.Seed)
	table := reproduce.Table{Name: "Steps for an event by events a bin",
		Columns: []string{"events a bin", "bins empty", "schedule and dispatch", "SE", "theory", "and cancel", "SE",
			"theory"}}
	worst := [2]float64{}
	for i, load := range bestLoads {
		counted := countSteps(run, n, load)
		each := ticketComparisons(means, load)
		row := []float64{load, math.Exp(-load)}
		for k, law := range []stepsLaw{dispatchSteps, cancelling} {
			want := law(load, each)
			// A part of N/10 events has binomial bins where the law is Poisson's, and passes the
			// bins up to its last event only.
			worst[k] = max(worst[k], counted[k].Off(want, 20/float64(n)))
			row = append(row, counted[k].Mean, counted[k].SE, want)
		}
		table.Rows = append(table.Rows, row)
		run.Options.ReportProgress(float64(i+1) / float64(len(bestLoads)))
	}
	f.Tables = append(f.Tables, table)
	few, alone := leastAt(means, dispatchSteps)
	many, together := leastAt(means, cancelling)
	f.Chart("best", bestChart(table, alone, together))
	const rounded = "printed as a whole per cent, so half of one; computed from the law of the steps, so nothing is " +
		"left to chance"
	f.Check("share of empty bins that is best, schedule and dispatch", math.Exp(-few), says.empty, 0.005, rounded)
	f.For(reproduce.OtherReading).Check("share of empty bins that is best, schedule, cancel and dispatch", math.Exp(-many),
		says.empty, 0.005, rounded)
	const law = "Student's law with ten parts goes beyond 7 once in 15 000"
	f.For(reproduce.Control).Between("standard errors off the law at most, schedule and dispatch", worst[0], 0, 0, 7, law)
	f.For(reproduce.Control).Between("standard errors off the law at most, schedule, cancel and dispatch", worst[1], 0,
		0, 7, law)
	one := dispatchSteps(1, ticketComparisons(means, 1))
	f.Measured = fmt.Sprintf("Counting every step as one, %.0f %% empty is best (%.2f events a bin) if events are "+
		"scheduled and dispatched, where 37 %% takes %.1f %% more steps; if as many are cancelled as dispatched, %.1f %% "+
		"is best (%.2f events a bin).",
		100*math.Exp(-few), few, 100*(one/alone-1), 100*math.Exp(-many), many)
	f.Notes = append(f.Notes,
		fmt.Sprintf("Scheduling and dispatching take %.3f steps at best and %.3f with one event a bin; with cancelling it "+
			"is %.3f at best and %.3f with one event a bin. Either way one bin an event is good advice.",
			alone, one, together, cancelling(1, ticketComparisons(means, 1))),
		"Where the footnote is exact: if the earliest of a bin is looked for in an unordered list, dispatching and "+
			"cancelling take 1 + λ/2 each, the bins passed 1/λ, and 1/λ + λ is least at λ = 1, where 1/e are empty.",
		"Another thing that is largest there is the share of bins with exactly one event: λe^(−λ) is largest at λ = "+
			"1, and is 1/e too.",
		"Erickson, Ladner and LaMarca count no cancels, and have √2 events a bin as the best, which leaves e^(−√2) "+
			"= 24 % empty.")
	return f
}

// countSteps counts the steps for an event, in ten calendars of n/10: schedule and dispatch, and
// with a cancel for each besides.
func countSteps(run *reproduce.Runner, n int, load float64) [2]reproduce.Estimate {
	const parts = 10
	part := n / parts
	bins := int(math.Round(float64(part) / load))
	var each [2][]float64
	for i := range parts {
		r := random.New(run.Options.Seed, 0x62657374, math.Float64bits(load), uint64(i))
		c := newPaperCalendar(part, bins, 1)
		forEach(run, part, func(i int) error { return c.schedule(int32(i+1), r.Float64()) })
		// As many cancels as there are events, each of any of them.
		forEach(run, part, func(int) error {
			id := int32(r.Below(uint64(part))) + 1
			if err := c.cancel(id); err != nil {
				return err
			}
			return c.schedule(id, r.Float64())
		})
		for c.dispatch() != 0 {
		}
		// The bins beyond the last event are passed too, before the year ends.
		passed := float64(c.passed+len(c.heads)-c.bin) / float64(part)
		dispatch := passed + 2 + float64(c.compared)/float64(part)
		each[0] = append(each[0], dispatch)
		each[1] = append(each[1], dispatch+float64(c.flipped)/float64(part))
	}
	return [2]reproduce.Estimate{reproduce.Mean(each[0]), reproduce.Mean(each[1])}
}

const (
	enumerated = 8  // lists up to this length are gone through in all orders
	sampled    = 20 // longer ones are drawn; with 2.5 events a bin 3 in 10 000 bins have any such
)

// meanComparisons are the comparisons that Algorithm 5 makes for k tickets in random order, on
// average: exact for few.
func meanComparisons(seed uint64) []float64 {
	means := make([]float64, sampled+1)
	for k := 2; k <= enumerated; k++ {
		means[k], _ = enumerate(k)
	}
	r := random.New(seed, 0x6d65616e)
	for k := enumerated + 1; k <= sampled; k++ {
		const lists = 400
		times := make([]float64, k)
		for range lists {
			for i := range times {
				times[i] = r.Float64()
			}
			means[k] += float64(comparisonsOf(times)) / lists
		}
	}
	return means
}

// enumerate sorts k tickets in all k! orders, and returns the mean and the most of the comparisons.
func enumerate(k int) (mean float64, most int) {
	times := make([]float64, k)
	for i := range times {
		times[i] = float64(i)
	}
	s, _ := newSorter(times)
	lists, total := 0, 0
	var choose func(i int)
	choose = func(i int) {
		if i > k {
			s.compared = 0
			s.sort(s.relink())
			lists++
			total += s.compared
			most = max(most, s.compared)
			return
		}
		for j := i; j <= k; j++ {
			s.at[i], s.at[j] = s.at[j], s.at[i]
			choose(i + 1)
			s.at[i], s.at[j] = s.at[j], s.at[i]
		}
	}
	choose(1)
	return float64(total) / float64(lists), most
}

// ticketComparisons are the comparisons for a ticket when the number in a bin has Poisson's law.
func ticketComparisons(means []float64, load float64) float64 {
	sum, chance := 0.0, math.Exp(-load)
	for k, mean := range means {
		sum += chance * mean
		chance *= load / float64(k+1)
	}
	return sum / load
}

// leastAt returns the events a bin at which a law of steps is least, and that least, by golden
// section: laws have one minimum.
func leastAt(means []float64, law stepsLaw) (load, steps float64) {
	value := func(load float64) float64 { return law(load, ticketComparisons(means, load)) }
	low, high := 0.2, 2.5
	for high-low > 1e-6 {
		third := (high - low) * (3 - math.Sqrt(5)) / 2
		if a, b := low+third, high-third; value(a) < value(b) {
			high = b
		} else {
			low = a
		}
	}
	return low, value(low)
}

// bestChart shows how many more steps there are than at best.
func bestChart(t reproduce.Table, alone, together float64) plot.Chart {
	c := plot.Chart{Title: "Steps for an event, above the least, by events a bin", XLabel: "events a bin",
		YLabel: "per cent above the least", FromZero: true, LegendBeside: true}
	for _, of := range []struct {
		name   string
		column int
		least  float64
	}{{"schedule, cancel and dispatch", 5, together}, {"schedule and dispatch", 2, alone}} {
		counted, law := plot.Series{Name: of.name}, plot.Series{Name: "theory", Same: true, Dashed: true}
		for _, row := range t.Rows {
			counted.Add(row[0], 100*(row[of.column]/of.least-1))
			law.Add(row[0], 100*(row[of.column+2]/of.least-1))
		}
		c.Series = append(c.Series, counted, law)
	}
	return c
}
