package population_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Recovery is at a rate that another machine changes: P(ill at t) is e^(−0.6t) + 0.5 (e^(−0.6t) −
// e^(−0.9t))/0.3. A table that is read once, when the clock starts, gives e^(−0.1t).
func TestExactMachineChangesRate(t *testing.T) {
	const model = `
name: care
time: {unit: day, end: 4}
population: {size: 1000, start: {ill: rest}}
states: {ill: {race: [{%s, to: well}]}, well: {}}
machines:
  care:
    start: {none: rest}
    states: {none: {race: [{%s, to: treated}]}, treated: {}}
record: {every: 1 day}
`
	const table = "{by: care, none: 0.1 per day, treated: 0.9 per day}"
	want := []float64{1, 0.785882, 0.527686, math.NaN(), 0.196375}
	for name, clocks := range map[string][2]string{
		"rates":        {"rate: " + table, "rate: 0.5 per day"},
		"exponentials": {"after: {exponential: {rate: " + table + "}}", "rate: 0.5 per day"},
		"a timer":      {"rate: " + table, "after: {gamma: {mean: 2 days, shape: 1}}"},
	} {
		t.Run(name, func(t *testing.T) {
			r := exactSimulate(t, 1, testscale.Size(100, 1000), model, clocks[0], clocks[1])
			for _, row := range []int{1, 2, 4} {
				checkShare(t, "ill", r.all(row, "ill"), r.individuals(), want[row])
				checkShare(t, "treated", r.all(row, "care=treated"), r.individuals(), 1-math.Exp(-0.5*float64(row)))
			}
			n := r.individuals()
			checkNotices(t, "the table read once", r.all(1, "ill")/n, 0.904837, math.Sqrt(0.785882*0.214118/n))
		})
	}
}

// The other way round: the clock of a machine follows the state, whether it is at a rate or a
// branch of a split, and has the same law.
func TestExactMachineFollowsState(t *testing.T) {
	const model = `
name: follows
time: {unit: day, end: 4}
population: {size: 1000, start: {none: rest}}
states: {none: {race: [{rate: 0.5 per day, to: treated}]}, treated: {}}
machines:
  disease:
    start: {ill: rest}
    states:
      ill: {%s}
      well: {}
record: {every: 1 day}
`
	const rate = "rate: {by: state, none: 0.1 per day, treated: 0.9 per day}, to: well"
	for _, clock := range []string{
		"race: [{" + rate + "}]", "split: [{chance: 30%, " + rate + "}, {otherwise: true, " + rate + "}]",
	} {
		r := exactSimulate(t, 2, testscale.Size(100, 1000), model, clock)
		for row, want := range map[int]float64{1: 0.785882, 2: 0.527686, 4: 0.196375} {
			checkShare(t, "ill", r.all(row, "disease=ill"), r.individuals(), want)
		}
	}
}

// A clock with a memory reads the table when it starts: all are ill until 4 days, and none after.
func TestExactMachineIsReadOnce(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: once
time: {unit: day, end: 5}
population: {size: 1000, start: {ill: rest}}
states: {ill: {race: [{after: {by: care, none: 4 days, treated: 1 day}, to: well}]}, well: {}}
machines:
  care:
    start: {none: rest}
    states: {none: {race: [{rate: 0.5 per day, to: treated}]}, treated: {}}
record: {every: 0.5 days}
`)
	for row, at := range r.Times {
		want := 1000.0
		if at >= 4 {
			want = 0
		}
		if ill := r.all(row, "ill"); ill != want {
			t.Errorf("at %v days %v are ill, expected %v", at, ill, want)
		}
	}
}

// Two infections among four people, of which one makes the other more likely. The expected values
// are of the Markov chain on (s no, i no, s yes, i yes), begun at (3,0,0,1) with probability ¼ and
// at (2,1,1,0) with ¾.
func TestExactMachineCoinfection(t *testing.T) {
	r := exactSimulate(t, 3, testscale.Size(8000, 400_000), `
name: coinfection
time: {unit: day, end: 3}
population: {size: 4, start: {i: 1, s: rest}}
states: {s: {}, i: {race: [{rate: 0.5 per day, to: s}]}}
machines:
  b:
    start: {yes: 1, no: rest}
    states: {no: {}, yes: {race: [{rate: 0.4 per day, to: no}]}}
transmission:
  - {from: i, rate: 1 per day, to: {s: i}}
  - {machine: b, from: yes, rate: 0.8 per day, chance: {by: state, of: met, i: 100%%, s: 30%%}, to: {no: yes}}
record: {every: 3 days, by: [b]}
`)
	both := make([]float64, len(r.Runs))
	for k := range r.Runs {
		both[k] = float64(r.Runs[k].In(1).Count(1, r.state("i")))
	}
	checkMean(t, "i", r.counts(1, "i"), 1.210413)
	checkVariance(t, "i", r.counts(1, "i"), 1.883676)
	checkMean(t, "yes", r.counts(1, "b=yes"), 0.756341)
	checkVariance(t, "yes", r.counts(1, "b=yes"), 1.036208)
	checkMean(t, "both", both, 0.292076)
	checkVariance(t, "both", both, 0.459675)
}

// Two strains that exclude each other: whoever is infected has the strain of the one who met them,
// or, if it is the maker that is infected, of the one that was met.
func TestExactContactsPassStrainsOn(t *testing.T) {
	const model = `
name: strains
time: {unit: day, end: 1.5}
population:
  size: 5
  groups:
    - {count: 1, with: {strain: a}, start: {infectious: rest}}
    - {count: 1, with: {strain: b}, start: {infectious: rest}}
    - {count: 3, with: {strain: none}, start: {susceptible: rest}}
%s
states: {susceptible: {}, infectious: {}}
transmission: [{%s}]
record: {every: 1.5 days, by: [strain]}
`
	const (
		attribute = "attributes: {strain: {a: 0%, b: 0%, none: rest}}"
		machine   = "machines: {strain: {start: {none: rest}, states: {a: {}, b: {}, none: {}}}}"
		rate      = "rate: {by: strain, a: 1 per day, b: 2 per day, none: 0 per day}, "
		to        = "from: infectious, to: {susceptible: infectious}, inherit: [strain]"
	)
	for name, parts := range map[string][2]string{
		"attribute":           {attribute, rate + to},
		"machine":             {machine, rate + to},
		"by the machine":      {machine, rate + "machine: strain, from: [a, b], to: {none: a}, inherit: [strain]"},
		"without from and to": {attribute, rate + "where: {strain: [a, b]}, whom: {strain: none}, inherit: [strain]"},
		"move": {attribute, rate + "where: {strain: a}, whom: {strain: none}, move: {strain: a}}, {" +
			rate + "where: {strain: b}, whom: {strain: none}, move: {strain: b}"},
		"of the one who is met": {attribute, "rate: 2 per day, chance: {by: strain, of: met, a: 50%, other: 100%}, " +
			"from: susceptible, to: {infectious: same}, self: infectious, inherit: [strain]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := exactSimulate(t, 4, testscale.Size(4000, 400_000), model, parts[0], parts[1])
			for k, want := range [][2]float64{{1.726110, 0.778234}, {2.669960, 1.157850}} {
				values := make([]float64, len(r.Runs))
				for i := range r.Runs {
					values[i] = float64(r.Runs[i].In(k).Total(1))
				}
				checkMean(t, "strain "+string(rune('a'+k)), values, want[0])
				checkVariance(t, "strain "+string(rune('a'+k)), values, want[1])
			}
		})
	}
}

// At the start numbers are dealt, exactly and independently of the state; percentages are drawn, by
// attributes, the state and machines that stand before.
func TestExactMachineStart(t *testing.T) {
	r := exactSimulate(t, 5, testscale.Size(4000, 200_000), `
name: start
time: {unit: day, end: 1}
population: {size: 10, groups: [{count: 6, start: {a: 2, b: rest}},
  {count: 4, with: {x: dealt}, start: {a: 1, b: rest}}]}
attributes: {sex: {f: 30%%, m: rest}}
states: {a: {}, b: {}}
machines:
  x: {start: {dealt: 3, drawn: {by: state, a: 50%%, b: 20%%}, other: rest}, states: {dealt: {}, drawn: {}, other: {}}}
  y: {start: {yes: {by: x, drawn: 80%%, other: {by: sex, f: 60%%, m: 0%%}}, no: rest}, states: {yes: {}, no: {}}}
  z: {start: {one: 2, two: 5, three: rest}, states: {one: {}, two: {}, three: {}}}
record: {every: 1 day, by: [x, [x, y]]}
`)
	in := func(group int, state string) []float64 {
		values := make([]float64, len(r.Runs))
		for k := range r.Runs {
			values[k] = float64(r.Runs[k].In(group).Count(0, r.state(state)))
		}
		return values
	}
	dealt := map[string]float64{"x=dealt": 7, "z=one": 2, "z=two": 5, "z=three": 3} // of x, 3 of the six, and the four
	for state, want := range dealt {
		for k, n := range r.counts(0, state) {
			if n != want {
				t.Fatalf("replica %d: %v are %s, expected %v", k, n, state, want)
			}
		}
	}
	checkMean(t, "two among those who are dealt", in(0, "z=two"), 3.5)
	// Of the first group 3 of 6 are dealt: the number in a is hypergeometric with mean 1 and variance
	// 0.4. The second group adds 1 to it.
	checkMean(t, "dealt and a", in(0, "a"), 2)
	checkVariance(t, "dealt and a", in(0, "a"), 0.4)
	checkMean(t, "drawn and a", in(1, "a"), 1*0.5)
	checkMean(t, "drawn and b", in(1, "b"), 2*0.2)
	checkMean(t, "drawn and yes", in(1, "y=yes"), 0.9*0.8)
	checkMean(t, "dealt and yes", in(0, "y=yes"), 7*0.3*0.6)
	checkMean(t, "yes", r.counts(0, "y=yes"), 0.72+9.1*0.18)
}

// Those who begin in a state of a machine have been there for a time. A clock of exactly 4 days
// that began uniformly within the last 2 days is over after 2 to 4 days; of a split, the branch is
// likelier that lasts longer.
func TestExactMachineSince(t *testing.T) {
	r := exactSimulate(t, 6, testscale.Size(100, 1000), `
name: since
time: {unit: day, end: 4}
population: {size: 1000, start: {a: rest}}
states: {a: {}}
machines:
  x:
    start: {on: {share: rest, since: {uniform: {low: 0 days, high: 2 days}}}}
    states: {on: {race: [{after: 4 days, to: off}]}, off: {}}
  y:
    start: {on: {share: 100%%, since: 2 days}}
    states:
      on: {split: [{chance: 50%%, after: {exponential: {mean: 1 day}}, to: short},
        {otherwise: true, after: {exponential: {mean: 4 days}}, to: long}]}
      short: {}
      long: {}
record: {every: 1 day}
`)
	n := r.individuals()
	checkShare(t, "on at 2 days", r.all(2, "x=on"), n, 1)
	checkShare(t, "on at 3 days", r.all(3, "x=on"), n, 0.5)
	checkShare(t, "on at 4 days", r.all(4, "x=on"), n, 0)
	short := math.Exp(-2) / (math.Exp(-2) + math.Exp(-0.5))
	checkShare(t, "short at 4 days", r.all(4, "y=short"), n, short*(1-math.Exp(-4)))
	checkShare(t, "long at 4 days", r.all(4, "y=long"), n, (1-short)*(1-math.Exp(-1)))
	checkNotices(t, "the branch drawn by its chance", r.all(4, "y=short")/n, 0.5*(1-math.Exp(-4)), 0.5/math.Sqrt(n))
}

// What a move gives: a value, shares, a copy, a table; at a clock, an intervention and a contact,
// beside to and without it, and for those who are born.
func TestExactMachineMoves(t *testing.T) {
	r := exactSimulate(t, 7, testscale.Size(100, 2000), `
name: moves
time: {unit: day, end: 4}
population: {size: 1000, start: {a: rest}}
parameters: {p: 20%%}
attributes: {home: {n: 25%%, s: 75%%}, region: {s: 50%%, n: 50%%}, mark: {none: rest, x: 0%%, y: 0%%}}
states:
  a: {race: [{after: 1 day, to: b, move: {region: home, m: {by: home, n: two, s: {two: p, three: rest}}}}]}
  b: {}
machines:
  m:
    start: {one: rest}
    enter: one
    states:
      one: {}
      two: {race: [{after: {by: state, a: 3 days, b: 1.5 days}, to: two, move: {mark: {x: p, y: rest}}}]}
      three: {race: [{after: 1 day, to: four}]}
      four: {}
births: {rate: 0.1 per day, where: {m: one}, enter: b, with: {m: {three: 40%%, four: rest}, region: n}}
interventions:
  - {at: 1.5 days, set: {p: 50%%}}
record: {every: 0.5 days, by: [[home, region], mark, m]}
`)
	n := r.individuals()
	group := func(row, group int) (sum float64) {
		for k := range r.Runs {
			sum += float64(r.Runs[k].In(group).Total(row))
		}
		return sum
	}
	born := r.allFlows(2, "births", "b")
	// After a day the region of those of the start is the home, and a quarter of them and a fifth of
	// the rest are two. (Groups: home n region s, n n, s s, s n. The born have region n.)
	if got := group(2, 0) + group(2, 3) + group(2, 1) + group(2, 2); got != n+born {
		t.Errorf("%v are there, expected %v", got, n+born)
	}
	if got := group(2, 0); got != 0 {
		t.Errorf("%v of home n are in region s after the copy", got)
	}
	checkShare(t, "two", r.all(2, "m=two"), n, 0.25+0.75*0.2)
	threes := r.allFlows(2, "m=births", "three")
	checkShare(t, "born as three", threes, born, 0.4)
	// The clock of two reads state b, after the whole event: it fires at 2.5 days, not at 4, by the
	// parameters of then.
	two := r.all(2, "m=two")
	if got := r.allFlows(5, "m=two", "two"); got != two {
		t.Errorf("%v clocks have fired at 2.5 days, expected %v", got, two)
	}
	if got := r.allFlows(4, "m=two", "two"); got != 0 {
		t.Errorf("%v clocks have fired before 2.5 days", got)
	}
	checkShare(t, "marked x", group(5, 5), two, 0.5)
	// To the same state starts the clock anew: again at 4 days.
	if got := r.allFlows(8, "m=two", "two"); got != 2*two {
		t.Errorf("%v clocks have fired at 4 days, expected %v", got, 2*two)
	}
}

// The clocks of machines that are forked on the way have their law, with and without a memory, in
// races and in splits, of those who have been there before; and as the state changes that they
// follow.
func TestExactForkedMachines(t *testing.T) {
	size := testscale.Size(2500, 50_000)
	m := exactCompile(t, `
name: forked
time: {unit: day, end: 8}
population: {size: %d, start: {none: rest}}
states: {none: {race: [{rate: 0.5 per day, to: treated}]}, treated: {}}
machines:
  race: {start: {on: rest}, states: {on: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: off}]}, off: {}}}
  split:
    start: {on: rest}
    states:
      on: {split: [{chance: 30%%, after: {gamma: {mean: 5 days, shape: 2}}, to: x},
        {otherwise: true, after: 4 days, to: y}]}
      x: {}
      y: {}
  since:
    start: {on: {share: rest, since: 2 days}}
    states: {on: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: off}]}, off: {}}
  follows:
    start: {on: rest}
    states:
      on: {split: [{otherwise: true, rate: {by: state, none: 0.1 per day, treated: 0.9 per day}, to: off}]}
      off: {}
`, size)
	p := begun(t, m, 1, 0)
	gamma := erlangSurvival(5, 2)
	before := 0.0
	for _, at := range []float64{1, 2, 3.5, 6, 8} {
		p = forkedAt(t, p, before+(at-before)/2)
		if err := p.Advance(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		before = at
		check := func(name string, want float64) {
			k := slices.Index(m.Counted(), name)
			checkShare(t, fmt.Sprintf("%s at %v", name, at), float64(p.Count(k)), float64(size), want)
		}
		check("race=on", gamma(at))
		check("since=on", gamma(at+2)/gamma(2))
		check("split=x", 0.3*(1-gamma(at)))
		if at < 4 {
			check("split=y", 0)
		} else {
			check("split=y", 0.7)
		}
		check("follows=on", math.Exp(-0.6*at)+0.5*(math.Exp(-0.6*at)-math.Exp(-0.9*at))/0.3)
	}
	p.Close()
}

// Two clocks of an individual that fire together come in the order states, machines as in the
// file, always: each sees what those before it did.
func TestExactMachineOrderOfClocks(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: order
time: {unit: day, end: 2}
population: {size: 50, start: {a: rest}}
attributes: {seen: {nothing: 100%%, s: 0%%, s1: 0%%, s12: 0%%, s12a: 0%%, wrong: 0%%}}
states: {a: {race: [{after: 1 day, to: b, move: {seen: {by: seen, nothing: s, other: wrong}}}]}, b: {}}
machines:
  first:
    start: {on: rest}
    states: {on: {race: [{after: 1 day, to: off, move: {seen: {by: seen, s: s1, other: wrong}}}]}, off: {}}
  second:
    start: {on: rest}
    states: {on: {race: [{after: 1 day, to: off, move: {seen: {by: seen, s1: s12, other: wrong}}}]}, off: {}}
always: [{after: 1 day, move: {seen: {by: seen, s12: s12a, other: wrong}}}]
record: {every: 1 day, by: [seen]}
`)
	if n := r.Runs[0].In(4).Total(2); n != 50 {
		t.Errorf("%d of 50 saw all in order", n)
	}
}

// What is set changes the machines of the start as it changes the population's.
func TestSetMachineStart(t *testing.T) {
	const model = `
name: set
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
states: {a: {}}
machines: {hiv: {start: {positive: 5%, negative: rest}, states: {negative: {}, positive: {}}}}
scenarios: {all: {machines.hiv.start.positive: 10}}
record: {every: 1 day}
`
	run := func(changes ...population.Change) int {
		m, err := population.Compile("model.yaml", []byte(model), changes...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), population.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Runs[0].Count(0, 2)
	}
	if n := run(population.Set("machines.hiv.start.positive", "7")); n != 7 {
		t.Errorf("%d are positive, set to 7", n)
	}
	if n := run(population.Scenario("all")); n != 10 {
		t.Errorf("%d are positive in the scenario, expected all 10", n)
	}
	const since = "positive: {share: 5%, since: 1 day}"
	for set, want := range map[string]string{"7": "7 at the start", "20%": "with probability 20%"} {
		m, err := population.Compile("model.yaml", []byte(strings.Replace(model, "positive: 5%", since, 1)),
			population.Set("machines.hiv.start.positive", set))
		if err != nil {
			t.Fatal(err)
		}
		if text := m.Explain(); !strings.Contains(text, want) || !strings.Contains(text, "for a time that is exactly 1 day") {
			t.Errorf("set to %s, it is\n%s", set, text)
		}
	}
	_, err := population.Compile("model.yaml", []byte(model), population.Set("machines.hvi.start.positive", "7"))
	want := `--set machines.hvi.start.positive: there is no machine "hvi"; did you mean "hiv"?`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
