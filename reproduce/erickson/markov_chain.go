package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// markovChain is the paper's model without any calendar: particles on a line that move towards the
// origin, a bucket at a time.
func markovChain(r *runner) reproduce.Finding {
	ratios := []float64{0.25, 0.5, 1, 2, 4}
	r.Runs(2 * len(ratios))
	var f reproduce.Finding
	table := reproduce.Table{Name: "chain and calendar", Columns: []string{"width over the best", "q0 chain", "se",
		"q0 calendar", "se",
		"in the bucket, chain", "se", "calendar", "se", "cost, chain", "se", "calendar", "se"}}
	for i, ratio := range ratios {
		h := hold{jumps: exponentialJumps(), n: 100, width: ratio * r.width(100, 1), events: r.events(1_000_000),
			stream: uint64(2 * i)}
		counted := r.run(h)
		h.stream++
		chain := r.runChain(h)
		table.Rows = append(table.Rows, compareChain(&f, r.formulas, h, ratio, chain, counted))
	}
	f.Tables = append(f.Tables, table)
	at, apart := table.Rows[2], 0.0
	for _, row := range table.Rows {
		for i := 1; i < len(row); i += 4 {
			apart = max(apart, math.Abs(row[i]-row[i+2])/math.Hypot(row[i+1], row[i+3]))
		}
	}
	f.Measured = fmt.Sprintf("At the best width with 100 events the chain and the calendar find %.4f and %.4f of the "+
		"buckets empty, %.3f and %.3f events in the current one, and take %.3f and %.3f for each event; over five widths "+
		"the two are at most %.1f standard errors apart.", at[1], at[3], at[5], at[7], at[9], at[11], apart)
	return f
}

// inBucket is how many particles a visit finds in the bucket on average, Σ j·q_j.
func inBucket(w static.Work) float64 {
	return float64(w.Traversed) / float64(w.EmptyBuckets+w.Dispatched)
}

// compareChain adds the checks for a width, and returns the row of the table.
func compareChain(f *reproduce.Finding, t formulas, h hold, ratio float64, chain, counted []static.Work) []float64 {
	row := []float64{ratio}
	for _, q := range []struct {
		name string
		of   func(static.Work) float64
	}{{"share of empty buckets", emptyVisits}, {"events in the current bucket", inBucket}, {"cost", cost}} {
		a, b := meanOf(chain, q.of), meanOf(counted, q.of)
		row = append(row, a.Mean, a.SE, b.Mean, b.SE)
		f.Check(fmt.Sprintf("%s at %g times the best width: chain, and calendar", q.name, ratio), a.Mean, b.Mean,
			reproduce.Sigmas*a.Minus(b).SE,
			"both are samples of the same: 4.5 standard errors of the difference")
	}
	q0 := meanOf(chain, emptyVisits)
	f.Check(fmt.Sprintf("share of empty buckets at %g times the best width: chain, and equation 8", ratio), q0.Mean,
		t.emptyShare(h.n, 1, h.width), reproduce.Sigmas*q0.SE, because)
	return row
}

// runChain simulates the chain, with its steps counted as if they were a calendar's.
func (r *runner) runChain(h hold) []static.Work {
	rng := r.Random(h.stream)
	c := &chain{at: make([]float64, h.n), width: h.width}
	for i := range c.at {
		c.at[i] = h.jumps.residual(rng)
	}
	draw := func() float64 { return h.jumps.draw(rng) }
	works := make([]static.Work, batches+1)
	for i := range works {
		before := c.work
		for c.work.Dispatched-before.Dispatched < uint64(h.events/batches) {
			r.CheckpointEvery(4096, int(c.work.Dispatched))
			c.step(draw)
		}
		works[i] = c.work.Since(before)
	}
	r.Ran()
	return works[1:] // the first is the warm-up
}

// A chain is the state of the Markov chain: positions relative to the beginning of the current
// bucket.
type chain struct {
	at    []float64
	width float64
	work  static.Work
}

// step is a transition of the chain.
func (c *chain) step(jump func() float64) {
	nearest, inside := 0, 0
	for i, x := range c.at {
		if x < c.width {
			inside++
		}
		if x < c.at[nearest] {
			nearest = i
		}
	}
	if inside > 0 {
		c.work.Dispatched++
		c.work.Traversed += uint64(inside)
		c.at[nearest] += jump()
		return
	}
	c.work.EmptyBuckets++
	for i := range c.at {
		c.at[i] -= c.width
	}
}
