package population_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// forkedAt takes a process to each of some times, and at each of them goes on with a fork of it in
// its place.
func forkedAt(t *testing.T, p *population.Process, times ...float64) *population.Process {
	t.Helper()
	for i, time := range times {
		if err := p.Advance(t.Context(), time); err != nil {
			t.Fatal(err)
		}
		f, err := p.Fork(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		p = f
	}
	return p
}

func begun(t *testing.T, m *population.Model, seed uint64, replica int) *population.Process {
	t.Helper()
	p, err := m.Begin(t.Context(), population.Options{Seed: seed}, replica)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stateOf is the number of a state.
func stateOf(t *testing.T, m *population.Model, name string) int {
	t.Helper()
	k := slices.Index(m.States(), name)
	if k < 0 {
		t.Fatalf("no state %s", name)
	}
	return k
}

// A clock fires by its law, however often it is drawn anew on the way: wherever it stands, with
// and without a memory, at rates that change, for those who have been there before, and after
// interventions and moves that clocks with a memory do not mind.
func TestExactForkedClocks(t *testing.T) {
	size := testscale.Size(2500, 5000)
	type place struct {
		name, population, states, rest string
		factor                         func(x float64) float64 // of the survival
		given                          float64                 // how long everybody has been there at the start
	}
	one := func(float64) float64 { return 1 }
	check := func(what, text string, survival func(float64) float64, w place) {
		m := exactCompile(t, "name: forked\ntime: {unit: day, end: 10}\nattributes: {kind: {x: 50%%, y: 50%%}}\n"+
			"population: {size: %d, start: {%s}}\nstates: {here: {%s}, gone: {}, other: {}}\n%s\n",
			size, w.population, fmt.Sprintf(w.states, text), w.rest)
		p := begun(t, m, 1, 0)
		here, before := stateOf(t, m, "here"), 0.0
		for _, time := range []float64{1.5, 3.25, 6.5, 10} {
			p = forkedAt(t, p, before+(time-before)/2)
			if err := p.Advance(t.Context(), time); err != nil {
				t.Fatal(err)
			}
			want := survival(w.given+time) / survival(w.given) * w.factor(time)
			checkShare(t, fmt.Sprintf("%s, %s, day %v", what, w.name, time), float64(p.Count(here)), float64(size), want)
			before = time
		}
		p.Close()
	}
	all := "here: rest"
	for _, d := range durations {
		for _, w := range []place{
			{"race", all, "race: [{%s, to: gone}]", "", one, 0},
			{"race with another", all, "race: [{%s, to: gone}, {after: {gamma: {mean: 8 days, shape: 3}}, to: other}]", "",
				erlangSurvival(8, 3), 0},
			{"branch", all, "split: [{otherwise: true, %s, to: gone}]", "", one, 0},
			{"since", "here: {share: rest, since: 1 day}", "race: [{%s, to: gone}, {after: {gamma: {mean: 8 days, shape: " +
				"3}}, to: other}]", "",
				func(x float64) float64 { return erlangSurvival(8, 3)(1+x) / erlangSurvival(8, 3)(1) }, 1},
		} {
			check(d.name, d.text, d.survival, w)
		}
		check(d.name, "", d.survival, place{"always", all, "%s", "always: [{" + d.text + ", from: here, to: gone}]", one, 0})
	}
	for _, c := range changingRates {
		survival := func(x float64) float64 { return math.Exp(-integral(c.rate, 0, x, 5000)) }
		defined := "parameters: {base: 0.25 per day, wave: {seasonal: {mean: 1, amplitude: 50%, peak: 5 days, period: 10 " +
			"days}}, changing: " + c.text + "}\n"
		check(c.name, "rate: changing", survival, place{"race", all, "race: [{%s, to: gone}]", defined, one, 0})
		check(c.name, "rate: changing", survival, place{"branch", all, "split: [{otherwise: true, %s, to: gone}]", defined,
			one, 0})
	}
	gamma := "after: {gamma: {mean: 5 days, shape: 2}}"
	check("law", "after: stay", erlangSurvival(5, 2), place{"set to another", all, "race: [{%s, to: gone}]",
		"parameters: {stay: {gamma: {mean: 5 days, shape: 2}}}\ninterventions: [{at: 1 day, set: {stay: 90 days}}]", one, 0})
	check("law", "after: stay", func(x float64) float64 { return math.Exp(-0.2*min(x, 2) - 0.5*max(0, x-2)) },
		place{"without a memory, set to another", all, "race: [{%s, to: gone}]",
			"parameters: {stay: {exponential: {mean: 5 days}}}\n" +
				"interventions: [{at: 2 days, set: {stay: {exponential: {mean: 2 days}}}}]", one, 0})
	check("law", "after: {by: kind, x: {gamma: {mean: 5 days, shape: 2}}, y: 90 days}",
		mixtureSurvival(0.5, erlangSurvival(5, 2), fixedSurvival(90)),
		place{"of another kind", all, "race: [{%s, to: gone}]",
			"interventions: [{at: 1 day, who: everyone, move: {kind: y}}]", one, 0})
	half := func(float64) float64 { return 0.5 }
	check("clock", gamma, erlangSurvival(5, 2), place{"beside one that has fired in vain", all, "race: [{%s, to: gone}]",
		"always: [{after: {uniform: {low: 0 days, high: 1 day}}, chance: 50%, from: here, to: other}]", half, 0})
	check("clock", gamma, erlangSurvival(5, 2), place{"beside one that fired before the start",
		all + "}, age: {exactly: 30 days", "race: [{%s, to: gone}]",
		"parameters: {stay: {exponential: {mean: 0.5 days}}}\n" +
			"always: [{after: stay, from: here, to: other}, {after: {uniform: {low: 0 days, high: 20 days}}, from: here, to: " +
			"other}]\ninterventions: [{at: 4 days, set: {stay: {exponential: {mean: 2 days}}}}]", one, 0})
}

// Which branch somebody takes, and when, has the law of a model that was never forked, also if
// chances and clocks are set to others on the way.
func TestExactForkedBranches(t *testing.T) {
	const size = 20_000
	short, long := erlangSurvival(3, 2), erlangSurvival(9, 3)
	for _, c := range []struct {
		name, split, rest string
		b, c              func(time float64) float64 // the share that has left for each
	}{
		{"different clocks", "{chance: 30%, after: {gamma: {mean: 3 days, shape: 2}}, to: b}, {otherwise: true, after: " +
			"{erlang: {mean: 9 days, k: 3}}, to: c}", "",
			func(x float64) float64 { return 0.3 * (1 - short(x)) }, func(x float64) float64 { return 0.7 * (1 - long(x)) }},
		{"one clock", "{chance: 30%, after: {gamma: {mean: 3 days, shape: 2}}, to: b}, {otherwise: true, after: {gamma: " +
			"{mean: 3 days, shape: 2}}, to: c}", "",
			func(x float64) float64 { return 0.3 * (1 - short(x)) }, func(x float64) float64 { return 0.7 * (1 - short(x)) }},
		{"fixed and without a memory", "{chance: 30%, after: 5 days, to: b}, {otherwise: true, rate: 0.3 per day, to: c}", "",
			func(x float64) float64 { return 0.3 * (1 - fixedSurvival(5)(x)) }, func(x float64) float64 {
				return 0.7 * -math.Expm1(-0.3*x)
			}},
		{"without a memory", "{chance: 30%, rate: 0.1 per day, to: b}, {otherwise: true, rate: 0.3 per day, to: c}", "",
			func(x float64) float64 { return 0.3 * -math.Expm1(-0.1*x) }, func(x float64) float64 {
				return 0.7 * -math.Expm1(-0.3*x)
			}},
		{"chances set to others", "{chance: share, after: {gamma: {mean: 3 days, shape: 2}}, to: b}, {otherwise: true, " +
			"after: {erlang: {mean: 9 days, k: 3}}, to: c}",
			"parameters: {share: 30%}\ninterventions: [{at: 1 day, set: {share: 90%}}]",
			func(x float64) float64 { return 0.3 * (1 - short(x)) }, func(x float64) float64 { return 0.7 * (1 - long(x)) }},
		{"a rate set to another and back", "{chance: 30%, after: {gamma: {mean: 3 days, shape: 2}}, to: b}, {otherwise: " +
			"true, rate: speed, to: c}",
			"parameters: {speed: 0.1 per day}\ninterventions: [{at: 1 day, set: {speed: 2 per day}}, {at: 2 days, set: " +
				"{speed: 0.1 per day}}]",
			func(x float64) float64 { return 0.3 * (1 - short(x)) },
			func(x float64) float64 {
				return 0.7 * -math.Expm1(-0.1*min(x, 1)-2*min(1, max(0, x-1))-0.1*max(0, x-2))
			}},
		{"chances that change", "{chance: {steps: {0 days: 30%, 1 day: 90%}}, after: {gamma: {mean: 3 days, shape: 2}}, " +
			"to: b}, {otherwise: true, after: {erlang: {mean: 9 days, k: 3}}, to: c}",
			"interventions: [{at: 1 day, who: everyone, to: a}]", // it is entered anew
			func(x float64) float64 { return 0.9 * (1 - short(x-1)) }, func(x float64) float64 { return 0.1 * (1 - long(x-1)) }},
		{"a rate that changes", "{chance: 30%, after: {gamma: {mean: 3 days, shape: 2}}, to: b}, {otherwise: true, rate: " +
			"{steps: {0 days: 0.1 per day, 4 days: 1 per day}}, to: c}", "",
			func(x float64) float64 { return 0.3 * (1 - short(x)) }, func(x float64) float64 {
				return 0.7 * -math.Expm1(-0.1*x-0.9*max(0, x-4))
			}},
	} {
		m := exactCompile(t, "name: branches\ntime: {unit: day, end: 12}\npopulation: {size: %d, start: {a: rest}}\n"+
			"states: {a: {split: [%s]}, b: {}, c: {}}\n%s\n", size, c.split, c.rest)
		p := begun(t, m, 2, 0)
		for i, stop := range []float64{0.5, 1.5, 2.5, 4, 8} {
			p = forkedAt(t, p, stop)
			if i > 1 {
				checkShare(t, fmt.Sprintf("%s: b on day %v", c.name, stop), float64(p.Count(1)), size, c.b(stop))
				checkShare(t, fmt.Sprintf("%s: c on day %v", c.name, stop), float64(p.Count(2)), size, c.c(stop))
			}
		}
		p.Close()
	}
}

// Given what is known at the fork, what comes of it is independent of what comes of its original,
// and of another fork: whether somebody leaves within a time, and by which way.
func TestExactForksAreIndependent(t *testing.T) {
	const size, at, until = 10_000, 3, 6
	var leaves *[size + 1]float64
	m := func(clocks, rest string) *population.Model {
		return exactCompile(t, "name: apart\ntime: {unit: day, end: 10}\npopulation: {size: %d, start: {here: rest}}\n"+
			"states: {here: {%s}, gone: {}, other: {}}\n%s\n", size, clocks, rest)
	}
	models := map[string]*population.Model{
		"two ways": m("split: [{chance: 50%, after: {gamma: {mean: 5 days, shape: 2}}, to: gone}, {otherwise: true, "+
			"after: {gamma: {mean: 5 days, shape: 2}}, to: other}]", ""),
		"contacts": m("", "transmission: [{from: here, rate: 0.1 per day, to: {here: gone}}]"),
		"picked":   m("", "interventions: [{at: 5 days, who: here, count: 3000, to: gone}]"),
		"covered":  m("", "interventions: [{at: 5 days, who: here, coverage: 40%, to: gone}]"),
		"varying":  m("race: [{rate: {steps: {0 days: 0 per day, 4 days: 0.5 per day}}, to: gone}]", ""),
		"always":   m("", "always: [{after: {weibull: {scale: 6 days, shape: 2}}, to: gone}]"),
	}
	for _, d := range durations {
		if d.name != "fixed" && d.name != "exactly" { // of which all is known
			models[d.name] = m("race: [{"+d.text+", to: gone}]", "")
		}
	}
	for name, m := range models {
		p, err := m.Begin(t.Context(), population.Options{Seed: 3, OnEvent: func(e population.Event) {
			if leaves != nil && e.Kind == population.Changed && e.Time <= until {
				leaves[e.Individual] = 1
				if e.To == "other" {
					leaves[e.Individual] = 2
				}
			}
		}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		var before, original, first, second [size + 1]float64
		leaves = &before
		if err := p.Advance(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		f, err := p.Fork(1)
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Fork(2)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			p *population.Process
			l *[size + 1]float64
		}{{f, &first}, {p, &original}, {g, &second}} {
			leaves = c.l
			if err := c.p.Advance(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			c.p.Close()
		}
		leaves = nil
		var x [3][]float64
		for i := 1; i <= size; i++ {
			if before[i] == 0 {
				for k, l := range []*[size + 1]float64{&original, &first, &second} {
					x[k] = append(x[k], l[i])
				}
			}
		}
		n := math.Sqrt(float64(len(x[0])))
		checkZ(t, name+": a fork and its original", stat.Correlation(x[0], x[1], nil), 0, 1/n)
		checkZ(t, name+": two forks", stat.Correlation(x[1], x[2], nil), 0, 1/n)
	}
}

// The final size of an epidemic has its law (see finalSizeLaw) if every run is forked again and
// again, and in forks of one process at the start, which are so many independent runs.
func TestExactForkedFinalSize(t *testing.T) {
	const n, a, beta = 18, 2, 0.3
	replicas := testscale.Size(700, 3000)
	for _, c := range infectiousPeriods {
		m := exactCompile(t, sirModel, n+a, a, c.text, beta, 1)
		law := finalSizeLaw(n, a, beta/(n+a-1), c.laplace)
		expected := make([]float64, n+1)
		for k := range law {
			expected[k] = float64(replicas) * law[k]
		}
		size := func(p *population.Process) float64 {
			if err := p.Advance(t.Context(), 2000); err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			return float64(n - p.Count(0))
		}
		one := begun(t, m, 4, 0)
		forks, often := make([]float64, replicas), make([]float64, replicas)
		for i := range replicas {
			f, err := one.Fork(uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			forks[i] = size(f)
			often[i] = size(forkedAt(t, begun(t, m, 5, i), 1, 2, 4, 7, 11, 16))
		}
		checkChiSquare(t, c.name+", forks of one process", histogram(forks, n), expected)
		checkChiSquare(t, c.name+", forked often", histogram(often, n), expected)
	}
}

// Immigrants of forks of one process come independently: how many there are, and have left, is
// Poisson, as in TestExactInfiniteServerQueue.
func TestExactForkedImmigration(t *testing.T) {
	const forks, lambda = 1500, 2.0
	m := exactCompile(t, `
name: queue
time: {unit: day, end: 8}
population: {size: 0, start: {}}
immigration: {rate: %v per day, enter: present}
states: {present: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: out}]}}
`, lambda)
	one := begun(t, m, 8, 0)
	var present, gone []float64
	for i := range forks {
		f, err := one.Fork(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		f = forkedAt(t, f, 2, 5)
		if err := f.Advance(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		present, gone = append(present, float64(f.Total())),
			append(gone, float64(f.Flow(slices.Index(m.Flows(), population.Flow{From: "present", To: population.Out}))))
		f.Close()
	}
	mean := lambda * integral(erlangSurvival(5, 2), 0, 8, 8000)
	checkPoisson(t, "present", present, mean)
	checkPoisson(t, "gone", gone, lambda*8-mean)
}

// Models with all that there is come to the same if every run is forked on the way: means and
// variances of all states and flows.
func TestExactForkedEverything(t *testing.T) {
	replicas := testscale.Size(40, 80)
	models := map[string]string{"people": peopleModel, "language": languageModel, "regions": fmt.Sprintf(seirForks, 200)}
	for name, source := range population.Busy {
		models[name] = source
	}
	for name, source := range models {
		var changes []population.Change
		if name == "networks" && !testscale.On { // which takes longest
			changes = append(changes, population.Size(60))
			source = strings.Replace(source, "random: {mean: 119}", "random: {mean: 59}", 1) // everybody
		}
		m, err := population.Compile("model.yaml", []byte(source), changes...)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := m.Run(t.Context(), population.Options{Seed: 6, Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		last := whole.Rows() - 1
		var forked []*population.Process
		for i := range replicas {
			var times []float64
			for k := range 6 {
				times = append(times, m.Start()+(m.End()-m.Start())*(float64(k)+float64(i)/float64(replicas))/6)
			}
			p := forkedAt(t, begun(t, m, 7, i), times...)
			if err := p.Advance(t.Context(), m.End()); err != nil {
				t.Fatal(err)
			}
			forked = append(forked, p)
		}
		compare := func(what string, of func(*population.Run) float64, or func(*population.Process) float64) {
			a, b := make([]float64, replicas), make([]float64, replicas)
			for i := range replicas {
				a[i], b[i] = of(&whole.Runs[i]), or(forked[i])
			}
			if differ, others := alike(a, b); others > 0 { // the errors of these are not known
				// That as many values that differ are all on one side has probability 2⁻¹⁷, or 4.3 standard errors.
				if differ > 17 {
					t.Errorf("%s, %s: %d of %d differ from what all others are", name, what, differ, others)
				}
				return
			}
			meanA, varianceA, seA, errorA := moments(a)
			meanB, varianceB, seB, errorB := moments(b)
			if meanA+meanB > 0.5 { // of what is rare the errors are not normal
				checkZ(t, name+", "+what+": mean", meanB, meanA, math.Hypot(seA, seB))
				checkZ(t, name+", "+what+": variance", varianceB, varianceA, math.Hypot(errorA, errorB))
			}
		}
		for k, state := range m.Counted() {
			compare(state, func(r *population.Run) float64 { return float64(r.Count(last, k)) },
				func(p *population.Process) float64 { return float64(p.Count(k)) })
		}
		for k, flow := range m.Flows() {
			compare(flow.String(), func(r *population.Run) float64 { return float64(r.Flow(last, k)) },
				func(p *population.Process) float64 { return float64(p.Flow(k)) })
		}
		for k, name := range m.Names() {
			compare(name, func(r *population.Run) float64 { return float64(r.Named(last, k)) },
				func(p *population.Process) float64 { return float64(p.Named(k)) })
		}
		for _, p := range forked {
			p.Close()
		}
	}
}

// alike tells, if all values of a or of b are equal, how many of the others differ from them, and how
// many others there are.
func alike(a, b []float64) (differ, others int) {
	for _, sides := range [][2][]float64{{a, b}, {b, a}} {
		if one := sides[0]; !slices.ContainsFunc(one, func(x float64) bool { return x != one[0] }) {
			for _, x := range sides[1] {
				if x != one[0] {
					differ++
				}
			}
			return differ, len(sides[1])
		}
	}
	return 0, 0
}

// seirForks is an epidemic with durations that have a memory, immigration and an intervention that
// waits.
const seirForks = `
name: seir
time: {unit: day, end: 40}
population: {size: %d, start: {infectious: 5, susceptible: rest}}
states:
  susceptible: {}
  exposed: {race: [{after: {gamma: {mean: 4 days, shape: 3}}, to: infectious}]}
  infectious: {split: [{chance: 20%%, after: 5 days, to: out},
    {otherwise: true, after: {lognormal: {mean: 6 days, sd: 3 days}}, to: recovered}]}
  recovered: {race: [{after: {weibull: {scale: 30 days, shape: 2}}, to: susceptible}]}
transmission: [{from: infectious, rate: beta, to: {susceptible: exposed}}]
parameters: {beta: {seasonal: {mean: 0.5 per day, amplitude: 50%%, peak: 10 days, period: 30 days}}}
immigration: {rate: 1 per day, enter: exposed}
interventions: [{when: {infectious: above 40}, set: {beta: 0.2 per day}, name: close}]
record: {every: 40 days}
`
