// Package li has the claims of Jerry Li's report on SprayLists: how far sprays go, how evenly they
// land, how often they collide, and what becomes of a list from which they have removed elements.
//
//	results, err := reproduce.Run(ctx, li.Claims(), reproduce.Options{Seed: 1}, nil)
//
// # Files
//
// Claims, in the order of the report:
//
//	chernoff.go            Theorem 1.2
//	propositions.go        Propositions 2.1 and 2.2
//	delete_min.go          section 2.2: DeleteMin
//	walks.go               sections 3.1, 3.2 and 7.1: start, steps and padding of walks
//	front.go               section 3.1: the first element, and runs of low elements
//	calls.go               section 3.1: calls of a FullSpray
//	collisions.go          sections 3.1 and 3.2: collisions of sprays, deletes and insertions
//	naive_remove.go        section 3.2: removing the first tall element
//	dirty.go, dirty_perfect.go  section 3.2: lists that sprays have changed
//	redraw.go              sections 3.2 and 7.1: heights that are drawn anew
//	section4.go            Lemma 4.1, Theorem 4.2, Corollary 4.3
//	perfect_list.go        Theorem 5.1, and perfect lists in section 7.1
//	proofs.go              Lemmas 5.2 and 6.1; the proofs of Theorems 5.3 and 6.2
//	theorems53and62.go     Theorems 5.3 and 6.2
//	perfect_conjecture.go  section 7.1: the conjecture
//
// Shared by several claims:
//
//	skiplist.go            the front of a skip list, as arrays
//	chain.go               a skip list of linked nodes
//	real.go                the same on spray.List, with goroutines
//	tally.go               counts, and how probable they are
package li

import (
	_ "embed" // of claims.md
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

//go:embed claims.md
var text string

// Claims returns the claims of the report, in its order.
func Claims() []reproduce.Claim { return claims(effort{scale: 1, theory: reportTheory()}) }

// claims are those of the report, checked with some effort.
func claims(e effort) []reproduce.Claim {
	with := func(r *reproduce.Runner) *runner { return &runner{r, e} }
	return reproduce.Read(text, with, map[string]func(*runner) reproduce.Finding{
		"spray-theorem-1.2":        theorem12,
		"spray-proposition-2.1":    proposition21,
		"spray-proposition-2.2":    proposition22,
		"spray-delete-min":         deleteMin,
		"spray-start-height":       startHeight,
		"spray-runs":               runs,
		"spray-first-element":      firstElement,
		"spray-steps":              stepCounts,
		"spray-padding":            padding,
		"spray-constant-calls":     constantCalls,
		"spray-collisions":         collisions,
		"spray-delete-insert":      deleteInsert,
		"spray-naive-remove":       naiveRemove,
		"spray-dirty":              dirty,
		"spray-dirty-perfect":      dirtyPerfect,
		"spray-dirty-modified":     dirtyModified,
		"spray-redraw":             redraw,
		"spray-lemma-4.1":          lemma41,
		"spray-theorem-4.2":        theorem42,
		"spray-corollary-4.3":      corollary43,
		"spray-theorem-5.1":        theorem51,
		"spray-lemma-5.2":          lemma52,
		"spray-proofs-5.3-6.2":     proofs53And62,
		"spray-lemma-6.1":          lemma61,
		"spray-theorems-5.3-6.2":   theorems53And62,
		"spray-perfect-conjecture": perfectConjecture,
		"spray-perfect-uniform":    perfectUniform,
	})
}

// An effort says how many lists and sprays there are, relative to the usual, and what they are
// compared with. Tests spend less, and try theories that are wrong.
type effort struct {
	scale  float64
	theory theory
}

// A theory is what measurements are compared with, the walks themselves, and the numbers that the
// report prints.
type theory struct {
	perfect     func(p int) spray.Walk // as section 3.1 defines it
	modified    func(p int) spray.Walk // with steps from 0 on
	basic, full func(p int, f float64) spray.Walk
	height      func(r *random.Stream) int // section 2.2: i with probability 2^(−i)
	share       func(p int) float64        // Theorem 5.1: of the sprays, on one element
	// Theorem 1.2: a sum is (1+δ)μ or more, (1−δ)μ or less
	above, below func(mean, delta float64) float64
	// Proposition 2.1: no element of k is higher than this times log k
	highest float64
	// Theorem 4.2 and Corollary 4.3 print α where their proofs have 1+α
	separated func(alpha float64) float64
	run       func(log float64) float64                        // section 3.1: elements of height 1 in a row
	first     func(log float64) float64                        // section 3.1: sprays on the first element
	fails     func(log float64) float64                        // section 3.1: a call of BasicSpray, constant
	sign41    float64                                          // of the exponent in Lemma 4.1: printed without a minus
	sigma     func(log float64) float64                        // σ(p) of Theorem 4.2
	slack     func(log float64) float64                        // α = β in the proof of Theorem 5.3
	slack62   func(log float64) float64                        // β in the proof of Theorem 6.2
	gamma     func(log, beta float64) (gamma0, gamma1 float64) // Lemma 6.1
}

// reportTheory is the report's. PerfectSpray is that of section 3.1, which chooses from 1 … log p;
// the same section calls the one that chooses from 0 … log p, and of which the proof of Theorem 5.1
// speaks, a modified PerfectSpray.
func reportTheory() theory {
	return theory{
		perfect: func(p int) spray.Walk {
			l := int(math.Ceil(logp(p)))
			return spray.Walk{Heights: heightsDown(l, 1), Least: 1, Most: l}
		},
		modified: func(p int) spray.Walk {
			l := int(math.Ceil(logp(p)))
			return spray.Walk{Heights: heightsDown(l, 1), Most: l}
		},
		basic: spray.BasicSpray, full: spray.FullSpray,
		height:    drawHeight,
		share:     func(p int) float64 { return 1 / float64(p) },
		above:     func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 3) },
		below:     func(mean, delta float64) float64 { return math.Exp(-mean * delta * delta / 2) },
		highest:   3,
		separated: func(alpha float64) float64 { return alpha },
		run:       func(log float64) float64 { return log },
		first:     func(log float64) float64 { return math.Pow(log+1, -log) },
		fails:     func(float64) float64 { return 0.5 },
		sign41:    1,
		sigma:     func(log float64) float64 { return log / (log - 1) },
		slack:     func(log float64) float64 { return math.Sqrt(1+1/log) - 1 },
		slack62:   func(log float64) float64 { return 1 / log },
		gamma: func(log, beta float64) (float64, float64) {
			return log / ((beta + 1) * (log + 1)), (beta*log + beta + 1) / ((beta + 1) * (log + 1))
		},
	}
}

// A runner runs the parts of a claim.
type runner struct {
	*reproduce.Runner
	effort
}

// count is how many of something there are where usual is the usual number, and never fewer than
// least.
func (r *runner) count(usual float64, least int) int {
	if r.Options.Full {
		usual *= 10
	}
	return max(least, int(r.scale*usual))
}

// inLists measures each point in as many lists as it takes, each with random numbers of its own.
func inLists[P any](r *runner, points []P, count func(P) int, measure func(P, *random.Stream)) {
	r.Runs(len(points))
	for i, c := range points {
		for k := range count(c) {
			r.Checkpoint()
			rng := r.Stream(uint64(i), uint64(k))
			measure(c, &rng)
		}
		r.Ran()
	}
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

// normal is how many standard errors a mean of n numbers is off, if as improbable with a standard
// error that is known: what is far for a normal number is not for one of Student's with few degrees
// of freedom (Wallace 1959).
func normal(off float64, n int) float64 {
	v := float64(n - 1)
	return (8*v + 1) / (8*v + 3) * math.Sqrt(v*math.Log1p(off*off/v))
}

// deviations is how many standard errors a mean is off, and none if it is off by rounding alone.
func deviations(e reproduce.Estimate, want float64) float64 {
	return min(1e9, e.Off(want, 1e-12*math.Abs(want)))
}
