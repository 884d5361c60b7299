package population_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Children, immigrants and those let in begin in states by their shares: of all who enter, each
// share is binomial, also after an intervention has changed it.
func TestExactEntering(t *testing.T) {
	r := exactSimulate(t, 1, 60, `
name: entering
time: {unit: day, end: 10}
population: {size: 500, start: {a: rest}}
parameters: {share: 30%%}
states: {a: {}, b: {}, c: {}, d: {}, e: {}}
births: {rate: 0.2 per day, from: a, enter: {b: share, c: 50%%, d: rest, e: 0%%}}
immigration: {rate: 100 per day, enter: {c: 60%%, e: 40%%}}
interventions:
  - {at: 5 days, set: {share: 10%%}}
  - {at: 6 days, enter: {d: rest, b: share}, count: 1000}
record: {every: 5 days}
`)
	for row, share := range []float64{1: 0.3, 2: 0.1} {
		if row == 0 {
			continue
		}
		since := func(from, to string) float64 { return r.allFlows(row, from, to) - r.allFlows(row-1, from, to) }
		b, c, d := since("births", "b"), since("births", "c"), since("births", "d")
		checkShare(t, fmt.Sprintf("births in row %d, b", row), b, b+c+d, share)
		checkShare(t, fmt.Sprintf("births in row %d, c", row), c, b+c+d, 0.5)
		if since("births", "e") != 0 {
			t.Error("somebody was born into a state of share 0")
		}
		c, e := since("immigration", "c"), since("immigration", "e")
		checkShare(t, fmt.Sprintf("immigrants in row %d", row), c, c+e, 0.6)
	}
	checkShare(t, "let in", r.allFlows(2, "interventions", "b"), 60*1000, 0.1)
}

// Groups have the sizes that are written, rounded so that they add up, and those in them the values
// that are written; the others are drawn.
func TestExactStartGroups(t *testing.T) {
	model := func(groups string) string {
		return "name: groups\ntime: {unit: day, end: 1}\npopulation: {size: 1001, groups: [" + groups + "]}\n" +
			"attributes: {region: {north: 50%, south: 30%, west: 20%}, sex: {f: 25%, m: 75%}}\nstates: {a: {}, b: {}, c: {}}\n"
	}
	for _, c := range []struct {
		groups string
		size   int
		want   map[string]int // by region, if it is given, and state
	}{
		{"{share: 50%, with: {region: north}, start: {a: rest, b: 10%}}, {share: 50%, with: {region: south}, start: {c: " +
			"10, b: rest}}", 1001,
			map[string]int{"north a": 451, "north b": 50, "south c": 10, "south b": 490}},
		{"{share: 50%, with: {region: north}, start: {a: rest, b: 10%}}, {share: 50%, with: {region: south}, start: {c: " +
			"10, b: rest}}", 100,
			map[string]int{"north a": 45, "north b": 5, "south c": 10, "south b": 40}},
		{"{count: 1, with: {region: west}, start: {a: 1}}, {count: 1000, with: {region: north}, start: {b: 50%, c: rest}}",
			1001,
			map[string]int{"west a": 1, "north b": 500, "north c": 500}},
		{"{share: 0.3333333, with: {region: north}, start: {a: rest}}, {share: 0.3333333, with: {region: south}, start: " +
			"{a: rest}}, {share: 0.3333333, with: {region: west}, start: {a: rest}}", 1001,
			map[string]int{"north a": 334, "south a": 333, "west a": 334}},
	} {
		text := model(c.groups)
		m, err := population.Compile("groups.yaml", []byte(text), population.Size(c.size))
		if err != nil {
			t.Fatal(err)
		}
		got, female, numbers := map[string]int{}, 0, uint64(0)
		if _, err := m.Run(t.Context(), population.Options{Seed: 1, OnEvent: func(e population.Event) {
			got[e.Values[0]+" "+e.To]++
			if e.Values[1] == "f" {
				female++
			}
			if numbers++; e.Individual != numbers || e.Kind != population.Started {
				t.Errorf("event %d: %+v", numbers, e)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.groups, got, c.want)
		}
		checkShare(t, "drawn", float64(female), float64(c.size), 0.25)
	}
	_, err := population.Compile("groups.yaml",
		[]byte(model("{count: 1, start: {a: 1}}, {count: 1000, start: {b: rest}}")), population.Size(500))
	if want := "--size: population: groups: they have 1001 individuals, and the size is 500; expected the same"; err ==
		nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Those who have been in a state for a time leave it as their clocks say given that they have not
// fired: the share that is still there at t is the mean of S(u+t)/S(u) over the times u. Of
// several clocks each is conditioned by itself; a clock without memory makes no difference.
func TestExactSince(t *testing.T) {
	size := testscale.Size(20_000.0, 40_000)
	gamma := erlangSurvival(4, 2)
	product := func(a, b func(float64) float64) func(float64) float64 {
		return func(x float64) float64 { return a(x) * b(x) }
	}
	for i, c := range []struct {
		name, clocks, since string
		low, high           float64 // of the uniform time; the same if it is fixed
		survival            func(float64) float64
	}{
		{"gamma", "race: [{after: {erlang: {mean: 4 days, k: 2}}, to: b}]", "{uniform: {low: 0 days, high: 5 days}}", 0, 5,
			gamma},
		{"far", "race: [{after: {erlang: {mean: 4 days, k: 2}}, to: b}]", "60 days", 60, 60, gamma},
		{"uniform", "race: [{after: {uniform: {low: 2 days, high: 8 days}}, to: b}]",
			"{uniform: {low: 0 days, high: 8 days}}", 0, 8, uniformSurvival(2, 8)},
		{"two clocks", "race: [{after: {erlang: {mean: 4 days, k: 2}}, to: b}, {after: {weibull: {scale: 6 days, shape: " +
			"2}}, to: c}]",
			"{uniform: {low: 1 day, high: 4 days}}", 1, 4, product(gamma, weibullSurvival(6, 2))},
		{"exponential", "race: [{after: {exponential: {mean: 5 days}}, to: b}]", "{uniform: {low: 0 days, high: 50 days}}", 0,
			50, exponentialSurvival(0.2)},
		{"rate", "race: [{rate: 0.2 per day, to: b}]", "70 days", 70, 70, exponentialSurvival(0.2)},
		{"split", "split: [{chance: 30%, after: 6 days, to: b}, {otherwise: true, after: {erlang: {mean: 4 days, k: 2}}, " +
			"to: c}]",
			"{uniform: {low: 0 days, high: 5 days}}", 0, 5, mixtureSurvival(0.3, fixedSurvival(6), gamma)},
		{"split and race", "split: [{chance: 30%, after: {weibull: {scale: 6 days, shape: 2}}, to: b}, {otherwise: true, " +
			"after: {erlang: {mean: 4 days, k: 2}}, to: c}]\n    race: [{after: {erlang: {mean: 4 days, k: 2}}, to: b}]",
			"3 days", 3, 3, product(gamma, mixtureSurvival(0.3, weibullSurvival(6, 2), gamma))},
	} {
		r := exactSimulate(t, uint64(1+i), 1, `
name: since
time: {unit: day, end: 6}
population: {size: %d, start: {a: {share: rest, since: %s}}}
states:
  a:
    %s
  b: {}
  c: {}
record: {every: 2 days}
`, int(size), c.since, c.clocks)
		for row := 1; row < len(r.Times); row++ {
			left := func(u float64) float64 { return c.survival(u+r.Times[row]) / c.survival(u) }
			want := left(c.low)
			if c.high > c.low {
				want = integral(left, c.low, c.high, 2000) / (c.high - c.low)
			}
			checkShare(t, fmt.Sprintf("%s, day %v", c.name, r.Times[row]), r.all(row, "a"), size, want)
			if row == 1 && c.name != "exponential" && c.name != "rate" {
				checkNotices(t, c.name+" without since", r.all(row, "a")/size, c.survival(r.Times[row]), binomialError(want, size))
			}
		}
	}
}

// The branch is drawn given that its clock is still running: after 3 days, a branch that ends by
// then is nobody's, and of the others each weighs its chance times its survival.
func TestExactSinceBranches(t *testing.T) {
	const size = 40_000
	r := exactSimulate(t, 3, 1, `
name: branches
time: {unit: day, end: 1000}
population: {size: %d, start: {a: {count: %d, since: 3 days}}}
states:
  a:
    split:
      - {chance: 20%%, after: 2 days, to: gone}
      - {chance: 30%%, after: {exponential: {mean: 2 days}}, to: b}
      - {chance: 10%%, after: 8 days, to: c}
      - {otherwise: true, after: {erlang: {mean: 4 days, k: 2}}, to: d}
  gone: {}
  b: {}
  c: {}
  d: {}
record: {every: 1000 days}
`, size, size)
	b, c, d := 0.3*math.Exp(-1.5), 0.1, 0.4*erlangSurvival(4, 2)(3)
	for state, weight := range map[string]float64{"gone": 0, "b": b, "c": c, "d": d} {
		checkShare(t, state, r.all(1, state), size, weight/(b+c+d))
	}
}

// Those who began together leave one by one: with a clock of 5 years and a uniform time since,
// uniformly over the next 5 years.
func TestExactSinceSpreads(t *testing.T) {
	const size = 20_000
	r := exactSimulate(t, 4, 1, `
name: spread
time: {unit: year, end: 6}
population: {size: %d, start: {recent: {share: 100%%, since: {uniform: {low: 0 years, high: 5 years}}}}}
states: {recent: {race: [{after: 5 years, to: remote}]}, remote: {}}
record: {every: 1 year}
`, size)
	observed, expected := make([]float64, 5), make([]float64, 5)
	for k := range observed {
		observed[k] = r.all(k, "recent") - r.all(k+1, "recent")
		expected[k] = size / 5
	}
	checkChiSquare(t, "leaving by year", observed, expected)
}

// regions runs a model with a region and counts the living of each at the end, by replica.
func regions(t *testing.T, replicas int, model string, args ...any) (north, south []float64) {
	t.Helper()
	north, south = make([]float64, replicas), make([]float64, replicas)
	var mu sync.Mutex
	exactObserve(t, population.Options{Seed: 7, Replicas: replicas, OnEvent: func(e population.Event) {
		mu.Lock()
		defer mu.Unlock()
		where := &south[e.Replica]
		if e.Values[0] == "north" {
			where = &north[e.Replica]
		}
		switch e.Kind {
		case population.Started, population.Entered:
			*where++
		case population.Left:
			*where--
		}
	}}, model, args...)
	return north, south
}

// Children who live where their parents do make two linear birth–death processes that know nothing
// of each other: from n, with births at λ and deaths at μ, the mean is n·m with m = exp((λ−μ)t),
// and the variance n·(λ+μ)/(λ−μ)·m(m−1) (Bailey, The Elements of Stochastic Processes, 1964,
// section 8.6).
func TestExactInheritance(t *testing.T) {
	const replicas, lambda, mu, end = 3000, 0.3, 0.1, 4.0
	for _, inherit := range []string{"[region]", "region", "all"} {
		n := replicas
		if inherit != "all" {
			n = 600
		}
		north, south := regions(t, n, `
name: kin
time: {unit: day, end: %v}
population:
  size: 12
  groups:
    - {count: 4, with: {region: north}, start: {a: rest}}
    - {count: 8, with: {region: south}, start: {a: rest}}
attributes: {region: {north: 50%%, south: 50%%}, sex: {f: 50%%, m: 50%%}}
states: {a: {race: [{rate: %v per day, to: out}]}}
births: {rate: %v per day, enter: a, inherit: %s}
`, end, mu, lambda, inherit)
		m := math.Exp((lambda - mu) * end)
		spread := (lambda + mu) / (lambda - mu) * m * (m - 1)
		checkMean(t, inherit+", north", north, 4*m)
		checkMean(t, inherit+", south", south, 8*m)
		checkVariance(t, inherit+", north", north, 4*spread)
		checkVariance(t, inherit+", south", south, 8*spread)
		checkZ(t, inherit+", correlation", stat.Correlation(north, south, nil), 0, 1/math.Sqrt(float64(n)))
		if inherit == "all" {
			mean, _, se, _ := moments(north)
			checkNotices(t, "half of the children born in the north", mean, 4*math.Exp(-mu*end)+0.5*12*(m-math.Exp(-mu*end)), se)
		}
	}
}

// Immigrants and those let in have the values that are written, and the others are drawn.
func TestExactWith(t *testing.T) {
	sexes := map[string]float64{}
	var mu sync.Mutex
	exactObserve(t, population.Options{Seed: 8, Replicas: 20, OnEvent: func(e population.Event) {
		mu.Lock()
		defer mu.Unlock()
		if (e.Name == "from the north") != (e.Values[0] == "north") {
			t.Errorf("%s: %v", e.Name, e.Values)
		}
		sexes[e.Values[1]]++
	}}, `
name: with
time: {unit: day, end: 10}
population: {size: 0, start: {}}
attributes: {region: {north: 50%%, south: 50%%}, sex: {f: 30%%, m: 70%%}}
states: {a: {}}
immigration:
  - {rate: 20 per day, enter: a, with: {region: north}, name: from the north}
  - {rate: 10 per day, enter: a, with: {region: south}, name: from the south}
interventions:
  - {at: 3 days, enter: a, count: 100, with: {region: south}, name: let in}
`)
	checkShare(t, "drawn", sexes["f"], sexes["f"]+sexes["m"], 0.3)
}
