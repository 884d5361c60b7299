package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// One of two is infectious for ever and sheds by a curve: the other is infected by t with 1 −
// exp(−∫).
func TestExactSinceCurve(t *testing.T) {
	const model = `
name: curve
time: {unit: day, end: 8}
population: {size: 2, start: {i: 1, s: 1}}
states: {s: {}, i: {}}
%s
record: {every: 1 day}
`
	for _, contact := range []string{
		"transmission: [{from: i, rate: {since: i, line: {0 days: 0 per day, 2 days: 0.6 per day, 6 days: 0 per day}}, " +
			"where: {first: yes}, to: {s: i}}]\nattributes: {first: {yes: 100%}}",
		"parameters: {w: {since: i, line: {0 days: 0, 2 days: 1, 6 days: 0}}}\n" +
			"transmission: [{from: i, rate: 0.6 per day * w, to: {s: i}}]",
		// The same with a bound that is not cut: it is not proportional to the curve.
		"parameters: {w: {since: i, line: {0 days: 0, 2 days: 1, 6 days: 0}}}\n" +
			"transmission: [{from: i, rate: \"0.6 per day * min(w, w + 0.5)\", to: {s: i}}]",
		"parameters: {w: {since: i, line: {0 days: 0 per day, 2 days: 0.3 per day, 6 days: 0 per day}}}\n" +
			"transmission: [{from: i, rate: {value: w * total, most: 1 per day}, to: {s: i}}]",
		// A start at a later time of the clock, and a season that never changes anything.
		"parameters: {w: {seasonal: {mean: 1, amplitude: 0%, peak: 0 days, period: 3 days}}}\n" +
			"transmission: [{from: i, rate: {since: {state: i}, line: {0 days: 0 per day, 2 days: 0.6 per day, " +
			"6 days: 0 per day}}, to: {s: i}}]",
	} {
		r := exactSimulate(t, 1, testscale.Size(2500, 200_000), model, contact)
		n := float64(len(r.Runs))
		for row, want := range map[int]float64{1: 0.139292, 2: 0.451188, 4: 0.776870, 6: 0.834701, 8: 0.834701} {
			checkShare(t, "infected", n-r.all(row, "s"), n, want)
		}
		checkNotices(t, "a constant rate", 1-r.all(1, "s")/n, 1-math.Exp(-0.3), binomialError(0.139292, n))
	}
}

// ballMoments returns mean and variance of the number of n susceptibles never infected by one, by
// the equations of Ball: phi(k) is the probability that one who is infected contacts none of k.
func ballMoments(n int, phi func(k int) float64) (mean, variance float64) {
	choose := func(n, k int) float64 {
		x := 1.0
		for i := range k {
			x *= float64(n-i) / float64(i+1)
		}
		return x
	}
	p := make([]float64, n+1) // of i infected
	for j := range p {
		sum := 0.0
		for i := range j {
			sum += choose(n-i, j-i) * p[i] / math.Pow(phi(n-j), float64(i+1))
		}
		p[j] = (choose(n, j) - sum) * math.Pow(phi(n-j), float64(j+1))
	}
	for j, q := range p {
		left := float64(n - j)
		mean, variance = mean+q*left, variance+q*left*left
	}
	return mean, variance - mean*mean
}

// Everybody makes Poisson(2) contacts in all, at times of a density that goes on from one state to
// the next. The final size has Ball's law. Time that started anew in the second state would give
// more.
func TestExactSinceDensity(t *testing.T) {
	const model = `
name: generations
time: {unit: day, end: 400}
population: {size: 6, start: {exposed: 1, s: rest}}
parameters:
  R: 2
  w: {since: %s, density: {gamma: {mean: 5 days, shape: 4}}}
states: {s: {}, exposed: {race: [{after: 2 days, to: i}]}, i: {}}
transmission: [{from: [exposed, i], rate: R * w, to: {s: exposed}}]
record: {every: 400 days}
`
	mean, variance := ballMoments(5, func(k int) float64 { return math.Exp(-2 * float64(k) / 5) })
	if math.Abs(mean-1.591753) > 1e-6 || math.Abs(variance-3.207666) > 1e-6 {
		t.Fatalf("Ball's law has %v and %v", mean, variance)
	}
	r := exactSimulate(t, 2, testscale.Size(6000, 200_000), model, "[exposed, i]")
	checkMean(t, "never infected", r.counts(1, "s"), 1.591753)
	checkVariance(t, "never infected", r.counts(1, "s"), 3.207666)

	// In i only, the time starts there: all of the density is after it, and nobody is infected by an
	// exposed.
	again := exactSimulate(t, 3, testscale.Size(6000, 200_000), model, "i")
	checkMean(t, "never infected", again.counts(1, "s"), 1.591753)
}

// A curve that another machine scales while it runs, as a rate of the state, of a machine and of a
// branch of a split. H is the integral of the curve.
func TestExactSinceFollowsMachines(t *testing.T) {
	const model = `
name: paced
time: {unit: day, end: 6}
population: {size: 500, start: {%s: rest}}
parameters:
  pace: {since: ill, steps: {0 days: 0.2 per day, 3 days: 1 per day}}
  slow: {since: {disease: ill}, steps: {0 days: 0.2 per day, 3 days: 1 per day}}
  risk: {by: care, none: 1, treated: 0.25}
states: {none: {}, ill: {%s}, well: {}}
machines:
  care:
    start: {none: rest}
    states: {none: {race: [{rate: 0.4 per day, to: treated}]}, treated: {}}
  disease:
    start: {ill: rest}
    states: {ill: {%s}, well: {}}
record: {every: 1 day}
`
	const split = "split: [{chance: 30%, rate: risk * pace, to: well}, {otherwise: true, rate: risk * pace, to: well}]"
	for _, c := range [][4]string{
		{"ill", "race: [{rate: risk * pace, to: well}]", "", "ill"},
		{"ill", split, "", "ill"},
		{"none", "", "race: [{rate: slow * risk, to: well}]", "disease=ill"},
		// The clock is of a machine, and the time is since a state.
		{"ill", "", "race: [{rate: pace * risk, to: well}]", "disease=ill"},
		{"ill", "", split, "disease=ill"},
	} {
		r := exactSimulate(t, 4, testscale.Size(60, 1000), model, c[0], c[1], c[2])
		for row, want := range map[int]float64{2: 0.740207, 4: 0.465242, 6: 0.267676} {
			checkShare(t, c[3], r.all(row, c[3]), r.individuals(), want)
		}
	}
}

// The chance of a contact by the time since of the one who is met, who has been immune for four
// days.
func TestExactSinceOfMet(t *testing.T) {
	const model = `
name: waned
time: {unit: day, end: 8}
population: {size: 2, start: {visitor: 1, immune: {count: 1, since: %s}}}
states: {visitor: {}, immune: {}, infected: {}}
transmission:
  - {from: visitor, rate: 0.5 per day, chance: {since: immune, of: met, line: {0 days: 0, 10 days: 1}},
     to: {immune: infected}}
record: {every: 1 day}
`
	r := exactSimulate(t, 5, testscale.Size(8000, 200_000), model, "4 days")
	n := float64(len(r.Runs))
	checkShare(t, "infected", r.all(3, "infected"), n, 0.561765)
	checkShare(t, "infected", r.all(8, "infected"), n, 0.954951)
	checkNotices(t, "the time of the maker, 0", r.all(3, "infected")/n, 0, binomialError(0.561765, n))

	// Drawn for each: by 1 day with 1 − ∫₀⁴ exp(−(d/20 + 1/40)) dd/4.
	r = exactSimulate(t, 6, testscale.Size(8000, 200_000), model, "{uniform: {low: 0 days, high: 4 days}}")
	want := 1 - 5*math.Exp(-0.025)*(1-math.Exp(-0.2))
	checkShare(t, "infected, drawn", r.all(1, "infected"), n, want)
}

// Those who begin in a state have been there for a time, and a clock by a curve goes on from there.
// One that comes back into the state begins anew, and so does one that goes into the same state
// again.
func TestExactSinceStart(t *testing.T) {
	r := exactSimulate(t, 7, testscale.Size(200, 1000), `
name: goes on
time: {unit: day, end: 4}
population: {size: 1000, start: {ill: {count: 500, since: 2 days}, again: rest}}
parameters:
  pace: {since: [ill, again, through], steps: {0 days: 0.1 per day, 3 days: 2 per day}}
states:
  ill: {race: [{rate: pace, to: well}]}
  again: {race: [{after: 2 days, to: through}, {rate: pace, to: well}]}
  through: {race: [{after: 1 day, to: through}, {rate: pace, to: well}]}
  well: {}
record: {every: 1 day}
`)
	n := r.individuals() / 2
	for row := 1; row <= 4; row++ {
		after := 2 + float64(row) // 2 days are over
		checkShare(t, "ill", r.all(row, "ill"), n, math.Exp(-0.1-2*(after-3)))
	}
	// Into through at 2 days, where the time goes on; into through again at 3, 4, …, where it begins
	// anew: the hazard never leaves 0.1.
	for row := 1; row <= 3; row++ {
		checkShare(t, "again", r.all(row, "again")+r.all(row, "through"), n, math.Exp(-0.1*float64(row)))
	}
}

// The age: since birth, or since entering at an age. Deaths begin at 15 and stop at 45; children
// are born at age 0.
func TestExactSinceBirth(t *testing.T) {
	r := exactSimulate(t, 8, testscale.Size(60, 600), `
name: ages
time: {unit: year, end: 20}
population: {size: 1000, age: {uniform: {low: 0 years, high: 50 years}}, start: {alive: rest}}
states: {alive: {}}
always:
  - {rate: {since: birth, steps: {0 years: 0 per year, 15 years: 0.1 per year, 45 years: 0 per year}}, to: out,
     name: death}
immigration: {rate: 50 per year, enter: alive, age: 40 years}
record: {every: 10 years}
`)
	// In the band at age a for how long within t years.
	inBand := func(a, t float64) float64 { return max(0, min(45, a+t)-max(15, a)) }
	for row, years := range map[int]float64{1: 10, 2: 20} {
		alive := integral(func(a float64) float64 { return math.Exp(-0.1 * inBand(a, years)) }, 0, 50, 100_000) / 50
		came := integral(func(s float64) float64 { return math.Exp(-0.1 * inBand(40, s)) }, 0, years, 100_000)
		checkMean(t, "alive", r.counts(row, "alive"), 1000*alive+50*came)
	}
}

// A curve times a season, with the time of the clock and the time since far apart.
func TestExactSinceAndSeason(t *testing.T) {
	r := exactSimulate(t, 9, testscale.Size(200, 1000), `
name: both
time: {unit: day, start: 5, end: 12}
population: {size: 1000, start: {waits: rest}}
parameters:
  w: {since: ill, line: {0 days: 0, 4 days: 1}}
  season: {seasonal: {mean: 0.8 per day, amplitude: 70%%, peak: 2 days, period: 3 days}}
states:
  waits: {race: [{after: 1.5 days, to: ill}]}
  ill: {race: [{rate: w * season, to: well}]}
  well: {}
record: {every: 1 day}
`)
	for row := 2; row <= 7; row++ {
		hazard := integral(func(t float64) float64 {
			return min(1, (t-6.5)/4) * 0.8 * (1 + 0.7*math.Cos(2*math.Pi*(t-2)/3))
		}, 6.5, 5+float64(row), 10_000)
		checkShare(t, "ill", r.all(row, "ill"), r.individuals(), math.Exp(-hazard))
	}
}

// Probabilities by a time since: of a branch, of an intervention and of what a clock gives.
func TestExactSinceChances(t *testing.T) {
	r := exactSimulate(t, 10, testscale.Size(40, 400), `
name: chances
time: {unit: day, end: 4}
population: {size: 1000, start: {ill: {share: 50%%, since: 4 days}, late: rest}}
parameters:
  p: {since: [ill, late, next], line: {0 days: 0%%, 10 days: 100%%}}
attributes: {mark: {no: 100%%, yes: 0%%}}
states:
  ill: {race: [{after: 5 days, to: next}]}
  late: {race: [{after: 3 days, to: next}]}
  next: {split: [{chance: p, after: 0 days, to: one}, {otherwise: true, after: 0 days, to: two}]}
  one: {}
  two: {}
  hit: {}
interventions: [{at: 0.5 days, who: ill, coverage: p, to: hit}]
record: {every: 1 day}
`)
	n := r.individuals()
	checkShare(t, "hit", r.all(4, "hit"), n/2, 0.45)
	missed := n/2 - r.all(4, "hit")
	checkZ(t, "one", r.all(4, "one"), 0.5*missed+0.3*n/2, math.Sqrt(missed*0.25+n/2*0.21))
}

// A fork goes on with the times since of its past: with a curve that is 0 up to 3 days, a fork at 2
// days that forgot them would lose nobody until 5.
func TestExactSinceForks(t *testing.T) {
	m := exactCompile(t, `
name: forked
time: {unit: day, end: 4}
population: {size: 2000, start: {ill: rest}}
states: {ill: {race: [{rate: {since: ill, steps: {0 days: 0 per day, 3 days: 1 per day}}, to: well}]}, well: {}}
record: {every: 1 day}
`)
	p, err := m.Begin(t.Context(), population.Options{Seed: 11}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Advance(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	const forks = 20
	for k := range forks {
		f, err := p.Fork(uint64(k))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Advance(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		total += float64(f.Count(0))
		f.Close()
	}
	checkShare(t, "ill", total, forks*2000, math.Exp(-1))
}
