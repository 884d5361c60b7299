// Package berenbrink has the claims of Berenbrink, Friedetzky, Hahn, Hintze, Kaaser, Kling and
// Nagel about CAPPED: how large the pool is, how long balls wait, and which capacity is best.
//
//	results, err := reproduce.Run(ctx, berenbrink.Claims(), reproduce.Options{Seed: 1}, nil)
//
// # Files
//
// What the theorems say, and how the proofs go:
//
//	bounds.go           Theorems 1 and 2
//	coupling.go         Lemmas 1 and 2, 6 and 7: CAPPED beside MODCAPPED
//	waiting_lemmas.go   Lemmas 3, 4 and 5
//	lemma_proofs.go     equations (3) and (4); the proof sketch of Lemma 5
//	lemma7.go           steps of the proof of Lemma 7
//	tail_bounds.go      Lemmas 8 to 11
//	footnote2.go        n generators in place of λn balls
//	definition.go       Algorithm 1 and the text; infinite capacity
//	recurrence.go       CAPPED returns from every state
//
// What the text says of the process:
//
//	log_log.go          the longest wait grows as log log n
//	threshold.go        THRESHOLD[1]
//	largest_rate.go     the largest rate of the theorems
//	far.go              the factor c, and the root of log n at λ = 1−1/n, for very large n
//	filled_buffers.go   how full the bins are
//
// What is measured in section V:
//
//	figures.go          Figures 4 and 5
//	sweet_spot.go       the best capacity
//	negligible_size.go  the influence of n
//	burn_in.go          whether the simulations had become stationary
//	published_code.go   the authors' simulator
//
// Shared by several claims:
//
//	exact.go            laws that are computed
//	throw.go            CAPPED as Algorithm 1 has it, from any start
package berenbrink

import (
	_ "embed" // of claims.md
	"math"
	"strconv"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/reproduce"
)

//go:embed claims.md
var text string

// Claims returns the claims of the paper, in its order.
func Claims() []reproduce.Claim {
	return claims(effort{scale: 1, bins: 1 << 15, theory: paperTheory()})
}

// claims are those of the paper, checked with some effort.
func claims(e effort) []reproduce.Claim {
	with := func(r *reproduce.Runner) *runner { return &runner{r, e} }
	return reproduce.Read(text, with, map[string]func(*runner) reproduce.Finding{
		"capped-log-log":          logLog,
		"capped-root-log":         rootLog,
		"capped-threshold":        threshold,
		"capped-recurrence":       recurrence,
		"capped-factor-c":         factorC,
		"capped-pool-n-log-n":     largestRate,
		"capped-algorithm-1":      algorithm1,
		"capped-infinite":         infiniteCapacity,
		"capped-footnote-2":       footnote2,
		"capped-theorem-1":        func(r *runner) reproduce.Finding { return theorem(r, 1) },
		"capped-lemma-1":          func(r *runner) reproduce.Finding { return coupling(r, 1) },
		"capped-waiting-lemmas":   waitingLemmas,
		"capped-equations-3-4":    equations34,
		"capped-lemma-5-sketch":   lemma5Sketch,
		"capped-theorem-2":        func(r *runner) reproduce.Finding { return theorem(r, 2, 3, 5) },
		"capped-filled-buffers":   filledBuffers,
		"capped-lemma-6":          func(r *runner) reproduce.Finding { return coupling(r, 2, 3, 4, 7) },
		"capped-lemma-7-increase": lemma7Increase,
		"capped-lemma-7-equality": lemma7Equality,
		"capped-equation-10":      equation10,
		"capped-size":             negligibleSize,
		"capped-figure-4":         figure4,
		"capped-figure-5":         figure5,
		"capped-burn-in":          burnIn,
		"capped-published-code":   publishedCode,
		"capped-sweet-spot":       sweetSpot,
		"capped-lemma-8":          lemma8,
		"capped-lemma-9":          lemma9,
		"capped-lemma-10":         lemma10,
		"capped-lemma-11":         lemma11,
	})
}

// An effort says how many rounds are run, relative to the usual, with how many bins where the paper
// has 2¹⁵, and what they are compared with. Tests spend less, and try theories that are wrong.
type effort struct {
	scale  float64
	bins   int
	theory theory
}

// A theory is what measurements are compared with.
type theory struct {
	poolBound, waitBound       func(n, c int, lambda float64) float64 // Theorems 1 and 2
	poolEstimate, waitEstimate func(n, c int, lambda float64) float64 // the dashed lines of Figures 4 and 5
	waitText                   func(n, c int, lambda float64) float64 // the line of Figure 5 as the text has it
	capped                     func(c int, lambda float64) *capped.Limit
	greedy                     func(d int, lambda float64) *capped.Limit
	leastThrown                func(capped.Config) float64 // m*
	partner                    func(seed uint64) uint64    // the seed of the process that dominates one with this seed
	// survivors that go in a round while there are more than 2n, per bin
	lemma3            float64
	lemma4            int                             // rounds from 2n to n/(2e) survivors
	lemma5            reproduce.Threshold             // the O(1) of rounds from there to none
	logLog            func(log2n float64) float64     // what the longest wait grows by, up to a constant, for constant λ
	logLogThreshold   func(log2n float64) float64     // and the rounds of THRESHOLD[1], as section I-A has them
	factor            func(c float64) float64         // by which pool and wait fall
	rootLog           float64                         // the power of ln n as which waits grow at λ = 1−1/n
	rootCapacity      func(log float64) int           // c, given ln n
	versions          []version                       // of the authors' simulator
	figure5           *reading                        // the mean wait at c = 1, λ = 1−2⁻¹³, if it was read
	stable            reproduce.Threshold             // what a pool may lack of the long run, in per cent
	sweet             [2]float64                      // the capacities around which waits are least
	negligible        reproduce.Threshold             // what n may change, in per cent
	arrivals          func(n int, lambda float64) int // of a round
	goodChance        reproduce.Threshold             // for a ball to land in a bin that is half full
	upTo              func(lambda float64) float64    // the capacity up to which it has that
	sectionII         func(load, accepted int) int    // ℓ of min{c−ℓ, ν}, for a load before the round
	infinite, choices int                             // a capacity that no bin reaches, and the choices of GREEDY
	idle              float64                         // 1, or 0 if generators never fail to generate a ball
	poolLog           func(log float64) float64       // what the pool per bin grows as at λ = 1−1/n, by ln n
	fewer             bool                            // the sentences after equations (3) and (4) say “fewer”
	lemma5Until       func(n float64) float64         // βᵢ² at which the induction of Lemma 5 ends
	red               func(t, c int) int              // the buffer of MODCAPPED that deletes in round t
	lemma7Middle      func(c float64) float64         // the logarithm of (4/e^(3−1/c))^c
	lemma7Deleted     func(c, n, failed int) float64  // balls by which the proof has the pool fall in a phase
	equation10        func(least, c float64) float64
	lemma8            float64 // R over E[X]
	lemma9            float64 // the 2 of 2+δ
	lemma10           float64 // what the exponent has before λ²
	lemma11           float64 // what p is multiplied by
}

// paperTheory is the theory as the capped package has it.
func paperTheory() theory {
	return theory{
		poolBound: capped.PoolBound, waitBound: capped.WaitBound,
		poolEstimate: cappedmath.PoolEstimate, waitEstimate: cappedmath.WaitEstimate,
		waitText: func(n, c int, lambda float64) float64 {
			return cappedmath.WaitEstimate(n, c, lambda) + cappedmath.Pressure(lambda)*(1-1/float64(c))
		},
		capped: capped.NewLimit, greedy: capped.GreedyLimit,
		leastThrown: func(c capped.Config) float64 { return cappedmath.MinThrown(c.Bins, c.Capacity, c.Rate) },
		partner:     func(seed uint64) uint64 { return seed },
		lemma3:      1 - 1/math.E, lemma4: 19, lemma5: reproduce.Chosen("capped: O(1) of Lemma 5, rounds"),
		logLog:          math.Log2,
		logLogThreshold: func(log2n float64) float64 { return math.Log(log2n * math.Ln2) },
		factor:          func(c float64) float64 { return c },
		rootLog:         0.5,
		rootCapacity:    func(log float64) int { return int(math.Round(math.Sqrt(log))) },
		versions:        simulatorVersions(),
		stable:          reproduce.Chosen("capped: stable pool, %"),
		sweet:           [2]float64{2, 3},
		negligible:      reproduce.Chosen("capped: negligible, %"),
		arrivals:        func(n int, lambda float64) int { return int(lambda * float64(n)) },
		goodChance:      reproduce.Chosen("capped: good chance"),
		upTo:            func(lambda float64) float64 { return 1 / (1 - lambda) },
		sectionII:       func(load, accepted int) int { return max(0, load+accepted-1) },
		infinite:        1 << 16, choices: 1, idle: 1, fewer: true,
		poolLog:       func(log float64) float64 { return log },
		lemma5Until:   func(n float64) float64 { return 4 * math.Log(n) },
		red:           func(t, c int) int { return (t + c - 1) / c },
		lemma7Middle:  func(c float64) float64 { return c*math.Log(4) - 3*c + 1 },
		lemma7Deleted: func(c, n, failed int) float64 { return float64(c * (n - failed)) },
		equation10:    func(least, _ float64) float64 { return least },
		lemma8:        2 * math.E, lemma9: 2, lemma10: 1, lemma11: 1,
	}
}

// A runner runs processes for a claim.
type runner struct {
	*reproduce.Runner
	effort
}

// rounds is how many rounds to run where usual is the usual number, and never fewer than least.
func (r *runner) rounds(usual, least int) int {
	if r.Options.Full {
		usual *= 10
	}
	return max(least, int(r.scale*float64(usual)))
}

// seed is that of a process of the claim.
func (r *runner) seed(stream int) uint64 { return r.Random(uint64(stream)).Uint64() }

// measure measures a process in its long run. Processes with different streams are independent of
// each other.
func (r *runner) measure(c capped.Config, plan capped.Plan, stream int) *capped.Measured {
	c.Seed = r.seed(stream)
	m := reproduce.Must(capped.Measure(r.Context, c, plan))
	r.Ran()
	return m
}

// each calls do for every round of a process that goes on for some rounds.
func (r *runner) each(p *capped.Process, rounds int, do func(capped.Round)) {
	for range rounds {
		r.Checkpoint()
		do(p.Round())
	}
}

// restOf is what a mean per bin may differ from its limit of many bins. For c = 1 a bin gets
// nothing of m balls with probability (1−1/n)^m, which is e^(−m/n) but for a share of m/(2n²); and
// the pool varies, with a variance of n/2 at most, over which the curvature of the exponential adds
// a share of 1/(4n). As e^(−x) must remain 1−λ, x moves by these shares. For c > 1 it moves less,
// since several requests of a bin stand for one. Four times both are allowed.
func restOf(l *capped.Limit, n int) float64 { return (2*l.Requests + 1) / float64(n) }

const becauseLimit = "4.5 standard errors from batches of rounds, beyond (2x+1)/n for x requests a bin: the limit " +
	"is that of " +
	"infinitely many bins"

// estimateOf is a mean that capped.Measure found.
func estimateOf(m capped.Estimate) reproduce.Estimate {
	return reproduce.Estimate{Mean: m.Mean, SE: m.Error}
}

// halved is 1−2⁻ⁱ, the rates of the paper.
func halved(i int) float64 { return 1 - math.Ldexp(1, -i) }

// halvedName is how the paper writes it.
func halvedName(i int) string { return "1−2⁻" + reproduce.Superscript(i) }

// powerName writes a power of two as one, and other numbers as they are.
func powerName(n int) string {
	if k := int(math.Round(math.Log2(float64(n)))); n > 64 && n == 1<<k {
		return "2" + reproduce.Superscript(k)
	}
	return strconv.Itoa(n)
}

// longestOf is the mean of the longest wait of the balls that n bins delete in a round, if each
// deletes a ball with the waiting time of the limit, independently: the sum over w ≥ 1 of the
// probability that one of them waits w or longer.
func longestOf(l *capped.Limit, n int) float64 { return longestFar(l, math.Log2(float64(n))) }

// longestFar is longestOf for 2^log bins.
func longestFar(l *capped.Limit, log float64) float64 {
	waits := l.Waits()
	sum, share := 0.0, 0.0
	for w := len(waits) - 1; w > 0; w-- {
		share += waits[w]
		sum -= math.Expm1(-share * l.Rate * math.Exp2(log))
	}
	return sum
}
