package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

type curve = func(time float64) float64

// incidence is the probability that by a time the first of several clocks has fired before the
// others: the integral of the survival of the others over the law of the first. It is a sum over a
// hundred steps a day. The first step is divided further, since a law may rise steeply at 0, and so
// is the last of each day, when a law may jump. It is known for whole days.
func incidence(first curve, others ...curve) curve {
	sum, from := 0.0, 0.0
	step := func(to float64) {
		p := first(from) - first(to)
		if from == 0 {
			p = 1 - first(to)
		}
		for _, o := range others {
			p *= o((from + to) / 2)
		}
		sum, from = sum+p, to
	}
	for k := 100; k > 0; k-- {
		step(math.Ldexp(0.01, -k))
	}
	byDay := []float64{0}
	for day := range 16 {
		for i := range 99 {
			step(float64(day) + float64(i+1)/100)
		}
		for k := range 40 {
			step(float64(day+1) - math.Ldexp(0.01, -k-1))
		}
		step(float64(day + 1))
		byDay = append(byDay, sum)
	}
	return func(time float64) float64 { return byDay[int(time)] }
}

// checkCompeting compares, at each recorded time, how many of the state begin are still there and
// how many went each way.
func checkCompeting(t *testing.T, r exactRun, name string, survival curve, ways map[string]curve) {
	t.Helper()
	n := r.individuals()
	for row := 1; row < len(r.Times); row++ {
		time := r.Times[row]
		what := fmt.Sprintf("%s, day %v", name, time)
		checkShare(t, what+", still there", r.all(row, "begin"), n, survival(time))
		for to, p := range ways {
			checkShare(t, what+", to "+to, r.allFlows(row, "begin", to), n, p(time))
		}
	}
}

const competingModel = `
name: competing clocks
time: {unit: day, end: 16}
population: {size: %d, start: {begin: rest}}
states:
  begin:
    %s
  one: {}
  two: {}
  three: {}
%s
record: {every: 2 days}
`

var competitors = testscale.Size(8000, 16_000)

// Two clocks of each pair race. All the pairs of the table that have no jump in common.
func TestExactRaceOfTwo(t *testing.T) {
	seed := uint64(0)
	for i, a := range durations {
		for j, b := range durations {
			if i == j || (i+2*j)%9 > 0 || a.name == "fixed" && b.name == "exactly" {
				continue // a ninth of the pairs is enough
			}
			seed++
			text := fmt.Sprintf("race: [{%s, to: one}, {%s, to: two}]", a.text, b.text)
			r := exactSimulate(t, seed, 2, competingModel, competitors/2, text, "")
			checkCompeting(t, r, a.name+" and "+b.name,
				func(x float64) float64 { return a.survival(x) * b.survival(x) },
				map[string]curve{"one": incidence(a.survival, b.survival), "two": incidence(b.survival, a.survival)})
		}
	}
}

// Races whose shares are known in closed form. By the last day all have left.
func TestExactSharesOfRaces(t *testing.T) {
	const size = 48_000.0
	ends := func(rate float64) curve { return exponentialSurvival(rate) }
	for i, c := range []struct {
		name, text string
		survival   curve
		one        float64
		wrong      float64 // the share if the second clock were 5 % faster
	}{
		{"rates", "race: [{rate: 1 per day, to: one}, {rate: 2 per day, to: two}]", ends(3), 1.0 / 3, 1 / 3.1},
		// An exponential clock is later than 1 day with probability exp(−rate).
		{"fixed and rate", "race: [{after: 1 day, to: one}, {rate: 0.7 per day, to: two}]",
			func(x float64) float64 { return fixedSurvival(1)(x) * math.Exp(-0.7*x) }, math.Exp(-0.7), math.Exp(-0.735)},
		// It is later than any other with the Laplace transform of that: (1+0.7·m/k)^(−k).
		{"gamma and rate", "race: [{after: {gamma: {mean: 1 day, shape: 2}}, to: one}, {rate: 0.7 per day, to: two}]",
			func(x float64) float64 { return erlangSurvival(1, 2)(x) * math.Exp(-0.7*x) }, math.Pow(1.35, -2),
			math.Pow(1.3675, -2)},
		// Weibull hazards of one shape are in the proportion scale^(−shape) at all times.
		{"Weibull and Weibull", "race: [{after: {weibull: {scale: 2 days, shape: 2}}, to: one}, {after: {weibull: {scale: " +
			"3 days, shape: 2}}, to: two}]",
			func(x float64) float64 { return math.Exp(-x*x/4 - x*x/9) }, 9.0 / 13, 9 / (9 + 4*1.05*1.05)},
		// A fixed time against a uniform one: it is first with the survival of the other.
		{"fixed and uniform", "race: [{after: 2 days, to: one}, {after: {uniform: {low: 1 day, high: 5 days}}, to: two}]",
			func(x float64) float64 { return fixedSurvival(2)(x) * uniformSurvival(1, 5)(x) }, 0.75,
			uniformSurvival(1/1.05, 5/1.05)(2)},
	} {
		r := exactSimulate(t, uint64(1+i), 2, competingModel, int(size/2), c.text, "")
		one := r.allFlows(r.last(), "begin", "one")
		checkShare(t, c.name, one, size, c.one)
		checkShare(t, c.name+": all left", r.all(r.last(), "begin"), size, c.survival(16))
		checkCompeting(t, r, c.name, c.survival, nil)
		if c.name != "fixed and uniform" { // where 5 % matter less
			checkNotices(t, "the second clock 5 % faster", one/size, c.wrong, math.Sqrt(c.one*(1-c.one)/size))
		}
	}
}

// A branch that is drawn on entering joins a race of three other clocks, one of which is of always.
// Every way out is checked.
func TestExactSplitInRace(t *testing.T) {
	const share = 0.35
	slow, fast := erlangSurvival(8, 3), weibullSurvival(4, 1.5)
	rate, fixed := exponentialSurvival(0.06), fixedSurvival(9)
	always := lognormalSurvival(10, 5)
	r := exactSimulate(t, 1, 2, competingModel, competitors/2, `split:
      - {chance: 35%, after: {gamma: {mean: 8 days, shape: 3}}, to: one}
      - {otherwise: true, after: {weibull: {scale: 4 days, shape: 1.5}}, to: two}
    race:
      - {rate: 0.06 per day, to: one}
      - {after: 9 days, to: three}`, "always: [{after: {lognormal: {mean: 10 days, sd: 5 days}}, to: out}]")
	// either is a probability given the first branch and given the other, put together.
	either := func(a, b curve) curve { return mixtureSurvival(share, a, b) }
	never := func(float64) float64 { return 0 }
	byRate := either(incidence(rate, slow, fixed, always), incidence(rate, fast, fixed, always))
	bySplit := either(incidence(slow, rate, fixed, always), never)
	checkCompeting(t, r, "split",
		func(x float64) float64 { return (share*slow(x) + (1-share)*fast(x)) * rate(x) * fixed(x) * always(x) },
		map[string]curve{
			"one":   func(x float64) float64 { return byRate(x) + bySplit(x) },
			"two":   either(never, incidence(fast, rate, fixed, always)),
			"three": either(incidence(fixed, slow, rate, always), incidence(fixed, fast, rate, always)),
			"out":   either(incidence(always, slow, rate, fixed), incidence(always, fast, rate, fixed)),
		})
}
