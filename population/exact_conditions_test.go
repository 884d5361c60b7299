package population_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// firingsOf runs a model and returns when an intervention happened.
func firingsOf(t *testing.T, name, model string, args ...any) (times []float64) {
	t.Helper()
	exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
		if e.Kind == population.Happened && e.Name == name {
			times = append(times, e.Time)
		}
	}}, model, args...)
	return times
}

// A condition that must hold for 14 days, on a number that is above its limit for 13.9 days, never
// holds for so long; on one that is above it for 14.1 days, it does so once, 14 days after it rose.
// At the instant at which the 14 days are over the clock comes first.
func TestConditionHoldsLongEnough(t *testing.T) {
	const model = `
name: lasting
time: {unit: day, end: 100}
population: {size: 10, start: {a: rest}}
parameters: {x: 1}
states: {a: {race: [{after: 2 days, to: b}]}, b: {race: [{after: %s, to: c}]}, c: {%s}}
interventions: [{when: {b: above 9, for: 14 days}, set: {x: 2}, name: lasting, again: %v}]
`
	for _, c := range []struct {
		stay, back string
		again      bool
		want       []float64
	}{
		{"13.9 days", "", true, nil},
		{"14 days", "", true, nil},
		{"14.1 days", "", false, []float64{16}},
		{"14.1 days", "", true, []float64{16}},
		{"60 days", "", true, []float64{16}},
		{"13.5 days", "race: [{after: 1 day, to: b}]", true, nil},          // a day's break each time
		{"20 days", "race: [{after: 1 day, to: b}]", false, []float64{16}}, // from 2 to 22, from 23 to 43 …
		{"20 days", "race: [{after: 1 day, to: b}]", true, []float64{16, 37, 58, 79, 100}},
	} {
		if got := firingsOf(t, "lasting", model, c.stay, c.back, c.again); !slices.Equal(got, c.want) {
			t.Errorf("above for %s, %q, again %v: it happened at %v, want %v", c.stay, c.back, c.again, got, c.want)
		}
	}
}

// A fork keeps what is known of conditions: how long they have held, and the events in a window.
// They happen on time if nothing else does.
func TestConditionsOfForks(t *testing.T) {
	var times []float64
	m := exactCompile(t, `
name: quiet
time: {unit: day, end: 100}
population: {size: 10, start: {a: rest}}
parameters: {x: 1}
states: {a: {race: [{after: 2 days, to: b, name: step}]}, b: {}}
interventions:
  - {when: {b: above 9, for: 14 days}, set: {x: 2}, name: lasting}
  - {when: {incidence(step) over 20 days: below 10, for: 1 day}, set: {x: 3}, again: true, name: over}
`)
	p, err := m.Begin(t.Context(), population.Options{Seed: 1, OnEvent: func(e population.Event) {
		if e.Kind == population.Happened {
			times = append(times, e.Time)
		}
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, stop := range []float64{10, 15, 16, 20, 22.5, 23, 50} {
		if err := p.Advance(t.Context(), stop); err != nil {
			t.Fatal(err)
		}
		f, err := p.Fork(7)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		p = f
	}
	p.Close()
	if want := []float64{1, 16, 23}; !slices.Equal(times, want) {
		t.Errorf("they happened at %v, want %v", times, want)
	}
}

// A window over time has the events after now−over, up to and including now: it changes when one
// happens and when one leaves it. One that happens at the instant at which another leaves takes its
// place.
func TestConditionOnIncidence(t *testing.T) {
	for _, c := range []struct {
		when string
		want []float64
	}{
		{"{incidence(x) over 2.5 days: above 2}", []float64{3, 4}},
		{"{incidence(x) over 2.5 days: above 2.9}", []float64{3, 4}},
		{"{incidence(a1->b) over 2.5 days: above 0}", []float64{1}},
		{"{incidence(x) over 2.5 days: below 1}", []float64{0, 6.5, 12.5}},
		{"{incidence(x) over 2.5 days: below 1, for: 3 days}", []float64{9.5, 15.5}},
		{"{incidence(x) over 2.5 days: below 1, for: 3 days, total: above 3}", []float64{9.5, 15.5}},
		{"{incidence(x) over 2.5 days: below 1, for: 3.6 days}", []float64{16.1}},
		{"{incidence(x) over 1 day: above 0}", []float64{1, 10}}, // from 1 to 5 there always is one
		{"{incidence(x) over 1 day: above 1}", nil},
		{"{incidence(x) over 1 day: above 0, for: 3.99 days}", []float64{4.99}},
		{"{incidence(x) over 100 days: above 4}", []float64{10}},
		{"{incidence(x) over 100 days: below 0}", nil},
		{"{incidence(x) over length: above 2}", []float64{3, 4}},
		{"{incidence(x) over 2.5 days: above 0, where: {sex: f}}", []float64{2, 10}}, // 2 and 4, and 10
		{"{incidence(x) over 2.5 days: above 1, where: {sex: f}}", []float64{4}},
		{"{total: above 1, where: {sex: [f]}}", []float64{0}},
	} {
		if got := firingsOf(t, "strike", `
name: window
time: {unit: day, end: 20}
parameters: {y: 1, length: 60 hours}
attributes: {sex: {f: 50%%, m: 50%%}}
population:
  size: 5
  groups:
    - {count: 2, with: {sex: m}, start: {a1: 1, a3: 1}}
    - {count: 3, with: {sex: f}, start: {a2: 1, a4: 1, a10: 1}}
states:
  a1: {race: [{after: 1 day, to: b, name: x}]}
  a2: {race: [{after: 2 days, to: b, name: x}]}
  a3: {race: [{after: 3 days, to: b, name: x}]}
  a4: {race: [{after: 4 days, to: b, name: x}]}
  a10: {race: [{after: 10 days, to: b, name: x}]}
  b: {}
interventions: [{when: %s, set: {y: 2}, name: strike, again: true}]
`, c.when); !slices.Equal(got, c.want) {
			t.Errorf("%s: it happened at %v, want %v", c.when, got, c.want)
		}
	}
}

// If one event makes the condition of two interventions true, both happen, in the order of the
// file, although the first makes it false again.
func TestConditionOfTwo(t *testing.T) {
	var told []string
	r := exactObserve(t, population.Options{Seed: 1, OnEvent: func(e population.Event) {
		if e.Kind == population.Happened {
			told = append(told, fmt.Sprint(e.Name, " at ", e.Time))
		}
	}}, `
name: two
time: {unit: day, end: 10}
population: {size: 3, start: {a: rest}}
states: {a: {race: [{after: 2 days, to: b}]}, b: {}, c: {}, d: {}}
interventions:
  - {when: {b: above 2}, who: b, to: c, name: first}
  - {when: {b: above 2}, who: c, to: d, name: second}
record: {every: 10 days}
`)
	if want := []string{"first at 2", "second at 2"}; !slices.Equal(told, want) || r.all(1, "d") != 3 {
		t.Errorf("%v, and %v are d", told, r.all(1, "d"))
	}
}

// The times at which an intervention changed a parameter are counted beside all its times: schools
// that are closed do not close again, whatever crosses the limit.
func TestConditionBegins(t *testing.T) {
	const model = `
name: flutter
time: {unit: day, end: 200}
population: {size: 400, start: {ill: 40, well: rest}}
parameters: {beta: 0.6 per day, same: 0.3 per day * 2}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: well}]}}
transmission: [{from: ill, rate: beta, to: {well: ill}, name: infection}]
interventions:
  - {when: {ill: above 100}, again: true, set: {beta: 0.1 per day}, name: close}
  - {when: {ill: below 50}, again: true, set: {beta: same}, name: open}
  - {when: {ill: above 100}, again: true, set: {beta: 0.1 per day}, name: once more}
  - {when: {ill: below 50}, set: {same: 0.6 per day}, name: opens once}
record: {every: 200 days}
`
	var turns strings.Builder
	r := exactObserve(t, population.Options{Seed: 3, OnEvent: func(e population.Event) {
		if e.Kind == population.Happened && e.Name != "once more" && e.Name != "opens once" {
			turns.WriteString(e.Name[:1])
		}
	}}, model)
	// It is open at the start; what follows one of its kind changes nothing.
	want := map[string]int{"close": strings.Count(turns.String(), "c"), "open": strings.Count(turns.String(), "o")}
	state := "o"
	for _, c := range turns.String() {
		if s := string(c); s != state {
			state = s
			want[map[string]string{"c": "close begins", "o": "open begins"}[s]]++
		}
	}
	if want["close begins"] < 2 || want["close"] <= want["close begins"] {
		t.Fatalf("it does not flutter: %s", turns.String())
	}
	got := map[string]int{}
	for k, name := range r.Model.Names() {
		got[name] = int(r.Runs[0].Named(1, k))
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d, want %d by %s", name, got[name], n, turns.String())
		}
	}
	if _, ok := got["opens once begins"]; ok || got["once more begins"] != 0 || got["once more"] != want["close"] {
		t.Errorf("%v", got)
	}
}

// A randomCondition is a condition of a random model, as it is written and as it is recounted.
type randomCondition struct {
	name, text      string
	again           bool
	over, lasts     float64 // over is 0 for a number of individuals
	event, from, to string  // what is counted: a name, or a flow
	state           string  // or a state; "" for all
	region, band    string  // of whom; "" for all
	above           bool
	limit           float64
	share           bool
}

// newRandomCondition draws a condition.
func newRandomCondition(r *rand.Rand, k int) randomCondition {
	c := randomCondition{name: fmt.Sprint("t", k), again: r.IntN(4) > 0, above: r.IntN(2) == 0}
	word := map[bool]string{true: "above", false: "below"}[c.above]
	if r.IntN(3) > 0 {
		c.over, c.limit = float64(1+r.IntN(60))/8, float64(r.IntN(40))
		what := []string{"infection", "caught", "well->ill", "births->well", "ill->out", "band: child->adult"}[r.IntN(6)]
		if from, to, ok := strings.Cut(what, "->"); ok {
			c.from, c.to = from, to
		} else {
			c.event = what
		}
		c.text = fmt.Sprintf(`"incidence(%s) over %v days": %s %v`, what, c.over, word, c.limit)
	} else {
		c.state = []string{"ill", "well", ""}[r.IntN(3)]
		c.limit = float64(r.IntN(120))
		c.text = fmt.Sprintf("%s: %s %v", max(c.state, "total"), word, c.limit)
		if c.state == "" {
			c.text = fmt.Sprintf("total: %s %v", word, c.limit)
		} else if c.text = fmt.Sprintf("%s: %s %v", c.state, word, c.limit); r.IntN(2) == 0 {
			c.share, c.limit = true, float64(5*(1+r.IntN(12)))
			c.text = fmt.Sprintf("%s: %s %v%%", c.state, word, c.limit)
		}
	}
	var where []string
	if r.IntN(2) == 0 {
		c.region = []string{"north", "south"}[r.IntN(2)]
		where = append(where, "region: "+c.region)
	}
	if r.IntN(3) == 0 {
		c.band = []string{"child", "adult"}[r.IntN(2)]
		where = append(where, "band: "+c.band)
	}
	if len(where) > 0 {
		c.text += ", where: {" + strings.Join(where, ", ") + "}"
	}
	if r.IntN(2) == 0 {
		c.lasts = float64(r.IntN(32)) / 16
		c.text += fmt.Sprintf(", for: %v days", c.lasts)
	}
	return c
}

// among reports whether an individual with these values, region and band, is counted.
func (c *randomCondition) among(values []string) bool {
	return (c.region == "" || values[0] == c.region) && (c.band == "" || values[1] == c.band)
}

// recount works out from the events of a run when the intervention should have happened.
func (c *randomCondition) recount(events []population.Event, end float64) (firings []float64) {
	type person struct{ state, region, band string }
	people := map[uint64]person{}
	var counted []float64 // times of the events
	times := []float64{0}
	for _, e := range events {
		times = append(times, e.Time)
		if c.over > 0 {
			times = append(times, e.Time+c.over)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	times = times[:len(times)-len(times[search(times, end):])]
	next := 0
	holds := func(at float64) bool {
		for ; next < len(events) && events[next].Time <= at; next++ {
			e := &events[next]
			before := people[e.Individual]
			people[e.Individual] = person{e.To, e.Values[0], e.Values[1]}
			aged := e.Kind == population.Moved && c.from == "band: "+before.band && c.to == e.Values[1] && before.band != c.to
			flow := c.from != "" && e.From == c.from && e.To == c.to && e.Kind != population.Moved
			if (aged || flow || c.event != "" && e.Name == c.event) && c.among(e.Values) {
				counted = append(counted, e.Time)
			}
			if e.Kind == population.Left {
				delete(people, e.Individual)
			}
		}
		n, all := 0, 0
		if c.over > 0 {
			for _, s := range counted {
				if s+c.over > at {
					n++
				}
			}
		} else {
			for _, p := range people {
				if c.among([]string{p.region, p.band}) {
					if all++; c.state == "" || p.state == c.state {
						n++
					}
				}
			}
		}
		x, y := 100*float64(n), 100*c.limit
		if c.share {
			y = c.limit * float64(all)
		}
		return c.above && x > y || !c.above && x < y
	}
	held, fired, since := false, false, 0.0
	for _, at := range append(times, end) {
		if held && !fired && since+c.lasts < at {
			firings, fired = append(firings, since+c.lasts), true
		}
		now := holds(at)
		if !held || !now {
			since, fired = at, false
		}
		if held = now; held && !fired && since+c.lasts <= at {
			firings, fired = append(firings, at), true
		}
	}
	if !c.again && len(firings) > 1 {
		firings = firings[:1]
	}
	return firings
}

// search returns the index of the first time that is not before another.
func search(times []float64, at float64) int {
	i, _ := slices.BinarySearch(times, at)
	return i
}

// Random conditions happen when a recount of all events says so, to the last bit: in a run, in one
// whose population is set up in blocks, and in a fork of one that is under way.
func TestConditionsRecounted(t *testing.T) {
	const end = 12.0
	firings, lasting, windows := 0, 0, 0
	for seed := range testscale.Size[uint64](30, 400) {
		r := rand.New(rand.NewPCG(seed, 5))
		var conditions []randomCondition
		var text strings.Builder
		for k := range 4 {
			c := newRandomCondition(r, k)
			conditions = append(conditions, c)
			fmt.Fprintf(&text, "  - {when: {%s}, set: {%s}, name: %s, again: %v}\n", c.text,
				[]string{"beta: 0.3 per day", "beta: 1.2 per day", "stay: 1 day", "stay: 3 days"}[r.IntN(4)], c.name, c.again)
		}
		m := exactCompile(t, `
name: recounted
time: {unit: day, end: 12}
population: {size: 150, age: {uniform: {low: 0 days, high: 20 days}}, start: {ill: 20, well: rest}}
parameters: {beta: 0.8 per day, stay: 2 days}
attributes: {region: {north: 40%%, south: 60%%}, band: {age: {child: 0 days, adult: 9 days}}}
states: {well: {}, ill: {race: [{after: {exponential: {mean: stay}}, to: well}, {rate: 0.03 per day, to: out}]}}
always: [{rate: 0.1 per day, move: {region: south}}]
births: {rate: {by: band, adult: 0.1 per day, other: 0 per day}, enter: {well: 90%%, ill: rest}}
transmission:
  - {from: ill, rate: beta, to: {well: ill}, name: infection}
  - {from: well, rate: 0.1 per day, to: {ill: same}, self: ill, name: caught}
interventions:
%s  - {at: 5 days, who: well, coverage: 20%%, to: ill, name: infection}
record: {every: 12 days}
`, text.String())
		compare := func(how string, events []population.Event) {
			t.Helper()
			happened := map[string][]float64{}
			others := slices.DeleteFunc(slices.Clone(events), func(e population.Event) bool {
				if e.Kind == population.Happened {
					happened[e.Name] = append(happened[e.Name], e.Time)
				}
				return e.Kind == population.Happened
			})
			for i := range conditions {
				c := &conditions[i]
				want := c.recount(others, end)
				if got := happened[c.name]; !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s, %s, again %v: it happened at %v, want %v", seed, how, c.text, c.again, got, want)
				}
				if firings += len(want); c.lasts > 0 {
					lasting += len(want)
				}
				if c.over > 0 {
					windows += len(want)
				}
			}
		}
		var events []population.Event
		o := population.Options{Seed: seed, OnEvent: func(e population.Event) { events = append(events, e) }}
		if _, err := m.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		compare("run", events)
		events = nil
		p, err := m.Begin(t.Context(), o, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []float64{1 + 9*r.Float64(), 11} {
			if err := p.Advance(t.Context(), min(max(at, p.Time()), 11)); err != nil {
				t.Fatal(err)
			}
			f, err := p.Fork(r.Uint64())
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
			p = f
		}
		if err := p.Advance(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		p.Close()
		compare("fork", events)
	}
	t.Logf("%d firings, %d of lasting conditions, %d on incidence", firings, lasting, windows)
	if lasting < 50 || windows < 100 {
		t.Errorf("%d firings, %d of lasting conditions, %d on incidence: too few to tell", firings, lasting, windows)
	}
}

// The number of workers, and of cores that set the population up, makes no difference.
func TestConditionsOnManyCores(t *testing.T) {
	m := exactCompile(t, `
name: many
time: {unit: day, end: 40}
population: {size: 20_000, age: {uniform: {low: 0 years, high: 80 years}}, start: {ill: 200, well: rest}}
parameters: {beta: 0.5 per day}
attributes: {region: {north: 40%%, south: 60%%}, band: {age: {child: 0 years, adult: 15 years, elder: 65 years}}}
states: {well: {}, ill: {race: [{after: 4 days, to: immune}]}, immune: {}}
transmission: [{from: ill, rate: beta, to: {well: ill}, name: infection}]
interventions:
  - {when: {incidence(infection) over 3 days: above 500, where: {region: north, band: [adult, elder]}, for: 1 day},
     set: {beta: 0.15 per day}, again: true, name: close}
  - {when: {incidence(infection) over 3 days: below 300, for: 2 days}, set: {beta: 0.5 per day}, again: true,
     name: open}
record: {every: 1 day, by: [band]}
`)
	one, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 4, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	many, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 4, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	for k := range one.Runs {
		for _, run := range []*population.Run{&one.Runs[k], &many.Runs[k]} {
			run.Seconds, run.Setup = 0, 0
		}
		a, errA := one.Runs[k].MarshalBinary()
		b, errB := many.Runs[k].MarshalBinary()
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("replica %d differs with the number of workers: %v, %v", k, errA, errB)
		}
	}
	if n := one.Named(slices.Index(m.Names(), "close begins")).Mean[40]; n < 1 {
		t.Errorf("closed %v times", n)
	}
}
