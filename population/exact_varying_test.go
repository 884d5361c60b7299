package population_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/almanac-sim/almanac/population"
)

// Rates that change with time, as written, and what they are; all from day 0 to day 10.
var changingRates = []struct {
	name, text string
	rate       func(t float64) float64
}{
	{"seasonal", "{seasonal: {mean: 0.3 per day, amplitude: 80%, peak: 1 day, period: 4 days}}", func(t float64) float64 {
		return 0.3 * (1 + 0.8*math.Cos(2*math.Pi*(t-1)/4))
	}},
	{"steps", "{steps: {0 days: 0.1 per day, 2 days: 1 per day, 3 days: 0 per day, 7 days: 0.4 per day}}",
		func(t float64) float64 {
			switch {
			case t < 2:
				return 0.1
			case t < 3:
				return 1
			case t < 7:
				return 0
			}
			return 0.4
		}},
	{"line", "{line: {1 day: 0 per day, 5 days: 0.6 per day, 8 days: 0.1 per day}}", func(t float64) float64 {
		switch {
		case t < 1:
			return 0
		case t < 5:
			return 0.15 * (t - 1)
		case t < 8:
			return 0.6 - 0.5*(t-5)/3
		}
		return 0.1
	}},
	{"expression", "base * wave", func(t float64) float64 { return 0.25 * (1 - 0.5*math.Cos(2*math.Pi*t/10)) }},
}

const varyingModel = `
name: changing
time: {unit: day, end: 10}
attributes: {kind: {a: 50%%, b: 50%%}}
parameters:
  base: 0.25 per day
  wave: {seasonal: {mean: 1, amplitude: 50%%, peak: 5 days, period: 10 days}}
  changing: %s
population: {size: %d, start: {here: rest}}
states: {here: {%s}, gone: {}, other: {}}
%s
record: {every: 1 day}
`

// The probability to be still there is e to the power of minus the integral of the rate, wherever
// the clock stands, alone and beside others.
func TestExactChangingHazards(t *testing.T) {
	const size, replicas = 4000, 2
	for _, c := range changingRates {
		for _, w := range []struct {
			name, states, rest string
			other              float64 // a rate beside
		}{
			{"race", "race: [{rate: changing, to: gone}]", "", 0},
			{"race beside a rate", "race: [{rate: changing, to: gone}, {rate: 0.2 per day, to: other}]", "", 0.2},
			{"always", "", "always: [{rate: changing, to: gone}]", 0},
			{"always with a chance", "race: [{rate: 0.1 per day, to: other}]",
				"always: [{rate: 2 * changing, chance: 50%, to: gone, from: here}]", 0.1},
			{"branch", "split: [{otherwise: true, rate: changing, to: gone}], race: [{rate: 0.1 per day, to: other}]", "", 0.1},
			{"by group", "race: [{rate: {by: kind, a: changing, b: changing}, to: gone}]", "", 0},
			{"where", "race: [{rate: changing, where: {kind: [a, b]}, to: gone}]", "", 0},
			{"set to the same", "race: [{rate: changing, to: gone}]", "interventions: [{at: 4 days, set: {changing: " + c.text +
				"}}]", 0},
			{"set to another and back", "race: [{rate: 0.5 * changing, to: gone}, {rate: 0.5 * changing, to: gone}]",
				"interventions: [{at: 4 days, set: {changing: 0.3 per day}}, {at: 4 days, set: {changing: " + c.text + "}}]", 0},
		} {
			r := exactSimulate(t, 1, replicas, varyingModel, c.text, size, w.states, w.rest)
			for row := 2; row <= 10; row += 4 {
				time := r.Times[row]
				p := math.Exp(-integral(func(t float64) float64 { return c.rate(t) + w.other }, 0, time, 20_000))
				checkShare(t, fmt.Sprintf("%s, %s, day %v", c.name, w.name, time), r.all(row, "here"), r.individuals(), p)
			}
		}
	}
}

// Arrivals at a rate that changes are a Poisson process: as many in an interval as the integral of
// the rate, and their times, transformed by it, are uniform.
func TestExactChangingArrivals(t *testing.T) {
	const replicas = 2000
	for _, c := range changingRates {
		var times []float64
		first := make([]float64, replicas)
		r := exactObserve(t, population.Options{Seed: 2, Replicas: replicas, Workers: 1, OnEvent: func(e population.Event) {
			if e.Kind == population.Entered {
				times = append(times, e.Time)
				if e.Time < 5 {
					first[e.Replica]++
				}
			}
		}}, varyingModel, c.text, 0, "", "immigration: {rate: 3 * changing, enter: here}")
		sum := func(to float64) float64 {
			return integral(func(t float64) float64 { return 3 * c.rate(t) }, 0, to, 2000)
		}
		checkPoisson(t, c.name, r.counts(r.last(), "here"), sum(10))
		checkPoisson(t, c.name+", the first half", first, sum(5))
		const classes = 20
		observed, expected := make([]float64, classes), make([]float64, classes)
		for _, x := range times {
			observed[int(x/10*classes)]++
		}
		for k := range expected {
			expected[k] = float64(len(times)) * (sum(10*float64(k+1)/classes) - sum(10*float64(k)/classes)) / sum(10)
		}
		checkChiSquare(t, c.name+", times", observed, expected)
	}
}

// Births at a rate that changes: the mean number grows by the integral.
func TestExactChangingBirths(t *testing.T) {
	const size, replicas = 20, 400
	for _, c := range changingRates {
		r := exactSimulate(t, 3, replicas, varyingModel, c.text, size, "", "births: {rate: 0.5 * changing, enter: here}")
		for row := 2; row <= 10; row += 4 {
			grown := math.Exp(integral(func(t float64) float64 { return 0.5 * c.rate(t) }, 0, r.Times[row], 20_000))
			// Of a Yule process the number from one is geometric.
			checkZ(t, fmt.Sprintf("%s, day %d", c.name, row), r.all(row, "here")/replicas, size*grown,
				math.Sqrt(size*grown*(grown-1)/replicas))
		}
	}
}

// A probability that changes is read when it is used: that of a contact, of a clock of always, and
// of a branch.
func TestExactChangingChances(t *testing.T) {
	const size, replicas = 2000, 3
	chance := func(t float64) float64 { return 0.5 * (1 + math.Cos(2*math.Pi*t/5)) }
	for _, c := range []struct{ name, states, rest string }{
		{"always, at a rate", "", "always: [{rate: 0.4 per day, chance: likely, to: gone}]"},
		{"contact", "", "transmission: [{from: [here, gone], rate: 0.4 per day, chance: likely, to: {here: gone}}]"},
		{"contact by group", "", "transmission: [{from: [here, gone], rate: 0.4 per day, chance: {by: kind, of: met, a: " +
			"likely, b: likely}, to: {here: gone}}]"},
		{"branch", "race: [{rate: 0.4 per day, to: there}]}, there: {split: [{chance: likely, after: 0 days, to: gone}, " +
			"{otherwise: true, after: 0 days, to: here}]", ""},
	} {
		r := exactSimulate(t, 4, replicas, `
name: chances
time: {unit: day, end: 10}
attributes: {kind: {a: 50%%, b: 50%%}}
parameters: {likely: {seasonal: {mean: 50%%, amplitude: 100%%, peak: 0 days, period: 5 days}}}
population: {size: %d, start: {here: rest}}
states: {here: {%s}, gone: {}}
%s
record: {every: 1 day}
`, size, c.states, c.rest)
		for row := 1; row <= 10; row += 3 {
			p := math.Exp(-integral(func(t float64) float64 { return 0.4 * chance(t) }, 0, r.Times[row], 20_000))
			checkShare(t, fmt.Sprintf("%s, day %d", c.name, row), r.all(row, "here"), r.individuals(), p)
		}
	}
}

// A clock of always fires after a fixed time, with a chance that is the one of that time.
func TestExactChangingChanceOfAClock(t *testing.T) {
	r := exactSimulate(t, 5, 2, `
name: once
time: {unit: day, end: 4}
population: {size: 5000, start: {here: rest}}
states: {here: {}, gone: {}}
always: [{after: 3 days, chance: {line: {0 days: 0, 4 days: 1}}, to: gone}]
record: {every: 1 day}
`)
	checkShare(t, "struck", r.all(4, "gone"), r.individuals(), 0.75)
}

// A seasonal SIR comes nearer to its differential equations as N grows, by N^(−1/2): the standard
// deviation does, and the mean is off by less, of the order 1/N.
func TestExactSeasonalSIR(t *testing.T) {
	const model = `
name: seasonal
time: {unit: day, end: 40}
population: {size: %d, start: {infectious: 10%%, susceptible: rest}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.25 per day, to: recovered}]}
  recovered: {race: [{rate: 0.05 per day, to: susceptible}]}
transmission:
  - {from: infectious, rate: {seasonal: {mean: 0.5 per day, amplitude: 60%%, peak: 10 days, period: 20 days}},
     to: {susceptible: infectious}}
record: {every: 10 days}
`
	limit := func(time float64) []float64 {
		return rungeKutta(func(y []float64) []float64 {
			beta := 0.5 * (1 + 0.6*math.Cos(2*math.Pi*(y[2]-10)/20))
			infection, recovery, loss := beta*y[0]*y[1], 0.25*y[1], 0.05*(1-y[0]-y[1])
			return []float64{loss - infection, infection - recovery, 1}
		}, []float64{0.9, 0.1, 0}, time, 4000)
	}
	var deviations []float64
	for _, size := range []int{250, 1000, 4000} {
		replicas := 120_000 / size
		r := exactSimulate(t, 6, replicas, model, size)
		sum := 0.0
		for row := 1; row <= 4; row++ {
			want := limit(r.Times[row])[1]
			values := r.counts(row, "infectious")
			floats.Scale(1/float64(size), values)
			for _, x := range values {
				sum += (x - want) * (x - want) / float64(4*len(values))
			}
			if size == 4000 {
				checkMean(t, fmt.Sprintf("infectious on day %d", 10*row), values, want)
			}
		}
		deviations = append(deviations, math.Sqrt(sum))
	}
	t.Logf("root mean square of the difference: %.4g", deviations)
	for k := range 2 {
		// From a few dozen replicas a standard deviation is known to a tenth.
		if ratio := deviations[k] / deviations[k+1]; !(ratio > 1.5 && ratio < 2.7) {
			t.Errorf("four times as many individuals make the difference %.2f times smaller, expected 2", ratio)
		}
	}
}
