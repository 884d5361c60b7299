package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// occupancyJumps are those for which buckets are looked into: for exponential, uniform and gamma
// jumps F(δ) is considerable, for shape 1/2 most of all, and for nearly constant ones it is 0.
func occupancyJumps() []jumps {
	return []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(1.2), gammaJumps(0.5), uniformJumps(0.05)}
}

// occupancySizes are numbers of events and widths, so wide that some events come back into the
// bucket that they left.
var occupancySizes = []struct {
	n     int
	width float64
}{{2, 0.7}, {10, 0.2}, {100, 0.05}}

// mostIn is the number of events in a bucket from which on they are counted together: the last of
// the shares is of as many or more.
const mostIn = 12

// together adds up what there is for numbers of events, from i on if that is the last to be told
// apart.
func together(n, i int, of func(int) float64) float64 {
	sum := of(i)
	if i == mostIn {
		for k := i + 1; k <= n; k++ {
			sum += of(k)
		}
	}
	return sum
}

// counts are how often something had 0, 1, 2 … events.
type counts struct {
	beginning []float64 // buckets, when they begin: Z(S_k) of the paper
	visited   []float64 // visits: Z(t)
}

func beginning(c counts) []float64 { return c.beginning }
func visited(c counts) []float64   { return c.visited }

// occupancy runs h with unlimited buckets, and tells for each batch how many events buckets had,
// when they began and when they were visited.
//
// A search that passes k empty buckets, the first of which is the one that has just lost its last
// event, begins k buckets: k−1 with no event, and one with as many as it then finds there. One that
// passes none finds the rest of the current bucket.
func (r *runner) occupancy(h hold) []counts {
	s, rng := r.begin(h)
	r.spend(s, rng, h, h.warmUp())
	all := make([]counts, batches)
	before := s.Work()
	for i := range all {
		c := counts{make([]float64, min(h.n, mostIn)+1), make([]float64, min(h.n, mostIn)+1)}
		for k := range h.events / batches {
			r.CheckpointEvery(4096, k)
			r.step(s, rng, h.jumps)
			now := s.Work()
			took := now.Since(before)
			before = now
			in := min(int(took.Traversed), len(c.visited)-1)
			c.visited[in]++
			c.visited[0] += float64(took.EmptyBuckets)
			if took.EmptyBuckets > 0 {
				c.beginning[in]++
				c.beginning[0] += float64(took.EmptyBuckets - 1)
			}
		}
		all[i] = c
	}
	r.Ran()
	return all
}

// shareOf estimates the share of one number of events among all.
func shareOf(all []counts, of func(counts) []float64, number int) reproduce.Estimate {
	x, total := make([]float64, len(all)), 0.0
	for i, c := range all {
		sum := 0.0
		for _, k := range of(c) {
			sum += k
		}
		x[i] = of(c)[number] / sum
		total += sum
	}
	e := reproduce.BatchMeans(x)
	e.One = 1 / total
	return e
}

// equation13 is how many events a bucket has when it begins.
func equation13(r *runner) reproduce.Finding {
	r.Runs(len(occupancyJumps()) * len(occupancySizes))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Events in a bucket when it begins, 10 events", XLabel: "events",
		YLabel: "share of buckets", FromZero: true, LegendBeside: true}
	cells, worstOfAll := 0, 0.0
	for _, j := range occupancyJumps() {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "width", "p", "in the bucket", "share", "se",
			"binomial"}}
		worst, own := 0.0, 0
		for _, at := range occupancySizes {
			h := hold{jumps: j, n: at.n, width: at.width, events: r.events(400_000), stream: uint64(r.Done())}
			counts := r.occupancy(h)
			p := r.hit(j.law, h.width)
			measured, says := plot.Series{Name: j.name}, plot.Series{Name: "binomial", Dashed: true}
			for i := range counts[0].beginning {
				share, want := shareOf(counts, beginning, i), together(h.n, i, func(k int) float64 { return r.binomial(h.n, p, k) })
				worst = max(worst, share.Outside(want, want))
				cells, own = cells+1, own+1
				table.Rows = append(table.Rows, []float64{float64(h.n), h.width, p, float64(i), share.Mean, share.SE, want})
				if i <= 7 {
					measured.Add(float64(i), share.Mean)
					says.Add(float64(i), want)
				}
			}
			if h.n == 10 && (j.law.CDF(h.width) == 0 || j.law.CDF(h.width) > 0.3) { // the extremes
				chart.Series = append(chart.Series, measured, says)
			}
		}
		worstOfAll = max(worstOfAll, worst)
		worstOf(f.For(reproduce.Printed), "how far a share is from the binomial, in standard errors, at most, "+j.name, worst,
			own)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf("The %d shares of buckets that begin with 0, 1, 2 … of 2, 10 and 100 events, five "+
		"jumps, are "+
		"at most %.1f standard errors off the binomial.", cells, worstOfAll)
	f.Chart("equation-13", chart)
	return f
}

// equations15and16 are the bounds for each share of visits, from which all others follow.
func equations15and16(r *runner) reproduce.Finding {
	r.Runs(len(occupancyJumps()) * len(occupancySizes))
	var f reproduce.Finding
	chart := plot.Chart{Title: "Share of visits that find j of 10 events, over the lower bound (15)", XLabel: "j",
		YLabel: "share over bound", LegendBeside: true}
	cells, outsideOfAll, worstOfAll, widest, nearest, one := 0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, j := range occupancyJumps() {
		table := reproduce.Table{Name: j.name, Columns: []string{"events", "width", "F(δ)", "j", "share", "se", "(15)",
			"(16)", "exact"}}
		outside, off, beyond, own := 0.0, 0.0, 0.0, 0
		for _, at := range occupancySizes {
			h := hold{jumps: j, n: at.n, width: at.width, events: r.events(400_000), stream: uint64(r.Done())}
			counts := r.occupancy(h)
			exact := exactShares(h.n, j.law, h.width, h.n)
			measured, upper := plot.Series{Name: j.name}, plot.Series{Name: "(16)", Dashed: true, Same: true}
			for i := 1; i < len(counts[0].visited); i++ {
				share := shareOf(counts, visited, i)
				low := together(h.n, i, func(k int) float64 { low, _ := r.shareBounds(h.n, j.law, h.width, k); return low })
				high := together(h.n, i, func(k int) float64 { _, high := r.shareBounds(h.n, j.law, h.width, k); return high })
				want := together(h.n, i, func(k int) float64 { return exact[k] })
				outside, off = max(outside, share.Outside(low, high)), max(off, share.Outside(want, want))
				beyond = max(beyond, low/want-1, 1-high/want)
				cells, own = cells+1, own+1
				if j.law.CDF(h.width) == 0 {
					one = max(one, high-low)
				}
				widest, nearest = max(widest, high/low), max(nearest, want/low)
				table.Rows = append(table.Rows, []float64{float64(h.n), h.width, j.law.CDF(h.width), float64(i), share.Mean,
					share.SE, low, high, want})
				if h.n == 10 && i <= 5 {
					measured.Add(float64(i), share.Mean/low)
					upper.Add(float64(i), high/low)
				}
			}
			if h.n == 10 {
				chart.Series = append(chart.Series, measured, upper)
			}
		}
		outsideOfAll, worstOfAll = max(outsideOfAll, outside), max(worstOfAll, off)
		worstOf(f.For(reproduce.Printed), "how far a share is outside of (15) and (16), in standard errors, at most, "+j.name,
			outside, own)
		f.Check("how far an exact share is outside of (15) and (16), as a share of itself, at most, "+j.name, beyond, 0, 1e-7,
			"rounding of the integrals")
		worstOf(f.For(reproduce.Control), "how far a share is from the exact one, in standard errors, at most, "+j.name, off,
			own)
		f.Tables = append(f.Tables, table)
	}
	f.Measured = fmt.Sprintf("The %d shares are at most %.1f standard errors outside of the bounds, which are up to a "+
		"factor of %.1f apart, and %.1f off the exact ones, which are up to %.2f times the lower bound; where F(δ) = 0 the "+
		"bounds are %.1g apart.", cells, outsideOfAll, widest, worstOfAll, nearest, one)
	f.Chart("equations-15-and-16", chart)
	return f
}
