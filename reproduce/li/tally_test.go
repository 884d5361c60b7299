package li

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// The binomial law is exact, and counts that do not have it are rare.
func TestBinomialTail(t *testing.T) {
	for _, n := range []int{1, 5, 40} {
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 1} {
			sum, choose := 0.0, 1.0
			for k := -1; k <= n; k++ {
				if k >= 0 {
					sum += choose * math.Pow(q, float64(k)) * math.Pow(1-q, float64(n-k))
					choose *= float64(n-k) / float64(k+1)
				}
				if got := binomialTail(n, q, k); math.Abs(got-sum) > 1e-12 {
					t.Errorf("at most %d of %d with probability %v: %v, want %v", k, n, q, got, sum)
				}
			}
		}
	}
	// Far out: (1−q)ⁿ, and the same from the other side.
	if got, want := binomialTail(1000, 0.5, 0), math.Ldexp(1, -1000); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	// Many and rare is Poisson's law, but for the probability of one.
	n := min(1<<39, math.MaxInt)
	sum, mean := 0.0, math.Ldexp(1, 20)
	q := mean / float64(n)
	for k := 1 << 20; k > 1<<20-10_000; k-- {
		lg, _ := math.Lgamma(float64(k) + 1)
		sum += math.Exp(float64(k)*math.Log(mean) - mean - lg)
	}
	if got := binomialTail(n, q, 1<<20); math.Abs(got-sum) > 1e-5 {
		t.Errorf("at most the mean of 2²⁰: %v, want %v", got, sum)
	}
	for _, c := range []struct {
		count tally
		rare  bool
	}{{tally{seen: 95, of: 1000, exact: 0.1}, false}, {tally{seen: 200, of: 1000, exact: 0.1}, true}, {tally{seen: 20,
		of: 1000, exact: 0.1}, true},
		{tally{seen: 0, of: 1000, exact: 1e-4}, false}, {tally{seen: 5, of: 1000, exact: 1e-4}, true}} {
		if p := c.count.probability(); p < rare != c.rare {
			t.Errorf("%+v has a probability of %v", c.count, p)
		}
	}
}

// Lists whose heights have another law are noticed by what is counted in them.
func TestOtherHeights(t *testing.T) {
	cells := tallCells(little())
	r := random.New(6)
	countTall(cells, func() int {
		if r.Below(20) == 0 {
			return 1
		}
		return drawHeight(&r)
	})
	f := judgeLemma52(cells)
	seen := false
	for _, k := range f.Checks {
		seen = seen || k.Kind == reproduce.Control && !k.OK
	}
	if !seen {
		t.Error("a list with one low element in twenty more is not noticed")
	}
}
