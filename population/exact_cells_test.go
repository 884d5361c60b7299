package population_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// A two-type birth–death process: types differ in all rates, and children are of either type by
// chance. The mean numbers m solve m' = M m.
func TestExactTwoTypes(t *testing.T) {
	const replicas, size, share = 2000, 10, 0.3
	birth, death := [2]float64{0.9, 0.2}, [2]float64{0.3, 0.5}
	var numbers [2][]float64
	for k := range numbers {
		numbers[k] = make([]float64, replicas)
	}
	r := exactObserve(t, population.Options{Seed: 1, Replicas: replicas, OnEvent: func(e population.Event) {
		k := slices.Index([]string{"x", "y"}, e.Values[0])
		switch e.Kind {
		case population.Started, population.Entered:
			numbers[k][e.Replica]++
		case population.Left:
			numbers[k][e.Replica]--
		}
	}}, `
name: types
time: {unit: day, end: 2}
attributes: {type: {x: %v, y: %v}}
parameters: {death: {by: type, x: %v per day, y: %v per day}}
population: {size: %d, start: {here: rest}}
states: {here: {race: [{rate: death, to: out}]}}
births:
  - {rate: %v per day, where: {type: x}, enter: here}
  - {rate: {by: type, y: %v per day, other: 0 per day}, enter: here}
record: {every: 1 day}
`, share, 1-share, death[0], death[1], size, birth[0], birth[1])
	mean := rungeKutta(func(m []float64) []float64 {
		born := birth[0]*m[0] + birth[1]*m[1]
		return []float64{share*born - death[0]*m[0], (1-share)*born - death[1]*m[1]}
	}, []float64{size * share, size * (1 - share)}, 2, 200)
	for k, name := range []string{"x", "y"} {
		checkMean(t, "type "+name, numbers[k], mean[k])
	}
	// With everybody's rates the same the total would be another.
	b, d := share*birth[0]+(1-share)*birth[1], share*death[0]+(1-share)*death[1]
	got, _, se, _ := moments(r.counts(r.last(), "here"))
	checkNotices(t, "all types alike", got, size*math.Exp(2*(b-d)), se)
}

// groupEpidemic is an epidemic in two groups, with rates that depend on the group of who is
// infectious, and chances on both.
type groupEpidemic struct {
	share   float64    // of the first group
	contact [2]float64 // rates at which the infectious of a group meet others
	recover [2]float64
	chance  [2][2]float64 // of who is infectious, and of who is met
}

// law is that of how many are infected of n, in a population in which each of the others is met
// alike, if one of either group, by chance, is infectious at first: the jump chain of (s₁, s₂, i₁,
// i₂), for every composition of the population.
func (g *groupEpidemic) law(n int) []float64 {
	total := make([]float64, n+1)
	type epidemic struct{ s, i [2]int }
	known := map[epidemic][]float64{}
	var solve func(at epidemic) []float64
	solve = func(at epidemic) []float64 {
		if law, ok := known[at]; ok {
			return law
		}
		law := make([]float64, n+1)
		if at.i == [2]int{} {
			law[n-at.s[0]-at.s[1]] = 1
			known[at] = law
			return law
		}
		var next []epidemic
		var rates []float64
		sum := 0.0
		for k := range 2 {
			rate := 0.0
			for j := range 2 {
				rate += float64(at.i[j]) * g.contact[j] * g.chance[j][k] * float64(at.s[k]) / float64(n)
			}
			infected, recovered := at, at
			infected.s[k]--
			infected.i[k]++
			recovered.i[k]--
			next = append(next, infected, recovered)
			rates = append(rates, rate, float64(at.i[k])*g.recover[k])
			sum += rate + float64(at.i[k])*g.recover[k]
		}
		for k, to := range next {
			if rates[k] > 0 {
				for j, p := range solve(to) {
					law[j] += rates[k] / sum * p
				}
			}
		}
		known[at] = law
		return law
	}
	choose := 1.0
	for k := 0; k <= n; k++ { // of the first group, among the susceptible
		p := choose * math.Pow(g.share, float64(k)) * math.Pow(1-g.share, float64(n-k))
		choose = choose * float64(n-k) / float64(k+1)
		for first, q := range []float64{g.share, 1 - g.share} {
			at := epidemic{s: [2]int{k, n - k}}
			at.i[first] = 1
			for j, x := range solve(at) {
				total[j] += p * q * x
			}
		}
	}
	return total
}

// Final sizes with infectivity, susceptibility and infectious periods by group, written as tables,
// and as clocks and contacts that are only for some.
func TestExactFinalSizeByGroup(t *testing.T) {
	const replicas, n = 3000, 5
	g := groupEpidemic{share: 0.4, contact: [2]float64{4, 1}, recover: [2]float64{1, 0.5}, chance: [2][2]float64{
		{0.9, 0.05}, {1, 0.4}}}
	texts := map[string]string{
		"tables": fmt.Sprintf(`
parameters:
  rate: {by: sex, f: %v per day, m: %v per day}
  chance: {by: sex, f: {by: sex, of: met, f: %v, m: %v}, m: {by: sex, of: met, f: %v, m: %v}}
states:
  susceptible: {}
  infectious: {race: [{after: {exponential: {mean: {by: sex, f: %v days, m: %v days}}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, rate: rate, chance: chance, to: {susceptible: infectious}}]`,
			g.contact[0], g.contact[1], g.chance[0][0], g.chance[0][1], g.chance[1][0], g.chance[1][1], 1/g.recover[0],
			1/g.recover[1]),
		"where and whom": fmt.Sprintf(`
states:
  susceptible: {}
  infectious: {race: [{rate: %v per day, where: {sex: f}, to: recovered},
    {rate: %v per day, where: {sex: [m]}, to: recovered}]}
  recovered: {}
transmission:
  - {from: infectious, where: {sex: f}, rate: %v per day, chance: %v, whom: {sex: f}, to: {susceptible: infectious}}
  - {from: infectious, where: {sex: f}, rate: %v per day, chance: %v, whom: {sex: m}, to: {susceptible: infectious}}
  - {from: infectious, where: {sex: m}, rate: %v per day, chance: {by: sex, of: met, f: %v, m: %v},
     whom: {sex: [f, m]}, to: {susceptible: infectious}}`,
			g.recover[0], g.recover[1], g.contact[0], g.chance[0][0], g.contact[0], g.chance[0][1], g.contact[1], g.chance[1][0],
			g.chance[1][1]),
		// Those who are susceptible make the contacts, and what they meet decides.
		"self": fmt.Sprintf(`
parameters:
  chance: {by: sex, f: {by: sex, of: met, f: %v, m: %v}, m: {by: sex, of: met, f: %v, m: %v}}
states:
  susceptible: {}
  infectious: {race: [{rate: {by: sex, f: %v per day, m: %v per day}, to: recovered}]}
  recovered: {}
transmission: [{from: susceptible, rate: 4 per day, chance: chance, to: {infectious: same}, self: infectious}]`,
			// As maker and met change places, the chances take up what the rates of contact were.
			g.chance[0][0]*g.contact[0]/4, g.chance[1][0]*g.contact[1]/4, g.chance[0][1]*g.contact[0]/4,
			g.chance[1][1]*g.contact[1]/4, g.recover[0], g.recover[1]),
	}
	law := g.law(n)
	expected := make([]float64, n+1)
	for k, p := range law {
		expected[k] = replicas * p
	}
	for name, text := range texts {
		r := exactSimulate(t, 1, replicas, "name: groups\ntime: {unit: day, end: 40}\nattributes: {sex: {f: %v, m: %v}}\n"+
			"population: {size: %d, start: {infectious: 1, susceptible: rest}}\n"+
			"record: {every: 40 days}\n%s\n", g.share, 1-g.share, n+1, text)
		checkChiSquare(t, name, histogram(r.flows(r.last(), "susceptible", "infectious"), n), expected)
	}
	wrong := g
	wrong.chance[0][1], wrong.chance[1][0] = g.chance[1][0], g.chance[0][1]
	off := make([]float64, n+1)
	for k, p := range wrong.law(n) {
		off[k] = replicas * p
	}
	if p, _, _ := chiSquare(expected, off); p > pLimit {
		t.Errorf("were maker and met confused, it would not be noticed: p = %v", p)
	}
}

// Someone whose attribute changes: a clock without memory goes on with the other rate, and a clock
// with one as it was drawn, whichever way they are written and wherever they stand. Moving is a
// Markov chain, so that the probability to be still there solves linear equations.
func TestExactAttributeChanges(t *testing.T) {
	const size, replicas, share = 5000, 2, 0.7
	const north, south, move = 0.1, 0.6, 0.4            // rates of leaving, and of moving from the north to the south
	gamma := func(mean float64) func(float64) float64 { // of shape 2
		return func(t float64) float64 { return math.Exp(-2*t/mean) * (1 + 2*t/mean) }
	}
	// Those in the north and in the south who have not left.
	memoryless := func(time float64) float64 {
		y := rungeKutta(func(y []float64) []float64 {
			return []float64{-(north + move) * y[0], move*y[0] - south*y[1]}
		}, []float64{share, 1 - share}, time, 100)
		return y[0] + y[1]
	}
	drawn := func(time float64) float64 { return share*gamma(10)(time) + (1-share)*gamma(2)(time) }
	onlyNorth := func(time float64) float64 { return share*gamma(3)(time) + 1 - share }
	for _, c := range []struct {
		name, states, always string
		survival             func(float64) float64
	}{
		{"rate", "{rate: r, to: gone}", "", memoryless},
		{"exponential", "{after: {exponential: {rate: r}}, to: gone}", "", memoryless},
		{"where", "{rate: 0.1 per day, where: {region: north}, to: gone}, {rate: 0.6 per day, where: {region: south}, " +
			"to: gone}", "", memoryless},
		{"always", "", "- {rate: r, to: gone}", memoryless},
		{"always, once", "", "- {after: {exponential: {rate: r}}, to: gone}", memoryless},
		{"always, once, where", "", "- {after: {exponential: {rate: 0.1 per day}}, where: {region: north}, to: gone}\n" +
			"  - {after: {exponential: {rate: 0.6 per day}}, where: {region: south}, to: gone}", memoryless},
		{"parameter that is set", "{after: e, to: gone}", "", memoryless},
		{"gamma", "{after: g, to: gone}", "", drawn},
		{"always, gamma", "", "- {after: g, to: gone}", drawn},
		{"gamma where", "{after: {gamma: {mean: 3 days, shape: 2}}, where: {region: north}, to: gone}", "", onlyNorth},
		{"always, gamma where", "", "- {after: {gamma: {mean: 3 days, shape: 2}}, where: {region: north}, to: gone}",
			onlyNorth},
	} {
		for _, split := range []bool{false, true} {
			clocks := "race: [" + c.states + "]"
			if split {
				if c.states == "" || c.name == "where" || c.name == "gamma where" {
					continue
				}
				clocks = "split: [{otherwise: true, " + c.states[1:] + "]"
			} else if c.states == "" {
				clocks = ""
			}
			r := exactSimulate(t, 1, replicas, `
name: moving
time: {unit: day, end: 6}
attributes: {region: {north: %v, south: %v}, sex: {f: 50%%, m: 50%%}}
parameters:
  r: {by: region, north: %v per day, south: %v per day}
  g: {gamma: {mean: {by: region, north: 10 days, south: 2 days}, shape: 2}}
  e: {exponential: {rate: r}}
  unused: 1
population: {size: %d, start: {here: rest}}
states: {here: {%s}, gone: {}}
always:
  - {rate: %v per day, move: {region: south}}
  %s
interventions: [{at: 5.999 days, set: {e: {exponential: {rate: 1 per day}}}}]
record: {every: 1 day}
`, share, 1-share, north, south, size, clocks, move, c.always)
			for row := 1; row < 6; row++ {
				checkShare(t, fmt.Sprintf("%s, split %v, day %d", c.name, split, row), r.all(row, "here"), r.individuals(),
					c.survival(float64(row)))
			}
		}
	}
}
