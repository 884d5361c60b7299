package law

import (
	"fmt"
	"sort"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// mixture is one of several laws, its parts, with the probability of the part's share:
//
//	P(X > x) = Σ shareᵢ·Pᵢ(X > x)
//
// A draw takes the part first, then a duration of it. A part with share 0 is never taken.
type mixture Law

// Mixture returns the law with the given parts. The shares add up to 1, but for rounding.
func Mixture(shares []float64, parts []Law) Law {
	l := Law{family: familyMixture, parts: parts}
	before := []float64{}
	for _, s := range shares {
		// The share is kept as the difference of two sums, which is what draws by those sums give
		// it.
		sum := l.total + s
		before, l.shares, l.total = append(before, l.total), append(l.shares, sum-l.total), sum
	}
	if len(shares) > 0 {
		l.bySum = lookup.NewGuideTable(before)
	}
	return l
}

func (l *mixture) draw(s *random.Stream) float64 {
	return l.parts[l.bySum.Find(s.Float64()*l.total)].Draw(s)
}

// ofUniforms reports whether all parts are uniform, as those of an age pyramid are.
func (l *mixture) ofUniforms() bool {
	for i := range l.parts {
		if l.parts[i].family != familyUniform {
			return false
		}
	}
	return true
}

// drawAllOfUniforms is the loop of DrawAll for a mixture whose parts are uniform.
func (l *mixture) drawAllOfUniforms(streams []random.Stream, out []float64) {
	for i := range streams {
		s := streams[i]
		part := &l.parts[l.bySum.Find(s.Float64()*l.total)]
		out[i] = part.a + float64((part.b-part.a)*s.Float64())
		streams[i] = s
	}
}

// drawBeyond takes the part by Bayes' rule: given the age, its probability is proportional to its
// share times the probability that it lasts longer than the age.
func (l *mixture) drawBeyond(s *random.Stream, age float64) float64 {
	weights := make([]float64, len(l.parts))
	sum := 0.0
	for i := range l.parts {
		sum += float64(l.shares[i] * l.parts[i].Survival(age))
		weights[i] = sum
	}
	if sum < faint {
		return l.parts[DrawLogWeighted(s, weights, l.logWeights(age))].DrawBeyond(s, age)
	}
	u := s.Positive() * sum // above 0, so that no part of weight 0 is taken
	return l.parts[sort.SearchFloat64s(weights, u)].DrawBeyond(s, age)
}

// logWeights returns the logarithms of share times survival at an age, of each part.
func (l *mixture) logWeights(age float64) []float64 {
	logs := make([]float64, len(l.parts))
	for i := range l.parts {
		logs[i] = detmath.Log(l.shares[i]) + l.parts[i].LogSurvival(age)
	}
	return logs
}

func (l *mixture) survival(x float64) float64 {
	sum := 0.0
	for i := range l.parts {
		sum += float64(l.shares[i] * l.parts[i].Survival(x))
	}
	return sum
}

func (l *mixture) logSurvival(x float64) float64 { return logSurvivalOrTail(l, x) }

func (l *mixture) logTail(x float64) float64 { return logSum(l.logWeights(x)) }

func (l *mixture) mean() float64 {
	sum := 0.0
	for i := range l.parts {
		if l.shares[i] > 0 {
			sum += float64(l.shares[i] * l.parts[i].Mean())
		}
	}
	return sum
}

func (l *mixture) longest() float64 {
	most := 0.0
	for i := range l.parts {
		if l.shares[i] > 0 {
			most = max(most, l.parts[i].Longest())
		}
	}
	return most
}

func (l *mixture) whyEndless() string {
	for i := range l.parts {
		if l.shares[i] > 0 {
			if why := l.parts[i].WhyEndless(); why != "" {
				return why
			}
		}
	}
	return ""
}

// sound leaves the parts to the compiler, which checks each of them by itself.
func (l *mixture) sound() bool { return true }

func (l *mixture) words(u Unit) string {
	var parts []string
	for i := range l.parts {
		parts = append(parts, fmt.Sprintf("%s %s", format.Percent(l.shares[i]), l.parts[i].Describe(u)))
	}
	return strings.Join(parts, " or ")
}
