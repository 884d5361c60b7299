package reproduce

import (
	"context"
	"math"

	"github.com/almanac-sim/almanac/spray"
)

// liClaims are those of Li's report, in its order.
func liClaims() []Claim { return liWith(liEffort{scale: 1, theory: liReport()}) }

// liWith are the claims, checked with some effort.
func liWith(e liEffort) []Claim {
	return []Claim{
		liLemma41(e),
		liCorollary43(e),
		liTheorem51(e),
		liLemma52(e),
		liTheorems53And62(e),
		liPadding(e),
		liCollisions(e),
		liDirty(e),
		liDirtyPerfect(e),
		liConjecture(e),
	}
}

// A liEffort says how many lists and sprays there are, relative to the usual, and what they are compared with. Tests spend less,
// and try theories that are wrong.
type liEffort struct {
	scale  float64
	theory liTheory
}

// count is how many of something there are where usual is the usual number, and never fewer than least.
func (e liEffort) count(o Options, usual float64, least int) int {
	if o.Full {
		usual *= 10
	}
	return max(least, int(e.scale*usual))
}

// A liTheory is what measurements are compared with, and the walks themselves.
type liTheory struct {
	perfect      func(p int) spray.Walk
	basic, full  func(p int, f float64) spray.Walk
	share        func(p int) float64               // Theorem 5.1: of the sprays, on one element
	above, below func(mean, delta float64) float64 // Theorem 1.2: a sum is (1+δ)μ or more, (1−δ)μ or less
}

// liReport is the report's, with the walks of the spray package.
func liReport() liTheory {
	return liTheory{
		perfect: spray.PerfectSpray, basic: spray.BasicSpray, full: spray.FullSpray,
		share: func(p int) float64 { return 1 / float64(p) },
		above: func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 3) },
		below: func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 2) },
	}
}

// liRare is how improbable a count may be, times the number of counts that are looked at.
const liRare = 1e-4

// A liRunner runs the parts of a claim.
type liRunner struct{ *Runner }

func newLiRunner(ctx context.Context, o Options, name string, total int) *liRunner {
	return &liRunner{NewRunner(ctx, o, name, total)}
}

// liPowers are the powers of two from one to another.
func liPowers(from, to int) []int {
	var all []int
	for p := from; p <= to; p *= 2 {
		all = append(all, p)
	}
	return all
}

// liLog is log p, as the walks have it.
func liLog(p int) float64 { return math.Max(1, math.Log2(float64(p))) }

// liDeviations is how many standard errors a mean is off, and none if it is off by rounding alone.
func liDeviations(e Estimate, want float64) float64 {
	return e.Off(want, 1e-12*math.Abs(want))
}

// liTail is the probability that n trials have at most k successes, each with probability q.
func liTail(n int, q float64, k int) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n || q <= 0:
		return 1
	case q >= 1:
		return 0
	}
	lg := func(x int) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	mass := func(j int) float64 {
		return math.Exp(lg(n) - lg(j) - lg(n-j) + float64(j)*math.Log(q) + float64(n-j)*math.Log1p(-q))
	}
	if mode := int(float64(n+1) * q); k > mode {
		// From the other side, so that nothing is lost to 1.
		return max(0, 1-liTail(n, 1-q, n-k-1))
	}
	sum, term := 0.0, mass(k)
	for j := k; j >= 0 && (term > sum*1e-17 || term > 0 && sum == 0); j-- {
		sum += term
		term *= float64(j) * (1 - q) / (float64(n-j+1) * q)
	}
	return min(1, sum)
}

// A liCount is how often something was seen, with the probability that it has and the bound that the report gives.
type liCount struct {
	seen, of int
	exact    float64
	bound    float64
}

func (c liCount) share() float64 { return float64(c.seen) / float64(c.of) }

// probability is that of a count as far off as this one, on its side.
func (c liCount) probability() float64 {
	return min(liTail(c.of, c.exact, c.seen), 1-liTail(c.of, c.exact, c.seen-1))
}

// judgeCounts checks that counts are what their probabilities say, and that these are within their bounds.
func (f *Finding) judgeCounts(what, bound string, counts []liCount) {
	rarest, ratio := 1.0, 0.0
	for _, c := range counts {
		rarest = min(rarest, c.probability())
		ratio = max(ratio, c.exact/c.bound)
	}
	rarest *= float64(len(counts))
	f.Between("probability of the rarest count of "+what+", times the number of counts", min(1, rarest), liRare, 1, 0,
		"what is counted in lists has the exact probability of the binomial law; chance makes it as small once in 5000 runs")
	f.Between("exact probability of "+what+" over "+bound+", at most", ratio, 0, 1, 0, "a bound is a bound: no tolerance")
}
