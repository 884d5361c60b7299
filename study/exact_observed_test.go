package study

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/fit"
)

// seenArrivals has how many of those who came were seen: 40 % of them, after an exponential delay
// with mean 2 days. What is seen in each interval is Poisson and independent, and so is its report,
// given that.
func seenArrivals() *exactly {
	e := &exactly{name: "seen arrivals", times: []float64{2, 6}, data: []float64{2, 5}, least: []float64{0},
		most: []float64{20}, source: `
name: seen arrivals
time: {unit: day, end: 6}
population: {size: 0, start: {}}
parameters: {lambda: 3 per day}
states: {here: {race: [{rate: 0.5 per day, to: out}]}}
immigration: {rate: lambda, enter: here, name: arrival}
observe: {reports: {of: arrival, chance: 40%, after: {exponential: {mean: 2 days}}}}
fit:
  data: data.csv
  unknown: {lambda: {gamma: {mean: 3 per day, shape: 2}}}
  match: [{column: seen, seen: reports, error: poisson}]
`}
	by := func(t float64) float64 { return 0.4 * (t + 2*math.Expm1(-t/2)) } // seen by then, of one person a day
	e.prior = func(x []float64) float64 { return math.Log(x[0]) - 2*x[0]/3 }
	e.likelihood = func(x, data []float64) float64 {
		first, second := 0.0, 0.0
		for n := range 80 { // of whom 27 are seen on average where there are most
			n := float64(n)
			first += math.Exp(logPoisson(n, x[0]*by(2)) + logPoisson(data[0], n))
			second += math.Exp(logPoisson(n, x[0]*(by(6)-by(2))) + logPoisson(data[1], n))
		}
		return math.Log(first) + math.Log(second)
	}
	return e
}

// surveyed has two surveys of a population in which nothing happens, with a test that finds 90 % of
// the immune and 2 % of the others. The model itself is asked nothing of: the survey of the file
// has another size, and its data are of other days.
func surveyed() *exactly {
	e := &exactly{name: "survey", times: []float64{1, 2}, data: []float64{14, 20}, tested: 40, least: []float64{0},
		most: []float64{1}, source: `
name: survey
time: {unit: day, end: 3}
population: {size: 2000, start: {immune: share, susceptible: rest}}
parameters: {share: 50%}
states: {immune: {}, susceptible: {}}
observe: {survey: {at: 3 days, count: 7, chance: {by: state, immune: 90%, susceptible: 2%}, after: 1 day}}
fit:
  data: data.csv
  unknown: {share: {beta: {a: 2, b: 3}}}
  match: [{column: seen, of: tested, survey: survey}]
`}
	e.prior = func(x []float64) float64 { return math.Log(x[0]) + 2*math.Log1p(-x[0]) }
	e.likelihood = func(x, data []float64) (log float64) {
		for _, y := range data {
			log += distuv.Binomial{N: 40, P: 0.9*x[0] + 0.02*(1-x[0])}.LogProb(y)
		}
		return log
	}
	return e
}

// survivingShare is pureDeath with the share of those who survive as a value.
func survivingShare() *exactly {
	e := pureDeath()
	e.name, e.data = "surviving share", []float64{0.7, 0.55, 0.35}
	e.source = `
name: surviving share
time: {unit: day, end: 3}
population: {size: 20, start: {alive: 20}}
parameters: {survival: 70%}
states: {alive: {race: [{rate: -log(survival) * 1 per day, to: dead}]}, dead: {}}
record: {every: 3 days, values: {other: 2 * count(dead), surviving: count(alive) / total}}
fit:
  data: data.csv
  unknown: {survival: {beta: {a: 2, b: 3}}}
  match: [{column: seen, value: surviving, error: {normal: {sd: 0.0075}}}]
`
	whole := e.likelihood
	e.likelihood = func(x, data []float64) float64 {
		people := make([]float64, len(data))
		for i := range data {
			people[i] = math.Round(20 * data[i])
		}
		return whole(x, people)
	}
	return e
}

// What is seen, surveys and values have the posterior that is known exactly. The wrong ones that
// are near would not: without the delay, 2 and 4 days would have 0.8 and 1.6 of one person a day in
// place of 0.29 and 1.35; of a test without mistakes, the share is 0.42 and not 0.46; a value at
// the end would be the same in all rows.
func TestExactPosteriorsOfObservations(t *testing.T) {
	for _, e := range []*exactly{seenArrivals(), surveyed(), survivingShare()} {
		exact := e.posterior(gridCells(1))
		methods := map[string]fit.Options{"abc": {Population: 100}}
		if e.name != "surviving share" { // values are read by the same code in both
			methods["abc"] = fit.Options{Population: 200}
			methods["pmmh"] = fit.Options{Population: 100, Budget: 25_000}
		}
		e.compareAll(t, exact, methods)
	}
}
