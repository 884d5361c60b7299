package population_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A decay whose rate changes at three times, written in every way that the format has for a clock
// without a memory. The number left at t is binomial with exp(−∫r).
func TestExactRateChanges(t *testing.T) {
	const model = `
name: decay
time: {unit: day, end: 16}
population: {size: 15_000, start: {here: rest}}
parameters: {%[1]s: %[3]s}
states: {here: {%[2]s}, there: {}}
%[7]s
interventions:
  - {at: 12 days, set: {%[1]s: %[6]s}}
  - {at: 3 days, set: {%[1]s: %[4]s}}
  - {at: 8 days, set: {%[1]s: %[5]s}}
record: {every: 1 day}
`
	rate := func(x float64) string { return fmt.Sprintf("%v per day", x) }
	law := func(text string) func(float64) string {
		return func(x float64) string { return fmt.Sprintf(text, 1/x) }
	}
	// Only what is at a rate can stop altogether.
	stopping, going := [4]float64{0.1, 0.4, 0, 0.2}, [4]float64{0.1, 0.4, 0.02, 0.2}
	starting := [4]float64{0, 0.3, 0.05, 0}
	replicas := testscale.Size(1, 2)
	for i, way := range []struct {
		name, parameter, clocks, always string
		text                            func(float64) string
		rates                           [4]float64
	}{
		{"rate", "r", "race: [{rate: r, to: there}]", "", rate, stopping},
		{"rate from 0", "r", "race: [{rate: r, to: there}]", "", rate, starting},
		{"rate of always", "r", "", "always: [{rate: r, to: there, from: here}]", rate, stopping},
		{"rate of always from 0", "r", "", "always: [{rate: r, to: out}]", rate, starting},
		{"rate of a branch", "r", "split: [{chance: 60%, rate: r, to: there}, {otherwise: true, rate: r, to: out}]", "", rate,
			stopping},
		{"rate of a branch from 0", "r", "split: [{chance: 60%, rate: r, to: there}, {otherwise: true, rate: r, to: out}]",
			"", rate, starting},
		{"rate of a law", "r", "race: [{after: {exponential: {rate: r}}, to: there}]", "", rate, going},
		{"rate of a law of always", "r", "", "always: [{after: {exponential: {rate: r}}, to: out}]", rate, going},
		{"rate of a law of a branch", "r", "split: [{chance: 1, after: {exponential: {rate: r}}, to: there}]", "", rate,
			going},
		{"law", "stay", "race: [{after: stay, to: there}]", "", law("{exponential: {mean: %v days}}"), going},
		{"law, gamma of shape 1", "stay", "race: [{after: stay, to: there}]", "", law("{gamma: {mean: %v days, shape: 1}}"),
			going},
		{"law, Weibull of shape 1", "stay", "race: [{after: stay, to: there}]", "", law("{weibull: {scale: %v days, " +
			"shape: 1}}"), going},
		{"law of a branch", "stay", "split: [{chance: 30%, after: stay, to: there}, {otherwise: true, after: stay, to: out}]",
			"", law("{exponential: {mean: %v days}}"), going},
		{"law of always", "stay", "", "always: [{after: stay, to: there}]", law("{exponential: {mean: %v days}}"), going},
		{"law of always, to out", "stay", "", "always: [{after: stay, to: out}]", law("{gamma: {mean: %v days, shape: 1}}"),
			going},
	} {
		q := way.rates
		r := exactSimulate(t, uint64(1+i), replicas, model, way.parameter, way.clocks, way.text(q[0]), way.text(q[1]),
			way.text(q[2]), way.text(q[3]), way.always)
		hazard := hazardSurvival([]float64{0, 3, 8, 12}, q[:])
		for row := 1; row < len(r.Times); row++ {
			what := fmt.Sprintf("%s, day %v", way.name, r.Times[row])
			checkShare(t, what, r.all(row, "here"), r.individuals(), hazard(r.Times[row]))
		}
		// Those at day 8 would be others if the first change came to those alone who enter later.
		p := hazard(8)
		checkNotices(t, "running clocks not drawn anew", r.all(8, "here")/r.individuals(), math.Exp(-8*q[0]),
			binomialError(p, r.individuals()))
	}
}

// A clock with a memory goes on as it was when its law changes, also if something else in the same
// state is drawn anew. Those who enter from then on have the new law. A clock without a memory that
// comes to have one is drawn anew.
func TestExactMemoryOutlastsChanges(t *testing.T) {
	const model = `
name: memory
time: {unit: day, end: 16}
population: {size: 15_000, start: {early: rest}}
parameters: {stay: %[1]s, r: 0.02 per day}
states: {early: {%[3]s}, late: {%[3]s}, there: {}}
%[4]s
interventions:
  - {at: 4 days, set: {stay: %[2]s, r: 0.05 per day}}
  - {at: 4 days, enter: late, count: 15_000}
record: {every: 2 days}
`
	places := []struct{ name, clocks, always string }{
		{"race", "race: [{after: stay, to: there}, {rate: r, to: there}]", ""},
		{"branch", "split: [{chance: 100%, after: stay, to: there}], race: [{rate: r, to: there}]", ""},
		{"always", "race: [{rate: r, to: there}]", "always: [{after: stay, to: out}]"},
	}
	laws := slices.DeleteFunc(slices.Clone(durations), func(d duration) bool {
		return d.name == "rate" || d.name == "exponential, rate" || d.name == "gamma 0.1"
	})
	replicas := testscale.Size(1, 2)
	for i, d := range laws {
		// What it becomes is quite different, so that drawing anew would be seen.
		next := duration{"gamma", "{gamma: {mean: 1 day, shape: 3}}", erlangSurvival(1, 3)}
		if d.name == "gamma 2" {
			next = duration{"exponential", "{exponential: {mean: 2 days}}", exponentialSurvival(0.5)}
		}
		place := places[i%len(places)]
		r := exactSimulate(t, uint64(1+i), replicas, model, d.text[len("after: "):], next.text, place.clocks, place.always)
		redrawn := func(x float64) float64 { return d.survival(4) * next.survival(x-4) }
		early := d.survival
		if d.name == "exponential, mean" {
			early = func(x float64) float64 {
				if x <= 4 {
					return d.survival(x)
				}
				return redrawn(x)
			}
		}
		rate := hazardSurvival([]float64{0, 4}, []float64{0.02, 0.05})
		for row := 1; row < len(r.Times); row++ {
			time := r.Times[row]
			what := fmt.Sprintf("%s in a %s, day %v", d.name, place.name, time)
			checkShare(t, what, r.all(row, "early"), r.individuals(), early(time)*rate(time))
			if time >= 4 {
				checkShare(t, what+", late", r.all(row, "late"), r.individuals(), next.survival(time-4)*rate(time)/rate(4))
			}
		}
		if got := r.all(3, "early") / r.individuals(); d.name != "exponential, mean" {
			p := redrawn(6) * rate(6)
			checkNotices(t, d.name+" drawn anew", got, p, binomialError(p, r.individuals()))
		}
	}
}

// Contacts whose rate and chance change. Sources that stay as they are hit others independently, at
// a rate β·chance·K/(N−1).
func TestExactContactChanges(t *testing.T) {
	const size, sources = 20_000, 4000
	r := exactSimulate(t, 1, 2, `
name: hits
time: {unit: day, end: 16}
population: {size: %d, start: {source: %d, target: rest}}
parameters: {beta: 0 per day, works: 50%%}
states: {source: {}, target: {}, hit: {}}
transmission: [{from: source, rate: beta, chance: works, to: {target: hit}}]
interventions:
  - {at: 2 days, set: {beta: 1 per day}}
  - {at: 5 days, set: {works: 90%%}}
  - {at: 8 days, set: {beta: 0 per day}}
  - {at: 11 days, set: {beta: 2 per day, works: 0.2}}
record: {every: 1 day}
`, size, sources)
	left := hazardSurvival([]float64{0, 2, 5, 8, 11}, []float64{0, 0.5, 0.9, 0, 0.4})
	for row := 1; row < len(r.Times); row++ {
		p := math.Pow(left(r.Times[row]), sources/(size-1.0))
		checkShare(t, fmt.Sprintf("day %v", r.Times[row]), r.all(row, "target"), 2*(size-sources), p)
	}
}

// Arrivals whose rate changes are Poisson between the changes, and independent of those before.
func TestExactArrivalChanges(t *testing.T) {
	const replicas = 3000
	r := exactSimulate(t, 1, replicas, `
name: arrivals
time: {unit: day, end: 25}
population: {size: 0, start: {}}
parameters: {lambda: 3 per day}
states: {here: {}}
immigration: {rate: lambda, enter: here}
interventions:
  - {at: 5 days, set: {lambda: 1 per day}}
  - {at: 10 days, set: {lambda: 0 per day}}
  - {at: 15 days, set: {lambda: 4 per day}}
record: {every: 5 days}
`)
	for row, rate := range []float64{3, 1, 0, 4, 4} {
		came, before := r.counts(row+1, "here"), r.counts(row, "here")
		for k := range came {
			came[k] -= before[k]
		}
		what := fmt.Sprintf("to day %v", r.Times[row+1])
		if rate > 0 {
			checkPoisson(t, what, came, 5*rate)
		} else if slices.Max(came) > 0 {
			t.Errorf("%s: arrivals at rate 0", what)
		}
	}
}

// Births whose rate changes: the mean is n0 exp(∫b), the variance of pure births n0 e^B(e^B−1) with
// B = ∫b.
func TestExactBirthChanges(t *testing.T) {
	r := exactSimulate(t, 1, 10_000, `
name: births
time: {unit: day, end: 12}
population: {size: 10, start: {here: rest}}
parameters: {b: 0.1 per day}
states: {here: {}}
births: {rate: b, enter: here}
interventions: [{at: 4 days, set: {b: 0 per day}}, {at: 8 days, set: {b: 0.3 per day}}]
record: {every: 4 days}
`)
	for row, exponent := range []float64{0, 0.4, 0.4, 1.6} {
		if row == 0 {
			continue
		}
		growth := math.Exp(exponent)
		checkMean(t, fmt.Sprintf("day %v", r.Times[row]), r.counts(row, "here"), 10*growth)
		checkVariance(t, fmt.Sprintf("day %v", r.Times[row]), r.counts(row, "here"), 10*growth*(growth-1))
	}
}

// eventTimes are when something of a name happened, and how often at each time. There is one
// replica.
func eventTimes(t *testing.T, seed uint64, name, model string) (exactRun, map[float64]float64) {
	t.Helper()
	times := map[float64]float64{}
	r := exactObserve(t, population.Options{Seed: seed, OnEvent: func(e population.Event) {
		if e.Name == name {
			times[e.Time]++
		}
	}}, "%s", model)
	return r, times
}

// An intervention happens at its very time, to a binomial number of those it is for.
func TestExactCoverage(t *testing.T) {
	const size = 40_000
	r, times := eventTimes(t, 1, "vaccination", `
name: coverage
time: {unit: year, start: 1990, end: 2030}
attributes: {region: {north: 30%, south: 70%}}
parameters: {covered: 10%}
population: {size: 40_000, start: {infectious: 25%, susceptible: rest}}
states: {susceptible: {}, infectious: {}, recovered: {}}
interventions:
  - {at: 2000 years, set: {covered: 60%}}
  - {at: 2010.7 years, who: susceptible, where: {region: south}, coverage: covered, to: recovered, name: vaccination}
record: {every: 10 years}
`)
	n := times[2010.7]
	if len(times) != 1 || n == 0 {
		t.Fatalf("vaccinations at %v, expected all at 2010.7", times)
	}
	checkShare(t, "vaccinated", n, 0.75*size, 0.7*0.6)
	for row, want := range []float64{0, 0, 0, n, n} {
		if got := r.counts(row, "recovered")[0]; got != want {
			t.Errorf("in %v: %.0f recovered, expected %.0f", r.Times[row], got, want)
		}
	}
	if got := r.counts(r.last(), "infectious")[0]; got != 0.25*size {
		t.Errorf("%.0f infectious, of whom nobody is concerned", got)
	}
}

// What is repeated happens at each of its times, up to and including the last. A row shows what
// happened at its very time.
func TestExactRepeats(t *testing.T) {
	const size = 40_000
	r, times := eventTimes(t, 1, "round", `
name: rounds
time: {unit: day, end: 40}
population: {size: 40_000, start: {here: rest}}
states: {here: {}, there: {}}
interventions: [{at: 10 days, every: 1 week, until: 31 days, who: everyone, coverage: 20%, to: there, name: round}]
record: {every: 1 day}
`)
	left := float64(size)
	for row := range r.Times {
		moved, ok := times[r.Times[row]]
		if day := r.Times[row]; ok != (day == 10 || day == 17 || day == 24 || day == 31) {
			t.Errorf("day %v: %.0f moved", day, moved)
		}
		if ok { // a fifth of all, wherever they are by then, who are all told of
			checkShare(t, fmt.Sprintf("day %v", r.Times[row]), moved, size, 0.2)
			p := math.Pow(0.8, math.Round((r.Times[row]-3)/7))
			left = r.counts(row, "here")[0]
			checkShare(t, fmt.Sprintf("left on day %v", r.Times[row]), left, size, p)
		}
		if got := r.counts(row, "here")[0]; got != left {
			t.Errorf("day %v: %.0f left, expected %.0f", r.Times[row], got, left)
		}
	}
	if len(times) != 4 {
		t.Errorf("%d rounds, expected 4: %v", len(times), times)
	}
}

// A clock of always that fired before the start fires no more, also if an intervention gives it
// another law: of those who are old enough to have heard it with probability 1 − exp(−age/mean),
// the others hear it by the new law.
func TestExactStruckBeforeTheStart(t *testing.T) {
	const size = 20_000
	r := exactSimulate(t, 1, 1, `
name: struck
time: {unit: day, end: 4}
population: {size: %d, start: {here: rest}, age: {exactly: 3 days}}
parameters: {stay: {exponential: {mean: 5 days}}}
states: {here: {}, other: {}}
always: [{after: stay, from: here, to: other}]
interventions: [{at: 1 day, set: {stay: {exponential: {mean: 1 day}}}}]
record: {every: 4 days}
`, size)
	struck := -math.Expm1(-0.6)
	checkShare(t, "here", r.all(1, "here"), size, struck+math.Exp(-0.6-0.2-3))
	checkNotices(t, "all hear it again", r.all(1, "here")/size, (struck+math.Exp(-0.6-0.2))*math.Exp(-3),
		binomialError(0.47, size))
}
