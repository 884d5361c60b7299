package erickson

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort { return effort{scale: testscale.Size(0.03, 0.05), formulas: paperFormulas()} }

const seed = 1994

// A spoiled theory or number of the paper, which a claim must notice.
type spoiled struct {
	name  string
	check string // part of the name of a check that must turn
	spoil func(*formulas)
}

// spoils are, by claim, what must be seen also with little effort.
func spoils() map[string][]spoiled {
	paper := paperFormulas()
	wider := func(ratio float64) func(*formulas) {
		return func(y *formulas) {
			y.width = func(n int, mean float64) float64 { return ratio * paper.width(n, mean) }
		}
	}
	return map[string][]spoiled{
		"figure-1": {
			{"a width of twice the best", "cost at the best width", wider(2)},
			{"a width of three quarters of the best", "cost at the best width", wider(0.75)},
		},
		"figure-2": {{"L_M for E_M", "same jumps", func(y *formulas) {
			y.excessBounds = func(n, m int, j static.Jump, width float64) (float64, float64) {
				low, high := paper.excessBounds(n, m, j, width)
				return low / 1.7, high / 1.7
			}
		}}},
		"markov-chain": {{"three per cent more events in q₀", "equation 8", func(y *formulas) {
			y.emptyShare = func(n int, mean, width float64) float64 { return mean / (mean + 1.03*float64(n)*width) }
		}}},
		"theorem-2.1-orders": {
			{"an order of N^(−5/2) for the width", "error of the width", func(y *formulas) { y.widthOrder = 2.5 }},
			{"an order of N^(−3/2) for the time", "error of the least time", func(y *formulas) { y.leastOrder = 1.5 }},
			{"a width of 1.001 times the best", "error of the width", wider(1.001)},
			{"a least of 1.001 times as much", "error of the least time", func(y *formulas) { y.least *= 1.001 }},
		},
		"shape-independence": {{"c + √(bc) + d", "cost at the best width", func(y *formulas) { y.least = 3 }}},
		"atom-near-zero": {
			{"an order of N^(−1/2) for exponential jumps", "exponential jumps: the error's order", func(y *formulas) {
				y.leastOrder = 0.5
			}},
			{"another least", "gamma of shape 0.5: the error with", func(y *formulas) { y.least += 0.01 }},
			{"the theorem's least for jumps of 0", "half of the jumps 0: the least", func(y *formulas) {
				y.atomLeast = func(float64) float64 { return paper.least }
			}},
		},
		"empty-share": {{"N−1 events in q₀", "at most, 10 events", func(y *formulas) {
			y.emptyShare = func(n int, mean, width float64) float64 { return mean / (mean + float64(n-1)*width) }
		}}},
		"equation-13": {
			{"Poisson's distribution", "exponential", func(y *formulas) {
				y.binomial = func(n int, p float64, i int) float64 {
					return distuv.Poisson{Lambda: float64(n) * p}.Prob(float64(i))
				}
			}},
			{"δ/μ for p", "exponential", func(y *formulas) {
				y.hit = func(j static.Jump, width float64) float64 { return width / j.Mean }
			}},
		},
		"equations-15-and-16": {
			{"no 1−F(δ) in (16)", "outside of (15) and (16), in standard errors, at most, exponential", func(y *formulas) {
				y.shareBounds = func(n int, j static.Jump, width float64, k int) (float64, float64) {
					low, _ := paper.shareBounds(n, j, width, k)
					return low, low
				}
			}},
			{"a lower bound that is 5% more", "an exact share is outside of (15) and (16), as a share of itself, at most, " +
				"uniform", func(y *formulas) {
				y.shareBounds = func(n int, j static.Jump, width float64, k int) (float64, float64) {
					low, high := paper.shareBounds(n, j, width, k)
					return 1.05 * low, 1.05 * high
				}
			}},
		},
		"recurrence": {
			{"N−1 events in q₀", "visits to A", func(y *formulas) {
				y.emptyShare = func(n int, mean, width float64) float64 { return mean / (mean + float64(n-1)*width) }
			}},
			{"δ/μ for p", "visits to A", func(y *formulas) {
				y.hit = func(j static.Jump, width float64) float64 { return width / j.Mean }
			}},
		},
		"product-measure": {{"δ/μ for p", "from the product", func(y *formulas) {
			y.hit = func(j static.Jump, width float64) float64 { return width / j.Mean }
		}}},
		"uniform-g": {
			{"a tenth more in the bucket", "a quarter of the bucket", func(y *formulas) {
				y.oneEvent = func(j static.Jump, width, x float64) float64 {
					if x < width {
						return 1.1 * oneDensity(j, width, x)
					}
					return oneDensity(j, width, x)
				}
			}},
			{"the density of the residual, without the bucket", "a step of the chain", func(y *formulas) {
				y.oneEvent = func(j static.Jump, width, x float64) float64 { return (1 - j.CDF(x)) / j.Mean }
			}},
		},
		"appendix-b-independence": {{"Π₂ for p*", "P(u = 1 | number of jumps)", func(y *formulas) {
			y.landing = func(j static.Jump, width float64, buckets int) float64 {
				return landingOf(j, width, buckets) * (1 - j.CDF(width))
			}
		}}},
		"theorem-3.1": {{"buckets for nine tenths of the support", "ten times the buckets", func(y *formulas) {
			y.enough = func(support, width float64) int { return paper.enough(0.9*support, width) }
		}}},
		"theorem-3.2": {{"a bucket in ten too few", "exponential", func(y *formulas) {
			y.excessBounds = func(n, m int, j static.Jump, width float64) (float64, float64) {
				return paper.excessBounds(n, m*9/10, j, width)
			}
		}}},
		"corollary-3.1": {
			{"a limit without its first year", "off the limit", func(y *formulas) {
				y.excess = func(n, m int, j static.Jump, width float64) float64 { return paper.excess(n, 2*m, j, width) }
			}},
			{"a limit that is 0.01% more", "off the limit", func(y *formulas) {
				y.excess = func(n, m int, j static.Jump, width float64) float64 { return 1.0001 * paper.excess(n, m, j, width) }
			}},
		},
		"corollary-3.2-and-3.3": {
			{"a bound that is too low", "above the bound", func(y *formulas) {
				y.degradationBound = func(ratio float64) float64 { return 0.9 * paper.degradationBound(ratio) }
			}},
			{"Corollary 3.2 without d", "degradation with M/N", func(y *formulas) {
				y.degradation = func(ratio float64, j static.Jump) float64 { return math.Sqrt2 * paper.degradation(ratio, j) }
			}},
		},
		"figure-3": {
			{"equation 3 without d", "equation 3", func(y *formulas) {
				y.degradation = func(ratio float64, j static.Jump) float64 { return math.Sqrt2 * paper.degradation(ratio, j) }
			}},
			{"6% for 5%", "M/N = 1.92", func(y *formulas) { y.figure3[0] = 0.06 }},
		},
		"cache-effects": {
			{"caches that hold everything", "events over that with", func(y *formulas) {
				y.cacheSizes = [2]int{1 << 26, 1 << 26}
			}},
			{"uniform jumps correlated more than exponential ones", "where they differ most", func(y *formulas) {
				y.correlated = func() (jumps, jumps) { return uniformJumps(1), exponentialJumps() }
			}},
		},
		"ordered-lists": {
			{"the same width whatever b and c are", "less that at twice", func(y *formulas) {
				y.orderedWidth = func(static.Costs) float64 { return 2 }
			}},
			{"the best width of unordered lists", "less that at twice", func(y *formulas) {
				y.orderedWidth = func(k static.Costs) float64 { return math.Sqrt(2 * k.Empty / k.Entry) }
			}},
			{"the least of unordered lists", "least cost, ordered", func(y *formulas) {
				y.orderedLeast = func(k static.Costs) float64 { return reproduce.Must(k.Least()) }
			}},
			{"stops of every insertion into a bucket that is not empty", "stops charged", func(y *formulas) {
				y.orderedStops = func(x float64) float64 { return -math.Expm1(-x) }
			}},
		},
		"journal-any-width": {{"lists that are a thousandth longer", "N times the largest error", func(y *formulas) {
			y.predicted = func(k static.Costs, x float64) float64 { return k.Empty/x + k.Entry*(1+1.001*x/2) + k.Fixed }
		}}},
		"journal-global-minimum": {
			{"a width of 1.1 times the best", "the best width of 1000 events", wider(1.1)},
			{"another least", "the least of 1000 events", func(y *formulas) { y.least += 0.1 }},
		},
		"journal-self-tuning": {{"one width for all", "self-tuning queue over", func(y *formulas) { y.tuned = keptWidth }}},
		"journal-calibration": {
			{"a machine where all repetitions take the same", "", func(y *formulas) {
				y.times = func() timings { return quietTimes(func(_ int, p timePoint) float64 { return p.Measured }) }
			}},
			{"times that are as predicted, on such a machine", "", func(y *formulas) {
				y.times = func() timings {
					return quietTimes(func(_ int, p timePoint) float64 { return 1e-9 * paper.predicted(hidden, p.X) })
				}
			}},
		},
		"journal-calibration-counts": {
			{"every entry of a bucket for each event", "the cost c", func(y *formulas) {
				y.predicted = func(k static.Costs, x float64) float64 { return k.Empty/x + k.Entry*(1+x) + k.Fixed }
			}},
			{"lists that grow as the root of the width", "prediction is from what was measured", func(y *formulas) {
				y.predicted = func(k static.Costs, x float64) float64 { return k.Empty/x + k.Entry*(1+math.Sqrt(x)/2) + k.Fixed }
			}},
		},
	}
}

// quietTimes are the recorded times, or others in their place, with repetitions that agree.
func quietTimes(of func(n int, p timePoint) float64) timings {
	t := recorded()
	for _, c := range t.Calibrations {
		for i, p := range c.Points {
			c.Points[i] = timePoint{p.X, of(c.N, p), 1}
		}
	}
	return t
}

// Every claim has the verdict that was found, and notices what is wrong in its theory and in the
// paper's numbers.
func TestClaims(t *testing.T) {
	wrong := spoils()
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			found := reproducetest.Verdict(t, c, seed)
			if !strings.HasPrefix(c.Paper, "Erickson, Ladner, LaMarca ") {
				t.Errorf("it is of %s", c.Paper)
			}
			if len(wrong[c.Name]) == 0 {
				t.Error("nothing is spoiled to see whether it notices")
			}
			before := reproduce.Result{Verdict: found.Verdict(), Checks: found.Checks}
			for i, s := range wrong[c.Name] {
				if i > 0 && !testscale.On {
					break
				}
				t.Run(s.name, func(t *testing.T) {
					e := little()
					s.spoil(&e.formulas)
					var checks []string
					if s.check != "" { // else it has no checks before
						checks = append(checks, s.check)
					}
					reproducetest.Notices(t, before, reproducetest.Named(t, claims(e), c.Name), seed, checks...)
				})
			}
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(effort{scale: 0.01, formulas: paperFormulas()}), "figure-2")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Checks[0].Measured })
}
