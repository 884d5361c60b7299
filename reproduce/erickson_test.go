package reproduce

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar/theory"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort { return effort{scale: 0.05, formulas: papersFormulas()} }

// claimNamed returns the claim of that name, checked with some effort.
func claimNamed(t *testing.T, e effort, name string) Claim {
	t.Helper()
	for _, c := range ericksonWith(e) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no claim %s", name)
	return Claim{}
}

func TestEricksonClaims(t *testing.T) {
	for _, c := range ericksonWith(little()) {
		t.Run(c.Name, func(t *testing.T) {
			last := 0.0
			f, err := c.Run(context.Background(), Options{Seed: 1994, Progress: func(fraction float64) {
				if fraction < last || fraction > 1 {
					t.Errorf("progress is %v after %v", fraction, last)
				}
				last = fraction
			}})
			if err != nil {
				t.Fatal(err)
			}
			if !f.Holds || len(f.Checks) == 0 {
				t.Error("does not hold")
			}
			if last != 1 {
				t.Errorf("progress ends at %v", last)
			}
			for _, k := range f.Checks {
				if !k.OK {
					t.Errorf("%s: %v, want %v ± %v", k.What, k.Measured, k.Expected, k.Tolerance)
				}
				if k.Because == "" {
					t.Errorf("%s: no reason for the tolerance", k.What)
				}
			}
			wellFormed(t, c, f)
		})
	}
}

// wellFormed checks what a report needs.
func wellFormed(t *testing.T, c Claim, f Finding) {
	t.Helper()
	if c.Paper == "" || c.Place == "" || c.Says == "" || c.How == "" {
		t.Error("the claim is not described")
	}
	if len(f.Charts) != len(f.ChartName) || len(f.Tables) == 0 {
		t.Errorf("%d charts, %d names, %d tables", len(f.Charts), len(f.ChartName), len(f.Tables))
	}
	for _, table := range f.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Fatalf("table %s: a row of %d under %d headings", table.Name, len(row), len(table.Columns))
			}
			for _, x := range row {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("table %s has %v", table.Name, row)
				}
			}
		}
	}
	for i, chart := range f.Charts {
		if err := chart.Save(t.TempDir() + "/" + f.ChartName[i] + ".svg"); err != nil {
			t.Error(err)
		}
	}
}

// What is wrong in a theory must be seen, also with little effort.
func TestEricksonWrongTheory(t *testing.T) {
	paper := papersFormulas()
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
			c := claimNamed(t, e, test.claim)
			f, err := c.Run(context.Background(), Options{Seed: 1994})
			if err != nil {
				t.Fatal(err)
			}
			noticed := false
			for _, k := range f.Checks {
				noticed = noticed || !k.OK && strings.Contains(k.What, test.check)
			}
			if f.Holds || !noticed {
				t.Errorf("holds: %v; the check of %q notices: %v", f.Holds, test.check, noticed)
			}
		})
	}
}

func TestEricksonCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range ericksonClaims() {
		if _, err := c.Run(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", c.Name, err)
		}
	}
}

// The same seed must give the same findings, and another seed others.
func TestEricksonSeeds(t *testing.T) {
	c := claimNamed(t, effort{scale: 0.01, formulas: papersFormulas()}, "figure-2")
	var measured [3]float64
	for i, seed := range []uint64{1, 1, 2} {
		f, err := c.Run(context.Background(), Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		measured[i] = f.Checks[0].Measured
	}
	if measured[0] != measured[1] || measured[0] == measured[2] {
		t.Errorf("seeds 1, 1, 2 give %v", measured)
	}
}
