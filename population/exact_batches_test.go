package population_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Batches of five arrive at 1 per second, and everybody leaves at 0.2 per second: the mean is
// αb/μ (1 − e^(−μt)), the variance that plus αb(b−1)/(2μ) (1 − e^(−2μt)).
func TestExactBatches(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(1600, 100_000), `
name: batches
time: {unit: second, end: 50}
population: {size: 0, start: {}}
states: {X: {race: [{rate: 0.2 per second, to: out}]}}
immigration: {rate: 1 per second, enter: X, count: 5, name: arrived}
record: {every: 10 seconds}
`)
	checkMean(t, "at 10 s", r.counts(1, "X"), 21.616618)
	checkVariance(t, "at 10 s", r.counts(1, "X"), 70.700836)
	checkMean(t, "at 50 s", r.counts(5, "X"), 24.998865)
	checkVariance(t, "at 50 s", r.counts(5, "X"), 74.998865)
	_, variance, _, se := moments(r.counts(5, "X"))
	checkNotices(t, "everybody by itself, five times as often", variance, 24.998865, se)
	for i := range r.Runs {
		if n := r.Runs[i].Named(5, 0); n != r.Runs[i].Flow(5, 1) || n%5 != 0 {
			t.Fatalf("%d arrived by name, %d by flow", n, r.Runs[i].Flow(5, 1))
		}
	}
}

// Two P become a P2, for each pair at 0.001 per second, and a P2 two P at 0.01 per second. The
// numbers are those of the chain on P2.
func TestExactRateEach(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(1600, 50_000), `
name: dimers
time: {unit: second, end: 50}
population: {size: 100, start: {P: rest}}
parameters: {k: 0.001 per second, k2: 0.01 per second}
states: {P: {}, P2: {race: [{rate: k2, to: P, enter: P, name: apart}]}}
transmission: [{from: P, rate each: k / 2, to: {P: P2}, self: out, name: pair}]
record: {every: 10 seconds}
`)
	checkMean(t, "at 10 s", r.counts(1, "P2"), 23.892864)
	checkVariance(t, "at 10 s", r.counts(1, "P2"), 7.594874)
	checkMean(t, "at 50 s", r.counts(5, "P2"), 35.728851)
	checkVariance(t, "at 50 s", r.counts(5, "P2"), 5.734422)
	for i := range r.Runs {
		run := &r.Runs[i]
		if run.Count(5, 0)+2*run.Count(5, 1) != 100 {
			t.Fatal("a P is lost")
		}
		if got, want := run.Named(5, 0), r.flows(5, "P2", "P")[i]; float64(got) != want {
			t.Fatalf("%d came apart by name, %v by flow", got, want)
		}
	}
}

// Each of those who are a meets each of the others at 0.02 per day times the number who are a, so
// that there are a²·(10 − a)·0.02 infections per day, in whatever way the file bounds it, and
// however many others come. The numbers are those of the chain on a.
func TestExactRateEachByCounts(t *testing.T) {
	const model = `
name: pairs
time: {unit: day, end: 3}
population: {size: 10, start: {a: 2, b: rest}}
parameters: {pair: {value: 0.02 per day * count(a), most: 0.2 per day}}
states: {a: {}, b: {}, c: {}}
transmission: [{from: a, rate each: %s, to: {b: a}}]
%s
record: {every: 3 days}
`
	for name, c := range map[string][2]string{
		"most":              {"{value: 0.02 per day * count(a), most: 0.2 per day}", ""},
		"parameter":         {"pair", ""},
		"no most":           {"{value: 0.02 per day * count(a)}", ""},
		"others who come":   {"pair", "immigration: {rate: 50 per day, enter: c}"},
		"without, and come": {`{value: "0.02 per day * min(count(a), 10)"}`, "immigration: {rate: 50 per day, enter: c}"},
	} {
		t.Run(name, func(t *testing.T) {
			r := exactSimulate(t, 1, testscale.Size(1600, 50_000), model, c[0], c[1])
			checkMean(t, "a", r.counts(1, "a"), 5.929020)
			checkVariance(t, "a", r.counts(1, "a"), 7.885480)
		})
	}
}

// Two people, one of whom is infectious for a day and meets each of the others, the other one, at 2
// per day times a number with a gamma law of mean 1 and shape 0.3: the other is spared with (1 +
// 2/0.3)^−0.3.
func TestExactRateEachByNumber(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(1600, 50_000), `
name: two
time: {unit: day, end: 2}
population: {size: 2, start: {i: 1, s: rest}}
attributes: {activity: {number: {gamma: {mean: 1, shape: 0.3}}}}
states: {s: {}, i: {race: [{after: 1 day, to: r}]}, r: {}}
transmission: [{from: i, rate each: {value: 2 per day * activity, most: 200 per day}, to: {s: r}}]
record: {every: 2 days}
`)
	checkMean(t, "spared", r.counts(1, "s"), 0.542773)
}

// Ten animals have litters of 1, 2 or 3 at 0.2 per year and die at 0.3 per year, whether a birth or
// a clock lets the young in: the mean is 10e^(0.04t), the variance 10 (σ²/0.04)(e^(0.08t) −
// e^(0.04t)) with σ² = 0.2·3.5 + 0.3.
func TestExactLitters(t *testing.T) {
	const model = `
name: litters
time: {unit: year, end: 5}
population: {size: 10, start: {a: rest}}
states: {a: {race: [{rate: 0.3 per year, to: out}%s]}}
%s
record: {every: 1 year}
`
	const count = "count: {1: 50%, 2: 30%, 3: 20%}"
	for name, c := range map[string][2]string{
		"births":    {"", "births: {rate: 0.2 per year, enter: a, " + count + "}"},
		"race":      {", {rate: 0.2 per year, enter: a, " + count + "}", ""},
		"always":    {"", "always: [{rate: 0.2 per year, enter: a, " + count + "}]"},
		"parameter": {", {rate: 0.2 per year, enter: a, count: litter}", "parameters: {litter: {1: 50%, 2: 30%, 3: 20%}}"},
	} {
		t.Run(name, func(t *testing.T) {
			r := exactSimulate(t, 1, testscale.Size(4000, 100_000), model, c[0], c[1])
			checkMean(t, "at 2 years", r.counts(2, "a"), 10.832871)
			checkVariance(t, "at 2 years", r.counts(2, "a"), 22.555951)
			checkMean(t, "at 5 years", r.counts(5, "a"), 12.214028)
			checkVariance(t, "at 5 years", r.counts(5, "a"), 67.605485)
		})
	}
}

// How many enter has the law that the file says, also given that it lies between two numbers, and
// by group of the parent.
func TestExactWholeNumbers(t *testing.T) {
	poisson := func(mean float64) func(n float64) float64 {
		return func(n float64) float64 { lg, _ := math.Lgamma(n + 1); return math.Exp(n*math.Log(mean) - mean - lg) }
	}
	negative := func(m, k float64) func(n float64) float64 {
		return func(n float64) float64 {
			a, _ := math.Lgamma(n + k)
			b, _ := math.Lgamma(k)
			c, _ := math.Lgamma(n + 1)
			return math.Exp(a - b - c + k*math.Log(k/(k+m)) + n*math.Log(m/(k+m)))
		}
	}
	shares := func(n float64) float64 { return map[float64]float64{0: 0.2, 3: 0.5, 7: 0.3}[n] }
	for _, c := range []struct {
		count       string
		law         func(n float64) float64
		least, most int
	}{
		{"{0: 20%, 3: 50%, 7: 30%}", shares, 0, 20},
		{"{poisson: {mean: 2.4}}", poisson(2.4), 0, 20},
		{"{poisson: {mean: 2.4, least: 1, most: 4}}", poisson(2.4), 1, 4},
		{"{poisson: {mean: 40, most: 30}}", poisson(40), 0, 30},
		{"{poisson: {mean: 0.5, least: 6}}", poisson(0.5), 6, 20},
		{"{negative binomial: {mean: 6, dispersion: 0.5}}", negative(6, 0.5), 0, 200},
		{"{negative binomial: {mean: 6, dispersion: 8, least: 2, most: 9}}", negative(6, 8), 2, 9},
		{"{by: sex, f: {poisson: {mean: 3}}, m: 2}", poisson(3), 0, 30},
	} {
		t.Run(c.count, func(t *testing.T) {
			var counted []float64
			ids := map[uint64]int{}
			exactObserve(t, population.Options{Seed: 7, Replicas: 1, OnEvent: func(e population.Event) {
				if e.Name == "litter" {
					counted = append(counted, float64(ids[e.Individual]))
				}
				if e.Kind == population.Entered {
					ids[e.By]++
				}
			}}, `
name: whole
time: {unit: day, end: 2}
population: {size: 20000, groups: [{share: 100%%, with: {sex: f}, start: {mother: rest}}]}
attributes: {sex: {f: 50%%, m: 50%%}}
states: {mother: {race: [{after: 1 day, to: done, enter: child, count: %s, name: litter}]}, child: {}, done: {}}
record: {every: 2 days}
`, c.count)
			if len(counted) != 20_000 {
				t.Fatalf("%d litters", len(counted))
			}
			total := 0.0
			for n := c.least; n <= c.most; n++ {
				total += c.law(float64(n))
			}
			expected := make([]float64, c.most+1)
			for n := c.least; n <= c.most; n++ {
				expected[n] = 20_000 * c.law(float64(n)) / total
			}
			checkChiSquare(t, c.count, histogram(counted, c.most), expected)
			if low, high := slices.Min(counted), slices.Max(counted); low < float64(c.least) || high > float64(c.most) {
				t.Errorf("from %v to %v, outside %d to %d", low, high, c.least, c.most)
			}
		})
	}
}

// Children enter before what becomes of their parent, with what they are given and inherit: those
// of a parent that moves have what it was. The name of the clock counts once, also if nobody
// enters.
func TestChildrenOfClocks(t *testing.T) {
	r := exactObserve(t, population.Options{Seed: 1, Replicas: 1}, `
name: children
time: {unit: day, end: 3}
population: {size: 100, groups: [{share: 100%%, with: {den: old}, start: {a: rest}}]}
attributes: {den: {old: 50%%, new: 50%%}, sex: {f: 50%%, m: 50%%}}
machines:
  brood:
    start: {pregnant: 60, none: rest}
    enter: none
    states:
      none: {}
      pregnant: {race: [{after: 1 day, to: none, move: {den: new}, enter: young, count: 3, inherit: [den],
        with: {sex: m}, name: litter}]}
states: {a: {}, young: {race: [{after: 1 day, enter: young, count: 0, name: nothing}]}}
record: {every: 1 day, by: [den, sex]}
`)
	m := r.Model
	run := &r.Runs[0]
	name := func(n string) int { return slices.Index(m.Names(), n) }
	if got := run.Named(3, name("litter")); got != 60 {
		t.Errorf("%d litters", got)
	}
	if got := run.Named(3, name("nothing")); got != 180 {
		t.Errorf("%d times nothing", got)
	}
	if got := r.all(3, "young"); got != 180 {
		t.Errorf("%v young", got)
	}
	if got := r.allFlows(3, "births", "young"); got != 180 {
		t.Errorf("%v births", got)
	}
	young := slices.Index(m.States(), "young")
	for g, group := range m.Groups() {
		want := map[string]int{"old": 180, "new": 0, "m": 180, "f": 0}[group.String()]
		if got := run.In(g).Count(3, young); got != want {
			t.Errorf("%d young of %s, want %d", got, group, want)
		}
	}
}

// A bound that follows from the file gives the same law as one that is written. Where individuals
// enter, the population outgrows the first bounds: here it grows from 10 to about 200, and each
// pair meets at a rate that makes this the balance.
func TestExactBoundsBySize(t *testing.T) {
	const model = `
name: crowded
time: {unit: day, end: 12}
population: {size: 10, start: {a: rest}}
states: {a: {%s}}
births: {rate: 1 per day, enter: a}
%s
record: {every: 4 days}
`
	// Deaths at 0.005 for each other individual.
	all := map[string][2]string{
		"rate each":           {"", "transmission: [{from: a, rate each: 0.005 per day, to: {a: out}}]"},
		"value without most":  {"race: [{rate: {value: 0.005 per day * (total - 1)}, to: out}]", ""},
		"branch without most": {"split: [{otherwise: true, rate: {value: 0.005 per day * (total - 1)}, to: out}]", ""},
	}
	// The mean and variance of the chain with births n and deaths 0.005 n (n−1), by its equations.
	c := chain{size: 400, up: func(n int) float64 {
		if n+1 == 400 {
			return 0 // it never comes so far
		}
		return float64(n)
	}, down: func(n int) float64 { return 0.005 * float64(n) * float64(n-1) }}
	law := make(countLaw, c.size)
	law[10] = 1
	laws := []countLaw{law}
	for row := 1; row <= 3; row++ {
		laws = append(laws, c.after(laws[row-1], 4))
		if math.Abs(laws[row].total()-1) > 1e-9 {
			t.Fatal("the chain loses probability")
		}
	}
	for name, with := range all {
		r := exactSimulate(t, 3, testscale.Size(60, 5000), model, with[0], with[1])
		for row := 1; row <= 3; row++ {
			checkMean(t, fmt.Sprintf("%s, day %d", name, 4*row), r.counts(row, "a"), laws[row].mean())
			checkVariance(t, fmt.Sprintf("%s, day %d", name, 4*row), r.counts(row, "a"), laws[row].sd()*laws[row].sd())
		}
	}
}

// One intervention makes a state hold exactly so many: those who are in it leave, and then so many
// enter. It comes at one instant, so that no row, and no condition, sees anything in between.
func TestSetToNumber(t *testing.T) {
	for _, n := range []int{0, 7, 500} {
		r := exactSimulate(t, 1, 5, `
name: number
time: {unit: day, end: 4}
population: {size: 100, start: {a: 60, b: rest}}
states: {a: {race: [{rate: 0.3 per day, to: b}]}, b: {}, c: {}}
interventions:
  - {at: 2 days, who: a, to: out, enter: a, count: %d, name: set}
  - {when: {a: below 1}, who: b, to: c, name: empty}
record: {every: 2 days}
`, n)
		for i := range r.Runs {
			if got := r.counts(1, "a")[i]; got != float64(n) {
				t.Errorf("%v are a at 2 days, want %d", got, n)
			}
			if seen := r.counts(1, "c")[i] > 0; seen != (n == 0) {
				t.Errorf("with %d, the condition saw an empty state: %v", n, seen)
			}
		}
	}
}

// Values of the whole population are recorded at each row, by the parameters of that time, in the
// JSON and in a table. A number that is none, as 0/0 and 4/0, is empty.
func TestRecordedValues(t *testing.T) {
	r := exactSimulate(t, 1, 3, `
name: values
time: {unit: day, start: 2020-03-01, end: 2020-03-05}
population: {size: 10, start: {a: 4, b: rest}}
attributes: {region: {north: 1, south: 0}}
parameters: {factor: 2}
states: {a: {}, b: {}, c: {}}
machines: {m: {start: {yes: 3, no: rest}, states: {yes: {}, no: {}}}}
interventions: [{at: 2020-03-03, set: {factor: 5}}, {at: 2020-03-04, who: everyone, to: out}]
record: {every: 1 day, values: {y: factor * count(a), share: count(a) / total, m: count(m=yes) + 0 * total,
  north: count(region=north), ratio: count(a) / count(c)}}
`)
	none := math.NaN()
	want := map[string][]float64{"y": {8, 8, 20, 0, 0}, "share": {0.4, 0.4, 0.4, none, none}, "m": {3, 3, 3, 0, 0},
		"north": {10, 10, 10, 0, 0}, "ratio": {none, none, none, none, none}}
	for k, name := range r.Model.Values() {
		for row, x := range want[name] {
			if got := r.Runs[2].Value(row, k); got != x && !(math.IsNaN(got) && math.IsNaN(x)) {
				t.Errorf("%s in row %d: %v, want %v", name, row, got, x)
			}
		}
	}
	var table, text bytes.Buffer
	if err := results.WriteValues(&table, results.CSV, r.Result); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	if lines[0] != "replica,time,date,name,value" || lines[1] != "0,0,2020-03-01,y,8" ||
		lines[17] != "0,3,2020-03-04,share," || len(lines) != 1+3*5*5+1 {
		t.Errorf("the table is\n%s", table.String())
	}
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `"values":{"y":{"mean":[8,8,20,0,0]`) ||
		!strings.Contains(text.String(), `"share":{"mean":[0.4,0.4,0.4,null,null]`) {
		t.Errorf("the JSON has no values: %s", text.String())
	}
}

// A count of 1 is a birth as it was, and how many enter does not shift anybody else's draws: the
// parent's and those of the other sources.
func TestBatchesLuck(t *testing.T) {
	const model = `
name: luck
time: {unit: day, end: 10}
population: {size: 50, start: {a: rest}}
states: {a: {race: [{rate: 0.2 per day, to: b, name: changes}]}, b: {}, young: {}}
births: {rate: 0.05 per day, enter: young%s}
record: {every: 1 day}
`
	times := func(count string) (all []string) {
		exactObserve(t, population.Options{Seed: 4, OnEvent: func(e population.Event) {
			if e.Name == "changes" && e.Individual <= 50 {
				all = append(all, fmt.Sprint(e.Individual, e.Time))
			}
		}}, model, count)
		slices.Sort(all)
		return all
	}
	whole := func(count string) string {
		var b bytes.Buffer
		r := exactSimulate(t, 4, 2, model, count)
		r.Seconds = 0
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if whole("") != whole(", count: 1") {
		t.Error("count: 1 changes the run")
	}
	first := times("")
	for _, count := range []string{
		", count: 1", ", count: 4", ", count: {0: 50%, 3: 50%}", ", count: {poisson: {mean: 3}}",
	} {
		if got := times(count); !slices.Equal(got, first) {
			t.Errorf("%s shifts the parents' draws", count)
		}
	}
}
