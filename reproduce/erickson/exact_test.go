package erickson

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
)

func wantNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
	}
}

// Exponential jumps have closed forms: P(u) = 1−e^(−u), and entries of later years as if they were
// thrown anew.
func TestExactExponential(t *testing.T) {
	j := static.ExponentialJump(1)
	for _, n := range []int{2, 30, 1000} {
		for _, width := range []float64{0.001, 0.05, 1, 7} {
			events, gone := float64(n), -math.Expm1(-width)
			wantNear(t, "P", hitOf(j, width)/gone, 1, 1e-12)
			wantNear(t, "entries", exactEntries(n, j, width)/(1+(events-1)*(1-gone/width)), 1, 1e-12)
			if width < 0.5 {
				const m = 40
				years := 1 / math.Expm1(m*width) // Σ e^(−kMδ)
				during, after := years*(math.Exp(width)+math.Exp(-width)-2), years*math.Expm1(width)
				want := events / (1 + events*width) * ((events-1)*during + after)
				wantNear(t, "L_M", exactExcess(n, m, j, width)/want, 1, 1e-9)
			}
		}
		wantNear(t, "slope at the best width", slope(unit, n, j, exactWidth(unit, n, j)), 0, 1e-9)
	}
	// m(δ) = 1 − (1+δ)e^(−δ) is 1/N(N−1) at the best width; for N = 2, δ = 1.678…
	wantNear(t, "the best width for 2 events", exactWidth(unit, 2, j), 1.6783469900166605, 1e-9)
}

// The shares of visits add up to all of them, their mean is E_N, and where no jump leads into the
// same bucket they are tails of the binomial.
func TestExactShares(t *testing.T) {
	for _, j := range []jumps{exponentialJumps(), uniformJumps(1), uniformJumps(0.05), gammaJumps(0.5), atomJumps(0.5)} {
		for _, n := range []int{2, 12} {
			for _, width := range []float64{0.05, 0.4} {
				all, mean := 0.0, 0.0
				shares := exactShares(n, j.law, width, n)
				for k, q := range shares {
					all += q
					mean += float64(k) * q
				}
				wantNear(t, j.name+": the sum", all, 1, 1e-9)
				wantNear(t, j.name+": the mean", mean, exactInBucket(n, j.law, width), 1e-8)
				if j.law.CDF(width) == 0 {
					b := distuv.Binomial{N: float64(n), P: width}
					for k := 1; k <= n; k++ {
						wantNear(t, j.name+": a share", shares[k], shares[0]*(1-b.CDF(float64(k-1))), 1e-9)
					}
				}
			}
		}
	}
}

// One particle at 0 with jumps from 0 to 2, δ = 1 and M = 2: the first jump leads out of the bucket
// half of the time, and never as far as Γ = [2, 3). From y the second one leads out with
// probability (1+y)/2 and into Γ with probability y/2, and y is uniform.
func TestExitsByHand(t *testing.T) {
	e := exitsOf(1, 2, 0)
	for i, want := range [][2]float64{{1. / 2, 0}, {3. / 8, 1. / 8}} {
		wantNear(t, "leaving", e.after[i], want[0], 1e-12)
		wantNear(t, "landing in Γ", e.landsAfter[i], want[1], 1e-12)
	}
	sum := 0.0
	for _, p := range e.after {
		sum += p
	}
	wantNear(t, "leaving at all", sum, 1, 1e-12)
	wantNear(t, "the number of jumps", e.jumps, math.Sqrt(math.E), 1e-12) // the renewal function at 1, e^(1/2)
	if e := exitsOf(0.5, 3, 0); !(e.both < e.lands*(1+e.jumps)) {
		t.Error("the covariance is not negative")
	}
	if e := exitsOf(0.5, 4, 0); !(e.both > e.lands*(1+e.jumps)) {
		t.Error("the covariance is not positive")
	}
}

// Insertions into ordered lists stop at an entry as often as with large N, but for 1/N.
func TestOrderedStops(t *testing.T) {
	wantNear(t, "Ein(1)", ein(1), 0.7965995992970531, 1e-12)
	for _, x := range []float64{0.1, 1.6, 20} {
		wantNear(t, "the share of stops", exactStops(1e7, x/1e7), stopsOf(x), 1e-5)
	}
	wantNear(t, "the share of stops of two events", exactStops(2, 1), 0.5*(1-(1-math.Exp(-1))), 1e-12)
	x, least := paperFormulas().chargedBest(unit)
	wantNear(t, "what is 0 at the best width", x*x/4+ein(x)+math.Exp(-x)-2, 0, 1e-6)
	wantNear(t, "the least", least, 3.3164, 1e-4)
}

// Lines of 32 bytes: 4 of them are 128 bytes, so address 128 takes the place of address 0.
func TestCacheByHand(t *testing.T) {
	c := cache{lines: make([]int, 4), line: 32}
	for i, want := range []struct {
		address int
		hit     bool
	}{{0, false}, {31, true}, {32, false}, {128, false}, {0, false}, {40, true}, {127, false}, {96, true}} {
		if c.touch(want.address) != want.hit {
			t.Errorf("access %d, to %d: want hit %v", i, want.address, want.hit)
		}
	}
}
