package population_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Where a state stands alone, a value of an attribute may stand: in count(…) it is the number of
// those with the value at that instant, whether they enter, leave or move.
func TestCountOfAValue(t *testing.T) {
	replicas := testscale.Size(600, 5000)
	// Immigrants come to the north at 0.1 per day for each who is there, and leave at 0.02: a linear
	// birth and death process. Those in the south do not count.
	const growth = `
name: growth
time: {unit: day, end: 10}
population: {size: 15, groups: [{count: 10, with: {region: north}, start: {a: rest}},
  {count: 5, with: {region: south}, start: {a: rest}}]}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {}}
always: [{rate: 0.02 per day, to: out, where: {region: north}}]
immigration: {rate: {value: 0.1 per day * count(region=north), most: 100 per day}, enter: a, with: {region: north}}
record: {every: 10 days, by: [region]}
`
	r := exactSimulate(t, 3, replicas, growth)
	north := make([]float64, len(r.Runs))
	for i := range r.Runs {
		north[i] = float64(r.Runs[i].In(0).Total(1))
	}
	e := math.Exp(0.08 * 10)
	checkMean(t, "in the north", north, 10*e)
	checkVariance(t, "in the north", north, 10*(0.12/0.08)*e*(e-1))
	// Three people, of whom one is in the north. Each in the south moves there at 0.5 per day for each
	// in the north: two steps at 1 per day. So it is for forks.
	const drift = `
name: drift
time: {unit: day, end: 1}
population: {size: 3, groups: [{count: 1, with: {region: north}, start: {a: rest}},
  {count: 2, with: {region: south}, start: {a: rest}}]}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {}}
always:
  - {rate: {value: 0.5 per day * count(region=north), most: 1.5 per day}, move: {region: north}, where: {region: south},
     name: moved}
`
	m := exactCompile(t, drift)
	all, forked := 0.0, 0.0
	for k := range replicas {
		p := begun(t, m, 7, k)
		if p = forkedAt(t, p, 0.4); k%2 == 0 {
			p.Close()
			p = begun(t, m, 9, k)
		}
		if err := p.Advance(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if p.Named(0) == 2 && k%2 == 0 {
			all++
		} else if p.Named(0) == 2 {
			forked++
		}
		p.Close()
	}
	want := 1 - 2*math.Exp(-1)
	checkShare(t, "all in the north", all, float64((replicas+1)/2), want)
	checkShare(t, "all in the north, forked", forked, float64(replicas/2), want)
}

// In a condition it is the number of those with the value, or a share of the living, or of those
// that where beside it counts.
func TestConditionOnAValue(t *testing.T) {
	const model = `
name: moving
time: {unit: day, end: 30}
population: {size: 20, groups: [{count: 10, with: {sex: f}, start: {a: rest}},
  {count: 10, with: {sex: m}, start: {a: rest}}]}
attributes: {sex: {f: 50%%, m: 50%%}, region: {north: 0%%, south: 100%%}}
states: {a: {}}
parameters: {x: 1}
interventions:
  - {at: 1 day, every: 1 day, who: everyone, where: {region: south, sex: m}, count: 1, move: {region: north}}
  - {at: 11 days, every: 1 day, who: everyone, where: {region: south, sex: f}, count: 1, move: {region: north}}
  - {when: {%s}, set: {x: 2}, name: struck}
`
	for condition, want := range map[string][]float64{
		"region=north: above 3":                        {4},
		"region=north: above 20%":                      {5},
		"region=south: below 20%":                      {17},
		"region=north: above 20%, where: {sex: m}":     {3},
		"region=north: above 3, where: {sex: f}":       {14},
		"region=north: above 100":                      nil,
		"region=north: above 3, region=south: below 9": {12},
	} {
		if got := firingsOf(t, "struck", model, condition); !slices.Equal(got, want) {
			t.Errorf("%s: it happened at %v, want %v", condition, got, want)
		}
	}
	m := exactCompile(t, model, "region=north: above 20%, where: {sex: m}")
	if text := m.Explain(); !strings.Contains(text, "as soon as more than 20% of the living are region=north, "+
		"counting only individuals of sex m, once [struck]") {
		t.Errorf("it says\n%s", text)
	}
}

// In a fit it is the number of those with the value, also together with where.
func TestMatchAValue(t *testing.T) {
	const model = `
name: fitted
time: {unit: day, end: 10}
population: {size: 200, start: {a: rest}}
attributes: {sex: {f: 50%, m: 50%}, region: {north: 20%, south: 80%}}
parameters: {pace: 0.1 per day}
states: {a: {race: [{rate: 0.1 per day, to: out}]}, b: {}}
always: [{rate: pace, move: {region: north}}]
record: {every: 1 day, by: [[sex, region]]}
fit:
  data: d.csv
  unknown: {pace: {uniform: {low: 0 per day, high: 1 per day}}}
  match:
    - {column: north, state: region=north, error: poisson}
    - {column: women, state: region=north, where: {sex: f}, error: poisson}
    - {column: none, state: region=north, where: {region: south}, error: poisson}
`
	m := compiled(t, model)
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	times := []float64{0, 3, 10}
	trial, err := modelfit.Of(f).Trials(times).Run(t.Context(), []float64{0.1}, 4)
	if err != nil {
		t.Fatal(err)
	}
	w, err := modelfit.Of(f).Follow(t.Context(), times, []float64{0.1}, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, at := range times {
		want := make([]float64, 3)
		for k, g := range m.Groups() {
			if n := float64(r.Runs[0].In(k).Total(int(at))); g.Values[1] == "north" {
				if want[0] += n; g.Values[0] == "f" {
					want[1] += n
				}
			}
		}
		means, err := w.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for c := range want {
			if trial.Means[c][i] != want[c] || means[c] != want[c] || c < 2 && want[c] == 0 {
				t.Errorf("column %d, day %v: a trial has %v, a followed run %v, and the tables %v", c, at, trial.Means[c][i],
					means[c], want[c])
			}
		}
	}
	wrong := strings.Replace(model, "{column: north, state: region=north", "{column: north, state: region=nort", 1)
	_, err = compiled(t, wrong).Fit(population.FitOptions{})
	if err == nil || !strings.Contains(err.Error(), `state: there is no state "region=nort"`) {
		t.Errorf("an unknown value: %v", err)
	}
}

// Those in a place, or with a link, are counted as those in a state are: in rates, values and
// conditions.
func TestCountOfPresence(t *testing.T) {
	const replicas = 2000
	r := exactSimulate(t, 1, replicas, `
name: presence
time: {unit: day, end: 2}
population: {size: 8, start: {bed: 3, a: 4, b: 1}}
places: {ward: {number: 1, where: {state: bed}}}
networks: {pairs: {degrees: 1}}
states:
  bed: {}
  a: {race: [{after: 1.5 days, to: bed}]}
  b: {race: [{rate: {value: 0.4 per day * count(ward=any), most: 3.2 per day}, to: gone}]}
  gone: {}
interventions: [{when: {ward=any: above 6}, who: everyone, to: gone, name: closed}]
record: {every: 1 day, values: {inside: count(ward=any), outside: count(ward=none), linked: count(pairs=any)}}
`)
	left := 0.0
	for i := range r.Runs {
		run := &r.Runs[i]
		for row, inside := range []float64{3, 3, 0} {
			if run.Value(row, 0) != inside || run.Value(row, 1) != 8-inside || run.Value(row, 2) != 8 {
				t.Fatalf("row %d: %v inside, %v outside, %v linked", row, run.Value(row, 0), run.Value(row, 1), run.Value(row, 2))
			}
		}
		left += float64(run.Count(1, r.state("gone")))
	}
	// Three are in the ward: b goes at 1.2 per day.
	p := 1 - math.Exp(-1.2)
	if got, sd := left/replicas, math.Sqrt(p*(1-p)/replicas); math.Abs(got-p) > 4*sd {
		t.Errorf("gone by 1 day: %.4f, expected %.4f ± %.4f", got, p, sd)
	}
}
