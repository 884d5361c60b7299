package erickson

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/calendar/theory"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort { return effort{scale: 0.05, formulas: paperFormulas()} }

func TestClaims(t *testing.T) {
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			want := reproduce.Holds
			if c.Name == "atom-near-zero" {
				want = reproduce.FailsThus
			}
			reproducetest.Verdict(t, c, 1994, want)
			if c.Paper != paper {
				t.Errorf("it is of %s", c.Paper)
			}
		})
	}
}

// What is wrong in a theory must be seen, also with little effort.
func TestWrongTheory(t *testing.T) {
	paper := paperFormulas()
	for _, test := range []struct {
		name, claim string
		check       string // part of the name of a check that must fail
		spoil       func(*formulas)
	}{
		{"width of twice the best", "figure-1", "cost at the best width", func(y *formulas) {
			y.width = func(n int, mean float64) float64 { return 2 * paper.width(n, mean) }
		}},
		{"width of three quarters of the best", "figure-1", "cost at the best width", func(y *formulas) {
			y.width = func(n int, mean float64) float64 { return 0.75 * paper.width(n, mean) }
		}},
		{"c + √(bc) + d", "shape-independence", "cost at the best width", func(y *formulas) { y.least = 3 }},
		{"N−1 events in q₀", "empty-share", "at most, 10 events", func(y *formulas) {
			y.emptyShare = func(n int, mean, width float64) float64 { return mean / (mean + float64(n-1)*width) }
		}},
		{"three per cent more events in q₀", "markov-chain", "equation 8", func(y *formulas) {
			y.emptyShare = func(n int, mean, width float64) float64 { return mean / (mean + 1.03*float64(n)*width) }
		}},
		{"a bucket too few in Theorem 3.2", "theorem-3.2", "exponential", func(y *formulas) {
			y.excessBounds = func(n, m int, j theory.Jump, width float64) (float64, float64) {
				return paper.excessBounds(n, m*9/10, j, width)
			}
		}},
		{"L_M for E_M", "figure-2", "same jumps", func(y *formulas) {
			y.excessBounds = func(n, m int, j theory.Jump, width float64) (float64, float64) {
				low, high := paper.excessBounds(n, m, j, width)
				return low / 1.7, high / 1.7
			}
		}},
		{"a limit without its first year", "corollary-3.1", "over the limit, 10000", func(y *formulas) {
			y.excess = func(n, m int, j theory.Jump, width float64) float64 { return paper.excess(n, 2*m, j, width) }
		}},
		{"a bound that is too low", "corollary-3.2-and-3.3", "above the bound", func(y *formulas) {
			y.degradationBound = func(ratio float64) float64 { return 0.9 * paper.degradationBound(ratio) }
		}},
		{"equation 3 without d", "figure-3", "equation 3", func(y *formulas) {
			y.degradation = func(ratio float64, j theory.Jump) float64 { return math.Sqrt2 * paper.degradation(ratio, j) }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := little()
			test.spoil(&e.formulas)
			reproducetest.Notices(t, reproducetest.Named(t, claims(e), test.claim), 1994, test.check)
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(effort{scale: 0.01, formulas: paperFormulas()}), "figure-2")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Checks[0].Measured })
}
