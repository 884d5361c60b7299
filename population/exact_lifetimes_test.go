package population_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Laws of lifetimes, in years.
var lifetimes = []duration{
	{"weibull", "{weibull: {scale: 80 years, shape: 6}}", weibullSurvival(80, 6)},
	{"weibull 0.8", "{weibull: {scale: 60 years, shape: 0.8}}", weibullSurvival(60, 0.8)},
	{"exponential", "{exponential: {mean: 50 years}}", exponentialSurvival(0.02)},
	{"gamma 4", "{gamma: {mean: 60 years, shape: 4}}", erlangSurvival(60, 4)},
	{"gamma 0.4", "{gamma: {mean: 60 years, shape: 0.4}}", gammaSurvival(60, 0.4)},
	{"gamma 30", "{gamma: {mean: 70 years, shape: 30}}", erlangSurvival(70, 30)},
	{"lognormal", "{lognormal: {mean: 60 years, sd: 25 years}}", lognormalSurvival(60, 25)},
	{"uniform", "{uniform: {low: 30 years, high: 100 years}}", uniformSurvival(30, 100)},
	{"fixed", "{exactly: 75 years}", fixedSurvival(75)},
	{"hazard", "{hazard: {0 years: 0.03 per year, 1 year: 0.001 per year, 45 years: 0.02 per year, 65 years: 0.06 " +
		"per year}}",
		hazardSurvival([]float64{0, 1, 45, 65}, []float64{0.03, 0.001, 0.02, 0.06})},
	{"mixture", "{mixture: [{share: 40%, of: {uniform: {low: 10 years, high: 70 years}}}, {share: 60%, of: {gamma: " +
		"{mean: 80 years, shape: 30}}}]}",
		mixtureSurvival(0.4, uniformSurvival(10, 70), erlangSurvival(80, 30))},
}

// Ages at the start, in years: how they are written, and from which to which they are uniform.
var startAges = []struct {
	name, text string
	low, high  float64
}{
	{"newborn", "", 0, 0},
	{"40", "age: 40 years, ", 40, 40},
	{"20 to 60", "age: {uniform: {low: 20 years, high: 60 years}}, ", 20, 60},
}

// Individuals change their state about once in two years, by clocks of both kinds and by contacts
// with others, and in the meantime a clock of always runs.
const changingModel = `
name: lifetimes
time: {unit: year, end: 60}
population: {size: %d, %sstart: {a: 50%%, b: rest}}
states:
  a: {race: [{rate: 0.3 per year, to: b}, {after: 9 years, to: c}]}
  b: {race: [{after: {gamma: {mean: 2 years, shape: 3}}, to: a}]}
  c: {split: [{chance: 50%%, after: 1 year, to: a}, {otherwise: true, rate: 1 per year, to: b}]}
  marked: {}
always: [%s]
transmission: [{from: a, rate: 0.2 per year, to: {b: a, a: c}}]
record: {every: 10 years}
`

// afterAge is the probability that a life that has lasted for an age goes on for a time, over the
// ages from low to high.
func afterAge(survival func(float64) float64, low, high, time float64) float64 {
	at := func(age float64) float64 { return survival(age+time) / survival(age) }
	if low == high {
		return at(low)
	}
	return integral(at, low, high, 2000) / (high - low)
}

// A lifetime runs on while its individual goes from state to state: the number alive at a time is
// binomial with the survival of its law, S(t). Someone who has an age at the start has lived that
// long, so that it is S(age+t)/S(age).
func TestExactLifetimes(t *testing.T) {
	replicas, size := 2, testscale.Size(1500, 3000)
	for i, law := range lifetimes {
		for j, age := range startAges {
			clock := fmt.Sprintf("{after: %s, to: out}", law.text)
			r := exactSimulate(t, uint64(1+3*i+j), replicas, changingModel, size, age.text, clock)
			for row := 1; row < len(r.Times); row++ {
				time, n := r.Times[row], r.individuals()
				what := fmt.Sprintf("%s, age %s, after %v years", law.name, age.name, time)
				checkShare(t, what, r.alive(row), n, afterAge(law.survival, age.low, age.high, time))
			}
			// Changes of state do not stop: it is while they happen that the clocks of always run on.
			if changes := r.allFlows(r.last(), "b", "a"); changes < 4*r.individuals() {
				t.Errorf("%s: only %.0f changes of state", law.name, changes)
			}
			if law.name == "weibull" && j > 0 {
				p := afterAge(law.survival, age.low, age.high, 30)
				se := binomialError(p, r.individuals())
				alive := r.alive(3) / r.individuals()
				checkNotices(t, "the age not taken into account", alive, law.survival(30), se)
				checkNotices(t, "the scale 5 % larger", alive, afterAge(weibullSurvival(84, 6), age.low, age.high, 30), se)
			}
		}
	}
}

// In the far tail of a law the age conditions on what hardly ever happens.
func TestExactLifetimesFarTail(t *testing.T) {
	const size = 20_000
	for i, law := range []duration{
		{"gamma", "{gamma: {mean: 20 years, shape: 4}}", erlangSurvival(20, 4)},
		{"gamma below 1", "{gamma: {mean: 10 years, shape: 0.5}}", gammaSurvival(10, 0.5)},
		{"lognormal", "{lognormal: {mean: 20 years, sd: 4 years}}", lognormalSurvival(20, 4)},
		{"weibull", "{weibull: {scale: 40 years, shape: 3}}", weibullSurvival(40, 3)},
	} {
		r := exactSimulate(t, uint64(1+i), 1, `
name: far tail
time: {unit: year, end: 10}
population: {size: %d, start: {alive: rest}, age: 110 years}
states: {alive: {}}
always: [{after: %s, to: out}]
record: {every: 1 year}
`, size, law.text)
		for row := 1; row < len(r.Times); row++ {
			what := fmt.Sprintf("%s, after %v years", law.name, r.Times[row])
			checkShare(t, what, float64(r.Runs[0].Total(row)), size, afterAge(law.survival, 110, 110, r.Times[row]))
		}
	}
}

// A clock that does not end a life may have fired before the start, and then never will: someone
// aged A is marked within a time t with probability S(A)−S(A+t), whatever the states between.
func TestExactMarksOfLife(t *testing.T) {
	replicas, size := 2, testscale.Size(1000, 3000)
	for i, law := range lifetimes {
		for j, age := range startAges {
			if (i+j)%2 > 0 {
				continue // half of them is enough
			}
			clock := fmt.Sprintf("{after: %s, to: marked}", law.text)
			r := exactSimulate(t, uint64(1+3*i+j), replicas, changingModel, size, age.text, clock)
			for row := 1; row < len(r.Times); row++ {
				what := fmt.Sprintf("%s, age %s, after %v years", law.name, age.name, r.Times[row])
				within := func(age float64) float64 { return law.survival(age) - law.survival(age+r.Times[row]) }
				p := within(age.low)
				if age.low < age.high {
					p = integral(within, age.low, age.high, 2000) / (age.high - age.low)
				}
				checkShare(t, what, r.all(row, "marked"), r.individuals(), p)
			}
		}
	}
}

// A clock of always with a chance, for some states alone. After a duration it fires once: where
// it has no effect it is spent.
func TestExactLimitedClocksOfAlways(t *testing.T) {
	const size = 50_000
	r := exactSimulate(t, 1, 1, `
name: limited
time: {unit: year, end: 60}
population: {size: %d, start: {young: rest}}
states:
  young: {race: [{rate: 0.05 per year, to: old}]}
  old: {}
  marked: {}
always:
  - {after: {gamma: {mean: 30 years, shape: 2}}, to: marked, from: old, chance: 70%%}
record: {every: 10 years}
`, size)
	mark, young := erlangSurvival(30, 2), exponentialSurvival(0.05)
	for row := 1; row < len(r.Times); row++ {
		// It finds its individual old unless that is still young when it fires.
		const steps = 10_000
		p, h := 0.0, r.Times[row]/steps
		for i := range steps {
			x := float64(i) * h
			p += 0.7 * (mark(x) - mark(x+h)) * (1 - young(x+h/2))
		}
		checkShare(t, fmt.Sprintf("marked after %v years", r.Times[row]), r.counts(row, "marked")[0], size, p)
	}

	// At a rate it fires again and again, so that the chance makes the rate smaller.
	r = exactSimulate(t, 2, 1, `
name: limited rate
time: {unit: year, end: 60}
population: {size: %d, start: {young: 50%%, old: rest}}
states: {young: {}, old: {}, marked: {}}
always: [{rate: 0.1 per year, to: marked, from: young, chance: 40%%}]
record: {every: 10 years}
`, size)
	for row := 1; row < len(r.Times); row++ {
		checkShare(t, fmt.Sprintf("unmarked after %v years", r.Times[row]), r.all(row, "young"), size/2,
			exponentialSurvival(0.04)(r.Times[row]))
	}
	if old := r.all(r.last(), "old"); old != size/2 {
		t.Errorf("%.0f are old, whom no clock is for", old)
	}
}

// Immigrants of some age, and those that an intervention lets in, at birth. Those of age A who came
// at rate λ are Poisson at t, with mean λ∫₀ᵗ S(A+u)/S(A) du.
func TestExactLifetimesOfImmigrants(t *testing.T) {
	const lambda, newborn = 5.0, 50
	replicas := testscale.Size(40, 150)
	for i, law := range []duration{lifetimes[0], lifetimes[3], lifetimes[9]} {
		for j, age := range startAges {
			text := "0 years"
			if j > 0 {
				text = age.text[len("age: ") : len(age.text)-2]
			}
			r := exactSimulate(t, uint64(1+3*i+j), replicas, `
name: immigrants
time: {unit: year, end: 40}
population: {size: 0, start: {}}
immigration: {rate: %v per year, enter: a, age: %s}
states:
  a: {race: [{rate: 0.5 per year, to: b}]}
  b: {race: [{rate: 0.5 per year, to: a}]}
  c: {race: [{rate: 1 per year, to: d}]}
  d: {}
always: [{after: %s, to: out}]
interventions: [{at: 5 years, enter: c, count: %d}]
record: {every: 20 years}
`, lambda, text, law.text, newborn)
			for row, time := range r.Times[1:] {
				what := fmt.Sprintf("%s, age %s, year %v", law.name, age.name, time)
				came := r.counts(row+1, "a")
				floats.Add(came, r.counts(row+1, "b"))
				born := r.all(row+1, "c") + r.all(row+1, "d")
				mean := 0.0
				const steps = 100
				for k := range steps {
					mean += lambda * time / steps * afterAge(law.survival, age.low, age.high, (float64(k)+0.5)*time/steps)
				}
				checkPoisson(t, what, came, mean)
				checkShare(t, what+", newborn", born, float64(replicas*newborn), law.survival(time-5))
			}
		}
	}
}
