package fit

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A binomial law adds up to 1, has its mean and deviation, and draws from them; its derivatives are
// those of its density.
func TestBinomialLaw(t *testing.T) {
	for _, mean := range []float64{0, 0.3, 4, 9.5, 10} {
		l := Law{Family: Binomial, Arg: 10}
		sum, first, second := 0.0, 0.0, 0.0
		for y := 0.0; y <= 10; y++ {
			p := math.Exp(l.LogDensity(y, mean))
			sum, first, second = sum+p, first+y*p, second+y*y*p
			if mean > 0 && mean < 10 {
				const h = 1e-4
				f := func(m float64) float64 { return -l.LogDensity(y, m) }
				slope, bend := derivatives(l, y, mean)
				if got := (f(mean+h) - f(mean-h)) / (2 * h); math.Abs(got-slope) > 1e-3*(1+math.Abs(slope)) {
					t.Errorf("y %v, mean %v: slope %v, want %v", y, mean, slope, got)
				}
				if got := (f(mean+h) - 2*f(mean) + f(mean-h)) / (h * h); math.Abs(got-bend) > 1e-2*(1+math.Abs(bend)) {
					t.Errorf("y %v, mean %v: bend %v, want %v", y, mean, bend, got)
				}
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(first-mean) > 1e-9 ||
			math.Abs(math.Sqrt(second-first*first)-l.SD(mean)) > 1e-6 {
			t.Errorf("mean %v: sum %v, mean %v, deviation %v", mean, sum, first, math.Sqrt(second-first*first))
		}
		s := random.New(1)
		const n = 20_000
		total := 0.0
		for range n {
			total += l.Draw(mean, &s)
		}
		if se := l.SD(mean) / math.Sqrt(n); math.Abs(total/n-mean) > 4.5*se+1e-12 {
			t.Errorf("draws have mean %v, want %v", total/n, mean)
		}
	}
	l := Law{Family: Binomial, Arg: 10}
	for _, y := range []float64{-1, 2.5, 11, math.NaN()} {
		if d := l.LogDensity(y, 5); !math.IsInf(d, -1) {
			t.Errorf("%v of 10 has log density %v", y, d)
		}
	}
	for _, c := range [][2]float64{{3, 0}, {3, 10}, {10, 0}, {0, 10}} { // one way or the other it is raised or lowered
		if d := negLogDensity(l, c[0], c[1], 4); math.IsInf(d, 0) || math.IsNaN(d) {
			t.Errorf("%v where %v are expected: %v", c[0], c[1], d)
		}
	}
}

// Each row of a binomial column is out of a number of its own.
func TestBinomialColumn(t *testing.T) {
	p := &Problem{Times: []float64{1, 2}, Columns: []Column{{Name: "positive", Data: []float64{3, 0}}},
		OutOf: [][]float64{{10, 5}}}
	c := Trajectory{Columns: []Reports{{Mean: []float64{2, 1}, Law: Law{Family: Binomial}}}}
	want := Law{Family: Binomial, Arg: 10}.LogDensity(3, 2) + Law{Family: Binomial, Arg: 5}.LogDensity(0, 1)
	if got := p.LogLikelihood(c); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	s := random.New(2)
	if got := p.Draw(c, &s)[0]; got[0] > 10 || got[1] > 5 || got[0] != math.Floor(got[0]) {
		t.Errorf("%v", got)
	}
}
