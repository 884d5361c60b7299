package population_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// An intervention that waits happens at the event that makes its condition true: with the time of
// that event, before any other, and not before it. Rows have nothing to do with it.
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
states:
  a: {race: [{rate: 0.02 per day, to: b}, {rate: 0.02 per day, to: out}]}
  b: {race: [{rate: 0.05 per day, to: c}]}
  c: {}
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

// Of many whose clocks fire at the same instant, those come before the intervention that make its
// condition true, and no others.
func TestWhenAmongTies(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: ties
time: {unit: day, end: 10}
population: {size: 100, start: {a: rest}}
states: {a: {race: [{after: 5 days, to: b}]}, b: {}, c: {race: [{after: 1 day, to: d}]}, d: {}}
interventions: [{when: {b: above 40}, who: a, count: 50, to: c}, {when: {d: above 7}, again: true, who: d, to: out}]
record: {every: 5.5 days}
`)
	// 41 have left when 50 of the other 59 are taken away, and the last nine go on. A day later
	// those 50 come to d one by one, and go by eights.
	for state, want := range map[string]float64{"a": 0, "b": 50, "c": 50} {
		if got := r.all(1, state); got != want {
			t.Errorf("%v are %s, want %v", got, state, want)
		}
	}
	if got := r.all(2, "d"); got != 2 {
		t.Errorf("%v are d, want 2", got)
	}
}

// Arrivals slow down with the tenth: it comes after a gamma time of ten arrivals at 2 per day, and
// the next after an exponential time at the new rate, both exactly.
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

// Schools close when more than 100 are ill, and open again when fewer than 50 are, again and again;
// what parameters are in force then is seen in how many are infected.
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
	// Infections are a Poisson process of this intensity, so that their number less the integral
	// has the variance of the integral.
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

// What one intervention makes true happens at the same instant, in turn; what never ends is stopped
// with an error that says where.
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
	_, err := exactCompile(t, model, ", again: true", "who: d, to: b, again: true, name: third").Run(t.Context(),
		population.Options{Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "interventions with when took less than a billionth of the run, "+
		"the last of them intervention") {
		t.Errorf("a chain without an end: %v", err)
	}
}

// Whatever came first: an intervention at a time and two that wait each change their own parameter,
// and keep what the others have set.
func TestWhenInAnyOrder(t *testing.T) {
	for _, c := range []struct{ first, second, third float64 }{{1, 2, 3}, {3, 2, 1}, {2, 1, 3}, {2, 3, 1}} {
		r := exactSimulate(t, 1, 1, `
name: orders
time: {unit: day, end: 20}
population: {size: 3, start: {p: 1, q: 1, z: 1}}
parameters: {x: 0 per day, y: 0 per day, w: 0 per day}
states: {p: {race: [{after: %v days, to: p1}]}, p1: {}, q: {race: [{after: %v days, to: q1}]}, q1: {}, z: {},
  r1: {}, r2: {}, r3: {}}
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
