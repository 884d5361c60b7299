package population_test

import (
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// One of two is infectious for exactly 1 day and makes contacts at twice its activity, which is
// gamma with mean 1 and shape 0.3: the other is not infected with (1 + 2/0.3)^−0.3. In the second
// form a season stands beside it, with the mean 1 over the day; in the third the number of the one
// who is met is the chance.
func TestExactNumbers(t *testing.T) {
	const model = `
name: two
time: {unit: day, end: 2}
population: {size: 2, start: {i: 1, s: 1}}
attributes: {activity: {number: {gamma: {mean: 1, shape: 0.3}}}}
parameters:
  season: {seasonal: {mean: 1, amplitude: 90%%, peak: 0.2 days, period: 1 day}}
  busy: 2 per day * activity
  age: {since: i, steps: {0 days: 0.5, 0.5 days: 1.5}}
states: {s: {}, i: {race: [{after: 1 day, to: r}]}, r: {}}
transmission: [{from: i, rate: %s, to: {s: r}}]
record: {every: 2 days}
`
	for _, rate := range []string{
		"2 per day * activity", "busy", "busy * season", "season * 2 per day * (activity + 2 * activity) / 3", "busy * age",
		"\"2 per day * max(0, activity)\"", "{value: busy * total / 2, most: 1000 per day}",
	} {
		r := exactSimulate(t, 1, testscale.Size(1500, 200_000), model, rate)
		n := float64(len(r.Runs))
		checkShare(t, rate+": not infected", r.all(1, "s"), n, 0.542773)
		checkNotices(t, "the mean in place of the number", r.all(1, "s")/n, 0.135335, binomialError(0.542773, n))
	}
}

// The contacts of the first, over a fixed period with R = 2, are negative binomial with k = 0.3:
// its offspring, if it never meets anybody twice.
func TestExactNumbersOffspring(t *testing.T) {
	r := exactSimulate(t, 2, testscale.Size(15_000, 400_000), `
name: offspring
time: {unit: day, end: 5}
population: {size: 2, start: {first: 1, s: rest}}
attributes: {activity: {number: {gamma: {mean: 1, shape: 0.3}}}}
parameters: {R: 2}
states: {s: {}, first: {}}
transmission: [{from: first, rate: R * activity / 5 days, to: {s: s}}]
record: {every: 5 days}
`)
	offspring := r.flows(1, "s", "s")
	none := 0.0
	for _, n := range offspring {
		if n == 0 {
			none++
		}
	}
	checkShare(t, "none", none, float64(len(offspring)), 0.542773)
	checkMean(t, "offspring", offspring, 2)
	checkVariance(t, "offspring", offspring, 2+4/0.3)
}

// The number of the one who is met in a chance; a mean of an exponential clock, in race, in split
// and as always; numbers that are given and inherited.
func TestExactNumbersElsewhere(t *testing.T) {
	const head = `
name: elsewhere
time: {unit: day, end: 2}
record: {every: 1 day}
`
	met := exactSimulate(t, 3, testscale.Size(4000, 100_000), head+`
population: {size: 2, start: {i: 1, s: 1}}
attributes: {risk: {number: {uniform: {low: 0, high: 8, most: 4}}}}
states: {s: {}, i: {}, r: {}}
transmission: [{from: i, rate: 2 per day, chance: {value: risk / 4, of: met}, to: {s: r}}]
`)
	n := float64(len(met.Runs))
	checkShare(t, "not infected", met.all(1, "s"), n, (1-math.Exp(-2))/2)

	for _, clock := range []string{
		"states: {a: {race: [{after: {exponential: {mean: 1 day / x}}, to: b}]}, b: {}}",
		"states: {a: {split: [{chance: 40%, after: {exponential: {mean: 1 day / x}}, to: b}, {otherwise: true, " +
			"after: {exponential: {rate: x * 1 per day}}, to: b}]}, b: {}}",
		"states: {a: {}, b: {}}\nalways: [{rate: x * 1 per day, from: a, to: b}]",
		"states: {a: {}, b: {}}\n" +
			"machines: {m: {start: {on: rest}, states: {on: {race: [{rate: x * 1 per day, to: off}]}, off: {}}}}",
	} {
		r := exactSimulate(t, 4, testscale.Size(10, 100), head+`
population: {size: 1000, start: {a: rest}}
attributes: {group: {one: 30%%, two: 70%%}, x: {number: {poisson: {mean: {by: group, one: 1, two: 3}}}}}
%s
`, clock)
		for row := 1; row <= 2; row++ {
			p := func(mean float64) float64 { return math.Exp(mean * (math.Exp(-float64(row)) - 1)) }
			state := "a"
			if strings.Contains(clock, "machines") {
				state = "m=on"
			}
			checkShare(t, state, r.all(row, state), r.individuals(), 0.3*p(1)+0.7*p(3))
		}
	}

	for _, born := range []string{
		"births: {rate: 0.5 per day, from: a, enter: child, inherit: [x]}",
		"always: [{rate: 0.5 per day, from: a, enter: child, inherit: all}]",
		"machines: {m: {start: {on: rest}, enter: off, states: {on: {race: [{rate: 0.5 per day, where: {sort: mother}, " +
			"to: on, enter: child, inherit: [x]}]}, off: {}}}}",
	} {
		r := exactSimulate(t, 5, testscale.Size(50, 1000), head+`
population:
  size: 300
  groups:
    - {count: 200, with: {x: 2.5, sort: mother}, start: {a: rest}}
    - {count: 100, start: {b: rest}}
attributes: {sort: {mother: 0%%, other: rest}, x: {number: {negative binomial: {mean: 6, dispersion: 0.5}}}}
states: {a: {}, b: {}, child: {race: [{rate: 1 per day * x, to: grown}]}, grown: {}}
%s
`, born)
		// A child that is born at s is not grown at t with exp(−2.5 (t − s)): 100 births a day.
		for row := 1; row <= 2; row++ {
			checkMean(t, "children", r.counts(row, "child"), 100*(1-math.Exp(-2.5*float64(row)))/2.5)
		}
	}

	// A clock of a state, whose one child a parent has on the way out.
	out := exactSimulate(t, 6, testscale.Size(10, 100), head+`
population: {size: 1000, groups: [{count: 1000, with: {x: 2.5}, start: {a: rest}}]}
attributes: {x: {number: {negative binomial: {mean: 6, dispersion: 0.5}}}}
states:
  a: {race: [{after: 1 day, to: out, enter: child, inherit: [x]}]}
  child: {race: [{rate: 1 per day * x, to: grown}]}
  grown: {}
`)
	checkShare(t, "children of those who left", out.all(2, "child"), out.individuals(), math.Exp(-2.5))
}

// Recorded means of numbers, of all and of a state, and the count of a group beside them: of those
// who are there, who were given 1, 2 and 6.
func TestExactNumbersRecorded(t *testing.T) {
	r := exactSimulate(t, 8, 1, `
name: recorded
time: {unit: day, end: 2}
population:
  size: 6
  groups:
    - {count: 3, with: {x: 1, region: north}, start: {a: rest}}
    - {count: 1, with: {x: 2, region: south}, start: {a: rest}}
    - {count: 2, with: {x: 6, region: south}, start: {b: rest}}
attributes: {region: {north: 50%%, south: rest}, y: {number: {exactly: 7}}, x: {number: {exactly: 3}}}
states: {a: {}, b: {}}
interventions: [{at: 1.5 days, who: b, to: out}]
record:
  every: 1 day
  values: {all: mean(x), of b: "2 * mean(x, b)", y: mean( y ), north: count(region=north),
    south: count(region=south) / total}
`)
	want := map[string][]float64{
		"all": {17. / 6, 17. / 6, 5. / 4}, "of b": {12, 12, math.NaN()}, "y": {7, 7, 7}, "north": {3, 3, 3},
		"south": {0.5, 0.5, 0.25},
	}
	for k, name := range r.Model.Values() {
		for row, x := range want[name] {
			got := r.Runs[0].Value(row, k)
			if !(math.Abs(got-x) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(x)) {
				t.Errorf("%s in row %d: %v, want %v", name, row, got, x)
			}
		}
	}
}

// events.csv tells the numbers, which do not change, and have their law.
func TestExactNumbersInEvents(t *testing.T) {
	m := exactCompile(t, `
name: events
time: {unit: day, end: 3}
population: {size: 4000, start: {a: rest}}
attributes: {x: {number: {normal: {mean: 1, sd: 2, least: 0}}}, y: {number: {exactly: 7}}}
states: {a: {race: [{rate: x * 0.1 per day, to: b}]}, b: {}}
record: {every: 1 day}
`)
	if got := m.Numbers(); len(got) != 2 || got[0] != "x" || got[1] != "y" {
		t.Fatalf("numbers %v", got)
	}
	of := map[uint64]float64{}
	var xs []float64
	if _, err := m.Run(t.Context(), population.Options{Seed: 6, OnEvent: func(e population.Event) {
		x := e.Numbers[0]
		if old, ok := of[e.Individual]; ok && old != x || e.Numbers[1] != 7 {
			t.Fatalf("%d has %v, and had %v", e.Individual, e.Numbers, old)
		}
		if of[e.Individual] = x; e.Kind == population.Started {
			xs = append(xs, x)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	// The mean of a normal beyond 0: 1 + 2·φ(1/2)/Φ(1/2).
	tail := math.Exp(-0.125) / math.Sqrt(2*math.Pi) / (math.Erfc(-0.5/math.Sqrt2) / 2)
	checkMean(t, "x", xs, 1+2*tail)
	if len(xs) != 4000 {
		t.Errorf("%d individuals", len(xs))
	}
}
