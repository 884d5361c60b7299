package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

const placeHousehold = `
name: household
time: {unit: day, end: 200}
population: {size: %d, start: {infectious: 1, susceptible: rest}}
places: {household: {size: %d}}
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: household, rate each: %s, to: {susceptible: infectious}}]
record: {every: 200 days}
`

// Test 1 of section 3.
func TestExactHousehold(t *testing.T) {
	n := testscale.Size(4000, 400_000)
	law := func(k float64) float64 { return math.Pow(1+0.3*k, -2) }
	checkSizes(t, exactSimulate(t, 1, n, placeHousehold, 4, 4, "0.3 per day"), "recovered", ballSizes(3, law))
	// Of 8 seats 3 are empty.
	checkSizes(t, exactSimulate(t, 2, n, placeHousehold, 5, 5, "0.3 per day"), "recovered", ballSizes(4, law))
	checkSizes(t, exactSimulate(t, 3, n, placeHousehold, 5, 5, "{value: 1.5 per day / size, most: 1 per day}"),
		"recovered", ballSizes(4, law))
	// Nobody else is met: there are 10 in all, in places of 5.
	checkSizes(t, exactSimulate(t, 4, n, placeHousehold, 10, 5, "0.3 per day"), "recovered", ballSizes(4, law))
}

// Test 2 of section 3: the number of members falls.
func TestExactHouseholdThatShrinks(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: household
time: {unit: day, end: 200}
population: {size: 4, start: {infectious: 1, susceptible: rest}}
places: {household: {size: 4}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.5 per day, to: out}]}
transmission: [{from: infectious, among: household, rate: 0.9 per day, to: {susceptible: infectious}}]
record: {every: 200 days}
`)
	checkMean(t, "never infected", r.counts(r.last(), "susceptible"), 1.356653)
	checkVariance(t, "never infected", r.counts(r.last(), "susceptible"), 1.867723)
}

// places returns a number of the places of the first kind at a row, by replica.
func (r exactRun) places(row int, of func(p population.Places) float64) []float64 {
	values := make([]float64, len(r.Runs))
	for i := range r.Runs {
		values[i] = of(r.Runs[i].Places(row, 0))
	}
	return values
}

// Test 3 of section 3, first part: what households are made of decides who is a child.
func TestExactMadeOf(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: made
time: {unit: day, end: 1}
population: {size: 4, start: {a: rest}}
attributes: {age: {child: 50%%, adult: 50%%}}
places:
  household: {by: age, made of: [{share: 50%%, adult: 1}, {share: 30%%, adult: 2}, {share: 20%%, adult: 2, child: 2}]}
states: {a: {}}
record: {every: 1 day, by: [age]}
`)
	children := make([]float64, len(r.Runs))
	for i := range r.Runs {
		children[i] = float64(r.Runs[i].In(0).Total(0))
	}
	checkMean(t, "children", children, 0.5)
	checkVariance(t, "children", children, 0.65)
}

// Test 3 of section 3, second part: births into the household of the parent, deaths, and people who
// found a household of their own.
func TestExactHouseholdsChange(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(2500, 100_000), `
name: change
time: {unit: year, end: 3}
population: {size: 20, start: {a: rest}}
places: {household: {size: 2}}
states: {a: {race: [{rate: 0.2 per year, to: out}]}}
births: {rate: 0.3 per year, enter: a, inherit: [household]}
always: [{rate: 0.1 per year, move: {household: new}}]
record: {every: 3 years}
`)
	checkMean(t, "households", r.places(1, func(p population.Places) float64 { return float64(p.Number) }), 12.826334)
	for size, want := range map[int]float64{1: 6.424542, 2: 2.867881, 3: 1.579170} {
		checkMean(t, "households of one size",
			r.places(1, func(p population.Places) float64 { return float64(p.Sizes[size]) }), want)
	}
	for i := range r.Runs {
		if p := r.Runs[i].Places(1, 0); p.Members != r.Runs[i].Total(1) {
			t.Fatalf("%d in households, %d alive", p.Members, r.Runs[i].Total(1))
		}
	}
}

// Test 4 of section 3: a ward with 3 beds loses those who find none free.
func TestExactWard(t *testing.T) {
	const model = `
name: ward
time: {unit: day, end: %d}
population: {size: 0, start: {}}
places: {ward: {number: 1, capacity: 3}}
states: {a: {race: [{after: %s, to: out}]}}
immigration: {rate: 4 per day, enter: a, name: arrived}
record: {every: %d days}
`
	r := exactSimulate(t, 1, testscale.Size(4000, 400_000), model, 2, "{exponential: {mean: 1 day}}", 2)
	members := r.places(1, func(p population.Places) float64 { return float64(p.Members) })
	checkMean(t, "members", members, 2.180147)
	checkVariance(t, "members", members, 0.766101)
	checkMean(t, "turned away", r.places(1, func(p population.Places) float64 { return float64(p.TurnedAway) }), 2.409902)
	// In the long run, by the formula of Erlang, whatever the law of stays is.
	for _, stay := range []string{"{exponential: {mean: 1 day}}", "1 day", "{gamma: {mean: 1 day, shape: 0.5}}"} {
		r := exactSimulate(t, 2, testscale.Size(100, 4000), model, 400, stay, 200)
		share := make([]float64, len(r.Runs))
		for i := range r.Runs {
			run := &r.Runs[i]
			away := float64(run.Places(2, 0).TurnedAway - run.Places(1, 0).TurnedAway)
			in := float64(run.Named(2, 0) - run.Named(1, 0))
			share[i] = away / (away + in)
		}
		checkMean(t, "turned away, stay "+stay, share, 0.450704)
	}
}

// A clock that would lead into a full ward does what full says, or nothing; a ward that has room
// again takes the next.
func TestExactFull(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 200_000), `
name: full
time: {unit: day, end: 3}
population: {size: 5, start: {ill: rest}}
places: {ward: {number: 1, capacity: 3, where: {state: hospital}}}
states:
  ill: {race: [{after: 1 day, to: hospital, full: severe, name: admission}]}
  hospital: {race: [{rate: 1 per day, to: immune}]}
  severe: {race: [{rate: 2 per day, to: hospital, name: admission}]}
  immune: {}
record: {every: 1 day}
`)
	for i := range r.Runs {
		run := &r.Runs[i]
		if n := run.Count(1, r.state("hospital")); n != 3 || run.Count(1, r.state("severe")) != 2 || run.Named(1, 0) != 5 {
			t.Fatalf("%d in hospital at day 1, %d severe, %d by name", n, run.Count(1, r.state("severe")), run.Named(1, 0))
		}
		for row := range 4 {
			if p := run.Places(row, 0); p.Members > 3 || p.Members != run.Count(row, r.state("hospital")) {
				t.Fatalf("%d members, %d in hospital", p.Members, run.Count(row, r.state("hospital")))
			}
		}
	}
	// The chain on those in hospital and those severe: from (3, 2) for two days.
	want := wardChain(2)
	checkMean(t, "in hospital", r.counts(3, "hospital"), want)
}

// wardChain is the expected number in a ward of 3 beds, from which each leaves at 1 per day, a time
// after 3 were there and 2 tried to enter at 2 per day each.
func wardChain(time float64) float64 {
	type at struct{ in, out int }
	p := map[at]float64{{3, 2}: 1}
	const steps = 20_000
	h := time / steps
	for range steps {
		next := map[at]float64{}
		for s, x := range p {
			leave, enter := float64(s.in)*h, 0.0
			if s.in < 3 {
				enter = 2 * float64(s.out) * h
			}
			next[s] += x * (1 - leave - enter)
			if leave > 0 {
				next[at{s.in - 1, s.out}] += x * leave
			}
			if enter > 0 {
				next[at{s.in + 1, s.out - 1}] += x * enter
			}
		}
		p = next
	}
	mean := 0.0
	for s, x := range p {
		mean += float64(s.in) * x
	}
	return mean
}

// A size may be a table by what the members of a place share.
func TestSizeByGroup(t *testing.T) {
	r := exactSimulate(t, 1, 20, `
name: sizes
time: {unit: day, end: 1}
population: {size: 100, start: {a: rest}}
attributes: {region: {north: 50%%, south: 50%%}}
places: {house: {size: {by: region, north: 1, south: 3}, alike: [region]}}
states: {a: {}}
record: {every: 1 day, by: [region]}
`)
	for i := range r.Runs {
		p, north, south := r.Runs[i].Places(0, 0), r.Runs[i].In(0).Total(0), r.Runs[i].In(1).Total(0)
		single := north
		if south%3 == 1 {
			single++
		}
		if p.Sizes[1] != single || p.Sizes[3] != south/3 || p.Number != north+(south+2)/3 {
			t.Fatalf("%d in the north, %d in the south: %+v", north, south, p)
		}
	}
}

// Those who enter together found one place, those who are alike: by births, immigration, a clock or
// an intervention.
func TestFoundedTogether(t *testing.T) {
	r := exactSimulate(t, 1, 20, `
name: packs
time: {unit: day, end: 4}
population: {size: 10, start: {a: rest}}
attributes: {sex: {f: 100%%, m: 0%%}}
places: {den: {size: 10, join: new}}
states: {a: {race: [{after: 1 day, to: b, enter: b, count: 2}]}, b: {}}
interventions: [{at: 2 days, enter: b, count: 7}]
immigration: {rate: {steps: {0 days: 0 per day, 3 days: 5 per day}}, enter: b, count: 4, name: pack}
record: {every: 1 day}
`)
	for i := range r.Runs {
		run := &r.Runs[i]
		if p := run.Places(1, 0); p.Sizes[10] != 1 || p.Sizes[2] != 10 || p.Number != 11 {
			t.Fatalf("litters of 2: %+v", p)
		}
		if p := run.Places(2, 0); p.Sizes[7] != 1 || p.Number != 12 {
			t.Fatalf("an intervention with 7: %+v", p)
		}
		if p := run.Places(4, 0); p.Sizes[4] != int(run.Named(4, 0))/4 || p.Number != 12+p.Sizes[4] {
			t.Fatalf("packs of 4: %+v, %d entered", p, run.Named(4, 0))
		}
	}
}
