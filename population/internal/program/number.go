package program

import (
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// A Number is a numeric attribute, drawn for each individual when it enters.
type Number struct {
	Name string
	Law  *ByCell[NumberLaw]
}

// A NumberLaw is the law of a number. Those that are no Law have a family of their own.
type NumberLaw struct {
	Family       NumberFamily
	Law          law.Law // OfLaw: without a unit
	Mean, Spread float64 // of the others: the mean, and the dispersion or the standard deviation
	Least, Most  float64 // it is drawn given that it lies between; −Inf and +Inf for no limit
}

// A NumberFamily is a kind of NumberLaw.
type NumberFamily uint8

const (
	OfLaw            NumberFamily = iota
	Poisson                       // with Mean
	NegativeBinomial              // with Mean, and variance Mean + Mean²/Spread
	Normal                        // with Mean and standard deviation Spread
)

// Draw returns a number. One that does not lie between Least and Most is drawn again; the compiler
// refuses laws of which few do.
func (l *NumberLaw) Draw(s *random.Stream) float64 {
	for {
		if x := l.drawFree(s); x >= l.Least && x <= l.Most {
			return x
		}
	}
}

func (l *NumberLaw) drawFree(s *random.Stream) float64 {
	switch l.Family {
	case Poisson:
		return poisson(s, l.Mean)
	case NegativeBinomial:
		return poisson(s, random.Gamma(s, l.Spread)*l.Mean/l.Spread)
	case Normal:
		return l.Mean + float64(l.Spread*random.Normal(s))
	}
	return l.Law.Draw(s)
}

// poisson is random.Poisson, also with a mean of 0.
func poisson(s *random.Stream, mean float64) float64 {
	if !(mean > 0) {
		return 0
	}
	return random.Poisson(s, mean)
}

// Range returns bounds of the numbers.
func (l *NumberLaw) Range() (low, high float64) {
	low, high = 0, math.Inf(1)
	switch l.Family {
	case Normal:
		low = math.Inf(-1)
	case OfLaw:
		high = l.Law.Longest()
		if l.Law.Fixed() {
			low = high
		}
	}
	return max(low, l.Least), min(high, l.Most)
}

// Within returns the share of draws that lie between Least and Most, by a thousand of them.
func (l *NumberLaw) Within() float64 {
	s, n := random.New(1), 0
	for range 1000 {
		if x := l.drawFree(&s); x >= l.Least && x <= l.Most {
			n++
		}
	}
	return float64(n) / 1000
}

// number returns the value of a TermNumber.
func (t *Term) number(who *Individual) float64 {
	switch {
	case who == nil:
		return math.NaN()
	case t.Met:
		return who.Numbers[t.Number][who.Met]
	}
	return who.Numbers[t.Number][who.Own]
}

// Reciprocal returns 1/t. That of a quotient a/b is b/a, which has bounds where b may be 0.
func (t *Term) Reciprocal() *Term {
	if t.Op == expr.Divide {
		return Combine(expr.Divide, t.b, t.a)
	}
	return Combine(expr.Divide, Constant(1), t)
}

// EachNumber calls do for every TermNumber in the term.
func (t *Term) EachNumber(do func(n *Term)) {
	switch {
	case t == nil:
	case t.Op == TermNumber:
		do(t)
	default:
		t.a.EachNumber(do)
		t.b.EachNumber(do)
	}
}

// HasNumber reports whether the term depends on a number of the individual.
func (t *Term) HasNumber() (has bool) {
	t.EachNumber(func(*Term) { has = true })
	return has
}

// onlyNumbers reports whether the term depends on numbers and on nothing else.
func (t *Term) onlyNumbers() bool {
	switch t.Op {
	case TermConstant, TermNumber:
		return true
	case TermWave, TermSteps, TermLine, TermTotal, TermCount, TermGroup, TermSince, TermDensity, TermSize, TermMean:
		return false
	}
	return t.a.onlyNumbers() && (t.b == nil || t.b.onlyNumbers())
}

// SplitNumbers returns two terms whose product is t: one of numbers of the individual, and the rest
// without them. It reports false if t is not such a product.
func (t *Term) SplitNumbers() (numbers, rest *Term, ok bool) {
	switch {
	case !t.HasNumber():
		return Constant(1), t, true
	case t.onlyNumbers():
		return t, Constant(1), true
	case t.Op == expr.Multiply || t.Op == expr.Divide:
		x, restX, ok := t.a.SplitNumbers()
		y, restY, fine := t.b.SplitNumbers()
		if ok && fine {
			return Combine(t.Op, x, y), Combine(t.Op, restX, restY), true
		}
	}
	return nil, nil, false
}
