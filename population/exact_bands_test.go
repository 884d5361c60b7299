package population_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A thousand people of exactly 30 years have children until they are 45, and so have their children
// from 15 years on: in 20 years 750 of the first, and 50·0.05·∫₀⁵(5−b)db = 31.25 of theirs. A clock
// of always that makes adults after 15 years has fired before the start, and there are no births.
func TestBandsDecideFertility(t *testing.T) {
	const model = `
name: fertility
time: {unit: year, end: 20}
population: {size: 1000, age: 30 years, start: {alive: rest}}
attributes:
  band: %s
states: {alive: {}}
always: [%s]
births: {rate: {by: band, adult: 0.05 per year, other: 0 per year}, enter: alive}
record: {every: 20 years, by: [band]}
`
	const bands = "{age: {child: 0 years, adult: 15 years, old: 45 years}}"
	r := exactSimulate(t, 1, testscale.Size(200, 1000), model, bands, "")
	births := r.flows(1, "births", "alive")
	checkMean(t, "births", births, 781.25)
	mean, _, se, _ := moments(births)
	checkNotices(t, "no grandchildren counted", mean, 750, se)
	old, adult := r.flows(1, "band: adult", "old"), r.flows(1, "band: child", "adult")
	for k, run := range r.Runs {
		if n := run.In(2).Total(1); old[k] != 1000 || n != 1000 {
			t.Errorf("replica %d: %v reached 45 years, and %d are old", k, old[k], n)
		}
		if n := run.In(1).Total(1); float64(n) != adult[k] {
			t.Errorf("replica %d: %v reached 15 years, and %d are adult", k, adult[k], n)
		}
	}
	r = exactSimulate(t, 1, 1, model, "{child: 100%, adult: 0%, old: 0%}",
		"{after: 15 years, move: {band: adult}}, {after: 45 years, move: {band: old}}")
	if n := r.allFlows(1, "births", "alive"); n != 0 {
		t.Errorf("%v births by a clock that fired before the start", n)
	}
	if text := r.Model.Explain(); !strings.Contains(text, "always: clock 1: its time is past for those at the start, "+
		"because of their age; for them it never fires; an attribute that follows the age is right for all: "+
		"attributes: {band: {age: {child: 0 years, adult: 15 years}}}\n") || strings.Contains(text, "clock 2") {
		t.Errorf("it does not say that the clock never fires:\n%s", text)
	}
}

// Of 800 people with ages from 0 to 40 years, uniform, those over 15 after 10 years are
// binomial(800, 0.875).
func TestBandsOfUniformAges(t *testing.T) {
	replicas := testscale.Size(400, 2000)
	r := exactSimulate(t, 2, replicas, `
name: uniform
time: {unit: year, end: 10}
population: {size: 800, age: {uniform: {low: 0 years, high: 40 years}}, start: {a: rest}}
attributes: {band: {age: {child: 0 years, adult: 15 years}}}
states: {a: {race: [{rate: 0.1 per year, to: b}]}, b: {race: [{rate: 0.1 per year, to: a}]}}
record: {every: 10 years, by: [band]}
`)
	over := make([]float64, replicas)
	for k, run := range r.Runs {
		over[k] = float64(run.In(1).Total(1))
	}
	checkMean(t, "over 15", over, 700)
	checkVariance(t, "over 15", over, 87.5)
}

// Deaths at rates by band are the life table with those rates from each age on, for all who enter
// at an age, in whatever way.
func TestBandsAreLifeTables(t *testing.T) {
	size := testscale.Size(8000, 100_000)
	r := exactSimulate(t, 3, 1, `
name: mortality
time: {unit: year, end: 40}
population:
  size: %d
  age: {uniform: {low: 0 years, high: 30 years}}
  groups:
    - {share: 50%%, age: 12 years, with: {where: a}, start: {a: rest}}
    - {share: 50%%, with: {where: b}, start: {b: rest}}
parameters: {grown: 15 years}
attributes:
  where: {a: 50%%, b: 50%%}
  band: {age: {child: 0 years, adult: grown, elder: 40 years}}
states: {a: {race: [{rate: 0.5 per year, to: a2}]}, a2: {race: [{after: 3 years, to: a}]}, b: {}, c: {}}
always: [{rate: {by: band, child: 0.01 per year, adult: 0.03 per year, elder: 0.1 per year}, to: out}]
interventions: [{at: 10 years, enter: c, count: %d, age: {uniform: {low: 10 years, high: 20 years}}, with: {where: a}}]
record: {every: 10 years}
`, size, size)
	survival := hazardSurvival([]float64{0, 15, 40}, []float64{0.01, 0.03, 0.1})
	for row := 1; row < len(r.Times); row++ {
		time, n := r.Times[row], float64(size)
		what := func(who string) string { return fmt.Sprintf("%s after %v years", who, time) }
		checkShare(t, what("of 12 years"), r.all(row, "a")+r.all(row, "a2"), n/2, afterAge(survival, 12, 12, time))
		checkShare(t, what("from 0 to 30 years"), r.all(row, "b"), n/2, afterAge(survival, 0, 30, time))
		if row > 1 {
			checkShare(t, what("guests"), r.all(row, "c"), n, afterAge(survival, 10, 20, time-10))
		}
	}
}

// Everybody has the value that belongs to their age, at every event; the band changes at the very
// time. Births, immigrants, guests and those of the start each have their age.
func TestBandChangesExactlyThen(t *testing.T) {
	var mu sync.Mutex
	ages := []float64{0, 0.3, 2.7, 9.1}
	names := []string{"w", "x", "y", "z"}
	born, since := map[uint64]float64{}, map[uint64]int{}
	changes, kinds := 0, map[string]int{}
	exactObserve(t, population.Options{Seed: 5, OnEvent: func(e population.Event) {
		mu.Lock()
		defer mu.Unlock()
		band := -1
		if len(e.Values) > 0 {
			band = slices.Index(names, e.Values[0])
		}
		if e.Individual == 0 {
			return
		}
		if _, ok := born[e.Individual]; !ok {
			kinds[e.From]++
			age := map[string]float64{"": 1.5, "births": 0, "immigration": 2.7, "interventions": 0.29}[e.From]
			born[e.Individual], since[e.Individual] = e.Time-age, band
		}
		age := e.Time - born[e.Individual]
		if e.Kind == population.Moved {
			changes++
			if since[e.Individual]++; band != since[e.Individual] || math.Abs(age-ages[band]) > 1e-12 {
				t.Errorf("%d is %s at %v, of %v", e.Individual, names[band], age, ages)
			}
			return
		}
		if i, exact := slices.BinarySearch(ages, age); !exact && math.Abs(age-ages[band]) > 1e-12 && i-1 != band {
			t.Errorf("%v: %d has age %v and is %s", e.Kind, e.Individual, age, names[band])
		}
	}}, `
name: exactly
time: {unit: day, end: 20}
population: {size: 200, age: 36 hours, start: {a: rest}}
attributes: {band: {age: {w: 0 days, x: 0.3 days, y: 2.7 days, z: 9.1 days}}}
states: {a: {race: [{rate: 1 per day, to: b}, {rate: 0.05 per day, to: out}]}, b: {race: [{after: 1 day, to: a}]}}
births: {rate: {by: band, z: 0.2 per day, other: 0.05 per day}, enter: a, inherit: all}
immigration: {rate: 3 per day, enter: b, age: 2.7 days}
interventions: [{every: 5 days, enter: a, count: 7, age: 0.29 days}]
record: {every: 5 days}
`)
	if len(kinds) != 4 || changes < 400 {
		t.Errorf("%v, %d changes of bands", kinds, changes)
	}
}

// A clock with a memory that runs by the band at its start keeps its time, and one without follows
// the band. Somebody of 10 years, with a band at 12, recovers at 0.2 per year until then and at 1
// per year after it; the fixed clock goes on as drawn.
func TestBandsChangeClocks(t *testing.T) {
	size := testscale.Size(8000, 100_000)
	r := exactSimulate(t, 7, 1, `
name: clocks
time: {unit: year, end: 4}
population: {size: %d, age: 10 years, start: {a: 50%%, c: rest}}
attributes: {band: {age: {young: 0 years, grown: 12 years}}}
states:
  a: {race: [{after: {by: band, young: {exponential: {mean: 5 years}}, grown: {exponential: {mean: 1 year}}}, to: b}]}
  b: {}
  c: {race: [{after: {by: band, young: {uniform: {low: 0 years, high: 4 years}}, grown: 1 hour}, to: d}]}
  d: {}
record: {every: 1 year}
`, size)
	n := float64(size) / 2
	for row, time := range r.Times {
		hazard := 0.2*min(time, 2) + max(0, time-2)
		checkShare(t, fmt.Sprint("a at ", time), r.all(row, "a"), n, math.Exp(-hazard))
		if time < 4 {
			checkShare(t, fmt.Sprint("c at ", time), r.all(row, "c"), n, 1-time/4)
		}
	}
}
