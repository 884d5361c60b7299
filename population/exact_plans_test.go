package population_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/almanac-sim/almanac/population"
)

// hypergeometric is the law of how many of some come among those who are picked of all.
func hypergeometric(all, some, picked int) []float64 {
	law := make([]float64, min(some, picked)+1)
	for k := range law {
		if picked-k <= all-some {
			law[k] = math.Exp(combin.LogGeneralizedBinomial(float64(some), float64(k)) + combin.LogGeneralizedBinomial(float64(all-some), float64(picked-k)) -
				combin.LogGeneralizedBinomial(float64(all), float64(picked)))
		}
	}
	return law
}

// Of those who are picked, so many are of one sort as the hypergeometric law says: if most are picked, if few are, and if those whom it is about
// are hard to find.
func TestExactPicks(t *testing.T) {
	const replicas = 3000
	for i, c := range []struct {
		name, groups       string
		size               int
		where              string
		count              string
		all, some, picked  int
		elsewhere, outside int // how many others there are, who must be left alone
	}{
		{"many", "{count: 80, start: {a: 30, b: rest}}, {count: 20, start: {c: rest}}", 100, "", "20", 80, 30, 20, 0, 20},
		{"few", "{count: 800, start: {a: 300, b: rest}}, {count: 200, start: {c: rest}}", 1000, "", "25", 800, 300, 25, 0, 200},
		{"hard to find", "{count: 20, with: {region: north}, start: {a: 8, b: rest}}, {count: 480, with: {region: south}, start: {a: 300, b: rest}}", 500, "where: {region: north}, ", "doses", 20, 8, 15, 480, 0},
		{"all", "{count: 20, with: {region: north}, start: {a: 8, b: rest}}, {count: 480, with: {region: south}, start: {a: 300, b: rest}}", 500, "where: {region: north}, ", "24", 20, 8, 20, 480, 0},
	} {
		r := exactSimulate(t, uint64(1+i), replicas, `
name: picks
time: {unit: day, end: 2}
population: {size: %d, groups: [%s]}
parameters: {doses: 15}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {}, b: {}, c: {}, d: {}}
interventions: [{at: 1 day, who: [a, b], %scount: %s, to: d, name: dose}]
record: {every: 2 days}
`, c.size, c.groups, c.where, c.count)
		from := r.flows(1, "a", "d")
		for k, n := range r.flows(1, "b", "d") {
			if int(n+from[k]) != c.picked || int(r.Runs[k].Named(1, 0)) != c.picked {
				t.Fatalf("%s: %v and %v were picked, want %d", c.name, from[k], n, c.picked)
			}
		}
		law := hypergeometric(c.all, c.some, c.picked)
		for k := range law {
			law[k] *= replicas
		}
		if c.picked == c.all {
			continue
		}
		checkChiSquare(t, c.name, histogram(from, len(law)-1), law)
		mean, _, se, _ := moments(from)
		checkNotices(t, "each of the sort picked 10 % more often", mean, 1.1*float64(c.picked*c.some)/float64(c.all), se)
	}
}

// Doses a day: until nobody is left.
func TestPicksEveryDay(t *testing.T) {
	r := exactSimulate(t, 1, 3, `
name: doses
time: {unit: day, start: 2005, end: 2015}
population: {size: 1230, start: {a: rest}}
states: {a: {}, b: {}}
interventions: [{every: 1 day, who: a, count: 200, to: b}, {at: 2012, until: 2013, every: 1 day, who: b, count: 15, to: a}]
record: {every: 1 day}
`)
	// In 2013 the fifteen that came back are reached, and fifteen others come back.
	want := []float64{1030, 830, 630, 430, 230, 30, 0, 15, 15, 0, 0}
	for row, left := range want {
		for _, n := range r.counts(row, "a") {
			if n != left {
				t.Errorf("day %v: %v are left, want %v", r.Times[row], n, left)
			}
		}
	}
}

// Being picked is the intervention's luck: the lives of all who are not picked stay what they were, to the last bit, and so do those of who are until then.
func TestPicksShiftNobodysLuck(t *testing.T) {
	lives := func(plan string) (struck map[uint64]float64, picked map[uint64]bool) {
		struck, picked = map[uint64]float64{}, map[uint64]bool{}
		exactObserve(t, population.Options{Seed: 5, OnEvent: func(e population.Event) {
			switch e.Name {
			case "strike":
				struck[e.Individual] = e.Time
			case "pick":
				picked[e.Individual] = true
			}
		}}, `
name: luck
time: {unit: day, end: 20}
population: {size: 500, start: {a: rest}}
states: {a: {race: [{rate: 0.1 per day, to: b, name: strike}]}, b: {race: [{after: {gamma: {mean: 3 days, shape: 2}}, to: a}]}, c: {}}
interventions: [%s]
`, plan)
		return struck, picked
	}
	before, _ := lives("")
	for _, plan := range []string{"{at: 4 days, who: a, count: 5, to: c, name: pick}", "{at: 4 days, who: a, count: 200, to: c, name: pick}", "{when: {b: above 100}, who: a, count: 50, to: c, name: pick}"} {
		after, picked := lives(plan)
		if len(picked) == 0 {
			t.Fatal("nobody was picked")
		}
		for who, time := range before {
			if !picked[who] && after[who] != time {
				t.Fatalf("%s: %d strikes at %v, and did at %v", plan, who, after[who], time)
			}
		}
	}
}

// An intervention that waits happens at the event that makes its condition true: with the time of that event, before any other, and not
// before it. Rows have nothing to do with it.
func TestWhenAtTheEvent(t *testing.T) {
	for _, c := range []struct {
		when  string
		holds func(a, b, c int) bool
	}{
		{"{b: above 20}", func(a, b, c int) bool { return b > 20 }},
		{"{b: above 10%}", func(a, b, c int) bool { return 10*b > a+b+c }},
		{"{a: below 150}", func(a, b, c int) bool { return a < 150 }},
		{"{a: below 70%}", func(a, b, c int) bool { return 10*a < 7*(a+b+c) }},
		{"{total: below 180}", func(a, b, c int) bool { return a+b+c < 180 }},
		{"{b: above limit, total: below 190}", func(a, b, c int) bool { return b > 12 && a+b+c < 190 }},
		{"{a: above 100}", func(a, b, c int) bool { return a > 100 }}, // at the start
	} {
		var events []population.Event
		r := exactObserve(t, population.Options{Seed: 3, OnEvent: func(e population.Event) { events = append(events, e) }}, `
name: watched
time: {unit: day, start: 100, end: 200}
population: {size: 200, start: {a: rest}}
parameters: {limit: 12}
states: {a: {race: [{rate: 0.02 per day, to: b}, {rate: 0.02 per day, to: out}]}, b: {race: [{rate: 0.05 per day, to: c}]}, c: {}}
interventions: [{when: %s, who: c, to: b, name: back}]
record: {every: 50 days}
`, c.when)
		n := map[string]int{}
		held, last, happened := false, 100.0, 0
		for i, e := range events {
			switch e.Kind {
			case population.Happened:
				if happened++; e.Name != "back" || e.Individual != 0 || e.Time != last {
					t.Errorf("%s: %+v after an event at %v", c.when, e, last)
				}
				if !held {
					t.Errorf("%s: it happened before its condition was true: %v", c.when, n)
				}
				n["c"], n["b"] = 0, n["b"]+n["c"]
				last = e.Time
				continue
			}
			if e.Name == "back" {
				if e.Time != last {
					t.Errorf("%s: somebody goes back at %v, and not at %v", c.when, e.Time, last)
				}
				continue
			}
			if i > 0 && held && happened == 0 && e.Kind != population.Started {
				t.Fatalf("%s: event %d at %v comes before the intervention", c.when, i, e.Time)
			}
			n[e.From]--
			n[e.To]++
			last = e.Time
			started := i+1 >= 200 // all are there
			held = held || started && c.holds(n["a"], n["b"], n["c"])
		}
		if happened != 1 {
			t.Errorf("%s: it happened %d times", c.when, happened)
		}
		if r.Events == 0 {
			t.Error("no events")
		}
	}
}

// Of many whose clocks strike at the same instant, those come before the intervention that make its condition true, and no others.
func TestWhenAmongTies(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: ties
time: {unit: day, end: 10}
population: {size: 100, start: {a: rest}}
states: {a: {race: [{after: 5 days, to: b}]}, b: {}, c: {race: [{after: 1 day, to: d}]}, d: {}}
interventions: [{when: {b: above 40}, who: a, count: 50, to: c}, {when: {d: above 7}, again: true, who: d, to: out}]
record: {every: 5.5 days}
`)
	// 41 have left when 50 of the other 59 are taken away, and the last nine go on. A day later those 50 come to d one by one, and go by eights.
	for state, want := range map[string]float64{"a": 0, "b": 50, "c": 50} {
		if got := r.all(1, state); got != want {
			t.Errorf("%v are %s, want %v", got, state, want)
		}
	}
	if got := r.all(2, "d"); got != 2 {
		t.Errorf("%v are d, want 2", got)
	}
}

// Arrivals slow down with the tenth: it comes after a gamma time of ten arrivals at 2 per day, and the next after an exponential time
// at the new rate, both exactly.
func TestExactWhenSets(t *testing.T) {
	const replicas = 4000
	var mu sync.Mutex
	tenth, gap, arrived := make([]float64, replicas), make([]float64, replicas), make([]int, replicas)
	exactObserve(t, population.Options{Seed: 11, Replicas: replicas, OnEvent: func(e population.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Kind == population.Happened:
			tenth[e.Replica] = e.Time
		case e.Kind == population.Entered:
			if arrived[e.Replica]++; arrived[e.Replica] == 11 {
				gap[e.Replica] = e.Time - tenth[e.Replica]
			}
		}
	}}, `
name: slower
time: {unit: day, end: 80}
population: {size: 0, start: {}}
parameters: {r: 2 per day}
states: {a: {}}
immigration: {rate: r, enter: a}
interventions: [{when: {total: above 9}, set: {r: 0.5 per day}}]
record: {every: 40 days}
`)
	checkMean(t, "the tenth", tenth, 5)
	checkVariance(t, "the tenth", tenth, 2.5)
	checkMean(t, "from the tenth to the next", gap, 2)
	checkVariance(t, "from the tenth to the next", gap, 4)
}

// Schools close when more than 100 are ill, and open again when fewer than 50 are, again and again; what parameters are in force
// then is seen in how many are infected.
func TestWhenSchoolsCloseAndOpen(t *testing.T) {
	const model = `
name: schools
time: {unit: day, end: 300}
population: {size: 1000, start: {ill: 10, well: rest}}
parameters: {beta: 0.6 per day, mask: 1}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: well}]}}
transmission: [{from: ill, rate: beta, chance: mask, to: {well: ill}, name: infection}]
interventions:
  - {when: {ill: above 100}, again: true, set: {beta: 0.1 per day}, name: close}
  - {when: {ill: below 50}, again: true, set: {beta: 0.6 per day}, name: open}
  - {at: 150 days, set: {mask: 0.5}}
record: {every: 50 days}
`
	var mu sync.Mutex
	turns := make([]string, 8)
	ill, exposure, infections := make([]int, 8), [2]float64{}, [2]float64{}
	last := make([]float64, 8)
	open := make([]int, 8)
	r := exactObserve(t, population.Options{Seed: 2, Replicas: 8, OnEvent: func(e population.Event) {
		mu.Lock()
		defer mu.Unlock()
		k := e.Replica
		if e.Time < 150 {
			exposure[open[k]] += float64(ill[k]) * float64(1000-ill[k]) / 999 * (e.Time - last[k])
			if e.Name == "infection" {
				infections[open[k]]++
			}
			last[k] = e.Time
		}
		switch {
		case e.Name == "close":
			turns[k] += "c"
			open[k] = 0
			if ill[k] != 101 {
				t.Errorf("closed with %d", ill[k])
			}
		case e.Name == "open":
			turns[k] += "o"
			if open[k] = 1; ill[k] != 49 && ill[k] != 10 {
				t.Errorf("opened with %d", ill[k])
			}
		case e.To == "ill":
			ill[k]++
		case e.From == "ill":
			ill[k]--
		}
	}}, model)
	for k, s := range turns {
		// Near a limit the number goes to and fro, and each time it is passed anew.
		if in := slices.Compact([]byte(s)); len(in) < 6 || s[0] != 'o' {
			t.Errorf("replica %d: %s", k, s)
		}
		if got := r.Runs[k].Named(r.last(), slices.Index(r.Model.Names(), "close")); int(got) != strings.Count(s, "c") {
			t.Errorf("%d closings are counted, of %s", got, s)
		}
	}
	// Infections are a Poisson process of this intensity, so that their number less the integral has the variance of the integral.
	for k, beta := range []float64{0.1, 0.6} {
		checkZ(t, fmt.Sprintf("infections at %v", beta), infections[k], beta*exposure[k], math.Sqrt(beta*exposure[k]))
	}
	// All workers find the same.
	one, err := exactCompile(t, model).Run(t.Context(), population.Options{Seed: 2, Replicas: 8, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(one.Flow(0))
	b, _ := json.Marshal(r.Flow(0))
	if string(a) != string(b) {
		t.Error("the number of workers makes a difference")
	}
}

// What one intervention makes true happens at the same instant, in turn; what never ends is stopped with an error that says where.
func TestWhenChains(t *testing.T) {
	const model = `
name: chain
time: {unit: day, start: 5, end: 15}
population: {size: 100, start: {a: rest}}
states: {a: {race: [{rate: 0.1 per day, to: b}]}, b: {}, c: {}, d: {}}
interventions:
  - {when: {c: above 0}, who: c, to: d, name: second%[1]s}
  - {when: {b: above 9}, who: b, to: c, name: first%[1]s}
  - {when: {d: above 9}, %[2]s}
`
	var told []string
	times := map[float64]bool{}
	exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
		if e.Kind == population.Happened {
			told = append(told, e.Name)
			times[e.Time] = true
		}
	}}, model, "", "who: d, count: 3, to: a, name: third")
	if want := []string{"first", "second", "third"}; !slices.Equal(told, want) || len(times) != 1 {
		t.Errorf("%v at %v, want %v at once", told, times, want)
	}
	_, err := exactCompile(t, model, ", again: true", "who: d, to: b, again: true, name: third").Run(t.Context(), population.Options{Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "interventions with when took less than a billionth of the run, the last of them intervention") {
		t.Errorf("a chain without an end: %v", err)
	}
}

// Whatever came first: an intervention at a time and two that wait each change their own parameter, and keep what the others have set.
func TestWhenInAnyOrder(t *testing.T) {
	for _, c := range []struct{ first, second, third float64 }{{1, 2, 3}, {3, 2, 1}, {2, 1, 3}, {2, 3, 1}} {
		r := exactSimulate(t, 1, 1, `
name: orders
time: {unit: day, end: 20}
population: {size: 3, start: {p: 1, q: 1, z: 1}}
parameters: {x: 0 per day, y: 0 per day, w: 0 per day}
states: {p: {race: [{after: %v days, to: p1}]}, p1: {}, q: {race: [{after: %v days, to: q1}]}, q1: {}, z: {}, r1: {}, r2: {}, r3: {}}
immigration: [{rate: x, enter: r1}, {rate: y, enter: r2}, {rate: w, enter: r3}]
interventions:
  - {when: {p1: above 0}, set: {x: 1000 per day}}
  - {when: {q: below 1}, set: {y: 1000 per day}}
  - {at: %v days, set: {w: 1000 per day}}
record: {every: 20 days}
`, c.first, c.second, c.third)
		for state, from := range map[string]float64{"r1": c.first, "r2": c.second, "r3": c.third} {
			want := 1000 * (20 - from)
			checkZ(t, fmt.Sprintf("%v, %s", c, state), r.all(1, state), want, math.Sqrt(want))
		}
	}
}

// Coverage may differ by group, and so may the shares of those who enter, ages, and since.
func TestExactPlansByGroup(t *testing.T) {
	const n = 20_000
	got := map[string]float64{}
	exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
		got[strings.Join([]string{e.Kind.String(), e.Name, e.Values[0], e.To}, " ")]++
	}}, `
name: by group
time: {unit: day, end: 4}
population:
  size: %d
  groups:
    - {share: 50%%, with: {region: north}, start: {a: {share: rest, since: {by: region, north: 1 day, south: 2 days}}}}
    - {share: 50%%, with: {region: south}, start: {a: {share: rest, since: {by: region, north: 1 day, south: 2 days}}}}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {race: [{after: 3.5 days, to: b, name: late}]}, b: {}, c: {}, d: {}}
interventions:
  - {at: 1 day, who: a, coverage: {by: region, north: 20%%, south: 70%%}, to: c, name: cover}
  - {at: 2 days, enter: {c: {by: region, north: 10%%, south: 40%%}, d: rest}, count: %d, name: enter}
`, n, n)
	checkShare(t, "north", got["change cover north c"], n/2, 0.2)
	checkShare(t, "south", got["change cover south c"], n/2, 0.7)
	for region, p := range map[string]float64{"north": 0.1, "south": 0.4} {
		c, d := got["enter enter "+region+" c"], got["enter enter "+region+" d"]
		checkShare(t, "entering "+region, c, c+d, p)
	}
	// Of the north they have been there for a day, and leave after 2.5; of the south, after 1.5.
	if a, b := got["change late north b"]+got["change cover north c"], got["change late south b"]+got["change cover south c"]; a != n/2 || b != n/2 {
		t.Errorf("%v of the north and %v of the south have left", a, b)
	}
}

// Probabilities that change with time are read when they are used: who is covered, and as what children begin.
func TestExactSharesThatChange(t *testing.T) {
	r := exactSimulate(t, 1, 40, `
name: shares
time: {unit: year, start: 2000, end: 2020}
population: {size: 1000, start: {a: rest}}
parameters: {p: {steps: {2000: 10%%, 2010: 80%%}}, q: {line: {2000: 0%%, 2020: 100%%}}}
states: {a: {}, b: {}, c: {}, d: {}}
births: {rate: 0.1 per year, from: a, enter: {b: p, c: 5%%, d: rest}, name: birth}
interventions:
  - {at: 2005, who: a, coverage: q, to: c, name: early}
  - {at: 2015, enter: {c: 1 - q, d: rest}, count: 1000, name: late}
record: {every: 10 years}
`)
	for row, p := range []float64{1: 0.1, 2: 0.8} {
		if row > 0 {
			since := func(to string) float64 { return r.allFlows(row, "births", to) - r.allFlows(row-1, "births", to) }
			b, c, d := since("b"), since("c"), since("d")
			checkShare(t, fmt.Sprintf("row %d, b", row), b, b+c+d, p)
			checkShare(t, fmt.Sprintf("row %d, c", row), c, b+c+d, 0.05)
		}
	}
	checkShare(t, "covered", r.allFlows(1, "a", "c"), 40*1000, 0.25)
	checkShare(t, "let in", r.allFlows(2, "interventions", "c"), 40*1000, 0.25)
}

// Immigrants that come at a rate which changes with time are Poisson, with its integral as their mean; nobody comes while it is 0.
func TestExactImmigrationThatChanges(t *testing.T) {
	const replicas = 2000
	r := exactSimulate(t, 1, replicas, `
name: waves
time: {unit: day, start: 5, end: 25}
population: {size: 10, start: {b: rest}}
parameters: {factor: 1, wave: {seasonal: {mean: 0.1 per day, amplitude: 100%%, peak: 7 days, period: 8 days}}}
states: {a: {}, b: {}, c: {}}
immigration:
  - {rate: {steps: {0 days: 2 per day, 10 days: 0 per day, 20 days: 0.5 per day}}, enter: a}
  - {rate: factor * wave, per: 5, enter: c}
interventions: [{at: 15 days, set: {factor: 2}}]
record: {every: 5 days}
`)
	wave := func(t float64) float64 {
		rate := 0.1 * (1 + math.Cos(2*math.Pi*(t-7)/8)) * 10 / 5
		if t > 15 {
			rate *= 2
		}
		return rate
	}
	for row, a := range []float64{0, 10, 10, 10, 12.5} {
		if row == 0 {
			continue
		}
		checkPoisson(t, fmt.Sprintf("steps, row %d", row), r.counts(row, "a"), a)
		checkPoisson(t, fmt.Sprintf("wave, row %d", row), r.counts(row, "c"), integral(wave, 5, 5+5*float64(row), 5000))
	}
}

// With places for K and arrivals at λ(1 − n/K), each place is taken at λ/K by itself: the number taken by t is binomial, with 1 − exp(−λt/K). A rate
// above its most ends the run.
func TestExactImmigrationByCounts(t *testing.T) {
	const replicas = 4000
	const model = `
name: places
time: {unit: day, end: 6}
population: {size: 2, start: {a: rest}}
states: {a: {}}
immigration: {rate: {value: 5 per day * (1 - total / 12), most: %s}, enter: a}
record: {every: 3 days}
`
	r := exactSimulate(t, 1, replicas, model, "5 per day")
	for row := 1; row <= 2; row++ {
		p := -math.Expm1(-5 * r.Times[row] / 12)
		expected := make([]float64, 13)
		for k := 0; k <= 10; k++ {
			expected[k+2] = replicas * math.Exp(combin.LogGeneralizedBinomial(10, float64(k))) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(10-k))
		}
		checkChiSquare(t, fmt.Sprintf("day %v", r.Times[row]), histogram(r.counts(row, "a"), 12), expected)
	}
	_, err := exactCompile(t, model, "2 per day").Run(t.Context(), population.Options{Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "above its most, 2") {
		t.Errorf("a rate above its most: %v", err)
	}
}
