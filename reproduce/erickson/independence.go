package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// appendixB is the step of appendix B by which Theorem 3.2 is proved: given the state at T_{k−1},
// whether a particle lands in Γ when it leaves the bucket (u = 1) is said to be independent of how
// many steps Δ_k are made until the bucket is empty again.
//
// Δ_k is 1 and the number of all jumps, those of the particle itself included, and where it lands
// depends on how many it needs. For jumps that are uniform from 0 to 2μ everything is a polynomial:
// after n jumps from x that stay in the bucket the particle has density
// (y−x)^(n−1)/((2μ)^n·(n−1)!).
//
// What the proof needs is E[uΔ] ≤ p*·E[Δ] with p* = Π₂/(1−F(δ)), and conditioning on the number of
// jumps gives that. A particle that makes its last jump from y leaves with probability 1−F(δ−y) ≥
// 1−F(δ), and lands in Γ with probability Σ_j [F(jMδ+δ−y) − F(jMδ−y)] ≤ Π₂. So P(u = 1 | n jumps) ≤
// p* for every n, hence P(u = 1 | Δ) ≤ p*, since given its own number of jumps a particle is
// independent of the others, and E[uΔ] = E[Δ·P(u = 1 | Δ)] ≤ p*·E[Δ].
func appendixB(r *runner) reproduce.Finding {
	settings := []struct {
		width   float64
		buckets int
	}{{0.5, 3}, {0.5, 4}, {0.25, 5}, {0.25, 8}, {1, 2}}
	r.Runs(2 * len(settings))
	var f reproduce.Finding
	table := reproduce.Table{Name: "one particle, uniform jumps", Columns: []string{"width", "buckets", "start", "jumps",
		"probability", "lands in Γ, given that", "p*"}}
	covariances := reproduce.Table{Name: "Γ and the number of steps", Columns: []string{"width", "buckets", "start",
		"E[u]E[Δ]", "E[uΔ]", "p*E[Δ]"}}
	apart, worstShare, worstMean, furthest := 0.0, 0.0, 0.0, 0.0
	example := ""
	for _, s := range settings {
		for _, start := range []float64{0, s.width / 2} {
			e := exitsOf(s.width, s.buckets, start)
			most := r.landing(uniformJumps(1).law, s.width, s.buckets)
			steps := 1 + e.jumps
			apart = max(apart, math.Abs(e.both-e.lands*steps))
			worstMean = max(worstMean, e.both/(most*steps))
			for n := range 3 {
				share := e.landsAfter[n] / e.after[n]
				worstShare = max(worstShare, share/most)
				table.Rows = append(table.Rows, []float64{s.width, float64(s.buckets), start, float64(n + 1), e.after[n], share,
					most})
			}
			covariances.Rows = append(covariances.Rows, []float64{s.width, float64(s.buckets), start, e.lands * steps, e.both,
				most * steps})
			furthest = max(furthest, r.simulateExits(s.width, s.buckets, start, e))
			if s.buckets == 4 && start == 0 {
				example = fmt.Sprintf(
					"Uniform jumps from 0 to 2μ, δ = μ/2, M = 4, from the beginning of the bucket: a particle "+
						"lands in Γ with probability %.4f if it leaves by its first jump and %.4f if by its second; E[uΔ] = %.5f and "+
						"E[u]E[Δ] = %.5f.", e.landsAfter[0]/e.after[0], e.landsAfter[1]/e.after[1], e.both, e.lands*steps)
			}
		}
	}
	f.Check("E[uΔ] less E[u]E[Δ], of either sign, at most", apart, 0, 1e-9, "exact: u is independent of Δ; rounding")
	corrected := f.For(reproduce.Corrected)
	corrected.Between("P(u = 1 | number of jumps) over p*, at most", worstShare, 0, 1, 1e-9, "exact; rounding")
	corrected.Between("E[uΔ] over p*·E[Δ], at most", worstMean, 0, 1, 1e-9, "exact; rounding")
	worstOf(f.For(reproduce.Control), "how far a simulated share is from the exact one, in standard errors, at most",
		furthest, len(settings)*2*6)
	f.Measured = example + fmt.Sprintf(" Over ten settings P(u = 1 | number of jumps) is at most %.3f of p*, and E[uΔ] "+
		"at most %.3f of p*·E[Δ].", worstShare, worstMean)
	f.Tables = append(f.Tables, table, covariances)
	return f
}

// exits are how one particle leaves the bucket.
type exits struct {
	after, landsAfter  []float64 // the probabilities to leave by the first, second … jump, and to land in Γ then
	jumps, lands, both float64   // E[number of jumps], E[u], E[u·Δ] with Δ = 1 + the number of jumps
}

// exitsOf is exact, for jumps that are uniform from 0 to 2 and buckets that are not wider.
func exitsOf(width float64, buckets int, start float64) (e exits) {
	law := uniformJumps(1).law
	leaves := func(y float64) float64 { return 1 - law.CDF(width-y) }
	lands := func(y float64) float64 { return landsIn(law, width, buckets, y) }
	add := func(out, in float64) {
		e.after, e.landsAfter = append(e.after, out), append(e.landsAfter, in)
		n := float64(len(e.after))
		e.jumps += n * out
		e.lands += in
		e.both += (1 + n) * in
	}
	add(leaves(start), lands(start))
	for n := 1; n < 30; n++ {
		factorial, _ := math.Lgamma(float64(n))
		density := func(y float64) float64 { // after n jumps
			return math.Pow(y-start, float64(n-1)) * math.Exp(-float64(n)*math.Ln2-factorial)
		}
		add(integral(func(y float64) float64 { return density(y) * leaves(y) }, start, width),
			integral(func(y float64) float64 { return density(y) * lands(y) }, start, width))
	}
	return e
}

// landsIn is the probability that a jump from y leads into Γ: the same bucket, in a later year.
func landsIn(j static.Jump, width float64, buckets int, y float64) float64 {
	sum, year := 0.0, float64(buckets)*width
	for at := year; at-width < j.Support; at += year {
		sum += j.CDF(at+width-y) - j.CDF(at-y)
	}
	return sum
}

// landingOf is p* = Π₂/(1−F(δ)), for jumps with a longest one.
func landingOf(j static.Jump, width float64, buckets int) float64 {
	const grid = 1024
	most := 0.0
	for i := range grid + 1 {
		most = max(most, landsIn(j, width, buckets, width*float64(i)/grid))
	}
	return most / (1 - j.CDF(width))
}

// simulateExits lets one particle leave the bucket many times, and returns how many standard errors
// the shares are off at most: those that leave by the first three jumps, and land in Γ then.
func (r *runner) simulateExits(width float64, buckets int, start float64, e exits) float64 {
	rng, j := r.Random(uint64(r.Done())), uniformJumps(1)
	year := float64(buckets) * width
	var out, in [3]float64
	many := r.events(200_000)
	for i := range many {
		r.CheckpointEvery(4096, i)
		x, n := start, 0
		for ; x < width; n++ {
			x += j.draw(rng)
		}
		if n > 3 {
			continue
		}
		out[n-1]++
		if x >= year && math.Mod(x, year) < width {
			in[n-1]++
		}
	}
	r.Ran()
	worst := 0.0
	for n := range out {
		for _, pair := range [][2]float64{{out[n], e.after[n]}, {in[n], e.landsAfter[n]}} {
			want := pair[1]
			measured := reproduce.Estimate{Mean: pair[0] / float64(many), SE: math.Sqrt(want * (1 - want) / float64(many)),
				One: 1 / float64(many)}
			worst = max(worst, measured.Off(want, 0))
		}
	}
	return worst
}
