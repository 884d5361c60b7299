package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// filledBuffers asks how full the bins are that accept balls.
//
// In the limit a bin with load L gets N balls, and place p (with p others before it) is filled in a
// round if L ≤ p < L+N. So the share of the balls that land at p or above follows from the law of
// the loads.
//
// For large c the load, as a share u of c, is a diffusion between two ends, with variance c^(−2)
// and drift −δ/c a round, where 1−δ balls ask a bin. Its density is that of e^(−2δcu), with which a
// bin is idle in δ/(1−e^(−2δc)) of the rounds. That is 1−λ. So with θ = c(1−λ) and ϑ = cδ
//
//	θ = ϑ/(1−e^(−2ϑ)),
//
// and a ball lands in a bin that is half full or more with probability 1/(1+e^ϑ): more than 1/2 as
// long as θ < 1/2, 0.31 at θ = 1, that is c = 1/(1−λ), and about e^(−θ) beyond: for constant λ and
// large c hardly ever.
func filledBuffers(r *runner) reproduce.Finding {
	r.Runs(len(landingSimulated))
	var points []landing
	for _, i := range []int{2, 4, 6, 8, 10, 13} {
		for _, c := range []int{2, 3, 4, 5, 8, 16, 32, 64} {
			points = append(points, landingOf(r.theory.capped(c, halved(i)), i))
		}
	}
	var simulated []landing
	for k, key := range landingSimulated {
		simulated = append(simulated, r.land(key[0], key[1], k))
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "where balls land, by the limit", Columns: []string{"i of λ = 1−2⁻ⁱ", "c",
		"c(1−λ)", "pool per bin",
		"land in bins that are half full, %", "by the diffusion, %", "others in the bin, mean", "over c"}}
	chart := plot.Chart{Title: "Balls that land in bins that are at least half full, c = 2, 4, 8 … 64",
		XLabel: "c(1−λ)", YLabel: "share of the balls", LogX: true,
		FromZero: true, LegendBeside: true}
	figures, all, linear, third := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	upTo := landing{half: math.Inf(1)} // the least for c ≤ 1/(1−λ)
	var example, worst landing
	diffusion := plot.Series{Name: "for large c", Dashed: true}
	for theta := 1.0 / 4096; theta <= 16; theta *= 1.25 {
		diffusion.Add(theta, landingByDiffusion(theta))
	}
	for _, p := range points {
		lambda := halved(p.i)
		theta := float64(p.c) * (1 - lambda)
		table.Rows = append(table.Rows, []float64{float64(p.i), float64(p.c), theta, p.pool, 100 * p.half,
			100 * landingByDiffusion(theta),
			p.others, p.others / float64(p.c)})
		if p.half < all {
			all, worst = p.half, p
		}
		if p.c <= panelCapacities {
			figures = min(figures, p.half)
		}
		if float64(p.c) <= r.theory.upTo(lambda) {
			if p.half < upTo.half {
				upTo = p
			}
			linear, third = min(linear, p.others/float64(p.c)), min(third, p.third)
		}
		if p.i == 10 && p.c == 64 {
			example = p
		}
		if len(chart.Series) == 0 || p.c == 2 {
			chart.Series = append(chart.Series, plot.Series{Name: "λ = " + halvedName(p.i)})
		}
		if p.c%2 == 0 { // half of an odd capacity is more than half
			chart.Series[len(chart.Series)-1].Add(theta, p.half)
		}
	}
	chart.Series = append(chart.Series, diffusion)
	f.Tables = append(f.Tables, table)
	sim := reproduce.Table{Name: "where balls land, simulated", Columns: []string{"i of λ = 1−2⁻ⁱ", "c",
		"land in bins that are half full, %", "SE",
		"limit", "others in the bin, mean", "SE", "limit"}}
	off := 0.0
	for _, p := range simulated {
		half, others := p.measured[0], p.measured[1]
		sim.Rows = append(sim.Rows, []float64{float64(p.i), float64(p.c), 100 * half.Mean, 100 * half.SE, 100 * p.half,
			others.Mean, others.SE, p.others})
		off = max(off, half.Off(p.half, landingRest), others.Off(p.others, landingRest*float64(p.c)))
	}
	f.Tables = append(f.Tables, sim)
	f.For(reproduce.Control).Check("where balls land, off the limit, in standard errors, at most", off, 0,
		reproduce.Sigmas,
		"4.5 standard errors from batches of rounds, beyond 3/n: the limit is that of infinitely many bins")
	f.For(reproduce.Printed).AtLeast("share of balls that land in bins that are half full, at least, c up to 64, "+
		"λ = 3/4 … 1−2⁻¹³", all, r.theory.goodChance)
	f.For(reproduce.Corrected).AtLeast("share of balls that land in bins that are half full, at least, for c ≤ "+
		"1/(1−λ)",
		upTo.half, r.theory.goodChance)
	f.Measured = fmt.Sprintf("At λ = %s and c = 64, with a pool of %.3f n, %.0f %% of the balls land in bins that are "+
		"at least half full; for c ≤ 1/(1−λ) it "+
		"is %.0f %% or more, and beyond it falls exponentially in c(1−λ), to %.2g %% at λ = 3/4 and c = %d.",
		halvedName(example.i), example.pool, 100*example.half,
		100*upTo.half, 100*worst.half, worst.c)
	f.Notes = append(f.Notes,
		fmt.Sprintf("The verdict depends on what is taken as a good chance. The correction holds for every threshold up to "+
			"%.3f, which is the chance at λ = %s and c = %d, where half full means %d of %d. With 1 in 4 it would fail, and "+
			"the verdict would be “does not hold”. With a third of the capacity for half of it, the chance is %.3f or more. "+
			"For every c and λ the claim fails with any threshold above %.1g.", upTo.half, halvedName(upTo.i), upTo.c,
			(upTo.c+1)/2, upTo.c, third, all),
		fmt.Sprintf("With the capacities of Figures 4 and 5, c = 2 … 5, it is %.0f %% or more; the least is at λ = "+
			"3/4 and "+
			"c = "+
			"5, which is above 1/(1−λ), and where the pool is 0.016 n.", 100*figures),
		fmt.Sprintf("The wait in the bin is of the order of c as long as c is at most 1/(1−λ): c times %.2f or more. "+
			"For constant λ and larger c it is λ/(2(1−λ)) "+
			"rounds on average, that of a queue without a limit, whatever c is: 1.5 at λ = 3/4. There the O(c) is only a "+
			"bound.", linear))
	f.Chart("landings", chart)
	return f
}

// landingSimulated is c and i of what is simulated.
var landingSimulated = [][2]int{{2, 2}, {5, 2}, {16, 2}, {4, 6}, {16, 4}, {16, 6}}

// A landing is where balls land.
type landing struct {
	c, i     int
	pool     float64 // per bin
	half     float64 // share of the balls that land in a bin that is half full or more
	third    float64 // and in one that is full to a third or more
	others   float64 // that are in the bin already, on average
	measured [2]reproduce.Estimate
}

// landingOf is that of the limit.
func landingOf(l *capped.Limit, i int) landing {
	x := landing{c: l.Capacity, i: i, pool: l.Pool}
	asks := tails(poisson(l.Requests, l.Capacity+200))
	for p := range l.Capacity {
		share := 0.0
		for load := max(0, p+2-len(asks)); load <= p; load++ {
			share += l.Loads[load] * asks[p+1-load] / l.Rate
		}
		x.others += float64(p) * share
		if 2*p >= l.Capacity {
			x.half += share
		}
		if 3*p >= l.Capacity {
			x.third += share
		}
	}
	return x
}

// land simulates it.
func (r *runner) land(c, i, stream int) landing {
	limit := r.theory.capped(c, halved(i))
	x := landingOf(limit, i)
	const bins, batches = 1 << 10, 20
	p := newThrown(bins, c, bins-bins>>i, r.Stream(uint64(stream)))
	tau := int(capped.NewLimit(c, halved(i)).Relaxation())
	rounds := r.rounds(2000, 400) / batches
	var half, others []float64
	for t := range 10*tau + batches*rounds {
		r.Checkpoint()
		if t >= 10*tau && (t-10*tau)%rounds == 0 {
			clear(p.landed)
		}
		p.step()
		if t >= 10*tau && (t-10*tau)%rounds == rounds-1 {
			all, high, sum := 0, 0, 0
			for k, count := range p.landed {
				all += count
				sum += k * count
				if 2*k >= c {
					high += count
				}
			}
			half, others = append(half, float64(high)/float64(all)), append(others, float64(sum)/float64(all))
		}
	}
	x.measured = [2]reproduce.Estimate{reproduce.BatchMeans(half), reproduce.BatchMeans(others)}
	r.Ran()
	return x
}

// landingByDiffusion is the share of the balls that land in a bin that is half full or more for
// large c, by θ = c(1−λ).
func landingByDiffusion(theta float64) float64 {
	// ϑ/(1−e^(−2ϑ)) grows with ϑ, is below θ at θ−1 (it is at most ϑ+1/2 above 0, and below 1/2
	// else) and above it at θ.
	low, high := theta-1-1/theta, theta
	for range 200 {
		v := (low + high) / 2
		idle := 0.5 // at v = 0
		if v != 0 {
			idle = -v / math.Expm1(-2*v)
		}
		if idle < theta {
			low = v
		} else {
			high = v
		}
	}
	return 1 / (1 + math.Exp((low+high)/2))
}

// landingRest is what the simulation may be off the limit, per place: see restOf.
const landingRest = 3.0 / (1 << 10)
