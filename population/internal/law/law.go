package law

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A Law is a distribution of durations, in the unit of time of the model. The zero Law is
// Exactly(0).
//
// It is one struct for all families, with the family as a number: laws lie by the thousand in
// tables that the engine reads, and Draw must cost no more than a switch.
//
// # To add a distribution
//
// In this package:
//
//  1. A file named after it, with a type whose underlying type is Law, all methods of the interface
//     distribution, and a constructor. Its comment has the formula and the meaning of a, b and c.
//     The constructor sets memoryless if the law is.
//  2. In law.go: a constant of type family, and a case in each of Law.distribution, Law.Draw and
//     Law.DrawBeyond. TestDrawsOfTheWrongFamily fails if one of them is missing or differs.
//  3. Only if it pays: Law.DrawBeyondLikely, if drawBeyond costs much more than draw; Law.DrawAll
//     and Law.DrawAllBeyond, if a loop over many streams can be faster than one draw after the
//     other.
//  4. In law_test.go: cases of lawCases, one for every path that the code can take.
//
// Elsewhere:
//
//  5. population/internal/syntax, distribution.go: its name, an example and its arguments in
//     Families; the kind of a new argument in argKinds.
//  6. population/internal/eval, law.go: from arguments to a Law, in Scope.distribution, with an
//     error for each value that is not allowed.
//  7. population: cases in exact_laws_test.go, with a survival function that is written
//     independently, and in exact_lifetimes_test.go, for draws beyond an age: at the end of the
//     lists, because seeds follow from the position; wrong arguments in problems_parts_test.go; the
//     list of all distributions, which is part of a message, in problems_values_test.go.
//  8. docs/reference/models.md: the table of distributions.
//
// The draws of the other families must not change: existing models keep their results.
type Law struct {
	family     family
	memoryless bool    // set by the constructor; see Memoryless
	a, b, c    float64 // parameters; each family says what they are

	// Of a hazard: its steps. byAge finds a step by age, bySum by cumulative hazard.
	steps []hazardStep
	byAge lookup.GuideTable

	// Of a mixture: its parts and their shares. bySum finds a part by the sum of the shares before
	// it.
	parts  []Law
	shares []float64
	total  float64 // the sum of the shares: 1, but for rounding

	bySum lookup.GuideTable // of a hazard or a mixture

	duration *function.Duration // of a law that a program supplies
}

// A family is a kind of distribution.
type family uint8

const (
	familyExactly family = iota
	familyExponential
	familyGamma
	familyWeibull
	familyLognormal
	familyUniform
	familyHazard
	familyMixture
	familyGompertz
	familySupplied
	families // how many there are
)

// A distribution is what a family provides. Each family is a type whose underlying type is Law, so
// that a *Law converts to it at no cost.
type distribution interface {
	// draw returns a random duration. It takes numbers of s and of no other source, and keeps none
	// for the next draw.
	draw(s *random.Stream) float64

	// drawBeyond returns a random duration given that it is longer than age, which is above 0 and
	// below longest. It must be exact also where survival(age) underflows.
	drawBeyond(s *random.Stream, age float64) float64

	// survival returns the probability of a duration longer than x.
	survival(x float64) float64

	// logSurvival returns the logarithm of survival for x ≥ 0, also where survival underflows.
	logSurvival(x float64) float64

	// mean returns the expected duration, +Inf if it may be endless.
	mean() float64

	// longest returns the least upper bound of the durations; it may be +Inf.
	longest() float64

	// whyEndless returns the reason why a duration may be +Inf, for a message; "" if it never is.
	whyEndless() string

	// sound reports whether the parameters, and what draws compute of them, are finite and not 0.
	sound() bool

	// words describes the law for the reader of a model.
	words(u Unit) string
}

// distribution returns l as the type of its family. Draw and DrawBeyond do without it: they are
// called for every clock that starts, and a call through an interface is not inlined.
func (l *Law) distribution() distribution {
	switch l.family {
	case familyExactly:
		return (*exactly)(l)
	case familyExponential:
		return (*exponential)(l)
	case familyGamma:
		return (*gamma)(l)
	case familyWeibull:
		return (*weibull)(l)
	case familyLognormal:
		return (*lognormal)(l)
	case familyUniform:
		return (*uniform)(l)
	case familyHazard:
		return (*hazard)(l)
	case familyGompertz:
		return (*gompertz)(l)
	case familySupplied:
		return (*supplied)(l)
	case familyMixture:
		return (*mixture)(l)
	}
	panic("law: no such family")
}

// Draw returns a random duration. It is +Inf with the probability that the duration is endless.
func (l *Law) Draw(s *random.Stream) float64 {
	switch l.family {
	case familyExactly:
		return (*exactly)(l).draw(s)
	case familyExponential:
		return (*exponential)(l).draw(s)
	case familyGamma:
		return (*gamma)(l).draw(s)
	case familyWeibull:
		return (*weibull)(l).draw(s)
	case familyLognormal:
		return (*lognormal)(l).draw(s)
	case familyUniform:
		return (*uniform)(l).draw(s)
	case familyHazard:
		return (*hazard)(l).draw(s)
	case familyGompertz:
		return (*gompertz)(l).draw(s)
	case familySupplied:
		return (*supplied)(l).draw(s)
	case familyMixture:
		return (*mixture)(l).draw(s)
	}
	panic("law: no such family")
}

// DrawBeyond returns a random duration given that it is longer than age, which must be below
// Longest. Rounding may make it equal to age. Up to age 0 it is Draw.
func (l *Law) DrawBeyond(s *random.Stream, age float64) float64 {
	if age <= 0 {
		return l.Draw(s)
	}
	switch l.family {
	case familyExactly:
		return (*exactly)(l).drawBeyond(s, age)
	case familyExponential:
		return (*exponential)(l).drawBeyond(s, age)
	case familyGamma:
		return (*gamma)(l).drawBeyond(s, age)
	case familyWeibull:
		return (*weibull)(l).drawBeyond(s, age)
	case familyLognormal:
		return (*lognormal)(l).drawBeyond(s, age)
	case familyUniform:
		return (*uniform)(l).drawBeyond(s, age)
	case familyHazard:
		return (*hazard)(l).drawBeyond(s, age)
	case familyGompertz:
		return (*gompertz)(l).drawBeyond(s, age)
	case familySupplied:
		return (*supplied)(l).drawBeyond(s, age)
	case familyMixture:
		return (*mixture)(l).drawBeyond(s, age)
	}
	panic("law: no such family")
}

// DrawBeyondLikely has the distribution of DrawBeyond and takes other numbers of the stream. It is
// faster at ages that many durations exceed: where inverting a tail costs more than a few draws, it
// first tries rejection, which accepts the first of some draws that is longer than age.
func (l *Law) DrawBeyondLikely(s *random.Stream, age float64) float64 {
	switch l.family {
	case familyGamma, familyLognormal, familyMixture:
		// The number of tries bounds what is lost at ages that few durations exceed. Another number
		// would be as exact, but would change the results of models.
		const tries = 8
		for range tries {
			if x := l.Draw(s); x > age {
				return x
			}
		}
	}
	return l.DrawBeyond(s, age)
}

// DrawAll sets out[i] to Draw(&streams[i]) for every i. In the loops of the families that have one,
// no iteration depends on the one before, so that a processor works on several draws at once.
func (l *Law) DrawAll(streams []random.Stream, out []float64) {
	out = out[:len(streams)]
	switch {
	case l.family == familyUniform:
		(*uniform)(l).drawAll(streams, out)
	case l.family == familyHazard:
		(*hazard)(l).drawAll(streams, out)
	case l.family == familyMixture && (*mixture)(l).ofUniforms():
		(*mixture)(l).drawAllOfUniforms(streams, out)
	default:
		for i := range streams {
			out[i] = l.Draw(&streams[i])
		}
	}
}

// DrawAllBeyond sets out[i] to DrawBeyond(&streams[i], ages[i]) for every i, as DrawAll does for
// Draw.
func (l *Law) DrawAllBeyond(streams []random.Stream, ages, out []float64) {
	ages, out = ages[:len(streams)], out[:len(streams)]
	if l.family == familyHazard {
		(*hazard)(l).drawAllBeyond(streams, ages, out)
		return
	}
	for i := range streams {
		out[i] = l.DrawBeyond(&streams[i], ages[i])
	}
}

// Survival returns the probability of a duration longer than x.
func (l *Law) Survival(x float64) float64 { return l.distribution().survival(x) }

// LogSurvival returns the logarithm of Survival(x), also where that is too small for a float64.
func (l *Law) LogSurvival(x float64) float64 { return l.distribution().logSurvival(max(x, 0)) }

// Mean returns the expected duration, +Inf if the duration may be endless.
func (l *Law) Mean() float64 { return l.distribution().mean() }

// Longest returns the least upper bound of the durations; it may be +Inf.
func (l *Law) Longest() float64 { return l.distribution().longest() }

// Endless reports whether a duration may be +Inf.
func (l *Law) Endless() bool { return l.WhyEndless() != "" }

// WhyEndless returns the reason why a duration may be +Inf, for a message; "" if it never is.
func (l *Law) WhyEndless() string { return l.distribution().whyEndless() }

// Valid reports whether the parameters are numbers to compute with, neither too large nor too
// small.
func (l *Law) Valid() bool { return l.distribution().sound() }

// A Unit formats durations and rates in a unit of time.
type Unit interface {
	Duration(x float64) string
	Rate(x float64) string
}

// Describe describes the law, with times in the given unit.
func (l *Law) Describe(u Unit) string { return l.distribution().words(u) }

// Memoryless reports whether the rest of a duration has the same distribution at every age.
func (l *Law) Memoryless() bool { return l.memoryless }

// Fixed reports whether every draw is the same.
func (l *Law) Fixed() bool { return l.family == familyExactly }

// Rate returns the rate of an exponential law. The law must be exponential.
func (l *Law) Rate() float64 { return l.a }

// Equal reports whether two laws have the same family and parameters.
func (l *Law) Equal(o *Law) bool {
	return l.family == o.family && l.a == o.a && l.b == o.b && l.c == o.c && l.duration == o.duration &&
		slices.Equal(l.steps, o.steps) && slices.Equal(l.shares, o.shares) &&
		slices.EqualFunc(l.parts, o.parts, func(a, b Law) bool { return a.Equal(&b) })
}
