package law

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestLognormalOfItsLogarithm checks that mean and standard deviation are those of the duration and
// not of its logarithm.
func TestLognormalOfItsLogarithm(t *testing.T) {
	l := Lognormal(5, 2)
	if sd := l.Mean() * math.Sqrt(math.Expm1(l.b*l.b)); math.Abs(sd-2) > 1e-12 {
		t.Errorf("sd %v, want 2", sd)
	}
	if want := math.Log(25 / math.Sqrt(29)); math.Abs(l.a-want) > 1e-12 {
		t.Errorf("the logarithm has mean %v, want %v", l.a, want)
	}
	if want := math.Sqrt(math.Log(1.16)); math.Abs(l.b-want) > 1e-12 {
		t.Errorf("the logarithm has sd %v, want %v", l.b, want)
	}
	s := random.New(2029)
	var squares, fourths float64
	for range draws {
		d := l.Draw(&s) - 5
		squares += d * d
		fourths += d * d * d * d
	}
	variance := squares / draws
	se := math.Sqrt((fourths/draws - variance*variance) / draws)
	if math.Abs(variance-4) > tolerance*se {
		t.Errorf("the variance of the draws is %v, want 4 ± %v", variance, se)
	}
}
