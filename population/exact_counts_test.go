package population_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// chainLaw is the law of a birth–death chain on 0 … most after a time, from a number, with so many
// births and deaths per unit of time: the forward equations.
func chainLaw(most, from int, birth, death func(n int) float64, time float64, steps int) []float64 {
	p := make([]float64, most+1)
	p[from] = 1
	return rungeKutta(func(p []float64) []float64 {
		d := make([]float64, len(p))
		for n := range p {
			up, down := birth(n), death(n)
			if n == most {
				up = 0
			}
			d[n] -= (up + down) * p[n]
			if n < most {
				d[n+1] += up * p[n]
			}
			if n > 0 {
				d[n-1] += down * p[n]
			}
		}
		return d
	}, p, time, steps)
}

// Logistic birth and death: births at b(1 − n/K) and deaths at d for each, so that 0 is reached in
// the end, and what is left before that has the quasi-stationary law. Both the law at some time and
// the quasi-stationary one are computed from the forward equations.
func TestExactLogistic(t *testing.T) {
	const k, from = 25, 12
	replicas := testscale.Size(500, 3000)
	const b, d = 1.6, 0.4
	birth := func(n int) float64 { return b * float64(n) * max(0, 1-float64(n)/k) }
	death := func(n int) float64 { return d * float64(n) }
	laws := map[int][]float64{}
	for _, row := range []int{1, 3, 12} {
		laws[row] = chainLaw(k+1, from, birth, death, float64(row), 4000)
	}
	// After so long those that are not empty have the quasi-stationary law, from wherever they came.
	late := chainLaw(k+1, 3, birth, death, 60, 20_000)
	for name, text := range map[string]string{
		"births": "states: {here: {race: [{rate: 0.4 per day, to: out}]}}\n" +
			"births: {rate: {value: b * (1 - total / k), most: b}, enter: here}",
		// The same by other words: the count of a state, and deaths in place of births.
		"counts": "states: {here: {race: [{rate: 0.4 per day, to: out}]}}\n" +
			"births: {rate: {value: \"b * max(0, 1 - count(here) / k)\", most: 2 * b}, enter: here}",
		"always": "states: {here: {}}\nalways: [{rate: {value: d, most: d}, to: out}]\n" +
			"births: {rate: {value: b - b * count(here) / k, most: b}, enter: here}",
	} {
		r := exactSimulate(t, 1, replicas, `
name: logistic
time: {unit: day, end: 12}
parameters: {b: %v per day, d: %v per day, k: %v}
population: {size: %d, start: {here: rest}}
%s
record: {every: 1 day}
`, b, d, k, from, text)
		for _, row := range []int{1, 3, 12} {
			law := laws[row]
			expected := make([]float64, len(law))
			for n, p := range law {
				expected[n] = float64(replicas) * p
			}
			checkChiSquare(t, fmt.Sprintf("%s, day %d", name, row), histogram(r.counts(row, "here"), k+1), expected)
		}
		var expected, observed []float64
		alive := 0.0
		for _, n := range r.counts(12, "here") {
			if n > 0 {
				alive++
			}
		}
		for n, c := range histogram(r.counts(12, "here"), k+1) {
			if n > 0 {
				observed, expected = append(observed, c), append(expected, alive*late[n]/(1-late[0]))
			}
		}
		checkChiSquare(t, name+", quasi-stationary", observed, expected)
	}
}

// A rate that depends on how many are infectious, in place of contacts, is that of an SIS epidemic
// among n: the chain's law, with the rate in a race, in a branch, and by group.
func TestExactCountsInRates(t *testing.T) {
	const replicas, n, beta, gamma = 4000, 12, 1.5, 0.8
	law := chainLaw(n, 2, func(i int) float64 { return beta * float64(i) * float64(n-i) / n }, func(i int) float64 {
		return gamma * float64(i)
	}, 3, 2000)
	expected := make([]float64, len(law))
	for k, p := range law {
		expected[k] = replicas * p
	}
	for name, clock := range map[string]string{
		"race":   "race: [{rate: force, to: ill}]",
		"branch": "split: [{chance: 30%, rate: force, to: ill}, {otherwise: true, rate: force, to: ill}]",
		"group":  "race: [{rate: {by: sex, f: force, m: force}, to: ill}]",
		"twice": "race: [{rate: force, where: {sex: f}, to: ill}, {rate: force, where: {sex: m}, to: ill}, {rate: 0.1 " +
			"per day, to: well}]",
	} {
		r := exactSimulate(t, 1, replicas, `
name: sis
time: {unit: day, end: 3}
attributes: {sex: {f: 50%%, m: 50%%}}
parameters: {force: {value: %v per day * count(ill) / total, most: %v per day}}
population: {size: %d, start: {ill: 2, well: rest}}
states: {well: {%s}, ill: {race: [{rate: %v per day, to: well}]}}
record: {every: 3 days}
`, beta, beta, n, clock, gamma)
		checkChiSquare(t, name, histogram(r.counts(1, "ill"), n), expected)
	}
}

// Lotka and Volterra, with contacts that the prey makes and that change it, and growth that depends
// on how many there are, against runs by Gillespie's method: means and variances.
func TestExactLotkaVolterra(t *testing.T) {
	const replicas, prey, predators, time = 1500, 40, 25, 3.0
	const grow, eat, die, most = 1.5, 1.2, 0.7, 120.0
	r := exactSimulate(t, 1, replicas, `
name: lotka-volterra
time: {unit: year, end: %v}
parameters: {grow: %v per year, room: %v}
population: {size: %d, start: {prey: %d, predator: rest}}
states: {prey: {}, predator: {race: [{rate: %v per year, to: out}]}}
births: {rate: {value: grow * (1 - count(prey) / room), most: grow}, from: prey, enter: prey}
transmission: [{from: prey, rate: %v per year, to: {predator: same}, self: predator}]
record: {every: 1 year}
`, time, grow, most, prey+predators, prey, die, eat)
	source := rand.New(rand.NewPCG(1, 2))
	var x, y []float64
	for range replicas {
		a, b, now := float64(prey), float64(predators), 0.0
		for {
			meet := 0.0
			if a+b > 1 {
				meet = eat * a * b / (a + b - 1)
			}
			born := grow * a * max(0, 1-a/most)
			sum := born + meet + die*b
			if sum == 0 {
				break
			}
			if now += source.ExpFloat64() / sum; now > time {
				break
			}
			switch u := source.Float64() * sum; {
			case u < born:
				a++
			case u < born+meet:
				a--
				b++
			default:
				b--
			}
		}
		x, y = append(x, a), append(y, b)
	}
	for name, theirs := range map[string][]float64{"prey": x, "predator": y} {
		ours := r.counts(r.last(), name)
		mean, variance, se, vse := moments(ours)
		wantMean, wantVariance, wantSE, wantVSE := moments(theirs)
		checkZ(t, name+": mean", mean, wantMean, math.Hypot(se, wantSE))
		checkZ(t, name+": variance", variance, wantVariance, math.Hypot(vse, wantVSE))
	}
}

// A most that is far too small lets nothing happen, and so nothing would find that the value is
// above it.
func TestCountsAboveTheirMostUnseen(t *testing.T) {
	const value = "{value: 0.1 per day * count(a), most: 1e-12 per day}"
	for _, c := range []struct{ more, want string }{
		{"births: {rate: " + value + ", enter: a}", "unseen, replica 0: at time 0: births: rate: the value is 1.5 per " +
			"day, above its most, 1e-12 per day"},
		{"immigration: {rate: " + value + ", enter: a}", "unseen, replica 0: at time 0: immigration: rate: the value is " +
			"1.5 per day"},
		{"always: [{rate: {by: g, x: " + value + ", other: 0 per day}, to: b, name: turning}]",
			"unseen, replica 0: at time 4: always: turning: rate: the value is 1.5 per day"},
		{"always: [{rate: " + value + ", to: a, where: {g: z}}]", ""},
		{"transmission: [{from: b, rate: " + value + ", to: {a: b}}]", ""},
	} {
		// All are y until day 3, and then x. Nobody is b.
		m := exactCompile(t, "name: unseen\ntime: {unit: day, end: 8}\npopulation: {size: 15, start: {a: rest}}\n"+
			"attributes: {g: {x: 0, y: 100%%, z: 0}}\nstates: {a: {}, b: {}}\n"+
			"interventions: [{at: 3, who: everyone, move: {g: x}}]\nrecord: {every: 2 days}\n%s\n", c.more)
		switch _, err := m.Run(t.Context(), population.Options{Seed: 1}); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.more, err, c.want)
		}
	}
}

// Above its most there is no law to draw from: the run ends, and says when and what. Below 0 is 0.
func TestCountsAboveTheirMost(t *testing.T) {
	for _, c := range []struct{ clock, want string }{
		{"births: {rate: {value: 0.1 per day * count(a), most: 2 per day}, enter: a}",
			"births: rate: the value is 2.1 per day, above its most, 2 per day"},
		{"always: [{rate: {value: 0.1 per day * total, most: 2 per day}, to: b, name: turning}]\n" +
			"births: {rate: 1 per day, enter: a}", "always: turning: rate: the value is 2.1 per day, above its most, 2 per day"},
		{"births: {rate: {value: 0.1 per day + 0.1 per day * count(b) / (total - 20), most: 2 per day}, enter: a}",
			"births: rate: the value is not a number, as 0/0 is none"},
		{"immigration: {rate: {value: 0.1 per day * (count(a) + count(b)), most: 2 per day}, enter: a}",
			"immigration: rate: the value is 2.1 per day, above its most, 2 per day"},
	} {
		m := exactCompile(t, "name: above\ntime: {unit: day, start: 100, end: 400}\n"+
			"population: {size: 15, start: {a: rest}}\nstates: {a: {}, b: {}}\n%s\n", c.clock)
		result, err := m.Run(t.Context(), population.Options{Seed: 1})
		if err == nil || result == nil || result.Stopped != err || !result.Incomplete {
			t.Fatalf("%s: %v", c.clock, err)
		}
		if !strings.Contains(err.Error(), "above, replica 0: at time 1") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if rows := result.Rows(); rows == 0 || rows == len(m.Times()) {
			t.Errorf("%d rows", rows)
		}
	}
	r := exactSimulate(t, 1, 1, "name: below\ntime: {unit: day, end: 9}\npopulation: {size: 15, start: {a: rest}}\n"+
		"states: {a: {}}\nbirths: {rate: {value: 5 per day - total * 1 per day, most: 5 per day}, enter: a}\n")
	if n := r.counts(r.last(), "a")[0]; n != 15 {
		t.Errorf("%v are alive, with a rate below 0", n)
	}
}
