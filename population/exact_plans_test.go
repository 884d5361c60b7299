package population_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/almanac-sim/almanac/population"
)

// Coverage may differ by group, and so may the shares of those who enter, ages, and since.
func TestExactPlansByGroup(t *testing.T) {
	const n = 20_000
	got := map[string]float64{}
	exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
		got[strings.Join([]string{e.Kind.String(), e.Name, e.Values[0], e.To}, " ")]++
	}}, `
name: by group
time: {unit: day, end: 4}
population:
  size: %d
  groups:
    - {share: 50%%, with: {region: north}, start: {a: {share: rest, since: {by: region, north: 1 day, south: 2 days}}}}
    - {share: 50%%, with: {region: south}, start: {a: {share: rest, since: {by: region, north: 1 day, south: 2 days}}}}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {race: [{after: 3.5 days, to: b, name: late}]}, b: {}, c: {}, d: {}}
interventions:
  - {at: 1 day, who: a, coverage: {by: region, north: 20%%, south: 70%%}, to: c, name: cover}
  - {at: 2 days, enter: {c: {by: region, north: 10%%, south: 40%%}, d: rest}, count: %d, name: enter}
`, n, n)
	checkShare(t, "north", got["change cover north c"], n/2, 0.2)
	checkShare(t, "south", got["change cover south c"], n/2, 0.7)
	for region, p := range map[string]float64{"north": 0.1, "south": 0.4} {
		c, d := got["enter enter "+region+" c"], got["enter enter "+region+" d"]
		checkShare(t, "entering "+region, c, c+d, p)
	}
	// Of the north they have been there for a day, and leave after 2.5; of the south, after 1.5.
	if a, b := got["change late north b"]+got["change cover north c"],
		got["change late south b"]+got["change cover south c"]; a != n/2 || b != n/2 {
		t.Errorf("%v of the north and %v of the south have left", a, b)
	}
}

// Probabilities that change with time are read when they are used: who is covered, and as what
// children begin.
func TestExactSharesThatChange(t *testing.T) {
	r := exactSimulate(t, 1, 40, `
name: shares
time: {unit: year, start: 2000, end: 2020}
population: {size: 1000, start: {a: rest}}
parameters: {p: {steps: {2000: 10%%, 2010: 80%%}}, q: {line: {2000: 0%%, 2020: 100%%}}}
states: {a: {}, b: {}, c: {}, d: {}}
births: {rate: 0.1 per year, from: a, enter: {b: p, c: 5%%, d: rest}, name: birth}
interventions:
  - {at: 2005, who: a, coverage: q, to: c, name: early}
  - {at: 2015, enter: {c: 1 - q, d: rest}, count: 1000, name: late}
record: {every: 10 years}
`)
	for row, p := range []float64{1: 0.1, 2: 0.8} {
		if row > 0 {
			since := func(to string) float64 { return r.allFlows(row, "births", to) - r.allFlows(row-1, "births", to) }
			b, c, d := since("b"), since("c"), since("d")
			checkShare(t, fmt.Sprintf("row %d, b", row), b, b+c+d, p)
			checkShare(t, fmt.Sprintf("row %d, c", row), c, b+c+d, 0.05)
		}
	}
	checkShare(t, "covered", r.allFlows(1, "a", "c"), 40*1000, 0.25)
	checkShare(t, "let in", r.allFlows(2, "interventions", "c"), 40*1000, 0.25)
}

// Immigrants that come at a rate which changes with time are Poisson, with its integral as their
// mean; nobody comes while it is 0.
func TestExactImmigrationThatChanges(t *testing.T) {
	const replicas = 2000
	r := exactSimulate(t, 1, replicas, `
name: waves
time: {unit: day, start: 5, end: 25}
population: {size: 10, start: {b: rest}}
parameters: {factor: 1, wave: {seasonal: {mean: 0.1 per day, amplitude: 100%%, peak: 7 days, period: 8 days}}}
states: {a: {}, b: {}, c: {}}
immigration:
  - {rate: {steps: {0 days: 2 per day, 10 days: 0 per day, 20 days: 0.5 per day}}, enter: a}
  - {rate: factor * wave, per: 5, enter: c}
interventions: [{at: 15 days, set: {factor: 2}}]
record: {every: 5 days}
`)
	wave := func(t float64) float64 {
		rate := 0.1 * (1 + math.Cos(2*math.Pi*(t-7)/8)) * 10 / 5
		if t > 15 {
			rate *= 2
		}
		return rate
	}
	for row, a := range []float64{0, 10, 10, 10, 12.5} {
		if row == 0 {
			continue
		}
		checkPoisson(t, fmt.Sprintf("steps, row %d", row), r.counts(row, "a"), a)
		checkPoisson(t, fmt.Sprintf("wave, row %d", row), r.counts(row, "c"), integral(wave, 5, 5+5*float64(row), 5000))
	}
}

// With places for K and arrivals at λ(1 − n/K), each place is taken at λ/K by itself: the number
// taken by t is binomial, with 1 − exp(−λt/K). A rate above its most ends the run.
func TestExactImmigrationByCounts(t *testing.T) {
	const replicas = 4000
	const model = `
name: places
time: {unit: day, end: 6}
population: {size: 2, start: {a: rest}}
states: {a: {}}
immigration: {rate: {value: 5 per day * (1 - total / 12), most: %s}, enter: a}
record: {every: 3 days}
`
	r := exactSimulate(t, 1, replicas, model, "5 per day")
	for row := 1; row <= 2; row++ {
		p := -math.Expm1(-5 * r.Times[row] / 12)
		expected := make([]float64, 13)
		for k := 0; k <= 10; k++ {
			expected[k+2] = replicas * math.Exp(combin.LogGeneralizedBinomial(10, float64(k))) * math.Pow(p, float64(k)) *
				math.Pow(1-p, float64(10-k))
		}
		checkChiSquare(t, fmt.Sprintf("day %v", r.Times[row]), histogram(r.counts(row, "a"), 12), expected)
	}
	_, err := exactCompile(t, model, "2 per day").Run(t.Context(), population.Options{Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "above its most, 2") {
		t.Errorf("a rate above its most: %v", err)
	}
}
