package erickson

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// The invariant distribution of the Markov chain: that there is one (section A.1), what it is where
// the current bucket is empty, and what it is for one event (section A.3).

// recurrence is that the chain forgets where it began, and comes back to every set that the
// invariant distribution m does not neglect.
//
// The set A that is watched has all particles between δ and 2δ. By (12) and (14) it has m(A) =
// q₀·p^N, and a positive recurrent chain comes back to it every 1/m(A) steps on average.
func recurrence(r *runner) reproduce.Finding {
	const n, width, steps = 3, 0.5, 400
	all := []jumps{exponentialJumps(), uniformJumps(1)}
	starts := []struct {
		name string
		at   [n]float64
	}{{"near the origin", [n]float64{0, 1e-6, 2e-6}}, {"far away", [n]float64{20, 20.1, 20.2}},
		{"one near and two far", [n]float64{0.1, 9, 10}}}
	r.Runs(len(all) * (len(starts) + 1))
	var f reproduce.Finding
	table := reproduce.Table{Name: "visits with j particles", Columns: []string{"jump", "start", "j", "after 400 steps",
		"on average", "se", "exact"}}
	furthest, returns := 0.0, ""
	for k, j := range all {
		q := exactShares(n, j.law, width, n)
		for i := range q { // the exact shares are in proportion to q₀
			q[i] *= r.emptyShare(n, 1, width) * (1 + n*width)
		}
		atOnce, average := 0.0, 0.0
		for s, start := range starts {
			ends := r.replicas(j, start.at[:], width, steps, uint64(r.Done()))
			means := r.shares(j, start.at[:], width, uint64(100+r.Done()))
			for i, want := range q {
				share := float64(ends[i]) / float64(ends[len(ends)-1])
				se := math.Sqrt(want * (1 - want) / float64(ends[len(ends)-1]))
				atOnce = max(atOnce, reproduce.Estimate{Mean: share, SE: se}.Off(want, 0))
				average = max(average, means[i].Off(want, 0))
				table.Rows = append(table.Rows, []float64{float64(k + 1), float64(s + 1), float64(i), share, means[i].Mean,
					means[i].SE, want})
			}
			if s == 0 {
				back := means[n+1]
				want := r.emptyShare(n, 1, width) * math.Pow(r.hit(j.law, width), n)
				f.Check("visits to A for each step, "+j.name, back.Mean, want, reproduce.Sigmas*back.SE, because)
				returns += fmt.Sprintf(" The chain with %s jumps is back in A after %.1f steps on average (1/m(A) = %.1f).",
					j.name, 1/back.Mean, 1/want)
			}
		}
		r.Ran()
		worstOf(f.For(reproduce.Printed), "how far P{Z(400) = j} is from m(A_j), in standard errors, at most, "+j.name,
			atOnce, len(starts)*(n+1))
		worstOf(f.For(reproduce.Printed), "how far the average share of Z = j is from m(A_j), in standard errors, at most, "+
			j.name, average, len(starts)*(n+1))
		furthest = max(furthest, atOnce, average)
	}
	f.Measured = fmt.Sprintf("With 3 events and δ = μ/2, from three starts and for two jumps, the shares of Z = 0 to 3 "+
		"after 400 steps and on average are at most %.1f standard errors off the exact ones.%s", furthest, returns)
	f.Tables = append(f.Tables, table)
	return f
}

// replicas is how many of many chains have 0, 1, … particles in the bucket after so many steps, and
// last, how many chains there are.
func (r *runner) replicas(j jumps, start []float64, width float64, steps int, stream uint64) []int {
	rng := r.Random(stream)
	draw := func() float64 { return j.draw(rng) }
	many := r.events(20_000)
	counts := make([]int, len(start)+2)
	for i := range many {
		r.CheckpointEvery(64, i)
		c := &chain{at: append([]float64(nil), start...), width: width}
		for range steps {
			c.step(draw)
		}
		counts[c.inside()]++
	}
	counts[len(counts)-1] = many
	r.Ran()
	return counts
}

// shares estimates from one long run the share of steps with 0, 1, … particles in the bucket, and
// last, that of steps with all of them between δ and 2δ.
func (r *runner) shares(j jumps, start []float64, width float64, stream uint64) []reproduce.Estimate {
	rng := r.Random(stream)
	draw := func() float64 { return j.draw(rng) }
	c := &chain{at: append([]float64(nil), start...), width: width}
	steps := r.events(1_000_000) / batches
	for range 1000 {
		c.step(draw)
	}
	means := make([][]float64, len(start)+2)
	for range batches {
		r.Checkpoint()
		counts := make([]float64, len(means))
		for range steps {
			c.step(draw)
			counts[c.inside()]++
			if c.within(width, 2*width) {
				counts[len(counts)-1]++
			}
		}
		for i, x := range counts {
			means[i] = append(means[i], x/float64(steps))
		}
	}
	all := make([]reproduce.Estimate, len(means))
	for i, x := range means {
		all[i] = reproduce.BatchMeans(x)
	}
	return all
}

// inside is how many particles are in the current bucket, Z.
func (c *chain) inside() (z int) {
	for _, x := range c.at {
		if x < c.width {
			z++
		}
	}
	return z
}

// within reports whether all particles are between two positions.
func (c *chain) within(low, high float64) bool {
	for _, x := range c.at {
		if x < low || x >= high {
			return false
		}
	}
	return true
}

// productMeasure is that the particles are independent whenever the current bucket is empty, each
// with density (1−F(x−δ))/μ beyond δ; and that they are not independent at other times.
//
// Watched at the steps at which it moves itself, a particle jumps if it is in the bucket and comes
// nearer by δ if it is not, whatever the others do. So the particles are independent when each has
// come nearer k times, which is when the bucket is empty for the k-th time.
func productMeasure(r *runner) reproduce.Finding {
	const n, width, edge = 3, 0.7, 0.4
	all := []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(0.5)}
	r.Runs(len(all))
	var f reproduce.Finding
	f.Check("symbols without a definition in that of u^i(r)", 1, 0, 0, "printed: s^i(r−1) where u^i(r−1) is meant")
	corrected := f.For(reproduce.Corrected)
	table := reproduce.Table{Name: "at the times T_k", Columns: []string{"jump", "which are near", "share", "se",
		"product"}}
	furthest := 0.0
	for k, j := range all {
		cells := r.cells(j, n, width, edge)
		p, worst := r.hit(j.law, edge), 0.0
		for which, share := range cells {
			want := 1.0
			for i := range n {
				if which>>i&1 == 1 {
					want *= p
				} else {
					want *= 1 - p
				}
			}
			worst = max(worst, share.Off(want, 0))
			table.Rows = append(table.Rows, []float64{float64(k + 1), float64(which), share.Mean, share.SE, want})
		}
		worstOf(corrected, "how far a cell at the times T_k is from the product, in standard errors, at most, "+j.name, worst,
			len(cells))
		furthest = max(furthest, worst)
	}
	f.Tables = append(f.Tables, table)
	least := notBinomial(&f, all)
	corrected.Between("how far Z is from binomial at all times, in total variation, at least", least, 1e-6, 1, 0,
		"exact: it would be 0, but for rounding, if m were a product measure")
	f.Measured = fmt.Sprintf("With 3 events and δ = 0.7μ, for three jumps, the shares of the 8 cells (which of the "+
		"particles are within 0.4μ of the bucket) at the times T_k are at most %.1f standard errors off the product. Over "+
		"all steps there is no product: the number of particles in the bucket would be binomial, and is %.4f off that at "+
		"least, in total variation.", furthest, least)
	return f
}

// notBinomial adds a table of how far the number of particles in the bucket is from the binomial
// distribution of the same mean, over all steps, and returns the least distance. If m were a
// product measure, it would be 0.
func notBinomial(f *reproduce.Finding, all []jumps) float64 {
	table := reproduce.Table{Name: "at all times, exactly", Columns: []string{"jump", "events", "width", "q0", "binomial",
		"distance"}}
	least := math.Inf(1)
	for k, j := range all {
		for _, n := range []int{2, 3, 10} {
			for _, width := range []float64{0.3, 1} {
				shares := exactShares(n, j.law, width, n)
				binomial := distuv.Binomial{N: float64(n), P: exactInBucket(n, j.law, width) / float64(n)}
				distance := 0.0
				for i, q := range shares {
					distance += math.Abs(q-binomial.Prob(float64(i))) / 2
				}
				least = min(least, distance)
				table.Rows = append(table.Rows, []float64{float64(k + 1), float64(n), width, shares[0], binomial.Prob(0),
					distance})
			}
		}
	}
	f.Tables = append(f.Tables, table)
	return least
}

// cells estimates, at the times at which the bucket is empty, the share of each set of particles
// that are within edge of it and the others further away. Bit i stands for particle i.
func (r *runner) cells(j jumps, n int, width, edge float64) []reproduce.Estimate {
	rng := r.Random(uint64(r.Done()))
	draw := func() float64 { return j.draw(rng) }
	c := &chain{at: make([]float64, n), width: width}
	for i := range c.at {
		c.at[i] = j.residual(rng)
	}
	buckets := r.events(400_000) / batches
	means := make([][]float64, 1<<n)
	for range batches {
		r.Checkpoint()
		counts := make([]float64, 1<<n)
		for seen := 0; seen < buckets; c.step(draw) {
			if c.inside() > 0 {
				continue
			}
			which := 0
			for i, x := range c.at {
				if x < width+edge {
					which |= 1 << i
				}
			}
			counts[which]++
			seen++
		}
		for i, x := range counts {
			means[i] = append(means[i], x/float64(buckets))
		}
	}
	r.Ran()
	all := make([]reproduce.Estimate, len(means))
	for i, x := range means {
		all[i] = reproduce.BatchMeans(x)
	}
	return all
}

// oneDensity is the density of G, the invariant distribution for one event: uniform up to δ, and
// beyond the tail of the jump, both over μ+δ.
func oneDensity(j static.Jump, width, x float64) float64 {
	if x < width {
		return 1 / (j.Mean + width)
	}
	return (1 - j.CDF(x-width)) / (j.Mean + width)
}

// uniformG is that G is invariant, exactly, and that one particle has it.
//
// A step of the chain gives the density g(x+δ) + ∫₀^min(x,δ) g(y)f(x−y) dy. With g = C up to δ and
// C(1−F(x−δ)) beyond this is C(1−F(x)) + C·F(x) = C for x < δ, and C(1−F(x)) + C(F(x)−F(x−δ)) =
// C(1−F(x−δ)) beyond: that is g, and proves it.
func uniformG(r *runner) reproduce.Finding {
	all := []jumps{exponentialJumps(), uniformJumps(1), uniformJumps(0.05), gammaJumps(20), gammaJumps(0.5)}
	widths := []float64{0.3, 1, 2.5}
	r.Runs(len(all))
	var f reproduce.Finding
	table := reproduce.Table{Name: "a step of the chain from G", Columns: []string{"jump", "width", "largest change"}}
	parts := reproduce.Table{Name: "quarters of the bucket, measured", Columns: []string{"jump", "width", "quarter",
		"share", "se", "exact"}}
	largest, furthest := 0.0, 0.0
	for k, j := range all {
		change, worst := 0.0, 0.0
		for _, width := range widths {
			own := 0.0
			for i := 1; i <= 20; i++ {
				own = max(own, r.changeOfG(j.law, width, 4*float64(i)/20))
			}
			change = max(change, own)
			table.Rows = append(table.Rows, []float64{float64(k + 1), width, own})
			for i, share := range r.quarters(j, width, uint64(len(parts.Rows))) {
				want := r.oneEvent(j.law, width, width*(float64(i)+0.5)/4) * width / 4
				worst = max(worst, share.Off(want, 0))
				parts.Rows = append(parts.Rows, []float64{float64(k + 1), width, float64(i + 1), share.Mean, share.SE, want})
			}
		}
		f.Check("how much a step of the chain changes the distribution function of G, at most, "+j.name, change, 0, 1e-9,
			"exact: integrals, and their rounding")
		worstOf(f.For(reproduce.Printed), "how far the share of a quarter of the bucket is from G, in standard errors, "+
			"at most, "+j.name, worst, 4*len(widths))
		largest, furthest = max(largest, change), max(furthest, worst)
		r.Ran()
	}
	f.Measured = fmt.Sprintf("For five jumps and three widths, a step of the chain changes the distribution function of "+
		"G by %.0e at most; the shares of the quarters of the bucket, simulated, are at most %.1f standard errors off.",
		largest, furthest)
	f.Tables = append(f.Tables, table, parts)
	return f
}

// changeOfG is how much a step of the chain changes the distribution function of G at y.
func (r *runner) changeOfG(j static.Jump, width, y float64) float64 {
	g := func(x float64) float64 { return r.oneEvent(j, width, x) }
	over := func(f func(float64) float64, a, b float64) float64 { // in two parts, for the corner at δ
		if a < width && b > width {
			return integral(f, a, width) + integral(f, width, b)
		}
		return integral(f, a, b)
	}
	before := over(g, 0, y)
	after := integral(g, width, width+y) +
		integral(func(x float64) float64 { return g(x) * j.CDF(y-x) }, 0, min(y, width))
	return math.Abs(after - before)
}

// quarters estimates the share of steps at which one particle is in each quarter of the bucket.
func (r *runner) quarters(j jumps, width float64, stream uint64) [4]reproduce.Estimate {
	rng := r.Random(stream)
	draw := func() float64 { return j.draw(rng) }
	c := &chain{at: []float64{j.residual(rng)}, width: width}
	steps := r.events(200_000) / batches
	var means [4][]float64
	for range batches {
		r.Checkpoint()
		var counts [4]float64
		for range steps {
			c.step(draw)
			if x := c.at[0]; x < width {
				counts[int(4*x/width)]++
			}
		}
		for i, x := range counts {
			means[i] = append(means[i], x/float64(steps))
		}
	}
	var all [4]reproduce.Estimate
	for i, x := range means {
		all[i] = reproduce.BatchMeans(x)
	}
	return all
}
