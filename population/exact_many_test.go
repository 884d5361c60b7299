package population_test

import (
	"fmt"
	"math"
	"testing"
)

// More than a million individuals, of whom few have anything before them: from so many on the
// engine keeps the times of their clocks in another manner, and changes that if they become too
// many. What is known exactly stays the same: lives end by S(age+t)/S(age), independent of an
// illness that comes at a constant rate r and lasts by a law G. Someone well at the start is ill at
// t with probability ∫₀ᵗ r exp(−ru) G(t−u) du.
func TestExactManyIndividuals(t *testing.T) {
	const size, ill = 1_100_000, 33_000
	lives, illness := weibullSurvival(80, 6), erlangSurvival(2, 2)
	for i, rate := range []float64{0.004, 0.2} {
		r := exactSimulate(t, uint64(1+i), 1, `
name: many
time: {unit: year, end: 8}
population: {size: %d, age: {uniform: {low: 0 years, high: 60 years}}, start: {ill: %d, well: rest}}
states:
  well: {race: [{rate: %v per year, to: ill again}]}
  ill: {race: [{after: {gamma: {mean: 2 years, shape: 2}}, to: recovered}]}
  ill again: {split: [{chance: 100%%, after: {gamma: {mean: 2 years, shape: 2}}, to: recovered}]}
  recovered: {}
  child: {}
always: [{after: {weibull: {scale: 80 years, shape: 6}}, to: out}]
births: {rate: 0.01 per year, enter: child}
record: {every: 2 years}
`, size, ill, rate)
		well := exponentialSurvival(rate)
		for row := 1; row < len(r.Times); row++ {
			time := r.Times[row]
			alive := afterAge(lives, 0, 60, time)
			again := integral(func(u float64) float64 { return rate * well(u) * illness(time-u) }, 0, time, 2000)
			what := fmt.Sprintf("rate %v, year %v", rate, time)
			checkShare(t, what+", well", r.all(row, "well"), size-ill, alive*well(time))
			checkShare(t, what+", ill", r.all(row, "ill"), ill, alive*illness(time))
			checkShare(t, what+", ill again", r.all(row, "ill again"), size-ill, alive*again)
			// The recovered come from both: their variance is the sum of two.
			p, q := alive*(1-illness(time)), alive*(1-well(time)-again)
			mean, variance := ill*p+(size-ill)*q, ill*p*(1-p)+(size-ill)*q*(1-q)
			checkZ(t, what+", recovered", r.all(row, "recovered"), mean, math.Sqrt(variance))
		}
	}
}
