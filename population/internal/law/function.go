package law

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/function"
)

// supplied has a survival function that a program in Go supplies:
//
//	P(X > x) = duration.Survival(x)
//
// It must not rise, nor leave the numbers from 0 to 1. Draws invert it by bisection. Its longest
// duration and its mean are found once.
type supplied Law

// Supplied returns the law of a survival function, and what is wrong with it, if anything.
func Supplied(d *function.Duration) (l Law, problem string) {
	l = Law{family: familySupplied, duration: d}
	s := (*supplied)(&l)
	before, x := 1.0, 0.0
	for k := -40; k < 80; k++ { // on a grid only: a function in Go cannot be looked into
		p := d.Survival(x)
		switch {
		case !(p >= 0 && p <= 1):
			return l, "is not between 0 and 1 everywhere"
		case p > before:
			return l, "rises somewhere"
		}
		before, x = p, math.Ldexp(1, k)
	}
	if l.a = math.Inf(1); d.Survival(math.MaxFloat64) == 0 {
		l.a = s.inverse(0)
	}
	const steps = 1000
	for i := range steps {
		l.b += s.inverse((float64(i)+0.5)/steps) / steps
	}
	return l, ""
}

// inverse returns the least x with survival(x) ≤ p, +Inf if there is none. Positive floats are
// ordered as their bits are, so halving an interval of bits ends after 63 steps.
func (l *supplied) inverse(p float64) float64 {
	low, high := uint64(0), math.Float64bits(math.Inf(1))
	for low < high {
		middle := (low + high) / 2
		if l.duration.Survival(math.Float64frombits(middle)) <= p {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return math.Float64frombits(low)
}

func (l *supplied) draw(s *random.Stream) float64 { return l.inverse(1 - s.Positive()) }

func (l *supplied) drawBeyond(s *random.Stream, age float64) float64 {
	return max(age, l.inverse(l.duration.Survival(age)*(1-s.Positive())))
}

func (l *supplied) survival(x float64) float64 { return l.duration.Survival(max(x, 0)) }

func (l *supplied) logSurvival(x float64) float64 { return detmath.Log(l.survival(x)) }

func (l *supplied) mean() float64 { return l.b }

func (l *supplied) longest() float64 { return l.a }

func (l *supplied) whyEndless() string {
	if l.duration.Survival(math.MaxFloat64) > 0 {
		return "the function in Go does not fall to 0"
	}
	return ""
}

func (l *supplied) sound() bool { return l.a > 0 && l.b >= 0 }

func (l *supplied) words(u Unit) string {
	return "a function in Go, with mean " + u.Duration(l.b)
}
