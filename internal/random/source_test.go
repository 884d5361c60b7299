package random

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The draws are those of math/rand/v2 and gonum, but for rounding errors: they take as many numbers
// of the source, and differ by at most 10⁻¹³ of the draw, or of 1 if that is more.
func TestDrawsAreThoseOfOthers(t *testing.T) {
	const draws = 200_000
	for _, c := range []struct {
		name         string
		ours, theirs func(s rand.Source) float64
	}{
		{"normal", Normal, func(s rand.Source) float64 { return rand.New(s).NormFloat64() }},
		{"exponential", Exponential, func(s rand.Source) float64 { return rand.New(s).ExpFloat64() }},
		{"gamma 0.05", gammaOf(0.05), func(s rand.Source) float64 {
			return distuv.Gamma{Alpha: 0.05, Beta: 1,
				Src: s}.Rand()
		}},
		{"gamma 0.7", gammaOf(0.7), func(s rand.Source) float64 { return distuv.Gamma{Alpha: 0.7, Beta: 1, Src: s}.Rand() }},
		{"gamma 1", gammaOf(1), func(s rand.Source) float64 { return distuv.Gamma{Alpha: 1, Beta: 1, Src: s}.Rand() }},
		{"gamma 4", gammaOf(4), func(s rand.Source) float64 { return distuv.Gamma{Alpha: 4, Beta: 1, Src: s}.Rand() }},
		{"Poisson 0.1", poissonOf(0.1), func(s rand.Source) float64 { return distuv.Poisson{Lambda: 0.1, Src: s}.Rand() }},
		{"Poisson 7", poissonOf(7), func(s rand.Source) float64 { return distuv.Poisson{Lambda: 7, Src: s}.Rand() }},
		{"Poisson 40", poissonOf(40), func(s rand.Source) float64 { return distuv.Poisson{Lambda: 40, Src: s}.Rand() }},
	} {
		a, b := New(1), New(1)
		for range draws {
			x, y := c.ours(&a), c.theirs(&b)
			if !(math.Abs(x-y) <= 1e-13*max(1, math.Abs(y))) || a != b {
				t.Errorf("%s: %v, want %v", c.name, x, y)
				break
			}
		}
	}
}

func gammaOf(shape float64) func(s rand.Source) float64 {
	return func(s rand.Source) float64 { return Gamma(s, shape) }
}

func poissonOf(mean float64) func(s rand.Source) float64 {
	return func(s rand.Source) float64 { return Poisson(s, mean) }
}

// The hash of many draws is the same on every machine.
func TestKnownDraws(t *testing.T) {
	s := New(2)
	hash := uint64(0)
	for range 20_000 {
		for _, x := range []float64{Normal(&s), Exponential(&s), s.Exp(), Gamma(&s, 0.1), Gamma(&s, 0.5), Gamma(&s, 3),
			Poisson(&s, 20)} {
			hash = (hash ^ math.Float64bits(x)) * 0x100000001b3
			hash ^= hash >> 29
		}
	}
	if want := uint64(0x17f0e471927f34d7); hash != want {
		t.Errorf("the hash of the draws is %#x, want %#x", hash, want)
	}
}
