// Package li has the claims of Jerry Li's report on SprayLists: how far sprays go, how evenly they land, how often they collide,
// and what becomes of a list that they have been at.
package li

import (
	"context"
	"math"

	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

const paper = "Li, SprayLists"

// Claims returns the claims of the report, in its order.
func Claims() []reproduce.Claim { return claims(effort{scale: 1, theory: reportTheory()}) }

// claims are those of the report, checked with some effort.
func claims(e effort) []reproduce.Claim {
	return []reproduce.Claim{
		lemma41(e),
		corollary43(e),
		theorem51(e),
		lemma52(e),
		theorems53And62(e),
		padding(e),
		collisions(e),
		dirty(e),
		dirtyPerfect(e),
		perfectConjecture(e),
	}
}

// An effort says how many lists and sprays there are, relative to the usual, and what they are compared with. Tests spend less,
// and try theories that are wrong.
type effort struct {
	scale  float64
	theory theory
}

// count is how many of something there are where usual is the usual number, and never fewer than least.
func (e effort) count(o reproduce.Options, usual float64, least int) int {
	if o.Full {
		usual *= 10
	}
	return max(least, int(e.scale*usual))
}

// A theory is what measurements are compared with, and the walks themselves.
type theory struct {
	perfect      func(p int) spray.Walk
	basic, full  func(p int, f float64) spray.Walk
	share        func(p int) float64               // Theorem 5.1: of the sprays, on one element
	above, below func(mean, delta float64) float64 // Theorem 1.2: a sum is (1+δ)μ or more, (1−δ)μ or less
}

// reportTheory is the report's, with the walks of the spray package.
func reportTheory() theory {
	return theory{
		perfect: spray.PerfectSpray, basic: spray.BasicSpray, full: spray.FullSpray,
		share: func(p int) float64 { return 1 / float64(p) },
		above: func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 3) },
		below: func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 2) },
	}
}

// A runner runs the parts of a claim.
type runner struct{ *reproduce.Runner }

func newRunner(ctx context.Context, o reproduce.Options, name string, total int) *runner {
	return &runner{reproduce.NewRunner(ctx, o, name, total)}
}

// powers are the powers of two from one to another.
func powers(from, to int) []int {
	var all []int
	for p := from; p <= to; p *= 2 {
		all = append(all, p)
	}
	return all
}

// logp is log p, as the walks have it.
func logp(p int) float64 { return math.Max(1, math.Log2(float64(p))) }

// deviations is how many standard errors a mean is off, and none if it is off by rounding alone.
func deviations(e reproduce.Estimate, want float64) float64 {
	return e.Off(want, 1e-12*math.Abs(want))
}
