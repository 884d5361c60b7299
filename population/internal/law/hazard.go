package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// hazard has a rate that is constant from each age to the next: a life table. With h the rate,
//
//	P(X > x) = exp(−H(x)), H(x) = ∫₀ˣ h(t) dt, the cumulative hazard
//
// H is linear in each step. H(X) is exponential with mean 1, from which draws are made.
type hazard Law

// A hazardStep is the age from which a rate holds, the rate, and the cumulative hazard up to that
// age.
type hazardStep struct{ from, rate, before float64 }

// Hazard returns the law with rate[i] from age from[i] to from[i+1], the last without end. The ages
// ascend, and the first is 0.
func Hazard(from, rate []float64) Law {
	l := Law{family: familyHazard}
	total, sums := 0.0, []float64(nil)
	for i := range from {
		if i > 0 {
			total += float64(rate[i-1] * (from[i] - from[i-1]))
		}
		l.steps = append(l.steps, hazardStep{from[i], rate[i], total})
		sums = append(sums, total)
	}
	if len(from) > 0 {
		l.byAge, l.bySum = lookup.NewGuideTable(from), lookup.NewGuideTable(sums)
	}
	return l
}

// cumulative returns H(x) for an x in the step.
func (s *hazardStep) cumulative(x float64) float64 { return s.before + float64(s.rate*(x-s.from)) }

// inverse returns the age at which the cumulative hazard is h. It is +Inf if h is never reached,
// which can be in the last step only.
func (l *hazard) inverse(h float64) float64 {
	s := &l.steps[l.bySum.Find(h)]
	if s.rate == 0 {
		return math.Inf(1)
	}
	return s.from + (h-s.before)/s.rate
}

func (l *hazard) draw(s *random.Stream) float64 { return l.inverse(s.Exp()) }

func (l *hazard) drawAll(streams []random.Stream, out []float64) {
	random.ExpAll(streams, out)
	for i, h := range out {
		out[i] = l.inverse(h)
	}
}

func (l *hazard) drawBeyond(s *random.Stream, age float64) float64 {
	now := &l.steps[l.byAge.Find(age)]
	return max(age, l.inverse(now.cumulative(age)+s.Exp()))
}

func (l *hazard) drawAllBeyond(streams []random.Stream, ages, out []float64) {
	random.ExpAll(streams, out)
	for i, age := range ages {
		if age <= 0 {
			out[i] = l.inverse(out[i])
			continue
		}
		now := &l.steps[l.byAge.Find(age)]
		out[i] = max(age, l.inverse(now.cumulative(age)+out[i]))
	}
}

func (l *hazard) survival(x float64) float64 {
	s := l.steps[l.byAge.Find(max(x, 0))]
	return detmath.Exp(-s.before - float64(s.rate*(x-s.from)))
}

func (l *hazard) logSurvival(x float64) float64 {
	s := l.steps[l.byAge.Find(x)]
	return -s.before - float64(s.rate*(x-s.from))
}

// mean adds up the integral of the survival function over each step.
func (l *hazard) mean() float64 {
	sum := 0.0
	for i, s := range l.steps {
		width := math.Inf(1)
		if i+1 < len(l.steps) {
			width = l.steps[i+1].from - s.from
		}
		if s.rate == 0 {
			sum += float64(detmath.Exp(-s.before) * width)
		} else {
			sum += detmath.Exp(-s.before) * -detmath.Expm1(-s.rate*width) / s.rate
		}
	}
	return sum
}

func (l *hazard) longest() float64 { return math.Inf(1) }

func (l *hazard) whyEndless() string {
	if l.steps[len(l.steps)-1].rate == 0 {
		return "a hazard that ends with a rate of 0 has no end"
	}
	return ""
}

func (l *hazard) sound() bool { return true }

func (l *hazard) words(u Unit) string {
	return fmt.Sprintf("by a table of rates from %s on, mean %s",
		format.Plural(len(l.steps), "age"), u.Duration(l.mean()))
}
