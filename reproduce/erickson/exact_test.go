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
